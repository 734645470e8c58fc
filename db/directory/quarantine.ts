/** Items that could not be read or stored, with the reason. */
import { type Queryable, statement, t } from "../sql/statement.ts";

const BAD = { id: t.text, reason: t.text, raw: t.jsonb<unknown>() };
export type BadItem = t.RowOf<typeof BAD>;

const STORE = statement({
  name: "directory-quarantine-store",
  params: { source: t.text, items: t.records(BAD), now: t.timestamptz },
  text: `
    insert into offchain.directory_quarantine as q (source, source_id, reason, raw, first_seen_at, last_seen_at)
    select $source, id, reason, coalesce(raw, 'null'), $now, $now from $items
    on conflict (source, source_id) do update set reason = excluded.reason, raw = excluded.raw, seen = q.seen + 1,
      last_seen_at = $now`,
});
const SEE = statement({
  name: "directory-quarantine-see",
  params: { source: t.text, ids: t.array(t.text), sweep: t.int8 },
  text: "update offchain.directory_item set sweep = $sweep where source = $source and source_id = any($ids)",
});

/** Stores what could not be read. Its earlier version stays: a registry that changes its form loses nothing. */
export async function quarantine(
  tx: Queryable,
  source: string,
  bad: readonly BadItem[],
  { now, sweep }: { now: Date; sweep: number },
): Promise<void> {
  if (bad.length === 0) return;
  const items = [...new Map(bad.map((item) => [item.id, { ...item, raw: kept(item.raw) }])).values()];
  await STORE.run(tx, { source, items, now });
  await SEE.run(tx, { source, ids: items.map(({ id }) => id), sweep });
}

/** Max characters of JSON of a quarantined item; of a larger one the beginning is kept. */
const MAX_KEPT_CHARS = 16_384;

function kept(raw: unknown): unknown {
  const json = JSON.stringify(raw);
  return json.length <= MAX_KEPT_CHARS ? raw : { cut: json.slice(0, MAX_KEPT_CHARS).toWellFormed() };
}

/** Takes items out of the quarantine: they could be stored. */
export const releaseItems = statement({
  name: "directory-quarantine-release",
  params: { source: t.text, ids: t.array(t.text) },
  text: "delete from offchain.directory_quarantine where source = $source and source_id = any($ids)",
}).run;

/** Max quarantined items of a registry: an item without an id of its own has another key whenever it changes. */
const MAX_QUARANTINED = 10_000;

const TRIM = statement({
  name: "directory-quarantine-trim",
  params: { source: t.text },
  text: `
    delete from offchain.directory_quarantine where source = $source and source_id in (
      select source_id from offchain.directory_quarantine where source = $source
      order by last_seen_at desc, source_id offset ${MAX_QUARANTINED})`,
});
const FORGET_UNSEEN = statement({
  name: "directory-quarantine-unseen",
  params: { source: t.text },
  text: `
    delete from offchain.directory_quarantine q using offchain.directory_pull p
    where q.source = $source and p.source = $source and q.last_seen_at < p.started_at`,
});

/** @param end.whole the sweep showed all items: what it did not see is deleted */
export async function trimQuarantine(tx: Queryable, source: string, end: { whole: boolean }): Promise<void> {
  await TRIM.run(tx, { source });
  if (end.whole) await FORGET_UNSEEN.run(tx, { source });
}
