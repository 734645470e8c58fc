/** A variable of the environment by which an upstream is configured, as the upstream's own table states it. */

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

/** The values of an upstream's variables, by the short names that the upstream gives them. */
export type SettingsOf<V extends UpstreamVariables> = {
  [K in keyof V]: V[K] extends { default: string } ? string : string | undefined;
};
