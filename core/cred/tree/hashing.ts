/** Keccak-256 of leaves and pairs of nodes, written into byte arrays: one million leaves make no object each. */
import { keccakP } from "@noble/hashes/sha3.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import type { Address } from "../../agents/facts.ts";

export const HASH_BYTES = 32;

/** The variable fields of a leaf; tokenId, computedAt and block are below 2^53. */
type LeafNumbers = { tokenId: number; score: number; tier: number; computedAt: number; block: number };

/** Writes hashes into the arrays that its methods name. */
export type TreeHasher = {
  /** Writes the hash of a leaf to `into` from byte `at` on. */
  leaf(leaf: LeafNumbers, into: Uint8Array, at: number): void;
  /** Writes the hash of the nodes at bytes `a` and `b` of `nodes` to byte `at` of `nodes`; the smaller one goes first. */
  pair(nodes: Uint8Array, a: number, b: number, at: number): void;
};

/** Bytes that Keccak-256 absorbs per permutation. */
const KECCAK_RATE_BYTES = 136;
const WORD_BYTES = 32;
const LEAF_WORDS = 7;

/** @param registry of all leaves, as `chainId` is */
export function treeHasher(chainId: number, registry: Address): TreeHasher {
  const words = new Uint32Array(50);
  const state = new Uint8Array(words.buffer);
  const text = new Uint8Array(2 * KECCAK_RATE_BYTES);
  const textWords = new Uint32Array(text.buffer);
  // The padding of the second block of a leaf: 224 bytes of text, then 0x01, zeros and 0x80.
  text[LEAF_WORDS * WORD_BYTES] = 0x01;
  text[text.length - 1] = 0x80;
  writeNumber(text, 1, chainId);
  text.set(hexToBytes(registry.slice(2)), 2 * WORD_BYTES - 20);

  /** Absorbs block `n` of the text. */
  const absorb = (n: number) => {
    const from = (n * KECCAK_RATE_BYTES) / 4;
    for (let i = 0; i < KECCAK_RATE_BYTES / 4; i++) words[i]! ^= textWords[from + i]!;
    keccakP(words);
  };
  const start = () => words.fill(0);
  /** Hashes the `length` bytes in the state. */
  const finish = (length: number) => {
    state[length]! ^= 0x01;
    state[KECCAK_RATE_BYTES - 1]! ^= 0x80;
    keccakP(words);
  };
  const write = (into: Uint8Array, at: number) => {
    for (let i = 0; i < HASH_BYTES; i++) into[at + i] = state[i]!;
  };

  return {
    leaf({ tokenId, score, tier, computedAt, block }, into, at) {
      writeNumber(text, 3, tokenId);
      text[4 * WORD_BYTES - 1] = score;
      text[5 * WORD_BYTES - 1] = tier;
      writeNumber(text, 6, computedAt);
      writeNumber(text, 7, block);
      start();
      absorb(0);
      absorb(1);
      state.fill(0, HASH_BYTES);
      finish(HASH_BYTES);
      write(into, at);
    },
    pair(nodes, a, b, at) {
      const [first, second] = compareHashes(nodes, a, b) <= 0 ? [a, b] : [b, a];
      start();
      for (let i = 0; i < HASH_BYTES; i++) state[i] = nodes[first + i]!;
      for (let i = 0; i < HASH_BYTES; i++) state[HASH_BYTES + i] = nodes[second + i]!;
      finish(2 * HASH_BYTES);
      write(nodes, at);
    },
  };
}

/** Writes a number below 2^53 as the big-endian end of the word `word`, counted from 1. */
function writeNumber(text: Uint8Array, word: number, value: number): void {
  let rest = value;
  for (let i = word * WORD_BYTES - 1; i >= word * WORD_BYTES - 7; i--) {
    text[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

/** Compares the hashes at bytes `a` and `b`. */
export function compareHashes(hashes: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < HASH_BYTES; i++) {
    const difference = hashes[a + i]! - hashes[b + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
