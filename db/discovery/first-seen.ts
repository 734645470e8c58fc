/** Keeps since when each row of the directory has had its name and its texts, and tells which row had them first. */
import type { TextKeys } from "../../core/discovery/copies.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/**
 * Keys of one row that are kept: the first ones, those that it left last, and those that it has.
 * Bound: a row changes its texts as often as its owner likes and keeps 64 keys beside its present ones; what it had first is
 * never among those that are dropped.
 */
const KEPT_KEYS = { first: 32, last: 32 } as const;

/** What a row of the directory is called and says now. */
export type Keyed = {
  id: number;
  /** Its wallet or an account is proven, or an endpoint confirmed. */
  backed: boolean;
  registeredAt: Date | null;
  nameKey: number | null;
  textKeys: TextKeys;
};

/** Of the rows that have a key now, the one that had it first, and the first one that is backed. */
type Holders = ReadonlyMap<number, { first: number | null; backed: number | null }>;

/** Who had names and texts first. */
export class FirstSeen {
  readonly #since: ReadonlyMap<number, ReadonlyMap<number, Date>>;
  readonly #holders: Holders;
  /** @param since by row and key @param holders of all keys of these rows */
  constructor(since: ReadonlyMap<number, ReadonlyMap<number, Date>>, holders: Holders) {
    this.#since = since;
    this.#holders = holders;
  }
  /** When a row was first seen with one of its present keys. */
  since(id: number, key: number | null): Date | null {
    return key === null ? null : (this.#since.get(id)?.get(key) ?? null);
  }
  /**
   * The other row that had a key before a row, and whose it therefore is; null where it is the row's own. What is backed is
   * measured by what is backed only; what is first of all has lost nothing to what was backed later.
   */
  before({ id, backed }: Pick<Keyed, "id" | "backed">, key: number): number | null {
    const holders = this.#holders.get(key);
    if (!holders || holders.first === id || holders.backed === id) return null;
    return backed ? holders.backed : holders.first;
  }
}

export type Recorded = {
  firstSeen: FirstSeen;
  /** Other rows that became the first of a key, or no longer are. */
  changed: number[];
  /** Keys that another row is the first of now. */
  changedKeys: number[];
};

/**
 * Records the names and texts that rows have now. Part of the caller's transaction.
 * Check then write: the first rows of the keys are read before and after; no other writer changes them between, because one
 * process at a time writes documents (`followDirectory`).
 * @param ids rows that were read; those that are not among `rows` are gone, and keep their times for their return
 * @param isFirstFill rows that were never seen had their name and text since their registration
 */
export async function recordKeys(
  tx: Queryable,
  ids: readonly number[],
  rows: readonly Keyed[],
  { now, isFirstFill }: { now: Date; isFirstFill: boolean },
): Promise<Recorded> {
  const seen = Map.groupBy(await SEEN.rows(tx, { ids }), ({ id }) => id);
  const shown = new Map(rows.map((row) => [row.id, row]));
  const since = new Map<number, Map<number, Date>>();
  const written: t.RowOf<typeof SEEN_KEY>[] = [];
  const left: { id: number; key: number }[] = [];
  const full: number[] = [];
  for (const id of ids) {
    const row = shown.get(id);
    const known = new Map(seen.get(id)?.map((one) => [one.key, one]));
    const present = new Map<number, Date>();
    for (const { key, dated } of row ? keysOf(row) : []) {
      const times = dated.flatMap((one) => known.get(one)?.since.getTime() ?? []);
      const unseen = isFirstFill && known.size === 0 ? (row!.registeredAt ?? now) : now;
      const first = times.length === 0 ? unseen : new Date(Math.min(...times));
      present.set(key, first);
      const { backed, registeredAt } = row!;
      const had = known.get(key);
      const isSame = had && !had.left && had.backed === backed && had.since.getTime() === first.getTime();
      if (!isSame) written.push({ id, key, since: first, registeredAt, backed });
    }
    since.set(id, present);
    for (const one of known.values()) if (!one.left && !present.has(one.key)) left.push({ id, key: one.key });
    if (new Set([...known.keys(), ...present.keys()]).size > KEPT_KEYS.first + KEPT_KEYS.last) full.push(id);
  }
  const touched = [...new Set([...written, ...left].map(({ key }) => key))];
  const before = await holdersOf(tx, touched);
  if (left.length > 0) await LEAVE.run(tx, { leaving: left, now });
  if (written.length > 0) await PUT.run(tx, { given: written });
  if (full.length > 0) await DROP.run(tx, { ids: full });
  const after = await holdersOf(tx, [
    ...new Set([...touched, ...[...since.values()].flatMap((keys) => [...keys.keys()])]),
  ]);
  const changedKeys = touched.filter((key) => differ(before.get(key), after.get(key)));
  const firsts = changedKeys.flatMap((key) =>
    [before, after].flatMap((holders) => [holders.get(key)?.first ?? [], holders.get(key)?.backed ?? []].flat()),
  );
  const changed = [...new Set(firsts).difference(new Set(ids))];
  return { firstSeen: new FirstSeen(since, after), changed, changedKeys };
}

const keysOf = ({ nameKey, textKeys }: Keyed): TextKeys["keys"] =>
  nameKey === null ? textKeys.keys : [{ key: nameKey, dated: [nameKey] }, ...textKeys.keys];

async function holdersOf(tx: Queryable, keys: readonly number[]): Promise<Holders> {
  if (keys.length === 0) return new Map();
  return new Map((await HOLDERS.rows(tx, { keys })).map(({ key, ...holders }) => [key, holders]));
}

type HoldersOfKey = { first: number | null; backed: number | null } | undefined;
const differ = (a: HoldersOfKey, b: HoldersOfKey) => a?.first !== b?.first || a?.backed !== b?.backed;

/**
 * Of rows whose texts are not their own, the row that had them first: one that has a key of each set.
 * @returns by id; a row that combines texts of several others is nobody's copy
 */
export async function originalsOf(
  tx: Queryable,
  rows: readonly Keyed[],
  firstSeen: FirstSeen,
): Promise<Map<number, number>> {
  const lookups = rows.flatMap((row) => {
    const { sets } = row.textKeys;
    const earlier = sets.map((set) => set.flatMap((key) => firstSeen.before(row, key) ?? []));
    return sets.length === 0 || earlier.some((some) => some.length === 0)
      ? []
      : [{ id: row.id, sets, originals: new Set(earlier.flat()) }];
  });
  if (lookups.length === 0) return new Map();
  const has = new Set(
    (
      await HAVING.rows(tx, {
        ids: [...new Set(lookups.flatMap(({ originals }) => [...originals]))],
        keys: [...new Set(lookups.flatMap(({ sets }) => sets.flat()))],
      })
    ).map(({ id, key }) => `${id} ${key}`),
  );
  return new Map(
    lookups.flatMap(({ id, sets, originals }) => {
      const original = originals
        .values()
        .find((one) => sets.every((set) => set.some((key) => has.has(`${one} ${key}`))));
      return original === undefined ? [] : [[id, original] as const];
    }),
  );
}

const SEEN = statement({
  name: "discovery-seen-keys",
  params: { ids: t.array(t.int8) },
  text: `
    select directory_id as id, key, since, backed, left_at is not null as left from offchain.discovery_first_seen
    where directory_id = any($ids)`,
  columns: { id: t.int8, key: t.int8, since: t.timestamptz, backed: t.bool, left: t.filtered(t.bool) },
  prepared: true,
});

/** Of the rows that have a key `k` and are backed, or are not, the one that had it first. */
const firstOf = (backed: string): string => `
  left join lateral (
    select f.directory_id as id, f.since, coalesce(f.registered_at, 'infinity') as registered_at
    from offchain.discovery_first_seen f where f.key = k and f.left_at is null and ${backed}
    order by f.since, f.registered_at, f.directory_id limit 1)`;
const HOLDERS = statement({
  name: "discovery-holders",
  params: { keys: t.array(t.int8) },
  text: `
    select k as key, b.id as backed, case when b.id is null or (u.since, u.registered_at, u.id) < (b.since, b.registered_at, b.id)
      then u.id else b.id end as first
    from unnest($keys::int8[]) k ${firstOf("f.backed")} b on true ${firstOf("not f.backed")} u on true`,
  columns: { key: t.filtered(t.int8), backed: t.nullable(t.int8), first: t.nullable(t.int8) },
  prepared: true,
});

const HAVING = statement({
  name: "discovery-having-keys",
  params: { ids: t.array(t.int8), keys: t.array(t.int8) },
  text: `
    select directory_id as id, key from offchain.discovery_first_seen
    where directory_id = any($ids) and key = any($keys) and left_at is null`,
  columns: { id: t.int8, key: t.int8 },
});

const LEAVE = statement({
  name: "discovery-leave-keys",
  params: { leaving: t.records({ id: t.int8, key: t.int8 }), now: t.timestamptz },
  text: `
    update offchain.discovery_first_seen f set left_at = $now from $leaving
    where f.directory_id = leaving.id and f.key = leaving.key`,
});

const SEEN_KEY = {
  id: t.int8,
  key: t.int8,
  since: t.timestamptz,
  registeredAt: t.nullable(t.timestamptz),
  backed: t.bool,
};
const PUT = statement({
  name: "discovery-put-keys",
  params: { given: t.records(SEEN_KEY) },
  text: `
    insert into offchain.discovery_first_seen as f (directory_id, key, since, registered_at, backed)
    select * from $given order by given.id, given.key
    on conflict (directory_id, key) do update set since = least(f.since, excluded.since),
      registered_at = excluded.registered_at, backed = excluded.backed, left_at = null`,
});

/** Drops what is neither among the first keys of a row nor among those that it has or left last. */
const DROP = statement({
  name: "discovery-drop-keys",
  params: { ids: t.array(t.int8) },
  text: `
    delete from offchain.discovery_first_seen f using (
      select directory_id, key, row_number() over (partition by directory_id order by since, key) as first,
        row_number() over (partition by directory_id order by left_at desc, key) as last
      from offchain.discovery_first_seen where directory_id = any($ids)) p
    where f.directory_id = p.directory_id and f.key = p.key and f.left_at is not null
      and p.first > ${KEPT_KEYS.first} and p.last > ${KEPT_KEYS.last}`,
});
