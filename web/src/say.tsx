/** The words of the terminal: a message by its key, with its values filled in. */
import { Fragment, type ReactNode } from "react";
import { LOCALES } from "./formats.ts";
import { MESSAGES } from "./messages.ts";

type Messages = typeof MESSAGES;
export type MessageKey = keyof Messages;

/** The forms of a message that counts `{n}`, as CLDR names them; English has two. */
type Plural = { one: string; other: string };
type TextOf<K extends MessageKey> = Messages[K] extends Plural ? Messages[K]["other"] : Messages[K];
type Places<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;
type Tags<T> = T extends `${string}</${infer Name}>${infer Rest}` ? Name | Tags<Rest> : never;
type Values<K extends MessageKey> = Record<Places<TextOf<K>>, string | number>;
type Elements<K extends MessageKey> = Record<Tags<TextOf<K>>, (text: string) => ReactNode>;
/** The values that a message has places for; none where it has none. */
type MessageValues<K extends MessageKey> = [Places<TextOf<K>>] extends [never] ? [] : [values: Values<K>];

const whole = new Intl.NumberFormat(LOCALES);
const plural = new Intl.PluralRules("en");

function textOf(key: MessageKey, values: Record<string, string | number>): string {
  // The build replaces each key by its message (`inlineMessages`): then the key is the message itself.
  const message: string | Plural = MESSAGES[key] ?? key;
  if (typeof message === "string") return message;
  const form = plural.select(Number(values.n));
  return form === "one" ? message.one : message.other;
}

const filled = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : typeof value === "number" ? whole.format(value) : value;
  });

/**
 * A message as text.
 * @param values one for each `{name}` of the message; numbers are written as the browser's language writes them
 */
export function say<K extends MessageKey>(key: K, ...given: MessageValues<K>): string {
  const values: Record<string, string | number> = given[0] ?? {};
  return filled(textOf(key, values), values);
}

type SayProps<K extends MessageKey> = { k: K } & Values<K> & Elements<K>;

/** A message as elements: each `<tag>…</tag>` of it becomes what the property of that name makes of its text. */
export function Say<K extends MessageKey>(props: SayProps<K>) {
  const given = props as unknown as Record<string, string | number> & Record<string, (text: string) => ReactNode>;
  const parts = textOf(props.k, given).split(/<(\w+)>(.*?)<\/\1>/);
  // Every third part is plain text, followed by a tag and the tag's text.
  return parts.map((part, i) => {
    if (i % 3 === 1) return null;
    const text = filled(part, given);
    return <Fragment key={i}>{i % 3 === 2 ? given[parts[i - 1]!]!(text) : text}</Fragment>;
  });
}
