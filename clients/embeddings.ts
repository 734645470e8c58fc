/** Embeddings from any provider of the common shape: `{ model, input: [text] }` → `{ data: [{ index, embedding }] }`. */
import { z } from "zod";
import { wholeBeginning } from "../core/discovery/meaning.ts";
import { Failure } from "../core/errors.ts";
import { isUnbilled, type Upstream } from "./http.ts";
import type { Embeddings } from "./ports.ts";

const TEXTS_PER_CALL = 64;
/** Bytes of one number as JSON, with its comma, at most. */
const NUMBER_BYTES = 32;

const answer = z.object({ data: z.array(z.unknown()).max(TEXTS_PER_CALL) });
const entry = z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) });

/** Max bytes of an answer: a larger one has more vectors, or larger ones, than can be used. */
export const maxAnswerBytes = (dimensions: number): number =>
  TEXTS_PER_CALL * (dimensions * NUMBER_BYTES + 500) + 10_000;

/** @param api opened on EMBEDDINGS_URL, with its key and `maxAnswerBytes` */
export function embeddings(api: Upstream, { model, dimensions }: { model: string; dimensions: number }): Embeddings {
  return {
    model: `${model}/${dimensions}`,
    dimensions,
    batch: TEXTS_PER_CALL,
    async vectors(texts) {
      if (texts.length === 0 || texts.length > TEXTS_PER_CALL)
        throw new RangeError(`${texts.length} texts in one call`);
      try {
        const vectors = await api.ask({
          method: "POST",
          path: "",
          // An empty text is refused.
          body: { model, input: texts.map((text) => wholeBeginning(text) || " ") },
          statuses: [200],
          read: ({ json }) => vectorsOf(answer.safeParse(json).data?.data ?? [], texts.length, dimensions),
          // The provider has done its work: asking again would pay again.
          tooLarge: () => vectorsOf([], texts.length, dimensions),
        });
        return { kind: "answered", vectors };
      } catch (failure) {
        if (failure instanceof Failure && isUnbilled(failure)) return { kind: "refused", failure };
        throw failure;
      }
    },
  };
}

/** @returns the vector of each text; null where there is none, where there are two, or where it cannot be used */
function vectorsOf(data: readonly unknown[], texts: number, dimensions: number): (Float32Array | null)[] {
  const vectors: (Float32Array | null | undefined)[] = Array.from({ length: texts });
  for (const one of data) {
    const { success, data: found } = entry.safeParse(one);
    if (!success || found.index >= texts) continue;
    vectors[found.index] = vectors[found.index] === undefined ? unitVector(found.embedding, dimensions) : null;
  }
  return vectors.map((vector) => vector ?? null);
}

/** @returns null for another dimension, for numbers that are not finite, and for the vector without a direction */
function unitVector(numbers: readonly number[], dimensions: number): Float32Array | null {
  if (numbers.length !== dimensions) return null;
  const length = Math.hypot(...numbers);
  const unit = Float32Array.from(numbers, (number) => number / length);
  return length > 0 && Number.isFinite(length) && unit.every(Number.isFinite) ? unit : null;
}
