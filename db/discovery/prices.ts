/** The price of an agent for a query: that of its offers that match, not of other offers that it lists as well. */
import { MAX_OFFERS, MAX_WORDS } from "../../core/discovery/document.ts";
import { wordsOf } from "../../core/discovery/split-words.ts";
import { countingOffers } from "../offers/endpoints.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";
import type { ExpandedNeed } from "./expand.ts";
import { queryWordMatcher } from "./matcher.ts";

/**
 * Max agents whose offers are read, the most trusted first: few have prices on both sides of the limit, unless somebody makes
 * such agents.
 */
const MAX_AGENTS_READ = 50;

/** The offers that the document of an agent `a` has. */
const OFFERS = countingOffers("a.id", MAX_OFFERS);

/** The dearest price of agents that have one above a limit. */
const DEAREST = statement({
  name: "discovery-dearest-offers",
  params: { ids: t.array(t.int8), limit: t.float8 },
  text: `
    select a.id, o.dearest from unnest($ids::int8[]) as a(id)
    cross join lateral (select max(f.price_usd)::float8 as dearest from (${OFFERS}) f) o
    where o.dearest > $limit`,
  columns: { id: t.int8, dearest: t.filtered(t.float8) },
});

const PRICED = statement({
  name: "discovery-priced-offers",
  params: { ids: t.array(t.int8) },
  text: `
    select a.id, o.name, o.description, o.tags, o.price_usd::float8 as "priceUsd"
    from unnest($ids::int8[]) as a(id) cross join lateral (${OFFERS}) o
    where o.price_usd is not null`,
  columns: {
    id: t.int8,
    name: t.text,
    description: t.nullable(t.text),
    tags: t.array(t.text),
    priceUsd: t.filtered(t.float8),
  },
});

type PricedDocument = { id: number; priceUsd: number | null; trust: number };

/**
 * The same agents with the price that counts: that of the offers which match the most words, the least of them; where none
 * with a price matches, that of the dearest, because nothing says which one would be called. Without words it stays the least
 * of all.
 * @param limits of the price, by which it is decided which offers have to be read
 * @returns `whole`: all that had to be read was
 */
export async function withPrices<A extends PricedDocument>(
  db: Queryable,
  agents: readonly A[],
  needs: readonly ExpandedNeed[],
  limits: readonly number[],
): Promise<{ agents: A[]; whole: boolean }> {
  const most = Math.max(...limits);
  const priced = needs.length === 0 ? [] : agents.filter(({ priceUsd }) => isWithin(priceUsd, most));
  const ids = priced.toSorted((a, b) => b.trust - a.trust || a.id - b.id).map(({ id }) => id);
  if (ids.length === 0) return { agents: [...agents], whole: true };
  // Those that are not read count as if none of their offers matched.
  const prices = new Map(
    (await DEAREST.rows(db, { ids, limit: Math.min(...limits) })).map((one) => [one.id, one.dearest]),
  );
  const undecided = ids.filter((id) => prices.has(id)).slice(0, MAX_AGENTS_READ);
  if (undecided.length === 0) return { agents: [...agents], whole: true };
  const whole = undecided.length === prices.size;
  const offers = await PRICED.rows(db, { ids: undecided });
  const read = [...Map.groupBy(offers, ({ id }) => id)].map(([id, own]) => ({ id, offers: wordsOfOffers(own) }));
  const matches = await queryWordMatcher(
    db,
    read.flatMap((one) => one.offers.flatMap(({ words }) => words)),
    needs,
  );
  for (const one of read) prices.set(one.id, priceOf(one.offers, matches));
  return { agents: agents.map((agent) => ({ ...agent, priceUsd: prices.get(agent.id) ?? agent.priceUsd })), whole };
}

export const isWithin = (priceUsd: number | null, limit: number): boolean => priceUsd !== null && priceUsd <= limit;

type WordedOffer = { words: string[]; priceUsd: number };

function wordsOfOffers(offers: readonly Row<typeof PRICED>[]): WordedOffer[] {
  let left = MAX_WORDS.offers;
  return offers.map(({ name, description, tags, priceUsd }) => {
    const words = wordsOf([name, ...tags, description ?? ""].join(" . "), left).map(({ word }) => word);
    left -= words.length;
    return { words, priceUsd };
  });
}

function priceOf(offers: readonly WordedOffer[], matches: (word: string) => string | null): number {
  const matched = offers.map(({ words }) => new Set(words.flatMap((word) => matches(word) ?? [])).size);
  const most = Math.max(...matched);
  const prices = offers.flatMap(({ priceUsd }, i) => (matched[i] === most ? [priceUsd] : []));
  return most === 0 ? Math.max(...prices) : Math.min(...prices);
}
