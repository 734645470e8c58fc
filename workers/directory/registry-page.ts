/** Stores one page of a registry in one transaction: its items, the rows of their agents, and the cursor behind it. */
import type pg from "pg";
import { ZodError } from "zod";
import type { PageOptions, Registry, RegistryPage, SkipReason } from "../../clients/ports.ts";
import type { DirectoryEntry } from "../../core/directory/entry.ts";
import type { ReadItem, RegistryReader } from "../../core/directory/registry-readers/reader.ts";
import { showErc8004 } from "../../db/directory/erc8004-rows.ts";
import { digestOf, forgetItems, type Item, itemsOf, keyOf, storeItems } from "../../db/directory/items.ts";
import { forgetPage, type KnownPage, keepPage, knownPage, seePage } from "../../db/directory/pages.ts";
import { notePage, PULL_END, type PullState } from "../../db/directory/pulls.ts";
import { type BadItem, quarantine } from "../../db/directory/quarantine.ts";
import { removeEntries, type ScoreRules, upsertEntries } from "../../db/directory/write.ts";
import { refusalReason, storeSet } from "../../db/sql/store-set.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { DOCUMENT_MS, TooSlowToRead, withinTime } from "../within-time.ts";

/** Max milliseconds between two full reads of a page, even where its server calls it unchanged. */
const READ_MS = 86_400_000;

export type PageContext = Pick<JobContext, "db" | "clock" | "log"> & { exchangeSchema: string; chainId: number };

/** A registry: its pages, and the reader of its items. */
export type PulledRegistry = { registry: Registry; reader: RegistryReader };

/** The place of a page. */
type Place = {
  cursor: unknown;
  known: KnownPage | null;
  /**
   * Ends the pull in the transaction of the last page, where that takes few statements: not the sweep of all items whose
   * page has written rows, which would hold their locks, and be lost with an end that fails.
   * @param missed why the page misses items @returns number of rows that were removed
   */
  atEnd(tx: pg.ClientBase, missed: string | null): Promise<number>;
};

/** A page that was stored. */
export type TakenPage = {
  items: number;
  next: unknown;
  /** The page there, as it was last read. */
  known: KnownPage | null;
  expected: number | null;
  changed: number;
  /** Why the page is incomplete, one sentence. */
  partial: string | null;
  /** It is smaller than the registry's pages, because a larger one could not be read. */
  reduced: boolean;
  /** Why the place was skipped; null when its page was read. */
  skipped: SkipReason | null;
  endedPull: boolean;
};

/** The answers of a registry contradict each other; the message is one sentence. */
export class ImplausibleRegistry extends Error {}

const REPEATS = "The registry answers with the same page again and again.";

/** The page at a place as it was last read, where its server may call it unchanged: in a pull of all items. */
export const lastRead = (db: Queryable, { key }: RegistryReader, state: PullState, cursor: unknown, now: Date) =>
  sinceOf(state) === null ? knownPage(db, key, cursor, new Date(now.getTime() - READ_MS)) : null;

/** Start of the changes that a pull asks for; null where it asks for all items. */
const sinceOf = ({ mode, watermark }: PullState) => (mode === "incremental" ? watermark : null);

/**
 * Requests the page at a place and stores it.
 * @throws Failure upstream_unavailable, ImplausibleRegistry
 */
export async function takePage(
  context: PageContext,
  pulled: PulledRegistry,
  state: PullState,
  place: Place,
  options: Omit<PageOptions, "known">,
): Promise<TakenPage> {
  const { db, clock } = context;
  const { registry, reader } = pulled;
  const { cursor, known, atEnd } = place;
  const since = sinceOf(state);
  let page = await registry.page(cursor, since, { ...options, known: known?.validators });
  if (page === "unchanged" && known) {
    const { next, expected, sourceIds } = known;
    const items = sourceIds.length;
    const taken = await transaction(db, async (tx): Promise<TakenPage | null> => {
      if (!(await seePage(tx, reader.key, cursor, { sourceIds, sweep: state.sweep, now: clock() }))) {
        await forgetPage(tx, reader.key, cursor);
        return null;
      }
      const noted = { cursor: next ?? PULL_END, items, expected, changed: 0, quarantined: 0 };
      await notePage(tx, { source: reader.key, ...noted });
      const endedPull = next === null;
      const changed = endedPull ? await atEnd(tx, null) : 0;
      const behind = endedPull ? null : await lastRead(tx, reader, state, next, clock());
      const sound = { partial: null, reduced: false, skipped: null };
      return { items, next, known: behind, expected, changed, endedPull, ...sound };
    });
    if (taken !== null) return taken;
    page = await registry.page(cursor, since, options);
  }
  if (page === "unchanged")
    throw new ImplausibleRegistry("The registry says that a page is unchanged which it was not asked about.");
  return storePage(context, pulled, state, place, page);
}

