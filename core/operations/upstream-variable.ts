/** An environment variable that configures an upstream. Each table of upstreams (registries, proof platforms) lists its own. */

export type UpstreamVariable = {
  name: string;
  /** One line of `.env.example`. */
  doc: string;
  /** `duration` (30d) is milliseconds, `count` a whole number from 1. */
  kind: "url" | "secret" | "duration" | "count";
  /** Absent: the variable may be unset. */
  default?: string;
};

export type UpstreamVariables = Readonly<Record<string, UpstreamVariable>>;

/** What a kind of variable is after its check. */
export type ValueOf<V extends UpstreamVariable> = V["kind"] extends "duration" | "count" ? number : string;

/** The values of an upstream's variables, by the short names in the upstream's table. */
export type SettingsOf<V extends UpstreamVariables> = {
  [K in keyof V]: V[K] extends { default: string } ? ValueOf<V[K]> : ValueOf<V[K]> | undefined;
};
