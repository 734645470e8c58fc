/** Values that all handlers take from an event: its place in the chain, and its arguments in the form of the tables. */
import { type Hex, keccak256, stringToBytes, zeroAddress } from "viem";

/** The parts of a Ponder log event that all handlers use. */
export type ChainEvent = {
  id: string;
  block: { number: bigint; timestamp: bigint; hash: Hex };
  transaction: { hash: Hex; transactionIndex: number; from: Hex; to: Hex | null; value: bigint; input: Hex };
  log: { address: Hex };
};

export const blockOf = (event: ChainEvent) => Number(event.block.number);
/** Unix seconds of the event's block. */
export const timeOf = (event: ChainEvent) => Number(event.block.timestamp);

export const lower = (hex: Hex) => hex.toLowerCase() as Hex;
/** An address column in which the zero address means "none". */
export const addressOrNull = (address: Hex) => (address === zeroAddress ? null : lower(address));

/**
 * A token id in the form of the tables. The identity contract counts from 0; an id beyond the safe integers cannot be one
 * of its tokens.
 * @returns null for such an id
 */
export function tokenIdOf(id: bigint): number | null {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : null;
}

/** Unix seconds, limited to the safe integers: a uint64 can be larger than the int8 column holds. */
export const secondsOf = (value: bigint) =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);

/**
 * A text that Postgres accepts. NUL, which it refuses, becomes the replacement character (without a replacement two
 * different texts could become equal). A longer text is cut: one account must not make all readers load a huge text.
 * @param max UTF-16 units that are kept
 */
export function cleanText(text: string, max = MAX_TEXT): string {
  return text.slice(0, max).toWellFormed().replaceAll("\0", "�");
}

/** Max UTF-16 units of names, categories, tags and reasons. */
export const MAX_LABEL = 1_024;
/** Max UTF-16 units of texts and links. */
const MAX_TEXT = 16_384;
/** Max UTF-16 units of an agent's URI, which can contain its whole registration file. No reader accepts a larger one. */
export const MAX_URI = 400_000;

/** Max value of a `numeric(78)` column; sums of amounts are limited to it. */
const MAX_SUM = 10n ** 78n - 1n;
export const sumOf = (a: bigint, b: bigint): bigint => {
  const sum = a + b;
  return sum > MAX_SUM ? MAX_SUM : sum < -MAX_SUM ? -MAX_SUM : sum;
};

/** Max code points of a text in a column with an index: a btree entry has at most 2,704 bytes. */
const MAX_INDEXED = 512;

/** A text for an indexed column: without the limit one long name would stop the indexer. */
export function indexedText(text: string): string {
  if (text.length <= MAX_INDEXED) return cleanText(text);
  return cleanText(Array.from(text).slice(0, MAX_INDEXED).join(""));
}

/** A text for a key column: limited like `indexedText`, with a digest at the end of a cut text, so that keys stay unique. */
export function keyText(text: string): string {
  const cut = indexedText(text);
  if (cut === text) return cut;
  return `${Array.from(cut)
    .slice(0, MAX_INDEXED - 66)
    .join("")}${keccak256(stringToBytes(text))}`;
}

/** Key of a name: like the contract it turns only A to Z to lower case. */
export const nameKey = (name: string) => keyText(name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
