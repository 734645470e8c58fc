/** Reading one's own write in the directory: rows follow the index after a delay, and memory follows the rows. */
import type pg from "pg";
import { fail } from "../../core/errors.ts";
import { showsBlock } from "../../db/directory/own.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Max milliseconds of the wait, and milliseconds between two checks. */
const WAIT_MS = 5_000;
const LOOK_MS = 50;
/** Blocks after which a change is in the directory for certain, at the latest by the sweep. */
const RECENT_BLOCKS = 300;

/** Checks under way, shared by all requests that wait for the same block. */
const looks = new WeakMap<pg.Pool, Map<number, Promise<boolean>>>();

function shows(db: pg.Pool, block: number): Promise<boolean> {
  const underWay = looks.get(db) ?? new Map<number, Promise<boolean>>();
  looks.set(db, underWay);
  const look = underWay.get(block) ?? showsBlock(db, block).finally(() => underWay.delete(block));
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
  const deadline = Date.now() + WAIT_MS;
  const reached = async (what: () => Promise<boolean> | boolean) => {
    while (!(await what())) {
      if (Date.now() >= deadline)
        fail("indexer_behind", `The directory does not show block ${block} yet.`, {
          extra: { indexedBlock: index.block },
        });
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
  };
  await reached(() => shows(db, block));
  const since = Date.now();
  await reached(() => directory.shows(since));
}
