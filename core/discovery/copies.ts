/** Finds copies: keys that equal texts share, and a hash whose bits are similar for similar texts. */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** Bits of a key or hash: they fit in a number. */
const BITS = 52;
/** Texts of fewer words are equal by chance, also those of one operator. */
const MIN_WORDS = 6;
/** From this number of words on, a text is one agent's even under another name. */
const TELLING_WORDS = 20;
/** Bits in which near-identical texts may differ. */
const NEAR_BITS = 3;

/** A hash of a text, of 48 bits. */
export const hashOf = (text: string): number =>
  sha256(utf8ToBytes(text))
    .subarray(0, 6)
    .reduce((all, byte) => all * 256 + byte, 0);

/** The keys of an agent's texts, by which it is told which agent had a text first. */
export type TextKeys = {
  /**
   * Each key once, with the keys of the same agent whose times count for it too: a text that only its agent's name was taken
   * out of is no later than the text.
   */
  keys: readonly { key: number; dated: readonly number[] }[];
  /**
   * The agent's text is its own if it had all keys of one of these sets before every other agent. None for a text too short
   * to tell.
   */
  sets: readonly (readonly number[])[];
};

/**
 * The keys of texts, without digits: numbered copies have equal ones. The description and what is offered have keys of their
 * own, so that a change of one leaves the other its agent's. Each has a key with all of its words and one without those of
 * the name. Where both together are short, another name makes another text.
 * @param name words of the name @param description its words, in order @param offers words of all offers, in order
 */
export function textKeysOf(
  name: readonly string[],
  description: readonly string[],
  offers: readonly string[],
): TextKeys {
  const nameWords = withoutDigits(name);
  const parts = [
    { kind: "", words: withoutDigits(description) },
    { kind: "offers\n", words: withoutDigits(offers) },
  ];
  const length = parts.reduce((sum, { words }) => sum + (words.length < MIN_WORDS ? 0 : words.length), 0);
  const keys = new Map<number, number[]>();
  const sets: number[][] = [];
  for (const { kind, words } of parts) {
    const add = (of: readonly string[], alsoDated: readonly number[]): number[] => {
      if (of.length < MIN_WORDS) return [];
      const key = hashOf(kind + of.join(" "));
      if (!keys.has(key)) keys.set(key, [key, ...alsoDated]);
      return [key];
    };
    const whole = add(words, []);
    const plain = unnamed(nameWords, words);
    if (whole.length > 0) sets.push(plain.length === words.length ? whole : [...whole, ...add(plain, whole)]);
    if (words.length === 0 || words.length >= TELLING_WORDS) continue;
    const named = add([...nameWords, ...words], []);
    if (named.length > 0 && length < TELLING_WORDS) sets.push(named);
  }
  return { keys: [...keys].map(([key, dated]) => ({ key, dated })), sets };
}

/**
 * The key of a text among those of its operator, without digits and without the name, however short the text is.
 * @param operator null where no registry vouches for it: a stranger could name another operator
 * @param name words of the name @param text words of all other texts, in order
 * @returns null for a text too short to tell
 */
export function siblingKeyOf(operator: string | null, name: readonly string[], text: readonly string[]): number | null {
  const words = unnamed(withoutDigits(name), withoutDigits(text));
  return operator === null || words.length < MIN_WORDS ? null : hashOf(`${operator}\n${words.join(" ")}`);
}

const withoutDigits = (words: readonly string[]): string[] =>
  words.map((word) => word.replaceAll(/\p{N}+/gu, "")).filter(Boolean);

/** A text names its agent, and copies of it do too. */
function unnamed(name: readonly string[], text: readonly string[]): string[] {
  const named = new Set(name);
  return text.filter((word) => !named.has(word));
}

/** The similarity hash of words. @see https://dl.acm.org/doi/10.1145/509907.509965 */
export function simhashOf(words: readonly string[]): number | null {
  if (words.length < TELLING_WORDS) return null;
  const sums = new Int32Array(BITS);
  for (const word of words) {
    let hash = hashOf32(word);
    for (let bit = 0; bit < BITS; bit++) {
      if (bit === 26) hash = hashOf32(`${word}+`);
      sums[bit]! += (hash >>> (bit % 26)) & 1 ? 1 : -1;
    }
  }
  return sums.reduce((all, sum, bit) => all + (sum > 0 ? 2 ** bit : 0), 0);
}

/** FNV-1a. */
function hashOf32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

/** Whether two texts are near-identical by their similarity hashes. */
export function isNear(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return false;
  let bits = 0;
  const half = 2 ** 26;
  for (const part of [(a % half) ^ (b % half), Math.floor(a / half) ^ Math.floor(b / half)])
    for (let rest = part; rest !== 0; rest &= rest - 1) bits++;
  return bits <= NEAR_BITS;
}
