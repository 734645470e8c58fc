/** Reads a query as typed: words, phrases, alternatives, exclusions, and what words ask for instead of being searched. */
import type { Protocol } from "../directory/protocols.ts";
import { MAX_QUERY_LENGTH } from "./query.ts";
import { FUNCTION_WORDS, folded, wordsOf } from "./split-words.ts";

/** One thing that is searched for: any of its alternatives, each a word or the words of a phrase. */
export type Need = {
  /** As it is shown. */
  text: string;
  alternatives: string[][];
  /** In quotation marks: agents without it are no hits. */
  required: boolean;
  /** The word is still being typed. */
  prefix: boolean;
};

export type ReadQuery = {
  needs: Need[];
  /** Words or phrases that no hit may have. */
  excluded: string[][];
  excludedProtocols: Protocol[];
  /** Preferences: hits that meet them come before the rest. */
  speaks: Protocol[];
  /** US dollars per call. */
  maxPrice: number | null;
};

const MAX_NEEDS = 8;
const MAX_EXCLUDED = 8;
const MAX_ALTERNATIVES = 6;

const PROTOCOL_WORDS: Record<string, Protocol> = { mcp: "MCP", a2a: "A2A", oasf: "OASF", x402: "x402" };

const AMOUNT = String.raw`(\$|usd ?)?(\d{1,6}(?:[.,]\d{1,6})?) ?(cents?|ct|c|¢|dollars?|usdc?|\$)?(?![\p{L}\p{N}])`;
const PRICE = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:under|below|less than|at most|max(?:imum)?|up to|cheaper than|for) |(?:<=?|\u2264) ?)${AMOUNT}`,
  "iu",
);

/** The price limit in a query, in US dollars, and the query without it. */
function takePrice(q: string): { rest: string; maxPrice: number | null } {
  const match = PRICE.exec(q);
  const unit = match?.[3]?.toLowerCase() ?? "";
  if (!match || (!match[1] && unit === "")) return { rest: q, maxPrice: null };
  const amount = Number(match[2]!.replace(",", "."));
  const maxPrice = /^(c|¢)/.test(unit) ? amount / 100 : amount;
  return { rest: `${q.slice(0, match.index)} ${q.slice(match.index + match[0].length)}`, maxPrice };
}

const TOKENS = /(-?)"([^"]*)"?|(\S+)/g;

/** @param given as typed, untrusted */
export function readQuery(given: string): ReadQuery {
  const { rest, maxPrice } = takePrice(given.slice(0, MAX_QUERY_LENGTH).replaceAll(/\s+/g, " "));
  const read: ReadQuery = { needs: [], excluded: [], excludedProtocols: [], speaks: [], maxPrice };
  const tokens = [...rest.matchAll(TOKENS)];
  let alternative = false;
  for (const [i, { 1: quoteSign, 2: quote, 3: plain }] of tokens.entries()) {
    if (quote !== undefined) {
      const words = wordsOf(quote.toLowerCase(), 12).map(({ word }) => word);
      if (words.length === 0) continue;
      if (quoteSign === "-") read.excluded.push(words);
      else addNeed(read, { text: quote, alternatives: [words], required: true, prefix: false }, alternative);
      alternative = false;
      continue;
    }
    const word = plain!.toLowerCase();
    if (word === "or" && i > 0) {
      alternative = read.needs.length > 0;
      continue;
    }
    if (word === "free" && read.maxPrice === null) read.maxPrice = 0;
    else addPlain(read, word, alternative, i === tokens.length - 1 && !/\s$/.test(rest));
    alternative = false;
  }
  // Words such as "to" count only where there is nothing else.
  const telling = read.needs.filter(
    ({ required, alternatives: [words] }) => required || !(words!.length === 1 && FUNCTION_WORDS.has(words![0]!)),
  );
  if (telling.length > 0) read.needs = telling;
  read.needs.length = Math.min(read.needs.length, MAX_NEEDS);
  read.excluded.length = Math.min(read.excluded.length, MAX_EXCLUDED);
  return read;
}

function addPlain(read: ReadQuery, token: string, alternative: boolean, last: boolean): void {
  const minus = token.startsWith("-");
  const words = wordsOf(token, 16).map(({ word }) => word);
  const protocol = PROTOCOL_WORDS[folded(token.replaceAll(/[^\p{L}\p{N}]/gu, ""))];
  if (protocol) return void (minus ? read.excludedProtocols : read.speaks).push(protocol);
  // What follows a protocol's name says nothing more.
  if (/^(servers?|protocol|payments?)$/.test(token) && read.speaks.length > 0 && read.needs.length === 0) return;
  if (minus) {
    if (words.length > 0) read.excluded.push(words);
    return;
  }
  for (const [i, word] of words.entries())
    addNeed(
      read,
      { text: word, alternatives: [[word]], required: false, prefix: last && i === words.length - 1 },
      alternative && i === 0,
    );
}

/** Adds a need, or an alternative of the last one; a repeated need counts once. */
function addNeed(read: ReadQuery, need: Need, alternative: boolean): void {
  const before = read.needs.at(-1);
  if (alternative && before) {
    if (before.alternatives.length < MAX_ALTERNATIVES) before.alternatives.push(...need.alternatives);
    before.text += ` OR ${need.text}`;
    before.required = before.required && need.required;
    return;
  }
  if (!read.needs.some(({ text }) => text === need.text)) read.needs.push(need);
}
