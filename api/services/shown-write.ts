/** A write's answer and the reads after it: once the answer says that something is written, every plain read shows it. */
import { showsAgent, showsWrites } from "../../db/directory/own.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { isSoon } from "./until-shown.ts";

/** Milliseconds between two looks. */
const LOOK_MS = 50;
/** Max milliseconds that the answer of a write off chain waits for the directory and the lists. */
const OFF_CHAIN_MS = 2_000;

type Lists = Pick<HandlerDeps, "agentList" | "directory">;

/**
 * Waits until the lists that this process has in memory show what is committed. Those of another process follow by the same
 * feed of changes.
 * @param deadline time of `performance.now()`; there is one look in any case
 * @returns whether they show it
 */
export function listsShow({ agentList, directory }: Lists, deadline = performance.now() + OFF_CHAIN_MS) {
  const since = Date.now();
  return isSoon(() => [agentList, directory].every((list) => list?.shows(since) ?? true), deadline, LOOK_MS);
}

/**
 * Waits until reads of this service show what was written about an agent off chain and committed (`writeAgent`): its row of
 * the directory, and lists. The score is in the commit itself.
 * @param deadline as in `listsShow`
 * @returns whether they show it
 */
export async function writesShown(
  { db, ...lists }: Pick<HandlerDeps, "db"> & Lists,
  tokenId: number,
  deadline = performance.now() + OFF_CHAIN_MS,
): Promise<boolean> {
  return (await isSoon(() => showsWrites(db, { tokenId }), deadline, LOOK_MS)) && listsShow(lists, deadline);
}

/**
 * Waits until reads of this service show an agent as of a block: index, score, row of the directory, and lists.
 * @param deadline as in `listsShow`
 * @returns whether they show it
 */
export async function isShown(
  { db, index, ...lists }: Pick<HandlerDeps, "db" | "index"> & Lists,
  { tokenId, block }: { tokenId: number; block: number },
  deadline: number,
): Promise<boolean> {
  if (index.block < block && !(await index.waitFor(block, Math.max(0, deadline - performance.now())))) return false;
  return (await isSoon(() => showsAgent(db, { tokenId, block }), deadline, LOOK_MS)) && listsShow(lists, deadline);
}
