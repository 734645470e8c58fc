/** Parts of an agent's texts that match a query: plain text with ranges. */
import type { Protocol } from "../directory/protocols.ts";
import type { AgentText } from "./document.ts";
import type { DiscoverHit, Field, Range } from "./query.ts";
import { type Word, wordsOf } from "./split-words.ts";

/** UTF-16 units of an excerpt. */
const EXCERPT_UNITS = 200;
/** Units of it before the first match. */
const LEAD_IN_UNITS = 40;
const MAX_OFFERS_SHOWN = 3;

type Matches = (word: string) => string | null;

/**
 * The words of a query that an agent's texts have, by field, and excerpts around them.
 * @param matches the query's word that a word of the text matches; null for none
 * @param speaks protocols that words of the query name: these words are conditions and are not searched
 */
export function highlightsOf(
  { name, description, offers, protocols }: AgentText,
  matches: Matches,
  speaks: readonly Protocol[],
): Pick<DiscoverHit, "matched" | "highlights"> {
  const found = new Map<Field, Set<string>>();
  const highlights: DiscoverHit["highlights"] = [];
  /** @returns whether the text has a word of the query */
  const add = (field: Field, text: string, most: number, { matching = matches, shows = true } = {}) => {
    const hits = wordsOf(text, most).flatMap((word) => {
      const matched = matching(word.word);
      return matched === null ? [] : [{ ...word, matched }];
    });
    if (hits.length === 0) return false;
    const words = found.get(field) ?? new Set();
    for (const { matched } of hits) words.add(matched);
    found.set(field, words);
    if (shows) highlights.push({ field, ...excerpt(text, hits) });
    return true;
  };
  add("name", name, 64);
  let shown = 0;
  for (const offer of offers.slice(0, 60)) {
    if (shown >= MAX_OFFERS_SHOWN) break;
    const isFound = add("offers", [offer.name, offer.description].filter(Boolean).join(": "), 120);
    const isTagged = add("offers", offer.tags.join(", "), 60, { shows: !isFound });
    if (isFound || isTagged) shown++;
  }
  if (description) add("description", description, 600);
  const wishes = new Set(speaks.map((protocol) => protocol.toLowerCase()));
  add("protocols", protocols.join(", "), 120, { matching: (word) => (wishes.has(word) ? word : matches(word)) });
  return { matched: [...found].map(([field, words]) => ({ field, words: [...words] })), highlights };
}

function excerpt(text: string, hits: readonly Word[]): { text: string; ranges: Range[] } {
  let from = text.length <= EXCERPT_UNITS ? 0 : Math.max(0, hits[0]!.from - LEAD_IN_UNITS);
  if (from > 0) {
    const space = text.indexOf(" ", from);
    if (space >= 0 && space < hits[0]!.from) from = space + 1;
    // Not between the halves of a character.
    else if (/[\udc00-\udfff]/.test(text.charAt(from))) from--;
  }
  let to = Math.min(text.length, from + EXCERPT_UNITS);
  if (/[\ud800-\udbff]/.test(text.charAt(to - 1)) && to < text.length) to--;
  const ranges: Range[] = [];
  for (const hit of hits.toSorted((a, b) => a.from - b.from)) {
    if (hit.from < from || hit.to > to) continue;
    const [start, end] = [hit.from - from, hit.to - from];
    const last = ranges.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return { text: text.slice(from, to), ranges };
}
