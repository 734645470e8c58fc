/** Pulls one foreign registry into the directory: page by page, resumable at every page, without losing or duplicating an item. */
import type pg from "pg";
import type { Registry, SkipReason } from "../../clients/ports.ts";
import type { RegistryReader } from "../../core/directory/registry-readers/reader.ts";
import { Failure } from "../../core/errors.ts";
import { compareErc8004 } from "../../db/directory/erc8004.ts";
import { digestOf, forgetUnseen, itemCounts } from "../../db/directory/items.ts";
import { forgetPagesBefore, type KnownPage } from "../../db/directory/pages.ts";
import {
  abandonPull,
  beginPull,
  endPull,
  failPull,
  isPullEnd,
  type PullState,
  pullState,
} from "../../db/directory/pulls.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { transaction } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import {
  ImplausibleRegistry,
  lastRead,
  type PageContext,
  type PulledRegistry,
  showAgents,
  takePage,
} from "./registry-page.ts";

/** Intervals between two full sweeps; pulls between them request changes only, where the registry offers that. */
const FULL_EVERY = 24;
/** Milliseconds by which an incremental pull reaches back before the previous one: the clocks of two machines differ. */
const OVERLAP_MS = 300_000;
/** Min share of the known items that a sweep must see; below it nothing is removed. */
const TRUSTED_SHARE = 0.5;
/** Max pages of a pull; a registry whose pages never end is at fault. */
const MAX_PAGES = 50_000;
/** Attempts that may end at one place. The next one reads the place in smaller pages and continues after what still fails. */
const MAX_FAILURES = 3;
/** Max consecutive places that are skipped for their size: a registry that ignores the page size has no others. */
const MAX_SKIPPED_LARGE = 1_000;
/**
 * Consecutive places that are skipped because they are slow or fail, before larger pages are skipped whole: 10 single
 * items, then 10 pages of 10 items, then 10 full pages. After them the sweep ends. So a registry that is slow from some
 * place on takes a bounded time, not its limit of time for each item.
 */
const SKIPPED_OF_A_SIZE = 10;
const SMALLEST = [1, 10, Number.POSITIVE_INFINITY];
/** Share of the interval after which an incomplete sweep, or a registry that did not answer, is tried again. */
const LOOK_AGAIN_SHARE = 1 / 4;

export type PullContext = PageContext &
  Pick<JobContext, "log" | "fault"> & {
    /** Milliseconds between two pulls of the registry. */
    everyMs: number;
  };

export type PullOptions = {
  /** A full sweep, even where an incremental pull is due. */
  full?: boolean;
  /** Called after each page. */
  onPage?(progress: { done: number; expected: number | null }): void;
};

const lockOf = (registry: string): string => `pull:${registry}`;

/**
 * Runs a pull, or continues one that was interrupted.
 * Check then write: the state of the pull, then pages and end; another worker may pull: session's advisory lock of the
 * registry.
 * Resumes: at the stored cursor; a source that contradicts itself starts over, another error is tried again after a
 * quarter of the interval, and a pull older than 24 intervals starts over; 50,000 pages at most, none twice.
 * @returns number of changed rows of the directory; null while another process pulls the same registry
 * @throws Failure upstream_unavailable when the registry does not answer; pages that were read before stay stored
 */
export function pullRegistry(
  context: PullContext,
  registry: Registry,
  reader: RegistryReader,
  options: PullOptions = {},
): Promise<number | null> {
  // One pull per registry in all processes. It takes minutes, so the lock holds no connection of the pool.
  return notifications(context.db).whileLocked(lockOf(reader.key), () =>
    pullOne(context, { registry, reader }, options),
  );
}

/**
 * Pulls registries side by side, under locks that are taken together; one that fails stops no other.
 * @returns number of changed rows of the directory
 */
