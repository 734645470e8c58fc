/** An environment variable that configures an upstream. Each table of upstreams (registries, proof platforms) lists its own. */

export type UpstreamVariable = {
  /** Name in the environment. */
  name: string;
  /** One line of `.env.example`. */
  doc: string;
  kind: "url" | "secret";
  /** Absent: the variable may be unset. */
  default?: string;
};

export type UpstreamVariables = Readonly<Record<string, UpstreamVariable>>;

/** The values of an upstream's variables, by the short names in the upstream's table. */
export type SettingsOf<V extends UpstreamVariables> = {
  [K in keyof V]: V[K] extends { default: string } ? string : string | undefined;
};
