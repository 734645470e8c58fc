/** Splits texts into words as they are searched: folded, with their ranges in the text. */
import { normalForm } from "../normal-form.ts";

/** A word of a text. `place` counts words: parts of one compound have the same place. */
export type Word = { word: string; place: number; from: number; to: number };

/** Letters, digits and marks; invisible characters inside a word belong to it and are removed when it is folded. */
const RUNS = /[\p{L}\p{N}\p{M}\p{Cf}]+/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
/** Where a compound in camel case is split. */
const HUMPS = /(?<=\p{Ll})(?=\p{Lu})/u;
/** Longer words say nothing. */
const MAX_WORD = 40;
/** Code points of a text that are folded; no name, tag or word of a question has more. */
const MAX_FOLDED = 2_000;

const SPECIAL: Record<string, string> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ς: "σ",
  ß: "ss",
  æ: "ae",
  œ: "oe",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);

/** A text as searches compare it: the rules of db/sql/folded-text.ts, and without invisible characters. */
export function folded(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const unmarked = normalForm(text, "NFKD", MAX_FOLDED)
    .replaceAll(/[\u0300-\u036f\p{Cf}]/gu, "")
    .toLowerCase();
  return normalForm(unmarked, "NFC", unmarked.length).replaceAll(/[øłđħŧıςßæœ]/g, (letter) => SPECIAL[letter]!);
}

/** The words of a text in their order, at most `max`. Runs of Han and kana give each pair of neighbours. */
export function wordsOf(text: string, max: number): Word[] {
  const words: Word[] = [];
  let place = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (words.length >= max) break;
    if (isAscii(run)) {
      place = spaced(words, run, index, place);
      continue;
    }
    let at = 0;
    for (const { 0: unspaced, index: start } of run.matchAll(UNSPACED)) {
      place = spaced(words, run.slice(at, start), index + at, place);
      place = pairs(words, unspaced, index + start, place);
      at = start + unspaced.length;
    }
    place = spaced(words, run.slice(at), index + at, place);
  }
  return words.slice(0, max);
}

/** A word between spaces and, of a compound, its parts. */
function spaced(words: Word[], run: string, from: number, place: number): number {
  const word = folded(run);
  if (word === "" || word.length > MAX_WORD) return place;
  words.push({ word, place, from, to: from + run.length });
  // Most words are in small letters: nothing in them is a hump.
  if (word === run) return place + 1;
  const parts = run.split(HUMPS);
  if (parts.length > 1 && parts.length <= 6) {
    let at = from;
    for (const [i, part] of parts.entries()) {
      const piece = folded(part);
      if (piece.length > 1) words.push({ word: piece, place: place + i, from: at, to: at + part.length });
      at += part.length;
    }
    return place + parts.length;
  }
  return place + 1;
}

function pairs(words: Word[], run: string, from: number, place: number): number {
  const letters = [...run];
  if (letters.length === 1) words.push({ word: folded(run), place, from, to: from + run.length });
  let at = from;
  for (let i = 0; i + 1 < letters.length; i++) {
    const pair = letters[i]! + letters[i + 1]!;
    words.push({ word: folded(pair), place: place + i, from: at, to: at + pair.length });
    at += letters[i]!.length;
  }
  return place + letters.length;
}

/** Words that say nothing about what an agent does: English ones, and those of the languages that are frequent here. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can could did do does doing done for from had has have he her him his how i if in into
  is it its just me my no nor of on or our she should so some such than that the their them then there these they this
  those to too up us very was we were what when where which while who whom why will with would you your
  de la le les des du et un une pour avec en el los las y para con por der die das und ein eine mit fur von zu im den
  o os as e um uma com em do da dos das il lo gli di per`
    .split(/\s+/)
    .filter(Boolean),
);
