/** Pulls one foreign registry into the directory: page by page, resumable at every page, losing and doubling nothing. */
import { ZodError } from "zod";
import type { Registry, RegistryPage } from "../clients/ports.ts";
import { Failure } from "../core/errors.ts";
import type { DirectoryEntry } from "../core/terminal/entry.ts";
import type { ReadItem, SourceReader } from "../core/terminal/sources/source.ts";
import {
  abandonPull,
  type BadItem,
  beginPull,
  digestOf,
  endPull,
  failPull,
  forgetUnseen,
  type Item,
  itemCounts,
  itemsOf,
  notePage,
  type PullState,
  pullState,
  quarantine,
  storeItems,
} from "../db/directory/pulls.ts";
import { removeEntries, type ScoreRules, upsertEntries } from "../db/directory/write.ts";
import { transaction } from "../db/transaction.ts";
import type { JobContext } from "./context.ts";

/** A sweep of everything at least this often; between two, only what changed is asked for where the source can tell. */
const FULL_MS = 86_400_000;
/** The next incremental pull asks from a little before this one began: the clocks of two machines differ. */
const OVERLAP_MS = 300_000;
/** A sweep that saw less of what is known than this does not decide what is gone. */
const TRUSTED_SHARE = 0.5;
/** Advisory lock class of pulls: one at a time for each source, whoever asks. */
const LOCK_CLASS = 7_401_010;

export type PullContext = Pick<JobContext, "db" | "clock" | "log" | "fault"> & {
  exchangeSchema: string;
  /** How often the source is pulled, in milliseconds. */
  everyMs: number;
};

export type PullOptions = {
  /** A full sweep, whatever is due. */
  full?: boolean;
  /** Told after each page. */
  onPage?(progress: { done: number; expected: number | null }): void;
};

/** The answers of a source make no sense, one sentence. */
class OddSource extends Error {}

/**
 * Runs a pull, or goes on with the one that was cut off.
 * @returns how many rows of the directory are different; 0 while another process pulls the same source
 * @throws Failure upstream_unavailable when the source does not answer; what was read until then is kept
 */
export async function pullRegistry(
  context: PullContext,
  registry: Registry,
  reader: SourceReader,
  options: PullOptions = {},
): Promise<number> {
  const { db, clock, everyMs } = context;
  const lock = await db.connect();
  try {
    const { rows } = await lock.query("select pg_try_advisory_lock($1, hashtext($2)) as mine", [
      LOCK_CLASS,
      reader.key,
    ]);
    if (!rows[0].mine) return 0;
    try {
      return await pull(context, registry, reader, options);
    } catch (error) {
      const seconds = error instanceof Failure ? (error.options.retryAfter ?? 0) : 0;
      const next = new Date(clock().getTime() + Math.max(seconds * 1000, everyMs));
      const sentence =
        error instanceof Failure || error instanceof OddSource ? error.message : "The pull failed; the log says why.";
      if (error instanceof OddSource) await abandonPull(db, reader.key);
      await failPull(db, reader.key, sentence, next);
      throw error;
    } finally {
      await lock.query("select pg_advisory_unlock($1, hashtext($2))", [LOCK_CLASS, reader.key]);
    }
  } finally {
    lock.release();
  }
}

async function pull(
  context: PullContext,
  registry: Registry,
  reader: SourceReader,
  { full = false, onPage }: PullOptions,
): Promise<number> {
  const { db, clock, everyMs, fault } = context;
  const began = clock();
  let state = await pullState(db, reader.key);
  if (state.mode === null || (full && state.mode !== "full")) {
    const due = !state.lastFullAt || began.getTime() - state.lastFullAt.getTime() >= FULL_MS;
    const mode = full || due || !registry.incremental || state.watermark === null ? "full" : "incremental";
    state = await beginPull(db, reader.key, mode, began);
  }
  const mode = state.mode!;
  const since = mode === "incremental" ? state.watermark : null;
  let changed = 0;
  let done = state.done;
  for (let cursor: unknown = state.cursor; ; ) {
    const page = await registry.page(cursor, since);
    changed += await storePage(context, reader, state, { ...page, overlapping: registry.overlapping ?? false });
    done += page.items.length;
    onPage?.({ done, expected: page.expected });
    fault("pull.page");
    if (page.next === null) break;
    if (JSON.stringify(page.next) === JSON.stringify(cursor))
      throw new OddSource("The registry answers with the same page again and again.");
    cursor = page.next;
  }
  await transaction(db, async (tx) => {
    const removed = mode === "full" ? await settleSweep(tx, context, reader, state) : 0;
    changed += removed;
    const now = clock();
    await endPull(tx, reader.key, {
      mode,
      watermark: new Date(began.getTime() - OVERLAP_MS).toISOString(),
      removed,
      now,
      nextRunAt: new Date(now.getTime() + everyMs),
    });
  });
  return changed;
}

