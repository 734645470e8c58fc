/** SQL of the bits of all rows that meet a question: each condition is a plane, or a few of them. */
import type { Facets } from "../../../core/directory/facets.ts";
import { boundsOf, type DirectoryNarrowing, type DirectorySort } from "../../../core/directory/filters.ts";
import { planesOf } from "./layout.ts";

/** SQL of a plane. The name is one of layout.ts. */
const bits = (plane: string) => `offchain.directory_bits('${plane}')`;
const flag = (column: string) => bits(planesOf(column)[0]!);
const all = (parts: readonly string[]) => `(${parts.join(" & ")})`;
const any = (parts: readonly string[]) => `(${parts.join(" | ")})`;

/** Rows whose number is at least `from`. From the lowest bit on: the bits so far decide where this one does not. */
function atLeast(column: string, from: number): string | undefined {
  const planes = planesOf(column);
  // No row is.
  if (from >= 2 ** planes.length) return `(${LIVE} # ${LIVE})`;
  let decided: string | undefined;
  let rest = Math.max(0, from);
  for (const plane of planes.toReversed()) {
    if (rest % 2 === 1) decided = decided === undefined ? bits(plane) : `(${bits(plane)} & ${decided})`;
    else if (decided !== undefined) decided = `(${bits(plane)} | ${decided})`;
    rest = Math.floor(rest / 2);
  }
  return decided;
}

function equal(column: string, value: number): string {
  const planes = planesOf(column);
  return all(
    planes.map((plane, i) => `${Math.floor(value / 2 ** (planes.length - 1 - i)) % 2 === 1 ? "" : "~"}${bits(plane)}`),
  );
}

function range(column: string, from: number, to: number): string[] {
  const beyond = atLeast(column, to + 1);
  return [atLeast(column, from), beyond === undefined ? `~${LIVE}` : `~${beyond}`].filter((part) => part !== undefined);
}

function facetBits({ platform, chain, speaks, verified, hasToken }: Facets): string[] {
  const parts: string[] = [];
  if (platform) parts.push(any(platform.map((key) => flag(`platform:${key}`))));
  if (chain) parts.push(flag("has:chain"), any(chain.map((id) => equal("chain", id))));
  for (const protocol of speaks ?? []) parts.push(flag(`speaks:${protocol}`));
  for (const kind of verified ?? [])
    parts.push(flag(kind === "wallet" || kind === "coinbase" ? kind : `proof:${kind}`));
  if (hasToken !== undefined) parts.push(`${hasToken ? "" : "~"}${flag("hasToken")}`);
  return parts;
}

/** SQL of the bits of the rows that meet filter and facets; the searched text and the owner are not among them. */
export function narrowingBits(narrowing: DirectoryNarrowing, now: number): string {
  const { x402, active, scores, createdSince, createdUntil, activeSince, price } = boundsOf(narrowing, now);
  const parts = [LIVE, ...facetBits(narrowing)];
  const put = (part: string | undefined) => part !== undefined && parts.push(part);
  if (x402) parts.push(flag("x402"));
  if (active) parts.push(`~${flag("inactive")}`);
  for (const { from, to } of scores) parts.push(...range("score", from, to));
  for (const since of createdSince) {
    parts.push(flag("has:created"));
    put(atLeast("created", since * 1_000));
  }
  if (createdUntil !== undefined) parts.push(flag("has:created"), ...range("created", 0, createdUntil * 1_000));
  if (activeSince !== undefined) {
    parts.push(flag("has:active"));
    put(atLeast("active", activeSince / 60_000));
  }
  if (price) parts.push(flag(price));
  return all(parts);
}

/** SQL of the bits of the rows of which an address begins so; undefined for beginnings that few have, which indexes find. */
export function addressBits(beginning: string): string | undefined {
  const either = (one: (column: string) => string) => any(["address", "owner"].map(one));
  if (beginning === "agent1q") return either((column) => flag(`agent1q:${column}`));
  const digits = /^0x([0-9a-f]{0,3})$/.exec(beginning)?.[1];
  if (digits === undefined) return undefined;
  const value = [...digits].map((digit) => Number.parseInt(digit, 16));
  return either((column) =>
    all([
      flag(`hex:${column}`),
      ...planesOf(column)
        .slice(0, 4 * value.length)
        .map((plane, i) => `${(value[i >> 2]! >> (3 - (i & 3))) & 1 ? "" : "~"}${bits(plane)}`),
    ]),
  );
}

/** SQL of the bits of the rows whose names contain all of these grams, which have planes. */
export const gramBits = (grams: readonly string[], $: (value: unknown) => string): string =>
  all(grams.map((gram) => `offchain.directory_bits('g' || ${$(gram)}::text)`));

export const LIVE = flag("live");
export const X402 = flag("x402");
/** The planes of the score, the highest bit first, and the rows whose score is above 0. */
export const SCORE_PLANES = planesOf("score").map(bits);
export const SCORED = any(SCORE_PLANES);

/** The columns that a sort compares one after the other. */
const COLUMNS: Record<DirectorySort, string> = {
  cred_score: "score",
  name: "name",
  created_at: "created",
  platform: "platform",
  token_market_cap: "cap",
  volume_24h: "volume",
  price_change_24h: "price",
  liquidity_usd: "liquidity",
  ethos_score: "ethos",
  updated_at: "updated",
  trend: "trend",
  trend_7d: "trend7d",
  trend_30d: "trend30d",
};
const NULLABLE = new Set(["created", "cap", "volume", "price", "liquidity", "ethos"]);

/** The planes that a list is sorted by, as `offchain.directory_block` takes them. */
export type Order = { planes: string[]; onesFirst: boolean[]; nullable: boolean; mixed: boolean };

export function orderOf(sort: DirectorySort, descending: boolean): Order {
  const column = COLUMNS[sort];
  const has = NULLABLE.has(column) ? planesOf(`has:${column}`) : [];
  const key = planesOf(column);
  return {
    planes: [...has, ...key],
    // Nulls are last either way.
    onesFirst: [...has.map(() => true), ...key.map(() => descending)],
    nullable: has.length > 0,
    // The last bit of `name` says whether all of these rows have the same name.
    mixed: column === "name",
  };
}
