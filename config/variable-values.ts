/** Every variable as an operator reads it: its value or default, what it is for, who reads it. Secrets are set or unset. */
import { shownPostgresUrl } from "../core/operations/postgres-url.ts";
import { loadConfig } from "./config.ts";
import { type Environment, environmentOf, FILE_SUFFIX } from "./environment.ts";
import type { Process } from "./variable.ts";
import { ConfigError } from "./variable.ts";
import { GROUPS } from "./variables.ts";

export type VariableValue = {
  name: string;
  group: string;
  /** One sentence. */
  meaning: string;
  readBy: readonly Process[];
  state: "set" | "default" | "unset";
  /** As written; null for a secret and where nothing is written. URLs are cut to what holds no key. */
  value: string | null;
  secret: boolean;
};

/** Every variable with its present value. @param env the environment; a running local stack adds its own */
export function variableValues(env?: Environment): VariableValue[] {
  const { read } = environmentOf(env);
  return Object.entries(GROUPS).flatMap(([group, variables]) =>
    Object.entries(variables).map(([name, { doc, readBy, secret = false, default: standard }]) => {
      const { text: written } = read(name);
      const state = written !== undefined ? "set" : standard ? "default" : "unset";
      const shown = written === undefined ? (standard ?? null) : withoutKeys(written);
      return { name, group, meaning: doc, readBy, state, value: secret ? null : shown || null, secret };
    }),
  );
}

/** Passwords, paths and queries of URLs may hold keys: a list of URLs is cut to schemes and hosts. */
function withoutKeys(written: string): string {
  // The comma may be one of several hosts, or of several URLs.
  if (/^\s*postgres/i.test(written))
    return written
      .split(/,(?=\s*postgres)/)
      .map(shownDatabase)
      .join(",");
  return written
    .split(",")
    .map((part) => {
      if (!/^\s*[a-z]+:\/\//i.test(part) || !URL.canParse(part)) return part;
      const { protocol, host, pathname, search } = new URL(part);
      return `${protocol}//${host}${pathname.length > 1 || search ? "/…" : ""}`;
    })
    .join(",");
}

function shownDatabase(url: string): string {
  try {
    return shownPostgresUrl(url.trim());
  } catch {
    return "postgres://…";
  }
}

/**
 * The configuration, also of an environment with faults: a variable that cannot be used counts as unset, so that
 * everything else can still be examined.
 * @returns `problems` one sentence for each fault, which begins with the variable's name
 */
export function forgivingConfig(env: Environment = process.env) {
  const problems: string[] = [];
  const { has } = environmentOf(env);
  let usable = env;
  for (;;) {
    try {
      return { config: loadConfig(usable), problems };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const lines = error.message.split("\n");
      // What follows a colon names what to set instead.
      const named = lines.flatMap((line) => line.split(":")[0]!.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []);
      const removable = named
        .flatMap((name) => [name, name + FILE_SUFFIX])
        .filter((name) => has(name) && usable[name] !== "");
      if (removable.length === 0 || problems.length > 100) throw error;
      problems.push(...lines);
      usable = { ...usable, ...Object.fromEntries(removable.map((name) => [name, ""])) };
    }
  }
}
