/** Starts the building of a tree of scores: in a process of its own, or in this one when there are few scores. */
import { fork } from "node:child_process";
import type { TreePart } from "../../../core/cred/tree/packed.ts";
import { entryOf } from "../../../runtime/processes.ts";
import { type Queryable, statement, t } from "../../sql/statement.ts";
import type { TreeReply } from "./build-tree.ts";
import { buildCredTree, type TreeRequest, type TreeSummary } from "./build-tree.ts";

/** Max leaves that are hashed in this process: 20 ms, less than a process takes to start. */
const IN_PROCESS_LEAVES = 2_000;
/** Max milliseconds of a process; a million leaves take 15 seconds. */
const BUILD_TIMEOUT_MS = 600_000;

const FEW = statement({
  name: "cred-tree-few",
  params: { limit: t.int8 },
  text: "select count(*)::int8 as scores from (select from offchain.cred limit $limit) c",
  columns: { scores: t.int8 },
});

/** `parts` is empty where the root is the known one. `process`: null where the tree was built in this one. */
export type BuiltTree = TreeSummary & { parts: TreePart[]; process: { peakBytes: number; cpuMs: number } | null };

/**
 * @returns null while there is no index, or no agent has a score
 * @throws the database's error, or that the process ended
 */
export async function startCredTree(db: Queryable, request: TreeRequest): Promise<BuiltTree | null> {
  const { scores } = await FEW.one(db, { limit: IN_PROCESS_LEAVES + 1 });
  return scores > IN_PROCESS_LEAVES ? buildInProcess(request) : buildHere(request);
}

async function buildHere(request: TreeRequest): Promise<BuiltTree | null> {
  const parts: TreePart[] = [];
  const summary = await buildCredTree(request, (part) => void parts.push(part));
  return summary && { ...summary, parts, process: null };
}

/** Builds in a process of its own, which returns its memory to the operating system. */
export async function buildInProcess(request: TreeRequest): Promise<BuiltTree | null> {
  const child = fork(entryOf("cred-tree"), {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), BUILD_TIMEOUT_MS);
  try {
    return await new Promise((resolve, reject) => {
      const parts: TreePart[] = [];
      child.on("message", (reply: TreeReply) => {
        if (reply.kind === "parts") parts.push(...reply.parts);
        else if (reply.kind === "failed") reject(Object.assign(new Error(reply.message), { code: reply.code }));
        else {
          const { summary, peakBytes, cpuMs } = reply;
          resolve(summary && { ...summary, parts, process: { peakBytes, cpuMs } });
        }
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error("the process that builds the tree ended without one")));
      // The request holds the database's password: a message stays private, arguments and environment do not.
      child.send(request, (error) => error && reject(error));
    });
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}
