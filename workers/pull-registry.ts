/** Pulls one foreign registry into the directory: page by page, resumable at every page, without losing or duplicating an item. */

import type pg from "pg";
import type { Registry } from "../clients/ports.ts";
import type { SourceReader } from "../core/directory/sources/source.ts";
import { Failure } from "../core/errors.ts";
import { compareErc8004 } from "../db/directory/erc8004-check.ts";
import { forgetUnseen, itemCounts } from "../db/directory/items.ts";
import { forgetPagesBefore } from "../db/directory/pages.ts";
import {
  abandonPull,
  beginPull,
  endPull,
  failPull,
  isPullEnd,
  type PullState,
  pullState,
} from "../db/directory/pulls.ts";
import { ADVISORY_LOCKS } from "../db/locks.ts";
import { bool, statement, text } from "../db/statement.ts";
import { transaction } from "../db/transaction.ts";
import type { JobContext } from "./context.ts";
import { OddSource, type PageContext, type Source, showAgents, takePage } from "./registry-page.ts";

/** Intervals between two full sweeps; pulls between them request changes only, where the registry offers that. */
const FULL_EVERY = 24;
/** Milliseconds by which an incremental pull reaches back before the previous one: the clocks of two machines differ. */
const OVERLAP_MS = 300_000;
/** Min share of the known items that a sweep must see; below it nothing is removed. */
const TRUSTED_SHARE = 0.5;
/** Max pages of a pull; a registry whose pages never end is at fault. */
const MOST_PAGES = 50_000;
/** Max consecutive items that are skipped for their size: a source that ignores the page size has no others. */
const MOST_STEPPED_OVER = 1_000;
/** Share of the interval after which an incomplete sweep, or a source that did not answer, is tried again. */
const LOOK_AGAIN_SHARE = 1 / 4;

/** The lock of a registry, for the life of the connection: one pull per registry in all processes. */
const TRY_LOCK = statement({
  name: "registry-pull-try-lock",
  params: { registry: text },
  text: `select pg_try_advisory_lock(${ADVISORY_LOCKS.pull}, hashtext($registry)) as locked`,
  columns: { locked: bool },
});
const UNLOCK = statement({
  name: "registry-pull-unlock",
  params: { registry: text },
  text: `select from pg_advisory_unlock(${ADVISORY_LOCKS.pull}, hashtext($registry))`,
});

export type PullContext = PageContext &
  Pick<JobContext, "log" | "fault"> & {
    /** Milliseconds between two pulls of the source. */
    everyMs: number;
  };

export type PullOptions = {
  /** A full sweep, even where an incremental pull is due. */
  full?: boolean;
  /** Called after each page. */
  onPage?(progress: { done: number; expected: number | null }): void;
};

/**
 * Runs a pull, or continues one that was interrupted.
 * @returns number of changed rows of the directory; null while another process pulls the same source
 * @throws Failure upstream_unavailable when the source does not answer; pages that were read before stay stored
 */
export async function pullRegistry(
  context: PullContext,
  registry: Registry,
  reader: SourceReader,
  options: PullOptions = {},
): Promise<number | null> {
  const { db, clock, everyMs } = context;
  const lock = await db.connect();
  try {
    if (!(await TRY_LOCK.one(lock, { registry: reader.key })).locked) return null;
    try {
      return await pull(context, { registry, reader }, options);
    } catch (error) {
      const seconds = error instanceof Failure ? (error.options.retryAfter ?? 0) : 0;
      const next = new Date(clock().getTime() + Math.max(seconds * 1000, everyMs * LOOK_AGAIN_SHARE));
      const sentence =
        error instanceof Failure || error instanceof OddSource ? error.message : "The pull failed; the log says why.";
      if (error instanceof OddSource) await abandonPull(db, reader.key);
      await failPull(db, reader.key, sentence, next);
      throw error;
    } finally {
      await UNLOCK.run(lock, { registry: reader.key });
    }
  } finally {
    lock.release();
  }
}

