/** Finds the word of a query that a word of an agent's text matches. */
import { wordsOf } from "../../core/discovery/split-words.ts";
import type { Queryable } from "../sql/transaction.ts";
import type { ExpandedNeed } from "./expand.ts";
import type { KnownAgent } from "./known.ts";
import { stemsFor } from "./stems.ts";

/** Words that are looked at in each text of an agent: its description has the most (core/discovery/highlights.ts). */
const MAX_WORDS = 600;

/** Words of the texts of agents. */
export const wordsOfAgents = (agents: readonly KnownAgent[]): string[] =>
  agents.flatMap(({ name, description, offers, protocols }) =>
    [
      name,
      description ?? "",
      ...protocols,
      ...offers.flatMap((offer) => [offer.name, offer.description ?? "", ...offer.tags]),
    ].flatMap((text) => wordsOf(text, MAX_WORDS).map(({ word }) => word)),
  );

/**
 * Answers for a word of an agent's text which word of the query it matches; null for none.
 * @param words that are asked about
 */
export async function queryWordMatcher(db: Queryable, words: readonly string[], needs: readonly ExpandedNeed[]) {
  const stems = needs.length === 0 ? new Map<string, string>() : await stemsFor(db, words);
  // The last of two entries counts: a word has its own lexemes rather than those of its synonyms.
  const byLexeme = new Map(
    needs.flatMap(({ lexemes, others, text }) => [...others, ...lexemes].map((lexeme) => [lexeme, text])),
  );
  return (word: string): string | null => byLexeme.get(word) ?? byLexeme.get(stems.get(word) ?? word) ?? null;
}
