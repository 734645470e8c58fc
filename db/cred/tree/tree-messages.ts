/** Messages from the process that builds a tree of scores to the one that started it. */
import type { TreePart } from "../../../core/cred/tree/packed.ts";
import type { TreeSummary } from "./build-tree.ts";

/** Any number of `parts`, then one of the others. `peakBytes`: most memory that the process had; `cpuMs`: its CPU time. */
export type TreeReply =
  | { kind: "parts"; parts: TreePart[] }
  | { kind: "built"; summary: TreeSummary | null; peakBytes: number; cpuMs: number }
  | { kind: "failed"; message: string; code: string | undefined };

/** About 0.5 MB. */
export const PARTS_PER_MESSAGE = 256;