/** Why a place is in the quarantine. */
const SKIPPED: Record<SkipReason, string> = {
  "too large": "The registry's answer with this item alone is larger than can be read.",
  "too slow": "The registry does not answer in time for this place.",
  failed: "The registry answers with an error for this place.",
};
/** A large item stays large, and is left to the quarantine. What is slow or fails may be read the next time. */
const SWEEP_MISSES: Record<SkipReason, string | null> = {
  "too large": null,
  "too slow": "The registry was too slow for a part of its items, which the next sweep reads.",
  failed: "The registry answered with errors for a part of its items, which the next sweep reads.",
};

/**
 * Check then write: known page and parsed items, then items, rows and place: one transaction, in which the number of
 * items is compared.
 * One item: NUL, a lone surrogate, a long id or an odd number pass core/foreign-json.ts, core/urls.ts and `keyOf` one
 * by one; `storeSet` halves a set that the database refuses, and the item goes to quarantine.
 */
function storePage(
  { db, clock, log, ...rest }: PageContext,
  { registry, reader }: PulledRegistry,
  state: PullState,
  { cursor, atEnd }: Place,
  page: RegistryPage,
): Promise<TakenPage> {
  const { mode, sweep } = state;
  const now = clock();
  const { good, gone, bad } = sort(reader, page.items);
  const { skipped } = page;
  if (skipped)
    bad.push({ id: `place ${keyOf(skipped.place)}`, reason: SKIPPED[skipped.reason], raw: null, named: true });
  return storeSet(db, good, {
    async store(tx, items) {
      const { agentIds, seenBefore } = await storeItems(tx, reader.key, items, { now, sweep });
      const left = await forgetItems(tx, reader.key, gone);
      const changed = await showAgents(tx, reader, [...new Set([...agentIds, ...left])], { now, ...rest });
      return { items, seenBefore, changed };
    },
    async settle(tx, { items: stored, seenBefore, changed }, refused) {
      const nothingNew = mode === "full" && stored.length > 1 && seenBefore === stored.length;
      const { next } = page;
      const repeats = nothingNew && !registry.overlapping;
      if (repeats && next !== null) throw new ImplausibleRegistry(REPEATS);
      for (const { item, error } of refused)
        log.warn({ err: error, registry: reader.key, item: item.id }, "an item cannot be stored and is quarantined");
      const unstored = [
        ...bad,
        ...refused.map(({ item: { id, raw }, error }) => ({ id, raw, reason: refusalReason(error), named: true })),
      ];
      await quarantine(tx, reader.key, unstored, { now, sweep });
      const partial =
        page.cut ??
        (skipped ? SWEEP_MISSES[skipped.reason] : null) ??
        (repeats ? REPEATS : null) ??
        (bad.some(({ named }) => !named) ? "An item that could not be read does not say which one it is." : null);
      const { expected } = page;
      const items = page.items.length;
      const quarantined = unstored.length;
      const noted = { cursor: next ?? PULL_END, items, expected, changed, quarantined, partial };
      await notePage(tx, { source: reader.key, ...noted });
      if (mode === "full") {
        // Items that could not be stored are tried again: they may become valid without a change of the page.
        const validators = unstored.length === 0 && partial === null ? page.validators : null;
        const sourceIds = stored.map(({ id }) => id);
        await keepPage(tx, reader.key, { cursor, validators, next, expected, sourceIds, sweep, now });
      }
      const endedPull = next === null && mode === "incremental";
      if (endedPull) await atEnd(tx, partial);
      const known = next === null ? null : await lastRead(tx, reader, state, next, now);
      const reduced = page.reduced === true;
      return { items, next, known, expected, changed, partial, reduced, skipped: skipped?.reason ?? null, endedPull };
    },
  });
}

