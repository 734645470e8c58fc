/** What every handler takes from an event: where it stands in the chain, and values in the form the tables hold. */
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
 * A token id as the tables hold it. The identity contract counts from 0; an id beyond the safe integers is not one of
 * its tokens, whatever a contract claims.
 */
export function tokenIdOf(id: bigint): number | null {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : null;
}

/** Unix seconds that fit the column: uint64 has room for times no int8 can hold. */
export const secondsOf = (value: bigint) =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);

/**
 * A text as Postgres can hold it: NUL, which it refuses, becomes the replacement character (dropping it would let two
 * different texts become one). A longer one is cut: whoever pays for it would make everybody else read it.
 * @param most UTF-16 units that are kept
 */
export function cleanText(text: string, most = MOST_TEXT): string {
  return text.slice(0, most).toWellFormed().replaceAll("\0", "�");
}

/** Of names, categories, tags and reasons. */
export const MOST_WORDS = 1_024;
/** Of texts and links. */
const MOST_TEXT = 16_384;
/** Of the URI of an agent, which may hold its whole registration file; larger ones are read by nobody. */
export const MOST_URI = 400_000;

/** The most that a `numeric(78)` column holds; sums of amounts end there. */
const MOST_NUMBER = 10n ** 78n - 1n;
export const sumOf = (a: bigint, b: bigint): bigint => {
  const sum = a + b;
  return sum > MOST_NUMBER ? MOST_NUMBER : sum < -MOST_NUMBER ? -MOST_NUMBER : sum;
};

/** Longest text, in code points, that goes into a column with an index: a btree entry ends at 2704 bytes. */
const INDEXED_LIMIT = 512;

/** A text for an indexed column: without the cut anybody could stop the indexer with one long name. */
export function indexedText(text: string): string {
  if (text.length <= INDEXED_LIMIT) return cleanText(text);
  return cleanText(Array.from(text).slice(0, INDEXED_LIMIT).join(""));
}

/** A text for a key column: cut like `indexedText`, and still different for different texts. */
export function keyText(text: string): string {
  const cut = indexedText(text);
  if (cut === text) return cut;
  return `${Array.from(cut)
    .slice(0, INDEXED_LIMIT - 66)
    .join("")}${keccak256(stringToBytes(text))}`;
}

/** Lower case of the name space: the contract folds A to Z and nothing else. */
export const nameKey = (name: string) => keyText(name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
