/** How far the pull of each source has got, and what it brought: a page and the place behind it are one transaction. */
import { createHash } from "node:crypto";
import type pg from "pg";
import type { ReadItem } from "../../core/directory/sources/source.ts";
import type { Queryable } from "../transaction.ts";

export type PullMode = "full" | "incremental";
export type PullState = {
  mode: PullMode | null;
  sweep: number;
  cursor: unknown;
  watermark: string | null;
  done: number;
  startedAt: Date | null;
  lastFullAt: Date | null;
  /** The last full sweep that showed all there is; 0 before there was one. */
  wholeSweep: number;
  /** Why this pull does not show all there is; null when it does, so far. */
  partial: string | null;
};

const READ = `select mode, sweep::float8 as sweep, cursor, watermark #>> '{}' as watermark, done, started_at as "startedAt",
    last_full_at as "lastFullAt", whole_sweep::float8 as "wholeSweep", partial
  from offchain.directory_pull where source = $1`;

/** The state of a source's pull, as of now. */
export async function pullState(db: Queryable, source: string): Promise<PullState> {
  await db.query("insert into offchain.directory_pull (source) values ($1) on conflict do nothing", [source]);
  return (await db.query(READ, [source])).rows[0];
}

/** Begins a pull from the first page; a full one gets a number of its own. */
export async function beginPull(db: Queryable, source: string, mode: PullMode, now: Date): Promise<PullState> {
  await db.query(
    `update offchain.directory_pull set mode = $2, sweep = sweep + ($2 = 'full')::int, cursor = null, done = 0, expected = null,
       changed = 0, quarantined = 0, partial = null, started_at = $3, error = null where source = $1`,
    [source, mode, now],
  );
  return pullState(db, source);
}

/** The cursor of a pull that has come by its last page and not been ended. */
export const PULL_END = { end: true } as const;
export const isPullEnd = (cursor: unknown): boolean => (cursor as typeof PULL_END | null)?.end === true;

/** Notes a page and where the next one begins; part of the transaction that stores its items. */
export async function notePage(
  tx: Queryable,
  source: string,
  page: {
    cursor: unknown;
    items: number;
    expected: number | null;
    changed: number;
    quarantined: number;
    /** Why it does not show all there is at its place; the first reason of a pull is kept. */
    partial?: string | null;
  },
): Promise<void> {
  await tx.query(
    `update offchain.directory_pull set cursor = $2::jsonb, done = done + $3, expected = coalesce($4, expected),
       changed = changed + $5, quarantined = quarantined + $6, partial = coalesce(partial, $7), error = null where source = $1`,
    [
      source,
      JSON.stringify(page.cursor ?? null),
      page.items,
      page.expected,
      page.changed,
      page.quarantined,
      page.partial ?? null,
    ],
  );
}

/** How a pull that went through ends. */
export type PullEnd = {
  mode: PullMode;
  /** From when on the next incremental one asks; null after a full sweep that is to be made again. */
  watermark: string | null;
  /** Whether it was a full sweep that showed all there is. */
  whole: boolean;
  removed: number;
  /** What an operator may want to know of it. */
  note: string | null;
  now: Date;
  nextRunAt: Date;
};

/** Quarantined items that are kept of a source: items without an id of their own have another key whenever they change. */
const MOST_QUARANTINED = 10_000;

/** Ends a pull that went through. */
export async function endPull(tx: Queryable, source: string, end: PullEnd): Promise<void> {
  await tx.query(
    `update offchain.directory_pull set mode = null, cursor = null,
       watermark = case when $2::text is not null then to_jsonb($2::text) end, changed = changed + $3, last_success_at = $4,
       last_full_at = case when $5 = 'full' and $2::text is not null then $4 else last_full_at end,
       whole_sweep = case when $6 then sweep else whole_sweep end,
       note = case when $5 = 'full' then $7 else coalesce($7, note) end, next_run_at = $8, error = null
     where source = $1`,
    [source, end.watermark, end.removed, end.now, end.mode, end.whole, end.note, end.nextRunAt],
  );
  await tx.query(
    `delete from offchain.directory_quarantine where source = $1 and source_id in (
       select source_id from offchain.directory_quarantine where source = $1
       order by last_seen_at desc, source_id offset ${MOST_QUARANTINED})`,
    [source],
  );
  if (end.whole)
    await tx.query(
      `delete from offchain.directory_quarantine q using offchain.directory_pull p
       where q.source = $1 and p.source = $1 and q.last_seen_at < p.started_at`,
      [source],
    );
}

