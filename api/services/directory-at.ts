/** Reading one's own write in the directory: rows follow the index after a delay, and memory follows the rows. */
import type pg from "pg";
import { showsBlock } from "../../db/directory/own.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { untilShown } from "./until-shown.ts";

/** Milliseconds between two checks. */
const LOOK_MS = 50;
/** Blocks after which a change is in the directory for certain, at the latest by the sweep. */
const RECENT_BLOCKS = 300;

/** Checks under way, shared by all requests that wait for the same block. */
const looks = new WeakMap<pg.Pool, Map<number, Promise<boolean>>>();

function shows(db: pg.Pool, block: number): Promise<boolean> {
  const underWay = looks.get(db) ?? new Map<number, Promise<boolean>>();
  looks.set(db, underWay);
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
