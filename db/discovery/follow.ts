/** Keeps the documents current: writes those of rows that changed, and at first those of all rows. */
import type pg from "pg";
import { type CommitSnapshot, changedBetween } from "../../columns/commit-snapshot.ts";
import { READ_COMMIT_SNAPSHOT } from "../sql/database-clock.ts";
import { notifications } from "../sql/notifications.ts";
import { family, statement, t } from "../sql/statement.ts";
import { transaction } from "../sql/transaction.ts";
import { countWords, removeWords, sizesOf } from "./count-words.ts";
import { type ReadDocuments, readDocuments, writeDocuments, writeRead } from "./write-documents.ts";

const DOCUMENTS_PER_TRANSACTION = 250;
/** The same of the first fill, where what each transaction costs apart from its documents counts, and how many of those a round has: changes wait for them. */
const [FILL_BATCH, FILLED_AT_ONCE] = [1_000, 5];
/** Ages and feedback change without an event, so all documents are written again in this time, a part of them every `REFRESH_MS`. */
const REFRESH_ROUND_MS = 12 * 3_600_000;
const REFRESH_MS = 60_000;
/** Documents of such a part, at least and at most: a million takes 1,389. */
const [MIN_REFRESHED, MAX_REFRESHED] = [100, 6_000];
const COUNT_EVERY_MS = 3_600_000;

const BEGIN = statement({
  name: "discovery-begin",
  params: { xmax: t.text, inProgress: t.array(t.text) },
  text: `insert into offchain.discovery_progress (seen_xmax, seen_in_progress, filled_to)
    values ($xmax, $inProgress, 0) on conflict do nothing`,
});

const PROGRESS = statement({
  name: "discovery-progress",
  text: `
    select seen_xmax as xmax, seen_in_progress as "inProgress", filled_to as "filledTo", refreshed_to as "refreshedTo",
      refreshed_at as "refreshedAt", counted_at as "countedAt" from offchain.discovery_progress`,
  columns: {
    xmax: t.text,
    inProgress: t.array(t.text),
    filledTo: t.nullable(t.int8),
    refreshedTo: t.int8,
    refreshedAt: t.nullable(t.timestamptz),
    countedAt: t.nullable(t.timestamptz),
  },
});

const SEEN = statement({
  name: "discovery-seen",
  params: { xmax: t.text, inProgress: t.array(t.text) },
  text: "update offchain.discovery_progress set seen_xmax = $xmax, seen_in_progress = $inProgress",
});

const CHANGED = family({
  name: "discovery-changed",
  text: ({ before, now, after }: { before: CommitSnapshot; now: CommitSnapshot; after: number }, $) => `
    select s.id from offchain.directory_score s
    where ${changedBetween("s.changed_xid", before, now)} and s.id > ${$(after)}::int8 order by s.id limit ${DOCUMENTS_PER_TRANSACTION}`,
  columns: { id: t.int8 },
  examples: [{ before: { xmax: "1", inProgress: ["1"] }, now: { xmax: "2", inProgress: [] }, after: 0 }],
});

const next = statement({
  name: "discovery-next",
  params: { after: t.int8, most: t.int8 },
  text: "select id from offchain.directory where id > $after and removed_at is null order by id limit $most",
  columns: { id: t.int8 },
  prepared: true,
}).values;

const FILLED = statement({
  name: "discovery-filled",
  params: { to: t.nullable(t.int8) },
  text: "update offchain.discovery_progress set filled_to = $to",
});
const REFRESHED_TO = statement({
  name: "discovery-refreshed",
  params: { to: t.int8, at: t.timestamptz },
  text: "update offchain.discovery_progress set refreshed_to = $to, refreshed_at = $at",
});
const COUNTED = statement({
  name: "discovery-counted",
  params: { at: t.timestamptz },
  text: "update offchain.discovery_progress set counted_at = $at",
});

/** A row whose data the database refuses, with its error. */
type RefusedDocument = { id: number; error: unknown };
export type Round = { written: number; more: boolean; refused: RefusedDocument[] };

/** The lock of the one process that writes documents. */
const LOCK = "discovery";

/**
 * One round: writes the documents of all changes so far, then a part of those that the first fill or the refreshing has
 * come to. Any number of processes may call it; one at a time does the work.
 * @returns whether there is more to do at once
 */
export async function followDirectory(pool: pg.Pool, now: Date): Promise<Round> {
  const done = await notifications(pool).whileLocked(LOCK, () => round(pool, now));
  return done ?? { written: 0, more: false, refused: [] };
}

