/** Figures of agents that follow from what was read of the chain: which are due, what is weighed, how both are stored and forgotten. */
import type pg from "pg";
import type { Removal } from "../../core/income/money.ts";
import { MAX_DUST, MAX_PAYERS, MAX_WEIGHED, WINDOWS } from "../../core/income/rules.ts";
import { unixSeconds } from "../../core/times.ts";
import { unitsAsText } from "../../core/units-text.ts";
import { type Statement, statement, t } from "../sql/statement.ts";
import { type Queryable, snapshot, transaction } from "../sql/transaction.ts";
import { placeOf } from "./places.ts";

/** Parameters of sums by window: its days, and where it begins in Unix seconds. */
export const WINDOW_PARAMS = { days: t.array(t.int4), sinces: t.array(t.int8) };
/** @param now Unix seconds */
export const windowsAt = (now: number) => ({ days: WINDOWS, sinces: WINDOWS.map((days) => now - days * 86_400) });
/** SQL that joins rows `s` of a source with the windows `w` that they are in. */
export const IN_WINDOWS =
  "join unnest($days::int4[], $sinces::int8[]) w(days, since) on s.at > w.since or s.ended_at > w.since";

const LIMITS = { payers: MAX_PAYERS, weighed: MAX_WEIGHED, dust: MAX_DUST };

/**
 * SQL of two common table expressions: `source`, all that an agent was paid or hired for, and `s`, the same with `weighed`: whether
 * it is weighed one by one.
 *
 * Bound: payers have places (MAX_PAYERS) by their sum or by their first payment, so that neither many small ones nor new ones of
 * more money push one out. What of theirs is weighed (MAX_WEIGHED) goes by turns, one of each payer before a second, so that the
 * many payments of one use no room of another. What takes no place costs nothing: of it the newest are weighed (MAX_DUST).
 * @param source SQL of rows with `payer`, `given` (units that it gave for good), `counts` (whether it takes a place), `at`,
 *   `ended_at`, `block` and `log_index`
 */
export const weighedOf = (source: string, { payers, weighed, dust } = LIMITS): string => `
  source as materialized (${source}),
  placed as materialized (
    select p.payer from (
      select s.payer, sum(s.given) as given, min(s.at) as first from source s where s.counts group by s.payer) p
    order by ${placeOf({ sum: "p.given", at: "p.first", name: "p.payer" })}, p.payer limit ${payers}),
  s as materialized (
    select t.*, row_number() over (partition by t.room order by t.turn, t.block desc, t.log_index desc) <= t.room as weighed
    from (
      select s.*, case when not s.counts then ${dust} when p.payer is null then 0 else ${weighed} end as room,
        row_number() over (partition by s.payer, s.counts order by s.block desc, s.log_index desc) as turn
      from source s left join placed p on p.payer = s.payer) t)`;

/** The log after whose place a page begins, or before the newest one; for lists that begin with the newest. */
export type LogPlace = { block: number; logIndex: number };
export const placeAfter = (after: LogPlace | null): LogPlace =>
  after ?? { block: Number.MAX_SAFE_INTEGER, logIndex: 0 };

type Judged<Item> = Item & { removed: Removal<string> | null };
/** What removes an item, as it is stored. */
const REMOVED = { rule: t.nullable(t.text), through: t.nullable(t.text) };
type Removed = t.RowOf<typeof REMOVED>;

/** Writes what was weighed of an agent, only rows that changed. @param key columns by which a row is one of an agent @param more the others */
export function storeWeighed<K extends t.Columns, M extends t.Columns>(table: string, key: K, more: M) {
  const row = { ...key, ...more, ...REMOVED };
  const of = (columns: t.Columns, alias: string) =>
    Object.keys(columns).map((name) => `${alias}.${t.inSnakeCase(name)}`);
  const others = { ...more, ...REMOVED };
  return statement({
    name: `${table}-store`,
    params: { id: t.int8, items: t.records(row) },
    text: `
      with given as materialized (select * from $items), left_over as (
        delete from offchain.${table} w
        where w.directory_id = $id and (${of(key, "w")}) not in (select ${of(key, "g")} from given g)
      )
      insert into offchain.${table} as w (directory_id, ${t.namesOf(row)})
      select $id, g.* from given g left join offchain.${table} w on w.directory_id = $id and (${of(key, "w")}) = (${of(key, "g")})
      where w.directory_id is null or (${of(others, "w")}) is distinct from (${of(others, "g")})
      order by ${of(key, "g")}
      on conflict (directory_id, ${t.namesOf(key)}) do update set ${t.excludedOf(row)}`,
  }).run;
}

