/** Turns what was read from a query into conditions on documents, with what the table of words knows about each. */
import { quoted } from "../../core/discovery/document.ts";
import { all, any } from "../../core/discovery/levels.ts";
import type { Need } from "../../core/discovery/read-query.ts";
import { corrections, MIN_CORRECTED, MIN_CORRECTED_IN_NAME, nearTo } from "../../core/discovery/spelling.ts";
import { FUNCTION_WORDS, wordsOf } from "../../core/discovery/split-words.ts";
import { synonymsOf } from "../../core/discovery/synonyms.ts";
import { idf } from "../../core/discovery/weights.ts";
import type { Queryable } from "../sql/transaction.ts";
import { isRare, lookUp, namedWith, speltAlike, vouchedWords, type WordStem } from "./look-up-words.ts";

/** A need with what documents are searched by. */
export type ExpandedNeed = {
  text: string;
  required: boolean;
  condition: string;
  place: number;
  /** Lexemes of its own words, by which its class in a document is found. */
  lexemes: string[];
  /** Lexemes of what it is called otherwise. */
  others: string[];
  /** `condition` says more than that one of the lexemes is there. */
  exact: boolean;
  documents: number;
  /** So few documents have its first words, that they may be a name's own. */
  rare: boolean;
  /** Where it is rare, those of its words that so few documents have. */
  rareCondition: string | null;
  weight: number;
};

const MAX_COMPLETIONS = 8;
const MAX_LEXEMES = 14;
/** A word in fewer documents than this may be a misspelling that others made too. */
const RARE_BELOW_DOCUMENTS = 3;

/** A need with what it is called otherwise. */
type CompletedNeed = Need & { synonyms: string[][] };

/** @returns needs rarest first, those that no document has left out; and what was searched for in a word's place */
export async function expand(
  db: Queryable,
  given: readonly Need[],
): Promise<{ needs: ExpandedNeed[]; unknown: string[]; corrected: { from: string; to: string }[]; total: number }> {
  const needs: CompletedNeed[] = withSynonyms(given);
  const last = needs.find(({ prefix }) => prefix);
  const begun = last?.alternatives[0]?.[0] ?? null;
  const words = needs.flatMap(({ alternatives, synonyms: others }) => [...alternatives, ...others].flat());
  const { found, completions, total } = await lookUp(db, words, begun, MAX_COMPLETIONS);
  last?.alternatives.push(...completions.filter(({ word }) => word !== begun).map(({ word }) => [word]));
  const corrected = [...(await correct(db, needs, found)), ...(await correctInNames(db, needs, found))];
  const stem = (word: string) => found.get(word)?.stem ?? word;
  // A word that meets one need as it is written does not meet another one as a synonym.
  const written = new Set(needs.flatMap(({ alternatives }) => alternatives.flat().map(stem)));
  for (const need of needs)
    need.synonyms = need.synonyms.filter((words) => !words.some((word) => written.has(stem(word))));
  const expanded = needs.map((need, place) => expandedOf(need, place, found, total));
  return {
    needs: expanded.filter(({ documents }) => documents > 0).sort((a, b) => a.documents - b.documents),
    unknown: expanded.filter(({ documents }) => documents === 0).map(({ text }) => text),
    corrected,
    total,
  };
}

/** Adds to needs that hardly any document has the known words that are spelt like theirs. @returns what was searched for in a word's place */
async function correct(db: Queryable, needs: readonly CompletedNeed[], found: Map<string, WordStem>) {
  const rare = needs.flatMap((need) => {
    const word = singleWord(need);
    const documents = documentsOf(need, found);
    return word === null || word.length < MIN_CORRECTED || documents >= RARE_BELOW_DOCUMENTS
      ? []
      : [{ need, word, documents }];
  });
  const alike = await speltAlike(
    db,
    rare.map(({ word }) => word),
  );
  const near = rare.map((one) => ({ ...one, near: nearTo(one.word, alike.get(one.word) ?? []) }));
  // One agent alone can have any word: it is what others meant only where it is a name and nothing else is near.
  const { shared, named } = await vouchedWords(db, [
    ...new Set(near.flatMap((one) => one.near.map(({ word }) => word))),
  ]);
  return near.flatMap(({ need, word, documents, near }) => {
    const vouched = near.some((one) => shared.has(one.word)) ? shared : named;
    const meant = corrections(
      word,
      near.filter((one) => vouched.has(one.word)),
    );
    const better = meant.filter((one) => one.documents > RARE_BELOW_DOCUMENTS * documents);
    if (better.length === 0) return [];
    for (const one of better) found.set(one.word, one);
    need.alternatives.push(...better.map((one) => [one.word]));
    return [{ from: word, to: better[0]!.word }];
  });
}

/**
 * Adds to needs that no document has the words of a name that a rare word of the query is in, where they are spelt like
 * theirs: "lom" next to "verity" is Loom. It only adds, so having such a name takes nothing from others.
 */
