/** Starts the building of a tree of scores: in a process of its own, or in this one when there are few scores. */
import type { TreePart } from "../../../core/cred/tree/packed.ts";
import { inChild, type TaskCost } from "../../../runtime/child-task.ts";
import { type Queryable, statement, t } from "../../sql/statement.ts";
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
export type BuiltTree = TreeSummary & { parts: TreePart[]; process: TaskCost | null };

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

/** Builds in a process of its own. */
export async function buildInProcess(request: TreeRequest): Promise<BuiltTree | null> {
  const parts: TreePart[] = [];
  const { result, cost } = await inChild<TreeSummary | null, TreePart[]>("cred-tree", request, {
    timeoutMs: BUILD_TIMEOUT_MS,
    onPart: (some) => parts.push(...some),
  });
  return result && { ...result, parts, process: cost };
}