export function pullRegistries(context: PullContext, all: readonly PulledRegistry[]): Promise<number> {
  const locks = all.map(({ reader }) => lockOf(reader.key));
  return notifications(context.db).whileAnyLocked(locks, async (mine) => {
    const due = all.filter(({ reader }) => mine.includes(lockOf(reader.key)));
    // Where they cannot begin together, each begins by itself: one stops no other.
    const begun = await begin(context, due).catch(() => null);
    const pulls = due.map((pulled, i) =>
      pullOne(context, pulled, {}, begun?.[i]).catch((err) => {
        const registry = pulled.reader.key;
        context.log.warn({ err, registry }, "a registry could not be pulled; the next attempt goes on from there");
        return 0;
      }),
    );
    return (await Promise.all(pulls)).reduce((sum, rows) => sum + rows, 0);
  });
}

/** Pulls, and stores why it could not. @param begun the pull, where it has begun with others */
async function pullOne(
  context: PullContext,
  pulled: PulledRegistry,
  options: PullOptions,
  begun?: BegunPull,
): Promise<number> {
  const { db, clock, everyMs } = context;
  const { key } = pulled.reader;
  try {
    return await pull(context, begun ?? (await begin(context, [pulled], options))[0]!, options);
  } catch (error) {
    const seconds = error instanceof Failure ? (error.options.retryAfter ?? 0) : 0;
    const next = new Date(clock().getTime() + Math.max(seconds * 1000, everyMs * LOOK_AGAIN_SHARE));
    const sentence =
      error instanceof Failure || error instanceof ImplausibleRegistry
        ? error.message
        : "The pull failed; the log says why.";
    if (error instanceof ImplausibleRegistry) await abandonPull(db, key);
    await failPull(db, key, sentence, next);
    throw error;
  }
}

async function pull(context: PullContext, begun: BegunPull, { onPage }: PullOptions): Promise<number> {
  const { db, clock, everyMs, fault } = context;
  const { reader, state, began } = begun;
  const mode = state.mode!;
  let { done, partial } = state;
  let changed = 0;
  const skips = skipLimits();
  const visited = new Set([digestOf(JSON.stringify(state.cursor))]);
  let insist = state.failures >= MAX_FAILURES;
  for (let [cursor, known] = [state.cursor, begun.first]; !isPullEnd(cursor); ) {
    const options = { insist, smallest: skips.smallest };
    const page = await takePage(context, begun, state, { cursor, known, atEnd }, options);
    changed += page.changed;
    done += page.items;
    partial ??= page.partial;
    onPage?.({ done, expected: page.expected });
    if (page.endedPull) return changed;
    fault("pull.page");
    if (page.next === null) break;
    // The pages around a place that fails are reduced, up to the next full page.
    insist &&= page.reduced;
    const end = skips.count(page.skipped);
    partial ??= end;
    if (end !== null) break;
    ({ next: cursor, known } = page);
    const place = digestOf(JSON.stringify(cursor));
    if (visited.has(place) || visited.size >= MAX_PAGES)
      throw new ImplausibleRegistry("The registry's pages never end.");
    visited.add(place);
  }
  return changed + (await transaction(db, (tx) => atEnd(tx, null)));

  /** Ends the pull, with its last page where it has one. @returns number of rows that it removed */
  async function atEnd(tx: pg.ClientBase, missed: string | null): Promise<number> {
    const reason = partial ?? missed;
    const settled = mode === "full" ? await settleSweep(tx, context, begun, { ...state, partial: reason }) : UNTOUCHED;
    const now = clock();
    await endPull(tx, {
      source: reader.key,
      mode,
      watermark: watermarkOf(state, { began, again: settled.again, partial: reason }),
      whole: settled.whole,
      removed: settled.removed,
      note: settled.note,
      now,
      nextRunAt: new Date(now.getTime() + everyMs * (settled.again ? LOOK_AGAIN_SHARE : 1)),
    });
    return settled.removed;
  }
}

