/** Transfers of USDC as they were read: each range of a cohort is one commit, which takes the place of what was read there before. */
import type pg from "pg";
import { incomeMove } from "../schema/income.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { type Cohort, type CohortKind, lockCohorts } from "./followed.ts";
import { type PaymentEvents, recordPaymentEvents } from "./payment-events.ts";

/** A transfer in a block. Addresses and hashes lower-case; `nonce` of the authorization that caused it. */
const MOVE = { ...columnsOf(incomeMove), units: t.uint256 };
export type Move = t.RowOf<typeof MOVE>;

/** What the read of a cohort's next range needs: where its reads ended, the lowest block first, and the addresses that it follows. */
export const cohortToRead = statement({
  name: "income-cohort-to-read",
  params: { cohort: t.int8 },
  text: `
    select coalesce((select jsonb_agg(to_jsonb(k) - 'cohort' order by k.block)
                     from offchain.income_mark k where k.cohort = $cohort), '[]') as ends,
      array(select f.address from offchain.income_followed f where f.cohort = $cohort order by f.address) as addresses,
      coalesce((select settled_block from offchain.dispatcher_state), -1) as "finalBlock"`,
  columns: {
    ends: t.jsonb<{ block: number; hash: string }[]>(),
    addresses: t.array(t.narrow<`0x${string}`>(t.text)),
    finalBlock: t.int8,
  },
}).one;

const ADVANCE = statement({
  name: "income-advance",
  params: { id: t.int8, seen: t.int8, to: t.int8, now: t.timestamptz, addresses: t.array(t.text) },
  text: `
    update offchain.income_cohort set read_to = $to, read_at = $now, failures = 0, next_try_at = null
    where id = $id and read_to = $seen and $addresses::text[] @>
      array(select f.address from offchain.income_followed f where f.cohort = $id)`,
});

const SET_MARK = statement({
  name: "income-mark",
  params: { cohort: t.int8, from: t.int8, block: t.int8, hash: t.text },
  text: `
    with gone as (delete from offchain.income_mark where cohort = $cohort and block >= $from and block <> $block)
    insert into offchain.income_mark (cohort, block, hash) values ($cohort, $block, $hash)
    on conflict (cohort, block) do update set hash = excluded.hash`,
});

/** Transfers `m` that a cohort's read of its blocks finds again. */
const OWN: Record<CohortKind, string> = {
  wallet: "m.recipient = f.address and m.nonce is not null",
  payer: "m.recipient = f.address and m.nonce is null",
  side: "m.sender = f.address and m.nonce is null",
};

const taking = (kind: CohortKind) =>
  statement({
    name: `income-take-back-${kind}`,
    params: { cohort: t.int8, from: t.int8 },
    text: `
      delete from offchain.income_move m using offchain.income_followed f
      where f.cohort = $cohort and ${OWN[kind]} and m.block >= $from
      returning m.sender, m.recipient, m.block_hash as "blockHash", m.log_index as "logIndex"`,
    columns: { sender: t.text, recipient: t.text, blockHash: t.text, logIndex: t.int4 },
  });
const TAKE_BACK = { wallet: taking("wallet"), payer: taking("payer"), side: taking("side") };

const INSERT = statement({
  name: "income-moves-store",
  params: { moves: t.records(MOVE) },
  text: `
    insert into offchain.income_move as m (${t.namesOf(MOVE)})
    select * from $moves order by moves.block_hash, moves.log_index
    on conflict (block_hash, log_index) do update set nonce = excluded.nonce
    where m.nonce is null and excluded.nonce is not null`,
});

const TOUCH = statement({
  name: "income-touch",
  params: { addresses: t.array(t.text), cohort: t.int8, from: t.int8, to: t.int8 },
  // Those whose transfers changed, the wallets that they paid, and those that were paid in blocks that a cohort of payers has now read.
  text: `
    update offchain.income_followed f set changed_at = clock_timestamp()
    where f.address = any($addresses)
      or f.kind = 'wallet' and f.address in (
        select m.recipient from offchain.income_move m where m.nonce is not null and m.sender = any($addresses)
        union all
        select m.recipient from offchain.income_followed p
        join offchain.income_move m on m.sender = p.address and m.block between $from and $to
        where p.cohort = $cohort and p.kind = 'payer' and m.nonce is not null)`,
});

/** Providers `p` of jobs, locked in one order, get a new version. @param providers SQL of whose jobs changed */
const touchHired = (providers: string) => `
  with hired as materialized (
    select p.provider from offchain.commerce_provider p where p.provider in (${providers}) order by p.provider for update)
  update offchain.commerce_provider p set version = default from hired where p.provider = hired.provider`;

const TOUCH_HIRED = statement({
  name: "income-touch-hired",
  params: { addresses: t.array(t.text), cohort: t.int8, from: t.int8, to: t.int8 },
  // Those whose transfers changed, those whom they hired, and those with jobs in blocks that a cohort of payers has now read.
  text: touchHired(`
    select unnest($addresses::text[])
    union all
    select j.provider from offchain.commerce_job j where j.client = any($addresses)
    union all
    select j.provider from offchain.income_followed f
    join offchain.commerce_job j on j.client = f.address
    where f.cohort = $cohort and f.kind = 'payer'
      and coalesce((j.job->'ended'->>'block')::int8, j.block) between $from and $to`),
});