type Page = RegistryPage & { overlapping: boolean };

const storePage = ({ db, clock, exchangeSchema }: PullContext, reader: SourceReader, state: PullState, page: Page) =>
  transaction(db, async (tx) => {
    const now = clock();
    const { good, bad } = sort(reader, page.items);
    const { agentIds, seenBefore } = await storeItems(tx, reader.key, good, { now, sweep: state.sweep });
    if (
      state.mode === "full" &&
      !page.overlapping &&
      page.next !== null &&
      good.length > 1 &&
      seenBefore === good.length
    )
      throw new OddSource("The registry answers with the same page again and again.");
    await quarantine(tx, reader.key, bad, { now, sweep: state.sweep });
    const changed = await showAgents(tx, reader, agentIds, { now, exchangeSchema });
    await notePage(tx, reader.key, {
      cursor: page.next,
      items: page.items.length,
      expected: page.expected,
      changed,
      quarantined: bad.length,
    });
    return changed;
  });

/** Reads items one by one: one that cannot be read keeps no other from being read. Of an id that comes twice the last counts. */
function sort(reader: SourceReader, items: readonly unknown[]): { good: Item[]; bad: BadItem[] } {
  const good = new Map<string, Item>();
  const bad: BadItem[] = [];
  for (const raw of items) {
    try {
      const read = reader.read(raw);
      if (read) good.set(read.sourceId, { read, raw });
    } catch (error) {
      bad.push({ sourceId: reader.idOf(raw) ?? digestOf(raw ?? null), reason: reasonOf(error), raw: raw ?? null });
    }
  }
  return { good: [...good.values()], bad };
}

function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    const [issue] = error.issues;
    return `${issue?.path.join(".") || "The item"} is not as expected.`;
  }
  return error instanceof Error ? error.message : "The item cannot be read.";
}

/** Brings the rows of agents up to their stored items; an agent without any goes. */
async function showAgents(
  tx: Parameters<typeof upsertEntries>[0],
  reader: SourceReader,
  agentIds: readonly string[],
  rules: ScoreRules,
): Promise<number> {
  if (agentIds.length === 0) return 0;
  const byAgent = new Map<string, ReadItem[]>();
  for (const raw of await itemsOf(tx, reader.key, agentIds)) {
    const item = reader.read(raw);
    if (item) byAgent.set(item.entry.agentId, [...(byAgent.get(item.entry.agentId) ?? []), item]);
  }
  const entries: DirectoryEntry[] = [...byAgent.values()].map((items) =>
    reader.gather ? reader.gather(items) : items.at(-1)!.entry,
  );
  const gone = agentIds.filter((id) => !byAgent.has(id));
  const changed = await upsertEntries(tx, entries, rules);
  return changed + (await removeEntries(tx, reader.key, gone, rules.now));
}

/** What an ended sweep did not see is gone, unless so much is missing that the source must be at fault. */
async function settleSweep(
  tx: Parameters<typeof upsertEntries>[0],
  { clock, exchangeSchema, log }: PullContext,
  reader: SourceReader,
  { sweep }: PullState,
): Promise<number> {
  const { all, seen } = await itemCounts(tx, reader.key, sweep);
  if (seen < all * TRUSTED_SHARE) {
    log.warn({ source: reader.key, known: all, seen }, "a sweep saw so little that nothing is taken for gone");
    return 0;
  }
  const agentIds = await forgetUnseen(tx, reader.key, sweep);
  return showAgents(tx, reader, agentIds, { now: clock(), exchangeSchema });
}