async function pull(context: PullContext, source: Source, { full = false, onPage }: PullOptions): Promise<number> {
  const { db, clock, everyMs, fault } = context;
  const { reader } = source;
  const began = clock();
  const state = await begin(context, source, full, began);
  const mode = state.mode!;
  let { done, partial } = state;
  let changed = 0;
  let steppedOver = 0;
  const visited = new Set([JSON.stringify(state.cursor)]);
  for (let cursor = state.cursor; !isPullEnd(cursor); ) {
    const page = await takePage(context, source, state, cursor);
    changed += page.changed;
    done += page.items;
    partial ??= page.partial;
    onPage?.({ done, expected: page.expected });
    fault("pull.page");
    if (page.next === null) break;
    steppedOver = page.steppedOver ? steppedOver + 1 : 0;
    if (steppedOver > MOST_STEPPED_OVER) throw new OddSource("The registry's answers are too large to be read.");
    cursor = page.next;
    const place = JSON.stringify(cursor);
    if (visited.has(place) || visited.size >= MOST_PAGES) throw new OddSource("The registry's pages never end.");
    visited.add(place);
  }
  return transaction(db, async (tx) => {
    const settled = mode === "full" ? await settleSweep(tx, context, source, { ...state, partial }) : UNTOUCHED;
    const now = clock();
    await endPull(tx, reader.key, {
      mode,
      watermark: settled.again ? null : new Date(began.getTime() - OVERLAP_MS).toISOString(),
      whole: settled.whole,
      removed: settled.removed,
      note: settled.note,
      now,
      nextRunAt: new Date(now.getTime() + everyMs * (settled.again ? LOOK_AGAIN_SHARE : 1)),
    });
    return changed + settled.removed;
  });
}

/** The interrupted pull, unless it is too old to continue; else a new one. */
async function begin(
  { db, everyMs }: PullContext,
  { registry, reader }: Source,
  full: boolean,
  now: Date,
): Promise<PullState> {
  const state = await pullState(db, reader.key);
  const older = (at: Date | null) => at === null || now.getTime() - at.getTime() >= FULL_EVERY * everyMs;
  if (state.mode !== null && !older(state.startedAt) && (state.mode === "full" || !full)) return state;
  const all = full || older(state.lastFullAt) || !registry.incremental || state.watermark === null;
  return beginPull(db, reader.key, all ? "full" : "incremental", now);
}

/** Result of a sweep: whether it repeats, the number of rows it removed, and a note for the operator. */
type Settled = { whole: boolean; again: boolean; removed: number; note: string | null };
const UNTOUCHED: Settled = { whole: false, again: false, removed: 0, note: null };

/**
 * An item that two complete sweeps in a row did not see is removed. A sweep that was not complete removes nothing, nor
 * one that sees less than TRUSTED_SHARE of the known items: then the source is at fault. One sweep is not enough, because items
 * that come and go during it move others between its pages. A sweep that shows less than the one before is repeated; the
 * second result counts.
 */
async function settleSweep(
  tx: pg.ClientBase,
  { clock, exchangeSchema, chainId, log }: PullContext,
  { reader }: Source,
  { sweep, wholeSweep, partial }: PullState,
): Promise<Settled> {
  const again = wholeSweep === sweep - 1;
  await forgetPagesBefore(tx, reader.key, sweep);
  if (partial !== null) return { ...UNTOUCHED, again, note: partial };
  const { all, seen } = await itemCounts(tx, reader.key, sweep);
  if (seen < all * TRUSTED_SHARE) {
    log.warn({ source: reader.key, known: all, seen }, "a sweep saw so little that nothing is taken for gone");
    return { ...UNTOUCHED, again, note: `The sweep saw ${seen} of ${all} known items, so nothing is taken for gone.` };
  }
  const { agentIds, forgotten } = await forgetUnseen(tx, reader.key, wholeSweep);
  const removed = await showAgents(tx, reader, agentIds, { now: clock(), exchangeSchema, chainId });
  const note = reader.enriches ? await compareErc8004(tx, reader.key) : null;
  return { whole: true, again: all - seen - forgotten > 0, removed, note };
}