/** Max characters of JSON of one item; descriptions of agents are far shorter. */
const MAX_ITEM_CHARS = 262_144;

/** Reads items one by one: an unreadable item does not affect the others. Of two items with one id the last counts. */
function sort(reader: RegistryReader, items: readonly unknown[]) {
  const good = new Map<string, Item>();
  const gone = new Set<string>();
  const bad: (BadItem & { named: boolean })[] = [];
  const written = items.map((given) => {
    const raw = given ?? null;
    return { raw, json: JSON.stringify(raw) };
  });
  const readings = readingsOf(reader, written);
  for (const [i, { raw, json }] of written.entries()) {
    const named = reader.idOf(raw);
    const digest = digestOf(json);
    const { read, error } = readings[i]!;
    if (error !== undefined) {
      bad.push({ id: named === null ? digest : keyOf(named), reason: reasonOf(error), raw, named: named !== null });
    } else if (read === "gone") {
      if (named !== null) gone.add(keyOf(named));
    } else if (read) {
      const id = keyOf(read.sourceId);
      good.set(id, { id, read, raw, digest });
    }
  }
  return { good: [...good.values()], gone: [...gone].filter((id) => !good.has(id)), bad };
}

type ItemReading = { read?: ReturnType<RegistryReader["read"]>; error?: unknown };

/** All at once, since a limit of time costs more than reading an item does; where they take too long, each by itself. */
function readingsOf(reader: RegistryReader, items: readonly { raw: unknown; json: string }[]): ItemReading[] {
  const read = ({ raw, json }: { raw: unknown; json: string }) => {
    if (json.length > MAX_ITEM_CHARS) throw new Error("The item is larger than 256 KiB.");
    return reader.read(raw);
  };
  const each = (reading: (item: { raw: unknown; json: string }) => ItemReading["read"]): ItemReading[] =>
    items.map((item) => {
      try {
        return { read: reading(item) };
      } catch (error) {
        return { error };
      }
    });
  try {
    return withinTime(DOCUMENT_MS, () => each(read));
  } catch (error) {
    if (!(error instanceof TooSlowToRead)) throw error;
    return each((item) => withinTime(DOCUMENT_MS, () => read(item)));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    const [issue] = error.issues;
    return `${issue?.path.join(".") || "The item"} is not as expected.`;
  }
  return error instanceof Error ? error.message : "The item cannot be read.";
}

/** Reads a stored item. An earlier version of the reader may have stored it, so an unreadable item is ignored. */
function readAgain(reader: RegistryReader, raw: unknown): ReturnType<RegistryReader["read"]> {
  try {
    return reader.read(raw);
  } catch {
    return null;
  }
}

/** Updates the rows of agents from their stored items; an agent without items is removed. @returns number of changed rows */
export async function showAgents(
  tx: pg.ClientBase,
  reader: RegistryReader,
  agentIds: readonly string[],
  rules: ScoreRules & { chainId: number },
): Promise<number> {
  if (agentIds.length === 0) return 0;
  if (reader.enriches) return showErc8004(tx, agentIds, rules.chainId, rules);
  const byAgent = new Map<string, ReadItem[]>();
  for (const raw of await itemsOf(tx, { source: reader.key, platform: reader.key, agentIds })) {
    const item = readAgain(reader, raw);
    if (item && item !== "gone") byAgent.set(item.entry.agentId, [...(byAgent.get(item.entry.agentId) ?? []), item]);
  }
  const entries: DirectoryEntry[] = [...byAgent.values()].map((items) =>
    reader.gather ? reader.gather(items) : items.at(-1)!.entry,
  );
  const gone = agentIds.filter((id) => !byAgent.has(id));
  const changed = await upsertEntries(tx, entries, rules);
  return changed + (await removeEntries(tx, { platform: reader.key, agentIds: gone, now: rules.now }));
}
