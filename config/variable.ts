/** What an environment variable is to the service: its meaning, its check, its default and the processes that read it. */
import type { z } from "zod";

export class ConfigError extends Error {}

/** The processes of a deployment. */
export const PROCESSES = ["api", "workers", "indexer", "migration"] as const;
export type Process = (typeof PROCESSES)[number];

export type Variable<T = unknown> = {
  /**
   * `loadConfig` withholds a variable from every other process, so a process holds its own secrets only; compose.yaml hands
   * each process these variables, which a test proves. None: only the local stack itself reads it.
   */
  readBy: readonly Process[];
  /** One line of `.env.example`. */
  doc: string;
  /** As written in the environment; undefined: the variable may be absent. */
  default?: string;
  schema: z.ZodType<T, string>;
  /** The log redacts the value and errors do not quote it. */
  secret?: boolean;
  /** The value is a comma list of name=value: two environments that set it are merged name by name. */
  byName?: boolean;
};

/** The values of a set of variables after their checks. */
export type ValuesOf<V extends Record<string, Variable>> = {
  [K in keyof V]: V[K] extends Variable<infer T> ? T : never;
};

/**
 * One variable.
 * @param readBy processes that get the value; the others get the default
 * @param value default as written in the environment; without it the variable may be absent
 */
export function variable<T>(
  readBy: readonly Process[],
  doc: string,
  schema: z.ZodType<T, string>,
  value: string,
): Variable<T>;
export function variable<T>(
  readBy: readonly Process[],
  doc: string,
  schema: z.ZodType<T, string>,
): Variable<T | undefined>;
export function variable<T>(readBy: readonly Process[], doc: string, schema: z.ZodType<T, string>, value?: string) {
  return { readBy, doc, schema, default: value };
}

/** A variable of settings by name: what it does not name keeps its default. @param schema made by `byName` */
export const settings = <T>(readBy: readonly Process[], doc: string, schema: z.ZodType<T, string>): Variable<T> => ({
  ...variable(readBy, doc, schema, ""),
  byName: true,
});

/** The variable, with a value that neither the log nor an error shows. */
export const secret = <T>(of: Variable<T>): Variable<T> => ({ ...of, secret: true });
