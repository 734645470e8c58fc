/** Process that builds one tree of scores: a million leaves take seconds of computing, and memory that ends with it. */
import type { TreePart } from "../../../core/cred/tree/packed.ts";
import { peakMemory } from "../../../runtime/peak-memory.ts";
import { buildCredTree, PARTS_PER_MESSAGE, type TreeReply, type TreeRequest } from "./build-tree.ts";

/** Resolves when the parent can take more. */
const reply = (message: TreeReply) =>
  new Promise<void>((done, failed) =>
    process.send!(message, (error: Error | null) => (error ? failed(error) : done())),
  );

process.once("message", async (request: TreeRequest) => {
  try {
    let parts: TreePart[] = [];
    const summary = await buildCredTree(request, async (part) => {
      if (parts.push(part) < PARTS_PER_MESSAGE) return;
      const full = parts;
      parts = [];
      await reply({ kind: "parts", parts: full });
    });
    await reply({ kind: "parts", parts });
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const cpuMs = Math.round((userCPUTime + systemCPUTime) / 1_000);
    await reply({ kind: "built", summary, peakBytes: peakMemory(), cpuMs });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    await reply({ kind: "failed", message, code });
  }
});
// Without its parent the process has no purpose. An interrupt is the parent's to handle: the parent kills this process.
process.once("disconnect", () => process.exit());
process.on("SIGINT", () => {});
