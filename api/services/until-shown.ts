/**
 * Waits until reads show what was written: agents, lists and pages of the directory.
 */
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { fail } from "../../core/errors.ts";
import { showsAgent, showsBlock, showsWrites } from "../../db/directory/own-shown.ts";
import { madeOnce } from "../../runtime/once.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Max milliseconds of the wait. */
const WAIT_MS = 5_000;

/**
 * Waits until each of these is the case, one after the other, for as long as a reader may wait in all.
 * @param missing says what is not shown yet, a sentence for the reader
 * @param everyMs between two looks
 * @throws Failure indexer_behind with that sentence when it takes too long
 */
export async function untilShown(
  { index }: Pick<HandlerDeps, "index">,
  missing: string,
  looks: readonly (() => Promise<boolean> | boolean)[],
  everyMs = 100,
): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (const isShown of looks)
    if (!(await isSoon(isShown, deadline, everyMs)))
      fail("indexer_behind", missing, { extra: { indexedBlock: index.block } });
}

/**
 * Looks until something is shown; there is one look in any case.
 * @param deadline time of `performance.now()` @param everyMs between two looks
 * @returns whether it is shown
 */
export async function isSoon(
  look: () => Promise<boolean> | boolean,
  deadline: number,
  everyMs: number,
): Promise<boolean> {
  while (!(await look())) {
    if (performance.now() >= deadline) return false;
    await delay(everyMs);
  }
  return true;
}

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

/** Blocks after which a change is in the directory for certain, at the latest by the sweep. */
const RECENT_BLOCKS = 300;

/** Checks under way, shared by all requests that wait for the same block. */
const looksOf = madeOnce((_: pg.Pool) => new Map<number, Promise<boolean>>());

function shows(db: pg.Pool, block: number): Promise<boolean> {
  const underWay = looksOf(db);
  const look = underWay.get(block) ?? showsBlock(db, { block }).finally(() => underWay.delete(block));
  underWay.set(block, look);
  return look;
}

/**
 * Waits until lists and pages of the directory show the own registry's agents as of an indexed block.
 * @param block undefined returns at once
 * @throws Failure indexer_behind when that takes too long
 */
export async function waitForDirectory(
  { db, directory, index }: Pick<HandlerDeps, "db" | "directory" | "index">,
  block: number | undefined,
): Promise<void> {
  if (block === undefined || block < index.block - RECENT_BLOCKS) return;
  let since: number | undefined;
  const inMemory = () => {
    since ??= Date.now();
    return directory.shows(since);
  };
  const missing = `The directory does not show block ${block} yet.`;
  await untilShown({ index }, missing, [() => shows(db, block), inMemory], LOOK_MS);
}