/** Notes why a pull stopped; it goes on from its cursor the next time. */
export async function failPull(db: Queryable, source: string, error: string, nextRunAt: Date): Promise<void> {
  await db.query("update offchain.directory_pull set error = $2, next_run_at = $3 where source = $1", [
    source,
    error,
    nextRunAt,
  ]);
}

/** A pull that cannot be gone on with begins anew the next time. */
export async function abandonPull(db: Queryable, source: string): Promise<void> {
  await db.query("update offchain.directory_pull set mode = null, cursor = null where source = $1", [source]);
}

/** An item under its key, beside the form it came in and that form's digest. */
export type Item = { id: string; read: ReadItem; raw: unknown; digest: string };
export type BadItem = { id: string; reason: string; raw: unknown };

/** Hash of an item, as JSON, by which a changed one is told from the same again. */
export const digestOf = (json: string): string => createHash("sha256").update(json).digest("base64url");

/** UTF-8 bytes of a key: an entry of a B-tree ends at 2,704 bytes, and the source's name stands in it too. */
const MOST_KEY = 2_000;

/** A text of the source's as a key column holds it: a longer one is its beginning with its hash. */
export function keyOf(text: string): string {
  if (text.length * 3 <= MOST_KEY || Buffer.byteLength(text) <= MOST_KEY) return text;
  return `${text.slice(0, 100).toWellFormed()}… sha256 ${digestOf(text)}`;
}

/**
 * Stores a page's items that could be read. One that is the same as before is seen, and not written again.
 * @returns ids of the agents of which an item is new or different, and how many items this sweep had seen before
 */
export async function storeItems(
  tx: Queryable,
  source: string,
  items: readonly Item[],
  { now, sweep }: { now: Date; sweep: number },
): Promise<{ agentIds: string[]; seenBefore: number }> {
  const rows = items.map(({ id, read, raw, digest }) => ({
    id,
    platform: read.entry.platform,
    agent: read.entry.agentId,
    raw,
    warnings: read.warnings,
    digest,
  }));
  const ids = rows.map(({ id }) => id);
  const { rows: known } = await tx.query<{ id: string; digest: string; agent: string; sweep: number }>(
    `select source_id as id, digest, agent_id as agent, sweep::float8 as sweep from offchain.directory_item
     where source = $1 and source_id = any($2)`,
    [source, ids],
  );
  const before = new Map(known.map((row) => [row.id, row]));
  const different = rows.filter(({ id, digest }) => before.get(id)?.digest !== digest);
  await tx.query(
    `update offchain.directory_item set fetched_at = $3, sweep = $4 where source = $1 and source_id = any($2)`,
    [source, rows.filter((row) => !different.includes(row)).map(({ id }) => id), now, sweep],
  );
  await tx.query(
    `insert into offchain.directory_item as i (source, source_id, platform, agent_id, raw, warnings, digest, fetched_at, sweep)
     select $1, r.id, r.platform, r.agent, r.raw, array(select jsonb_array_elements_text(r.warnings)), r.digest, $3, $4
     from jsonb_to_recordset($2) as r(id text, platform text, agent text, raw jsonb, warnings jsonb, digest text)
     on conflict (source, source_id) do update set platform = excluded.platform, agent_id = excluded.agent_id,
       raw = excluded.raw, warnings = excluded.warnings, digest = excluded.digest, fetched_at = $3, sweep = $4`,
    [source, JSON.stringify(different), now, sweep],
  );
  await releaseItems(tx, source, ids);
  const agentIds = different.flatMap(({ id, agent }) => {
    const old = before.get(id);
    // An item that passed to another agent changes both.
    return old ? [agent, old.agent] : [agent];
  });
  return { agentIds: [...new Set(agentIds)], seenBefore: known.filter((row) => row.sweep === sweep).length };
}

/** Forgets items that their source says are gone. @returns the agents they belonged to */
export async function forgetItems(tx: Queryable, source: string, sourceIds: readonly string[]): Promise<string[]> {
  if (sourceIds.length === 0) return [];
  const { rows } = await tx.query<{ agent_id: string }>(
    "delete from offchain.directory_item where source = $1 and source_id = any($2) returning agent_id",
    [source, sourceIds],
  );
  return [...new Set(rows.map(({ agent_id }) => agent_id))];
}

