/** Process that builds one tree of scores: a million leaves take seconds of computing, and memory that ends with it. */
import type { TreePart } from "../../../core/cred/tree/packed.ts";
import { asChild } from "../../../runtime/child-task.ts";
import { buildCredTree, type TreeRequest } from "./build-tree.ts";

/** About 0.5 MB. */
const PARTS_PER_MESSAGE = 256;

asChild(async (request: TreeRequest, tell: (parts: TreePart[]) => Promise<void>) => {
  let parts: TreePart[] = [];
  const summary = await buildCredTree(request, async (part) => {
    if (parts.push(part) < PARTS_PER_MESSAGE) return;
    const full = parts;
    parts = [];
    await tell(full);
  });
  await tell(parts);
  return summary;
});
