/** Port of a provider of embeddings: vectors of texts, near each other for texts of like meaning. */
import type { Failure } from "../../core/errors.ts";

/** `refused`: the provider did no work, so nothing was paid and the texts may be sent again. */
type EmbeddingOutcome =
  | {
      kind: "answered";
      /** Of length 1, in the order of the texts; null: the answer for this text cannot be used. */
      vectors: (Float32Array | null)[];
    }
  | { kind: "refused"; failure: Failure };

export interface Embeddings {
  /** Names the model with the size of its vectors: those of different ones are not compared. */
  readonly model: string;
  /** Numbers of a vector. */
  readonly dimensions: number;
  /** Max texts of one call. */
  readonly batch: number;
  /**
   * @param texts 1 to `batch`; of a longer text the beginning is sent
   * @throws Failure upstream_unavailable where the outcome is not known: the texts may have been paid
   */
  vectors(texts: readonly string[]): Promise<EmbeddingOutcome>;
}
