/** Meanings: what of an agent is sent to a provider of embeddings, how its vector is kept, and how near two vectors are. */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { AgentText } from "./document.ts";

/** UTF-16 units of a text that are sent. */
export const MAX_TEXT = 2_000;

/** A cut inside a surrogate pair leaves half a character, which some providers refuse. */
export const wholeBeginning = (text: string): string => text.slice(0, MAX_TEXT).toWellFormed();

/** What an agent says it does, without what changes by itself: prices, scores, liveness. */
export const meaningText = ({ name, description, offers }: AgentText): string =>
  wholeBeginning(
    [
      name,
      description ?? "",
      ...offers.map((offer) =>
        [offer.name, offer.description ?? "", offer.tags.join(", ")].filter((part) => part !== "").join(": "),
      ),
    ]
      .filter((line) => line !== "")
      .join("\n"),
  );

/** Names a text with the model that its vector is of. @returns 32 bytes */
export const meaningDigest = (model: string, text: string): Uint8Array => sha256(utf8ToBytes(`${model}\n${text}`));

/** A vector as it is kept: its direction, a byte for each number. */
export function packed(vector: Float32Array): Int8Array {
  const most = vector.reduce((max, number) => Math.max(max, Math.abs(number)), 0);
  return Int8Array.from(vector, (number) => Math.round((number / most) * 127));
}

/** The numbers of a vector as they are kept. */
export const numbersOf = (bytes: Uint8Array): Int8Array =>
  new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The sign of each number as a bit string: vectors that are near differ in few. */
export const signsOf = (vector: Float32Array | Int8Array): string =>
  Array.from(vector, (number) => (number > 0 ? "1" : "0")).join("");

/** Cosine of the angle between two vectors of one size, -1 to 1. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! ** 2;
    ofB += b[i]! ** 2;
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}

/** Answers with the meaning of questions, on a budget. One of a process. */
export type Questions = {
  /** As `Embeddings.model`. */
  readonly model: string;
  /** @returns null where the provider is away, too slow, or its budget is used up; it never fails */
  ask(question: string): Promise<Float32Array | null>;
};

/** Agents whose meaning is nearer to a question than this share of the way from any agent's to the same are found by it. */
const MIN_NEARNESS = 0.2;
/** And those that have at least this share of the nearest one's. */
const SHARE_OF_NEAREST = 0.5;

/**
 * How near texts are to a question, 0 to 1: what their similarity is above that of any text, because a model finds all
 * texts more or less alike.
 * @param similarities cosines with the question @param usual the mean cosine of the question with all texts
 * @returns null for those that are not near
 */
export function nearnessesOf(similarities: readonly number[], usual: number): (number | null)[] {
  const above = similarities.map((one) => Math.min(1, Math.max(0, (one - usual) / Math.max(1e-6, 1 - usual))));
  const least = Math.max(MIN_NEARNESS, SHARE_OF_NEAREST * Math.max(0, ...above));
  return above.map((one) => (one >= least ? one : null));
}
