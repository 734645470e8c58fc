/**
 * Items of the foreign registries as they came, by the registry's own ids. The `source` is the registry they were read
 * from, the `platform` the one an item's agent belongs to. A `sweep` reads all of a source, and what it has not seen is gone.
 */
import { createHash } from "node:crypto";
import type { ReadItem } from "../../core/directory/registry-readers/reader.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { releaseItems } from "./quarantine.ts";

/** An item under its key, with the form it came in and that form's digest. */
export type Item = { id: string; read: ReadItem; raw: unknown; digest: string };

/** Hash of an item, as JSON: the same digest means the same item. */
export const digestOf = (json: string): string => createHash("sha256").update(json).digest("base64url");

/** Max UTF-8 bytes of a key: an entry of a B-tree has at most 2,704 bytes, with the registry's name. */
const MAX_KEY = 2_000;

/** A text of the registry's as a key column holds it: a longer one is its beginning with its hash. Callers make ids by it. */
export function keyOf(text: string): string {
  if (text.length * 3 <= MAX_KEY || Buffer.byteLength(text) <= MAX_KEY) return text;
  return `${text.slice(0, 100).toWellFormed()}… sha256 ${digestOf(text)}`;
}

const ITEM = {
  id: t.text,
  platform: t.text,
  agent: t.text,
  raw: t.jsonb<unknown>(),
  warnings: t.jsonb<readonly string[]>(),
  digest: t.text,
};

const KNOWN = statement({
  name: "directory-items-known",
  params: { source: t.text, ids: t.array(t.text) },
  text: `
    select source_id as id, digest, agent_id as agent, sweep from offchain.directory_item
    where source = $source and source_id = any($ids)`,
  columns: { id: t.text, digest: t.text, agent: t.text, sweep: t.int8 },
});
const SEE = statement({
  name: "directory-items-see",
  params: { source: t.text, ids: t.array(t.text), now: t.timestamptz, sweep: t.int8 },
  text: `
    update offchain.directory_item set fetched_at = $now, sweep = $sweep
    where source = $source and source_id = any($ids)`,
});
const STORE = statement({
  name: "directory-items-store",
  params: { source: t.text, items: t.records(ITEM), now: t.timestamptz, sweep: t.int8 },
  text: `
    insert into offchain.directory_item as i
      (source, source_id, platform, agent_id, raw, warnings, digest, fetched_at, sweep)
    select $source, id, platform, agent, raw, array(select jsonb_array_elements_text(warnings)), digest, $now, $sweep
    from $items
    on conflict (source, source_id) do update set platform = excluded.platform, agent_id = excluded.agent_id,
      raw = excluded.raw, warnings = excluded.warnings, digest = excluded.digest, fetched_at = $now, sweep = $sweep`,
});

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
  const rows = items.map(
    ({ id, read, raw, digest }): t.RowOf<typeof ITEM> => ({
      id,
      platform: read.entry.platform,
      agent: read.entry.agentId,
      raw,
      warnings: read.warnings,
      digest,
    }),
  );
  const ids = rows.map(({ id }) => id);
  const known = await KNOWN.rows(tx, { source, ids });
  const before = new Map(known.map((row) => [row.id, row]));
  const different = rows.filter(({ id, digest }) => before.get(id)?.digest !== digest);
  const same = rows.filter((row) => !different.includes(row)).map(({ id }) => id);
  await SEE.run(tx, { source, ids: same, now, sweep });
  await STORE.run(tx, { source, items: different, now, sweep });
  // What can be read now is in quarantine no longer.
  await releaseItems(tx, { source, ids });
  const agentIds = different.flatMap(({ id, agent }) => {
    const old = before.get(id);
    // An item that passed to another agent changes both.
    return old ? [agent, old.agent] : [agent];
  });
  return { agentIds: [...new Set(agentIds)], seenBefore: known.filter((row) => row.sweep === sweep).length };
}

/** Marks those of some items that are known as seen. @returns whether all are known */
export async function seeItems(
  tx: Queryable,
  source: string,
  ids: readonly string[],
  { now, sweep }: { now: Date; sweep: number },
): Promise<boolean> {
  return (await SEE.run(tx, { source, ids, now, sweep })) === ids.length;
}

const FORGET = statement({
  name: "directory-items-forget",
  params: { source: t.text, ids: t.array(t.text) },
  text: "delete from offchain.directory_item where source = $source and source_id = any($ids) returning agent_id",
  columns: { agent_id: t.text },
});

/** Deletes items that their registry has removed. @returns the agents they belonged to */
export async function forgetItems(tx: Queryable, source: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return [...new Set(await FORGET.values(tx, { source, ids }))];
}

/** Max items of one agent that are read for its row: anybody can list any number of resources for one recipient (x402). */
const MAX_ITEMS_PER_AGENT = 1_000;

/** The stored items of agents, as they came; of one agent those that were seen first. */
export const itemsOf = statement({
  name: "directory-items-of-agents",
  params: { source: t.text, platform: t.text, agentIds: t.array(t.text) },
  text: `
    select i.raw from unnest($agentIds::text[]) as a(id) cross join lateral (
      select source_id, raw from offchain.directory_item
      where platform = $platform and agent_id = a.id and source = $source order by first_seen_at, source_id limit ${MAX_ITEMS_PER_AGENT}) i
    order by i.source_id`,
  columns: { raw: t.jsonb<unknown>() },
}).values;

const FORGET_UNSEEN = statement({
  name: "directory-items-unseen",
  params: { source: t.text, sweep: t.int8 },
  text: "delete from offchain.directory_item where source = $source and sweep < $sweep returning agent_id",
  columns: { agent_id: t.text },
});

/**
 * Deletes the items that no sweep from this one on has seen.
 * @returns the agents they belonged to, and how many items there were
 */
export async function forgetUnseen(
  tx: Queryable,
  source: string,
  sweep: number,
): Promise<{ agentIds: string[]; forgotten: number }> {
  const agents = await FORGET_UNSEEN.values(tx, { source, sweep });
  return { agentIds: [...new Set(agents)], forgotten: agents.length };
}

/** How many items a registry has, and how many of them an ended sweep saw. */
export const itemCounts = statement({
  name: "directory-items-count",
  params: { source: t.text, sweep: t.int8 },
  text: `
    select count(*) as "all", count(*) filter (where sweep = $sweep) as seen
    from offchain.directory_item where source = $source`,
  columns: { all: t.int8, seen: t.int8 },
}).one;