async function round(pool: pg.Pool, now: Date): Promise<Round> {
  let progress = await PROGRESS.maybeOne(pool);
  if (!progress) {
    await BEGIN.run(pool, await READ_COMMIT_SNAPSHOT.one(pool));
    progress = await PROGRESS.one(pool);
  }
  const refused: RefusedDocument[] = [];
  const write = async (ids: readonly number[], record: WordRecorder) => {
    refused.push(...(await writeBatch(pool, ids, now, record)));
  };
  const written = await writeChanges(pool, progress, write);
  if (progress.filledTo !== null) {
    const filled = await fill(pool, progress.filledTo, now);
    refused.push(...filled.refused);
    if (filled.written > 0) return { written: written + filled.written, more: true, refused };
  }
  if (isDue(progress.countedAt, COUNT_EVERY_MS, now)) {
    await countWords(pool);
    await COUNTED.run(pool, { at: now });
  }
  // Also while there are changes all the time: strangers decide how many there are.
  if (isDue(progress.refreshedAt, REFRESH_MS, now)) {
    const sizes = await sizesOf(pool);
    const part = (sizes.documents * REFRESH_MS) / REFRESH_ROUND_MS;
    const ids = await next(pool, {
      after: progress.refreshedTo,
      most: Math.min(MAX_REFRESHED, Math.max(MIN_REFRESHED, Math.round(part))),
    });
    for (let from = 0; from < ids.length; from += DOCUMENTS_PER_TRANSACTION)
      await write(ids.slice(from, from + DOCUMENTS_PER_TRANSACTION), async () => {});
    await removeWords(pool, sizes);
    await REFRESHED_TO.run(pool, { to: ids.at(-1) ?? 0, at: now });
  }
  return { written, more: false, refused };
}

const isDue = (last: Date | null, everyMs: number, now: Date) => !last || now.getTime() - last.getTime() > everyMs;
/**
 * A part of the first fill. The next rows are read while those before are written; what changes meanwhile is written by the
 * round that follows.
 */
async function fill(pool: pg.Pool, from: number, now: Date): Promise<Omit<Round, "more">> {
  const read = async (after: number) => {
    const ids = await next(pool, { after, most: FILL_BATCH });
    // A failed read is repeated by `writeBatch`, which reports the failure.
    return { ids, read: await readDocuments(pool, ids, now).catch(() => undefined) };
  };
  const readNext = (after: number) => {
    const reading = read(after);
    // A failure while the rows before are still being written is thrown later, where the read is awaited.
    reading.catch(() => {});
    return reading;
  };
  const refused: RefusedDocument[] = [];
  let written = 0;
  let ahead = readNext(from);
  try {
    for (let batch = 0; batch < FILLED_AT_ONCE; batch++) {
      const { ids, read } = await ahead;
      const to = ids.at(-1) ?? null;
      if (to !== null && batch < FILLED_AT_ONCE - 1) ahead = readNext(to);
      refused.push(...(await writeBatch(pool, ids, now, (tx) => FILLED.run(tx, { to }), read)));
      written += ids.length;
      if (to === null) break;
    }
    return { written, refused };
  } finally {
    await Promise.allSettled([ahead]);
  }
}

type WordRecorder = (tx: pg.ClientBase) => Promise<unknown>;

/**
 * Writes documents and, in the same transaction, how far that is. A row whose data the database refuses keeps no other from
 * being written: its batch is written row by row, without it.
 * @returns the rows that were refused
 */
async function writeBatch(
  pool: pg.Pool,
  ids: readonly number[],
  now: Date,
  record: WordRecorder,
  read?: ReadDocuments,
): Promise<RefusedDocument[]> {
  const write = (some: readonly number[], then: WordRecorder, ready?: ReadDocuments) =>
    transaction(pool, async (tx) => {
      await (ready ? writeRead(tx, ready, now) : writeDocuments(tx, some, now));
      await then(tx);
    });
  const refused: RefusedDocument[] = [];
  try {
    await write(ids, record, read);
  } catch (failure) {
    if (!isRefusedData(failure)) throw failure;
    for (const id of ids)
      await write([id], async () => {}).catch((error) => {
        if (!isRefusedData(error)) throw error;
        refused.push({ id, error });
      });
    await write([], record);
  }
  return refused;
}

/** Data exceptions and exceeded limits: the same row fails again. */
const isRefusedData = (error: unknown) => /^(22|54)/.test((error as { code?: string } | null)?.code ?? "");

/** Changes since the snapshot that was seen last; a batch that fails is repeated by the next round. */
async function writeChanges(
  pool: pg.Pool,
  seen: CommitSnapshot,
  write: (ids: readonly number[], record: WordRecorder) => Promise<void>,
): Promise<number> {
  const snapshot = await READ_COMMIT_SNAPSHOT.one(pool);
  let [after, written] = [0, 0];
  for (;;) {
    const ids = await CHANGED.values(pool, { before: seen, now: snapshot, after });
    if (ids.length === 0) break;
    await write(ids, async () => {});
    after = ids.at(-1)!;
    written += ids.length;
  }
  if (written > 0 || seen.xmax !== snapshot.xmax) await SEEN.run(pool, snapshot);
  return written;
}