/** Those of some addresses are weighed again, and whom they paid or hired; of a cohort, whom its payers paid or hired in the blocks read. */
export async function touchPaidBy(
  tx: Queryable,
  of: { addresses: readonly string[]; cohort?: number; from?: number; to?: number },
): Promise<void> {
  const touched = { cohort: 0, from: 0, to: 0, ...of };
  await TOUCH.run(tx, touched);
  await TOUCH_HIRED.run(tx, touched);
}

/**
 * Stores what was read for a cohort from a block on, which replaces what is stored of it from there on: the same transfers,
 * and those that a reorganisation took back; with the events of payments that came or went.
 * Check then write: what a cohort was read to and for whom, then its next range; another run may read on, and a merge may give
 * it more addresses: under their lock the update names both as they were seen, and nothing is stored when they are not.
 * @param read for `addresses`, `hash` of block `to`
 * @param events what events of payments depend on
 * @returns number of transfers; null where they are to be read again
 */
export const storeRange = (
  pool: pg.Pool,
  cohort: Pick<Cohort, "id" | "kind" | "readTo">,
  read: { addresses: readonly string[]; from: number; to: number; hash: string; moves: readonly Move[] },
  now: Date,
  events: PaymentEvents,
): Promise<number | null> =>
  transaction(pool, async (tx) => {
    const { id, kind, readTo } = cohort;
    const { addresses: followed, from, to, hash, moves } = read;
    await lockCohorts(tx);
    if ((await ADVANCE.run(tx, { id, seen: readTo, to, now, addresses: followed })) === 0) return null;
    const taken = await TAKE_BACK[kind].rows(tx, { cohort: id, from });
    await SET_MARK.run(tx, { cohort: id, from, block: to, hash });
    await INSERT.run(tx, { moves });
    const addresses = [...new Set([...taken, ...moves].flatMap(({ sender, recipient }) => [sender, recipient]))];
    await touchPaidBy(tx, { addresses, cohort: id, from, to });
    if (kind === "wallet") await recordPaymentEvents(tx, id, { taken, stored: moves }, events);
    return moves.length;
  });

/** Of marks older than `blocks` keeps one for 2,000 blocks: a reorganisation of this depth is read again by ranges anyway. */
export const thinMarks = statement({
  name: "income-marks-thin",
  params: { blocks: t.int8 },
  text: `
    delete from offchain.income_mark k using offchain.income_cohort c
    where c.id = k.cohort and k.block < c.read_to - $blocks and exists (
      select from offchain.income_mark l
      where l.cohort = k.cohort and l.block > k.block and l.block / 2000 = k.block / 2000)`,
}).run;

const FAIL = statement({
  name: "income-fail",
  params: { id: t.int8, nextTryAt: t.timestamptz },
  text: "update offchain.income_cohort set failures = failures + 1, next_try_at = $nextTryAt where id = $id",
});

const SPLIT = statement({
  name: "income-split",
  params: { id: t.int8, nextTryAt: t.timestamptz },
  text: `
    with half as (
      select f.address from (
        select f.address, ntile(2) over (order by f.address) as part from offchain.income_followed f where f.cohort = $id) f
      where f.part = 2
    ), cohort as (
      insert into offchain.income_cohort (kind, from_block, read_to, failures, next_try_at)
      select c.kind, c.from_block, c.read_to, c.failures, $nextTryAt from offchain.income_cohort c
      where c.id = $id and exists (select from half) returning id
    ), marks as (
      insert into offchain.income_mark (cohort, block, hash)
      select cohort.id, k.block, k.hash from cohort cross join offchain.income_mark k where k.cohort = $id
    )
    update offchain.income_followed f set cohort = cohort.id from cohort
    where f.cohort = $id and f.address in (select half.address from half)`,
});

/** Puts a cohort off whose read failed. @param split makes two of it, so that one address takes others with it for a while only */
export const putOff = (pool: pg.Pool, id: number, { split, nextTryAt }: { split: boolean; nextTryAt: Date }) =>
  transaction(pool, async (tx) => {
    await FAIL.run(tx, { id, nextTryAt });
    if (split) await SPLIT.run(tx, { id, nextTryAt });
  });

const STORE_ACCOUNT = statement({
  name: "income-account-store",
  params: { address: t.text, sent: t.nullable(t.int8) },
  text: `
    with stored as (
      insert into offchain.income_account (address, sent) values ($address, $sent)
      on conflict (address) do update set sent = excluded.sent)
    update offchain.income_followed f set changed_at = clock_timestamp()
    where f.kind = 'wallet' and f.address in (
      select p.recipient from offchain.income_move m
      join offchain.income_move p on p.sender = m.recipient and p.nonce is not null
      where m.sender = $address)`,
});

const TOUCH_CONNECTED = statement({
  name: "income-touch-connected",
  params: { address: t.text },
  text: touchHired(`
    select j.provider from (
      select m.recipient from offchain.income_move m where m.sender = $address
      union select e.provider from offchain.commerce_job e where e.client = $address) m
    join offchain.commerce_job j on j.client = m.recipient`),
});

/** @param sent transactions that it has sent; null for a contract */
export const storeAccount = (pool: pg.Pool, account: { address: string; sent: number | null }) =>
  transaction(pool, async (tx) => {
    await STORE_ACCOUNT.run(tx, account);
    await TOUCH_CONNECTED.run(tx, { address: account.address });
  });
