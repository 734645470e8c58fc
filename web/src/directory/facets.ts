/** The facets of the directory: their choices, their bounds, and what is set in words. */
import { type Facets, VERIFIED_KINDS, type VerifiedKind } from "../../../core/directory/facets.ts";
import { platformLabel as labelOf, OWN_PLATFORM, PLATFORMS } from "../../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../../core/directory/protocols.ts";
import { PROOF_BADGE_LIST } from "../../../core/proof-platforms/badges.ts";
import { count, short } from "../formats.ts";
import { SITE_NAME } from "../site.ts";

/** The chains that registries name most, by chain id; others can be given in the URL. */
const CHAINS = new Map([
  [8453, "Base"],
  [1, "Ethereum"],
  [42161, "Arbitrum"],
  [137, "Polygon"],
]);
export const chainLabel = (id: number): string => CHAINS.get(id) ?? `Chain ${id}`;

const verifiedLabel = (kind: VerifiedKind): string =>
  kind === "wallet"
    ? "Wallet"
    : kind === "coinbase"
      ? "Exchange"
      : PROOF_BADGE_LIST.find(({ key }) => key === kind)!.label;
/** The own registry is called as the service is. */
export const platformLabel = (key: string): string => (key === OWN_PLATFORM ? SITE_NAME : labelOf(key));

/** The facets whose value is a list: their choices, and whether a row has to meet one of them or all. */
export const LISTS = {
  platform: { all: false, choices: PLATFORMS.map(({ key }) => key) as string[], label: platformLabel },
  chain: { all: false, choices: [...CHAINS.keys()].map(String), label: (id: string) => chainLabel(Number(id)) },
  speaks: { all: true, choices: [...PROTOCOLS] as string[], label: (protocol: string) => protocol },
  verified: {
    all: true,
    choices: VERIFIED_KINDS as string[],
    label: (kind: string) => verifiedLabel(kind as VerifiedKind),
  },
} as const;
export type ListKey = keyof typeof LISTS;
export const LIST_KEYS = Object.keys(LISTS) as ListKey[];

export const valuesOf = (facets: Facets, key: ListKey): string[] => (facets[key] ?? []).map(String);
/** The facets with other values of one list; an empty list is none. */
export const withValues = (facets: Facets, key: ListKey, values: readonly string[]): Facets => ({
  ...facets,
  [key]: values.length === 0 ? undefined : key === "chain" ? values.map(Number) : values,
});
export const toggled = (values: readonly string[], value: string): string[] =>
  values.includes(value) ? values.filter((other) => other !== value) : [...values, value];

export const RANGES = {
  score: { lower: "minScore", upper: "maxScore", least: 0, most: 100 },
  age: { lower: "minAgeDays", upper: "maxAgeDays", least: 1, most: 3_650 },
} as const;
export type RangeKey = keyof typeof RANGES;

/** What is set, each in words and with the facets that are left without it. */
export function facetWords(facets: Facets): { key: string; words: string; without: Facets }[] {
  const lists = LIST_KEYS.flatMap((key) =>
    valuesOf(facets, key).map((value) => ({
      key: `${key} ${value}`,
      words: LISTS[key].label(value),
      without: withValues(facets, key, toggled(valuesOf(facets, key), value)),
    })),
  );
  const ranges = (Object.keys(RANGES) as RangeKey[]).flatMap((key) => {
    const { lower, upper } = RANGES[key];
    const [from, to] = [facets[lower], facets[upper]];
    if (from === undefined && to === undefined) return [];
    return [{ key, words: rangeWords(key, from, to), without: { ...facets, [lower]: undefined, [upper]: undefined } }];
  });
  const { hasToken, owner } = facets;
  const token =
    hasToken === undefined
      ? []
      : [{ key: "token", words: tokenLabel(hasToken), without: { ...facets, hasToken: undefined } }];
  const owned =
    owner === undefined
      ? []
      : [
          {
            key: "owner",
            words: `Owned by ${short(owner)}`,
            without: { ...facets, owner: undefined },
          },
        ];
  return [...lists, ...ranges, ...token, ...owned];
}

/** A range that is set. @param from its lower bound, @param to its upper one; at least one of them is given */
function rangeWords(key: RangeKey, from: number | undefined, to: number | undefined): string {
  if (key === "score") {
    if (from === undefined) return `Cred up to ${count(to!)}`;
    return to === undefined ? `Cred ${count(from)} and more` : `Cred ${count(from)} to ${count(to)}`;
  }
  if (from === undefined) return `At most ${count(to!)} days old`;
  return to === undefined ? `At least ${count(from)} days old` : `${count(from)} to ${count(to)} days old`;
}

export const tokenLabel = (has: boolean) => (has ? "Has a token" : "No token");