async function correctInNames(db: Queryable, needs: readonly CompletedNeed[], found: Map<string, WordStem>) {
  const unknown = needs.flatMap((need) => {
    const word = singleWord(need);
    return word === null || word.length < MIN_CORRECTED_IN_NAME || documentsOf(need, found) > 0 ? [] : [{ need, word }];
  });
  if (unknown.length === 0) return [];
  const stems = needs.flatMap((need) => {
    const known = found.get(singleWord(need) ?? "");
    return known && known.documents > 0 && isRare(known) ? [known.stem] : [];
  });
  const named = await namedWith(db, { words: stems });
  return unknown.flatMap(({ need, word }) => {
    const meant = corrections(word, nearTo(word, named));
    for (const one of meant) found.set(one.word, one);
    need.alternatives.push(...meant.map((one) => [one.word]));
    return meant.slice(0, 1).map((one) => ({ from: word, to: one.word }));
  });
}

const singleWord = ({ alternatives: [first], required }: Need) =>
  first!.length === 1 && !required ? first![0]! : null;
const documentsOf = ({ alternatives }: Need, found: ReadonlyMap<string, WordStem>) =>
  alternatives.reduce((sum, words) => sum + fewest(words, found), 0);

/** Adds what a need is called otherwise. Two neighbours that are one thing, such as "help desk", become one need. */
function withSynonyms(given: readonly Need[]): CompletedNeed[] {
  const needs: CompletedNeed[] = [];
  const plain = (need: Need | undefined) =>
    need && !need.required && need.alternatives.length === 1 && need.alternatives[0]!.length === 1
      ? need.alternatives[0]![0]!
      : null;
  for (let i = 0; i < given.length; i++) {
    const [word, next] = [plain(given[i]), plain(given[i + 1])];
    const both = `${word} ${next}`;
    if (word !== null && next !== null && synonymsOf(both).length > 0) {
      needs.push({
        text: both,
        required: false,
        prefix: false,
        alternatives: [[word, next]],
        synonyms: synonyms(both),
      });
      i++;
    } else {
      needs.push({ ...given[i]!, synonyms: word === null ? [] : synonyms(word) });
    }
  }
  return needs;
}

const synonyms = (of: string) =>
  synonymsOf(of)
    .map((one) => wordsOf(one, 6).map(({ word }) => word))
    .filter((words) => words.length > 0);

const fewest = (words: readonly string[], found: ReadonlyMap<string, WordStem>) =>
  Math.min(
    ...words
      .filter((word) => words.length === 1 || !FUNCTION_WORDS.has(word))
      .map((word) => found.get(word)?.documents ?? 0),
    Number.MAX_SAFE_INTEGER,
  );

function expandedOf(
  need: CompletedNeed,
  place: number,
  found: ReadonlyMap<string, WordStem>,
  total: number,
): ExpandedNeed {
  const isKnown = (words: readonly string[]) => {
    const documents = fewest(words, found);
    return documents > 0 && documents < Number.MAX_SAFE_INTEGER;
  };
  const own = need.alternatives.filter(isKnown);
  const synonyms = need.synonyms.filter(isKnown);
  const stem = (word: string) => (need.required ? word : (found.get(word)?.stem ?? word));
  const lexemesOf = (of: readonly string[][]) =>
    [...new Set(of.flatMap((words) => telling(words).map(stem)))].slice(0, MAX_LEXEMES);
  const lexemes = lexemesOf(own);
  const conditions = [...new Set([...own, ...synonyms].map((words) => phrase(words, stem)))].slice(0, 2 * MAX_LEXEMES);
  // Completions are forms of one word: the most frequent counts, not the sum of all.
  const documents = Math.max(0, ...[...own, ...synonyms].map((words) => fewest(words, found)));
  const written = fewest(need.alternatives[0]!, found);
  const hasRare = (words: readonly string[]) => telling(words).some((word) => isRare(found.get(word)));
  const rare = written > 0 ? hasRare(need.alternatives[0]!) : [...own, ...synonyms].every(hasRare);
  return {
    text: need.text,
    required: need.required,
    place,
    condition: conditions.length === 0 ? "" : any(conditions)!,
    lexemes,
    others: lexemesOf(synonyms).filter((lexeme) => !lexemes.includes(lexeme)),
    exact: [...own, ...synonyms].some((words) => words.length > 1),
    documents,
    rare,
    rareCondition: rare ? any(own.filter(hasRare).map((words) => phrase(words, stem))) : null,
    weight: idf(Math.min(written || documents, total), total),
  };
}

const telling = (words: readonly string[]) =>
  words.length === 1 ? words : words.filter((word) => !FUNCTION_WORDS.has(word));

/** The words next to each other in their order; words that are not stored leave their place free. */
export function phrase(words: readonly string[], stem: (word: string) => string): string {
  let text = "";
  let distance = 0;
  for (const word of words) {
    distance++;
    if (words.length > 1 && FUNCTION_WORDS.has(word)) continue;
    text = text === "" ? quoted(stem(word)) : `${text} <${distance}> ${quoted(stem(word))}`;
    distance = 0;
  }
  return text === "" ? all(words.map((word) => quoted(stem(word))))! : words.length > 1 ? `(${text})` : text;
}
