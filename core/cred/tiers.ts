/** The tiers of the cred score: one table of their names, ranges and upper-case words in the by-address view. */

/** Best first; `from` and `to` are inclusive integer scores. */
export const TIERS = [
  { key: "preferred", label: "Preferred", from: 91, to: 100, addressWord: "legendary" },
  { key: "prime", label: "Prime", from: 76, to: 90, addressWord: "elite" },
  { key: "qualified", label: "Qualified", from: 51, to: 75, addressWord: "trusted" },
  { key: "marginal", label: "Marginal", from: 26, to: 50, addressWord: "verified" },
  { key: "junk", label: "Junk", from: 0, to: 25, addressWord: "basic" },
] as const;
export type Tier = (typeof TIERS)[number];
export type TierKey = Tier["key"];
export type TierWord = Uppercase<TierKey>;
export type AddressWord = Tier["addressWord"];

/** The tier of an integer score, 0 to 100. */
export const tierOf = (score: number): Tier => TIERS.find((tier) => score >= tier.from) ?? TIERS[4];

/** The tier as the field `tier` writes it: PREFERRED … JUNK. */
export const tierWord = (tier: Tier) => tier.key.toUpperCase() as TierWord;

/** Lower-case tier → its range, worst first: `{ junk: "0-25", … }`. */
export const SCALE = Object.fromEntries(
  TIERS.toReversed().map((tier) => [tier.key, `${tier.from}-${tier.to}`]),
) as Record<TierKey, string>;
