/** The origins of a registration: the contract's MintOrigin enum in its order, each with its raw value in the score. */

/** Index = value on chain; `raw` = raw value of the signal `origin` (spec: Cred Score System). */
export const MINT_ORIGINS = [
  { name: "HUMAN", raw: 80 },
  { name: "AGENT_SIWA", raw: 100 },
  { name: "API", raw: 70 },
  { name: "OWNER", raw: 50 },
] as const;
export type MintOrigin = (typeof MINT_ORIGINS)[number]["name"];

/** The origin of an unknown enum value (a later contract version): the one with the lowest raw value. */
export const UNKNOWN_ORIGIN = MINT_ORIGINS[3];

export const mintOriginAt = (index: number) => MINT_ORIGINS[index] ?? UNKNOWN_ORIGIN;

/** The on-chain value of an origin. */
export const mintOriginIndex = (name: MintOrigin): number => MINT_ORIGINS.findIndex((origin) => origin.name === name);
