/** Fields of a request's body that are not read and are no error: the answer names them, so that their sender learns of it. */
import { z } from "zod";

/** Most names in an answer; a body may hold thousands of fields. */
const MOST_NAMES = 20;
/** Most characters of a field's name in an answer. */
const LONGEST_NAME = 64;

/** Holds the names that an object was given and does not have. Not enumerable: copies and JSON of the object are free of it. */
const IGNORED = Symbol("ignored");

/** Notes in an object which fields it was given without reading them; `ignoredIn` finds them. */
export const withIgnored = <T extends object>(value: T, names: readonly string[]): T =>
  names.length === 0 ? value : Object.defineProperty(value, IGNORED, { value: names });

/** An object whose unknown fields are no error: they are left out, and `ignoredIn` names them. */
export const lenientObject = <S extends z.ZodRawShape>(shape: S) =>
  z.looseObject(shape).transform((given) => {
    const isKnown = (name: string) => Object.hasOwn(shape, name);
    const known = Object.entries(given).filter(([name]) => isKnown(name));
    return withIgnored(
      Object.fromEntries(known) as z.output<z.ZodObject<S>>,
      Object.keys(given).filter((name) => !isKnown(name)),
    );
  });

/** Paths of the fields of a checked body that were not read, the first 20 of them: `mintOnchain`, `traits.0.addedAt`. */
export function ignoredIn(body: unknown): string[] {
  const paths: string[] = [];
  const walk = (value: unknown, path: readonly string[]) => {
    if (typeof value !== "object" || value === null || paths.length >= MOST_NAMES) return;
    const names: readonly string[] = (value as { [IGNORED]?: readonly string[] })[IGNORED] ?? [];
    for (const name of names.slice(0, MOST_NAMES - paths.length))
      paths.push([...path, name.slice(0, LONGEST_NAME).toWellFormed()].join("."));
    for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
  };
  walk(body, []);
  return paths;
}