/** Counts the places that are skipped one after the other. */
function skipLimits() {
  let large = 0;
  let unanswered = 0;
  return {
    /** Min items of a page that is skipped on its own. */
    get smallest(): number {
      return SMALLEST[Math.floor(unanswered / SKIPPED_OF_A_SIZE)]!;
    },
    /** @returns why the sweep ends here, one sentence; null while it continues */
    count(skipped: SkipReason | null): string | null {
      large = skipped === "too large" ? large + 1 : 0;
      unanswered = skipped === null || skipped === "too large" ? 0 : unanswered + 1;
      if (large > MAX_SKIPPED_LARGE) return "The registry's answers are too large to be read.";
      if (unanswered >= SKIPPED_OF_A_SIZE * SMALLEST.length) return "The registry does not answer from some place on.";
      return null;
    },
  };
}

/** Start of the next incremental pull: null when the sweep is made again, the last one when this pull missed something. */
function watermarkOf(
  { mode, watermark }: PullState,
  { began, again, partial }: { began: Date; again: boolean; partial: string | null },
): string | null {
  if (again) return null;
  return mode === "incremental" && partial !== null ? watermark : new Date(began.getTime() - OVERLAP_MS).toISOString();
}

/** A pull that goes on, with the page that it is at. */
type BegunPull = PulledRegistry & { state: PullState; first: KnownPage | null; began: Date };

/** Of each registry the interrupted pull, unless it is too old to continue; else a new one. All in one transaction. */
async function begin(
  { db, clock, everyMs }: PullContext,
  registries: readonly PulledRegistry[],
  { full = false }: PullOptions = {},
): Promise<BegunPull[]> {
  if (registries.length === 0) return [];
  const began = clock();
  const older = (at: Date | null) => at === null || began.getTime() - at.getTime() >= FULL_EVERY * everyMs;
  return transaction(db, async (tx) => {
    const begun: BegunPull[] = [];
    for (const { registry, reader } of registries) {
      const last = await pullState(tx, reader.key);
      const goesOn = last.mode !== null && !older(last.startedAt) && (last.mode === "full" || !full);
      const all = full || older(last.lastFullAt) || !registry.incremental || last.watermark === null;
      const state = goesOn
        ? last
        : await beginPull(tx, { source: reader.key, mode: all ? "full" : "incremental", now: began });
      begun.push({ registry, reader, state, first: await lastRead(tx, reader, state, state.cursor, began), began });
    }
    return begun;
  });
}

/** Result of a sweep: whether it repeats, the number of rows it removed, and a note for the operator. */
type SweepResult = { whole: boolean; again: boolean; removed: number; note: string | null };
const UNTOUCHED: SweepResult = { whole: false, again: false, removed: 0, note: null };

/**
 * An item that two complete sweeps in a row did not see is removed. A sweep that was not complete removes nothing, nor
 * one that sees less than TRUSTED_SHARE of the known items: then the registry is at fault. One sweep is not enough, because items
 * that come and go during it move others between its pages. A sweep that shows less than the one before is repeated; the
 * second result counts.
 * Check then write: the items that were seen, then the removal: one transaction, under the source's lock.
 * One item: a row that cannot be written is not isolated; it depends on the gate, which the remaining items have
 * passed.
 */
async function settleSweep(
  tx: pg.ClientBase,
  { clock, exchangeSchema, chainId, log }: PullContext,
  { reader }: PulledRegistry,
  { sweep, wholeSweep, partial }: PullState,
): Promise<SweepResult> {
  const again = wholeSweep === sweep - 1;
  await forgetPagesBefore(tx, reader.key, sweep);
  if (partial !== null) return { ...UNTOUCHED, again, note: partial };
  const { all, seen } = await itemCounts(tx, { source: reader.key, sweep });
  if (seen < all * TRUSTED_SHARE) {
    log.warn({ registry: reader.key, known: all, seen }, "a sweep saw so little that nothing is taken for gone");
    return { ...UNTOUCHED, again, note: `The sweep saw ${seen} of ${all} known items, so nothing is taken for gone.` };
  }
  const { agentIds, forgotten } = await forgetUnseen(tx, reader.key, wholeSweep);
  const removed = await showAgents(tx, reader, agentIds, { now: clock(), exchangeSchema, chainId });
  const note = reader.enriches ? await compareErc8004(tx, reader.key) : null;
  return { whole: true, again: all - seen - forgotten > 0, removed, note };
}