/** The agent whose evidence is weighed, and the clock. `usdc` lower-case, `now` in Unix seconds. */
export type WeighedAgent = { id: number; usdc: string; now: number };

/**
 * One kind of evidence about agents that follows from the chain: payments to them, or jobs of them. Its figures are one row for an
 * agent in a table, what was weighed is in another.
 * @param of.seen type of the state of what was read that figures were computed from
 * @param of.paid SQL of agents `a`, joined with their figures `g`, if any
 * @param of.isStale SQL of whether these are older than what was read @param of.still of whether the agent of `g` has any still
 * @param of.facts in a snapshot; null for an agent that has none any more
 * @param of.storeItems writes what was weighed
 */
export function evidence<Seen, Facts extends { wallet: string }, Totals, Item extends Removed>(of: {
  name: string;
  figures: string;
  items: string;
  seen: t.Column<unknown, Seen>;
  paid: string;
  isStale: string;
  still: string;
  facts(tx: Queryable, agent: WeighedAgent): Promise<{ seen: Seen; facts: Facts; totals: Totals } | null>;
  compute(
    facts: Facts,
    now: number,
    totals: Totals,
  ): { figures: object; items: readonly Judged<Omit<Item, keyof Removed>>[] };
  storeItems(tx: Queryable, weighed: { id: number; items: readonly Item[] }): Promise<unknown>;
}) {
  const due = statement({
    name: `${of.name}-figures-due`,
    given: (before: Date, limit: number) => ({ before, limit }),
    params: { before: t.timestamptz, limit: t.int8 },
    text: `
      select a.id from ${of.paid}
      where ${of.isStale} or g.wallet <> a.wallet or g.computed_at < $before
      order by g.computed_at nulls first, a.id limit $limit`,
    columns: { id: t.int8 },
  });
  const store: Pick<Statement<[row: object], unknown>, "found"> = statement({
    name: `${of.name}-figures-store`,
    params: { id: t.int8, wallet: t.text, seen: of.seen, figures: t.jsonb<object>(), now: t.timestamptz },
    text: `
      insert into offchain.${of.figures} (directory_id, wallet, seen, figures, computed_at)
      select d.id, $wallet, $seen, $figures, $now from offchain.directory d where d.id = $id
      on conflict (directory_id) do update set wallet = excluded.wallet, seen = excluded.seen, figures = excluded.figures,
        computed_at = excluded.computed_at`,
  });
  const gone = statement({
    name: `${of.name}-figures-gone`,
    text: `
      with gone as (delete from offchain.${of.figures} g where not (${of.still}) returning g.directory_id),
      items as (delete from offchain.${of.items} i using gone where i.directory_id = gone.directory_id)
      select gone.directory_id as id from gone`,
    columns: { id: t.int8 },
  });
  return {
    /** Agents whose figures are missing, older than what was read, or older than `before`: windows move with the clock. */
    due: due.values,
    forget: gone.run,
    /**
     * Weighs one agent, and stores its figures and what was weighed for them in one commit.
     * Check then write: facts in one snapshot, then figures; more may be stored meanwhile: `seen` is stored with the figures, so those
     * of older facts are stale for the next run.
     * @returns false for an agent that has none any more
     */
    async recompute(pool: pg.Pool, { id, usdc }: { id: number; usdc: string }, date: Date): Promise<boolean> {
      const now = unixSeconds(date);
      const found = await snapshot(pool, (tx) => of.facts(tx, { id, usdc, now }));
      if (found === null) return false;
      const { seen, facts, totals } = found;
      const { figures, items } = of.compute(facts, now, totals);
      await transaction(pool, async (tx) => {
        const row = { id, wallet: facts.wallet, seen, figures: unitsAsText(figures), now: date };
        if (!(await store.found(tx, row))) return;
        const stored = items.map((item) => ({ ...item, ...(item.removed ?? { rule: null, through: null }) }));
        await of.storeItems(tx, { id, items: stored as object[] as Item[] });
      });
      return true;
    },
  };
}
