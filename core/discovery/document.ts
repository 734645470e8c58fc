/** The document of an agent: its words as lexemes with their classes, and the keys by which copies are found. */
import { hashOf, siblingKeyOf, simhashOf, type TextKeys, textKeysOf } from "./copies.ts";
import { nameKeyOf } from "./look-alikes.ts";
import { FUNCTION_WORDS, type Word, wordsOf } from "./split-words.ts";
import { nameQuality, textQuality } from "./text-quality.ts";
import type { WordClass } from "./weights.ts";

/** What an agent's texts are: untrusted. */
export type AgentText = {
  name: string;
  description: string | null;
  /** Skills, tools and resources. */
  offers: readonly { kind: string; name: string; description: string | null; tags: readonly string[] }[];
  /** Names of its protocols and of its other services. */
  protocols: readonly string[];
};

export type DocumentText = {
  words: readonly { word: string; place: number; class: WordClass }[];
  nameKey: number | null;
  textKeys: TextKeys;
  siblingKey: number | null;
  simhash: number | null;
  /** 0 to 1 */
  quality: number;
};

/**
 * Bounds of the words of a field, so that no document is larger than a page of the database.
 * Bound: words of a document, 654 in all; words that no document has any more are removed within six hours
 * (db/discovery/count-words.ts).
 */
export const MAX_WORDS = { name: 24, offers: 250, protocols: 60, description: 320 } as const;
export const MAX_OFFERS = 60;
/** A name, or the tags of one offer, of more words than this is a text: what it lists is no more than mentioned. */
const MAX_LISTED = { name: 6, tags: 12 } as const;
/** Its class, and that of names of services: most of them say how an agent is reached, not what it does. */
const MENTIONED: WordClass = "D";
/** The class of all but the first offer of each kind. */
const OTHER_OFFERS: WordClass = "C";
/** Places from which the fields' words count: words of two fields are no phrase. */
const PLACES = { name: 1, description: 1_000, offers: 4_000, protocols: 10_000 } as const;
/** Words of a first sentence: shorter ones are headings. */
const MIN_SENTENCE_WORDS = 4;
/** Words of the first sentence that count as such. */
const LEAD_WORDS = 40;

/** UTF-16 length of the first sentence of a text: it says what the agent is; later sentences only mention things. */
function leadOf(text: string, words: readonly Word[]): number {
  for (const { index } of text.matchAll(/[.!?。!?](?=\s|$)|[。\n]/g))
    if (words.filter(({ from }) => from < index).length >= MIN_SENTENCE_WORDS)
      return Math.min(index, words[LEAD_WORDS]?.from ?? index);
  return words[LEAD_WORDS]?.from ?? text.length;
}

/** @param operator who runs the agent, where its registry vouches for that */
export function documentText(
  { name, description, offers, protocols }: AgentText,
  operator: string | null = null,
): DocumentText {
  const nameWords = wordsOf(name, MAX_WORDS.name);
  const textWords = wordsOf(description ?? "", MAX_WORDS.description);
  const lead = leadOf(description ?? "", textWords);
  const offerWords: (Word & { class: WordClass })[] = [];
  const offered: string[] = [];
  const kinds = new Set<string>();
  for (const { kind, name: title, description: about, tags } of offers.slice(0, MAX_OFFERS)) {
    const listed = tags.join(", ");
    const text = [title, listed, about ?? ""].join(" . ");
    const tagsFrom = title.length + 3;
    const isLong = isLonger(wordsOf(listed, MAX_WORDS.offers), MAX_LISTED.tags);
    const isMentioned = ({ from: at }: Word) => isLong && at >= tagsFrom && at < tagsFrom + listed.length;
    offered.push(text);
    const from = (offerWords.at(-1)?.place ?? -8) + 8;
    const weight = kinds.has(kind) ? OTHER_OFFERS : "B";
    kinds.add(kind);
    for (const word of wordsOf(text, MAX_WORDS.offers - offerWords.length))
      offerWords.push({ ...word, place: from + word.place, class: isMentioned(word) ? MENTIONED : weight });
    if (offerWords.length >= MAX_WORDS.offers) break;
  }
  const plain = (words: readonly Word[]) => words.map(({ word }) => word);
  const allText = [...plain(textWords), ...plain(offerWords)];
  const key = nameKeyOf(name);
  const nameClass = isLonger(nameWords, MAX_LISTED.name) ? MENTIONED : "A";
  return {
    words: [
      ...nameWords.map(({ word, place }) => ({ word, place: PLACES.name + place, class: nameClass })),
      ...telling(offerWords).map(({ word, place, class: weight }) => ({
        word,
        place: PLACES.offers + place,
        class: weight,
      })),
      ...namesOf(protocols).map(({ word, place }) => ({ word, place: PLACES.protocols + place, class: MENTIONED })),
      ...telling(textWords).map(({ word, place, from }) => ({
        word,
        place: PLACES.description + place,
        class: from < lead ? ("C" as const) : ("D" as const),
      })),
    ],
    nameKey: key === "" ? null : hashOf(key),
    textKeys: textKeysOf(plain(nameWords), plain(textWords), plain(offerWords)),
    siblingKey: siblingKeyOf(operator, plain(nameWords), allText),
    simhash: simhashOf(allText),
    quality: Math.min(
      nameQuality(name),
      textQuality(plain(textWords), description ?? ""),
      textQuality(plain(offerWords), offered.join("\n")),
    ),
  };
}

/** Words of names, each name a phrase of its own. */
function namesOf(names: readonly string[]): Word[] {
  const words: Word[] = [];
  for (const name of names) {
    const from = (words.at(-1)?.place ?? -2) + 2;
    for (const word of wordsOf(name, MAX_WORDS.protocols - words.length))
      words.push({ ...word, place: from + word.place });
    if (words.length >= MAX_WORDS.protocols) break;
  }
  return telling(words);
}

/** Whether words have more than `most` places; two pairs of Han or kana are one word. */
const isLonger = (words: readonly Word[], most: number) => {
  const places = new Map(telling(words).map(({ word, place }) => [place, UNSPACED.test(word) ? 0.5 : 1]));
  return [...places.values()].reduce((sum, one) => sum + one, 0) > most;
};
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const telling = <W extends Word>(words: readonly W[]) => words.filter(({ word }) => !FUNCTION_WORDS.has(word));

/** Positions of one lexeme that are kept. */
const MAX_POSITIONS = 6;

/**
 * The text of a tsvector: of each word the stem and, where that is another, the word; and the lexemes of filters, without a position.
 * @param stems of the words; a word that is not in it is its own stem
 */
export function tsvectorOf(
  words: DocumentText["words"],
  filterLexemes: readonly string[],
  stems: ReadonlyMap<string, string>,
): string {
  const lexemes = new Map<string, string[]>(filterLexemes.map((lexeme) => [lexeme, []]));
  for (const { word, place, class: weight } of words)
    for (const lexeme of new Set([stems.get(word) ?? word, word])) {
      const positions = lexemes.get(lexeme);
      if (!positions) lexemes.set(lexeme, [`${place}${weight}`]);
      else if (positions.length < MAX_POSITIONS) positions.push(`${place}${weight}`);
    }
  return [...lexemes]
    .map(([lexeme, positions]) => `${quoted(lexeme)}${positions.length ? `:${positions.join(",")}` : ""}`)
    .join(" ");
}

/** A lexeme as tsvector and tsquery write it. */
export const quoted = (lexeme: string): string => `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
