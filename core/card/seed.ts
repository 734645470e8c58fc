/** Pseudo-random numbers, a function of the agent alone. */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { CardFacts } from "./facts.ts";

/** A stream of numbers. Each call advances it. */
export type Seed = {
  /** A real number, from ≤ x < to. */
  between(from: number, to: number): number;
  /** An integer, from ≤ x ≤ to. */
  whole(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
};

/** The stream of an agent: the same for the same token, wallet and framework, and independent of its other data. */
export const seedOf = (card: Pick<CardFacts, "tokenId" | "agentAddress" | "framework">): Seed =>
  seedFrom([card.tokenId, card.agentAddress.toLowerCase(), card.framework]);

/** The stream of what these values name. */
export function seedFrom(values: readonly (string | number)[]): Seed {
  const digest = sha256(utf8ToBytes(JSON.stringify(values)));
  const words = new DataView(digest.buffer, digest.byteOffset);
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => words.getUint32(at)) as [number, number, number, number];
  // sfc32 (Chris Doty-Humphrey, PractRand): integers only, so every machine draws the same picture.
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + next() * (to - from);
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return { between, whole, pick: (list) => list[whole(0, list.length - 1)]! };
}