/** Stores what could not be read. Its earlier version, which could be, stays: a source that changes its form loses nothing. */
export async function quarantine(
  tx: Queryable,
  source: string,
  bad: readonly BadItem[],
  { now, sweep }: { now: Date; sweep: number },
): Promise<void> {
  if (bad.length === 0) return;
  const unique = [...new Map(bad.map((item) => [item.id, { ...item, raw: kept(item.raw) }])).values()];
  await tx.query(
    `insert into offchain.directory_quarantine as q (source, source_id, reason, raw, first_seen_at, last_seen_at)
     select $1, r.id, r.reason, coalesce(r.raw, 'null'), $3, $3 from jsonb_to_recordset($2) as r(id text, reason text, raw jsonb)
     on conflict (source, source_id) do update set reason = excluded.reason, raw = excluded.raw, seen = q.seen + 1, last_seen_at = $3`,
    [source, JSON.stringify(unique), now],
  );
  await tx.query("update offchain.directory_item set sweep = $3 where source = $1 and source_id = any($2)", [
    source,
    unique.map(({ id }) => id),
    sweep,
  ]);
}

/** Of a quarantined item larger than this (in characters of JSON) its beginning is kept. */
const MOST_KEPT = 16_384;

function kept(raw: unknown): unknown {
  const json = JSON.stringify(raw);
  return json.length <= MOST_KEPT ? raw : { cut: json.slice(0, MOST_KEPT).toWellFormed() };
}

/** Takes items out of the quarantine: they could be stored. */
export async function releaseItems(tx: Queryable, source: string, ids: readonly string[]): Promise<void> {
  await tx.query("delete from offchain.directory_quarantine where source = $1 and source_id = any($2)", [source, ids]);
}

/** Items of one agent that are read for its row: anybody can list any number of resources for one recipient (x402). */
const MOST_OF_AN_AGENT = 1_000;

/** The stored items of agents, as they came; of one agent those with the first ids. */
export async function itemsOf(
  tx: Queryable,
  { source, platform }: { source: string; platform: string },
  agentIds: readonly string[],
): Promise<unknown[]> {
  const { rows } = await tx.query(
    `select i.raw from unnest($3::text[]) as a(id) cross join lateral (
       select source_id, raw from offchain.directory_item
       where platform = $2 and agent_id = a.id and source = $1 order by source_id limit ${MOST_OF_AN_AGENT}) i
     order by i.source_id`,
    [source, platform, agentIds],
  );
  return rows.map(({ raw }) => raw);
}

/**
 * Forgets the items that no sweep from this one on has seen.
 * @returns the agents they belonged to, and how many items there were
 */
export async function forgetUnseen(
  tx: pg.ClientBase,
  source: string,
  sweep: number,
): Promise<{ agentIds: string[]; forgotten: number }> {
  const { rows } = await tx.query<{ agent_id: string }>(
    "delete from offchain.directory_item where source = $1 and sweep < $2 returning agent_id",
    [source, sweep],
  );
  return { agentIds: [...new Set(rows.map(({ agent_id }) => agent_id))], forgotten: rows.length };
}

/** How many items a source has, and how many of them an ended sweep saw. */
export async function itemCounts(db: Queryable, source: string, sweep: number): Promise<{ all: number; seen: number }> {
  const { rows } = await db.query(
    `select count(*)::float8 as "all", count(*) filter (where sweep = $2)::float8 as seen
     from offchain.directory_item where source = $1`,
    [source, sweep],
  );
  return rows[0];
}

export type PullProgress = {
  key: string;
  lastSuccessAt: Date | null;
  nextRunAt: Date | null;
  rows: number;
  error: string | null;
  note: string | null;
  quarantined: number;
  done: number;
  expected: number | null;
  running: boolean;
};

/** Every source's pull, for the status and the progress bar. */
export async function pullProgress(db: Queryable): Promise<PullProgress[]> {
  const { rows } = await db.query({
    name: "directory-pulls",
    text: `
      select source as key, last_success_at as "lastSuccessAt", next_run_at as "nextRunAt", changed as rows, error, note, done,
             expected, mode is not null as running,
             (select count(*)::int4 from offchain.directory_quarantine q where q.source = p.source) as quarantined
      from offchain.directory_pull p order by source`,
  });
  return rows;
}
