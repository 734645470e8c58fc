/** Unknown fields of a request's body that are ignored without an error. The answer names them, so that the sender notices. */
import { z } from "zod";

/** Max names in an answer; a body may hold thousands of fields. */
const MAX_NAMES = 20;
/** Max characters of a field's name in an answer. */
const MAX_NAME_LENGTH = 64;

/** Key of the list of ignored names on an object. It is not enumerable, so copies and JSON of the object omit it. */
const IGNORED = Symbol("ignored");

/** Attaches to an object the names of the input fields that were ignored; `ignoredIn` reads them. */
export const withIgnored = <T extends object>(value: T, names: readonly string[]): T =>
  names.length === 0 ? value : Object.defineProperty(value, IGNORED, { value: names });

/** A schema of an object that ignores unknown fields: they are left out, and `ignoredIn` names them. */
export const lenientObject = <S extends z.ZodRawShape>(shape: S) =>
  z.looseObject(shape).transform((given) => {
    const isKnown = (name: string) => Object.hasOwn(shape, name);
    const known = Object.entries(given).filter(([name]) => isKnown(name));
    return withIgnored(
      Object.fromEntries(known) as z.output<z.ZodObject<S>>,
      Object.keys(given).filter((name) => !isKnown(name)),
    );
  });

/** Paths of the ignored fields of a parsed body, at most 20: `mintOnchain`, `traits.0.addedAt`. */
export function ignoredIn(body: unknown): string[] {
  const paths: string[] = [];
  const walk = (value: unknown, path: readonly string[]) => {
    if (typeof value !== "object" || value === null || paths.length >= MAX_NAMES) return;
    const names: readonly string[] = (value as { [IGNORED]?: readonly string[] })[IGNORED] ?? [];
    for (const name of names.slice(0, MAX_NAMES - paths.length))
      paths.push([...path, name.slice(0, MAX_NAME_LENGTH).toWellFormed()].join("."));
    for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
  };
  walk(body, []);
  return paths;
}
