/** Logs of the contract of jobs as they were read: each range is one commit, which takes the place of what was read there before, with the jobs that follow from it. */
import type pg from "pg";
import { type Job, type JobLog, type JobPlace, jobsOf } from "../../core/commerce/jobs.ts";
import { commerceContract, commerceLog } from "../schema/commerce.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";

export type CommerceLog = JobLog & { blockHash: string };
/** A job as it is stored: one that was funded, its units as a decimal string. */
export type StoredJob = Omit<Job, "units" | "provider"> & { provider: string; funded: JobPlace; units: string };

/** How far the contract was read. */
export type CommerceContract = Row<typeof CONTRACT>;

const FORGET_OTHERS = statement({
  name: "commerce-forget-others",
  params: { contract: t.nullable(t.text), fromBlock: t.int8 },
  text: `
    with gone as (
      delete from offchain.commerce_contract c
      where (c.contract = $contract and c.from_block = $fromBlock) is not true returning c.contract
    ), marks as (delete from offchain.commerce_mark where exists (select from gone)),
    logs as (delete from offchain.commerce_log where exists (select from gone)),
    jobs as (delete from offchain.commerce_job where exists (select from gone)),
    providers as (delete from offchain.commerce_provider where exists (select from gone)),
    weighed as (delete from offchain.commerce_weighed where exists (select from gone)),
    figures as (delete from offchain.commerce_figures where exists (select from gone))
    select g.contract from gone g`,
  columns: { contract: t.text },
});

const OPEN = statement({
  name: "commerce-open",
  params: { contract: t.text, fromBlock: t.int8 },
  text: `
    insert into offchain.commerce_contract (contract, from_block, read_to)
    values ($contract, $fromBlock, $fromBlock::int8 - 1) on conflict do nothing`,
});

const CONTRACT = statement({
  name: "commerce-contract",
  text: `
    select c.contract, c.from_block as "fromBlock", c.read_to as "readTo", c.failures, c.next_try_at as "nextTryAt"
    from offchain.commerce_contract c`,
  columns: columnsOf(commerceContract, { without: ["readAt"] }),
});

/** Forgets all that was read, unless it is of this contract from this block on. @param contract null for none */
export const forgetOtherContracts = async (db: Queryable, contract: string | null, fromBlock: number) =>
  (await FORGET_OTHERS.rows(db, { contract, fromBlock })).length;

/** How far the one contract was read, from `fromBlock` on; of another one nothing is kept. */
export const openContract = (pool: pg.Pool, contract: string, fromBlock: number): Promise<CommerceContract> =>
  transaction(pool, async (tx) => {
    await forgetOtherContracts(tx, contract, fromBlock);
    await OPEN.run(tx, { contract, fromBlock });
    return CONTRACT.one(tx);
  });

/** The contract whose jobs are read, lower-case; null where none are. */
export const readContract = async (db: Queryable): Promise<string | null> =>
  (await CONTRACT.maybeOne(db))?.contract ?? null;

/** Where reads ended, the lowest block first. */
export const commerceMarks = statement({
  name: "commerce-marks",
  text: "select k.block, k.hash from offchain.commerce_mark k order by k.block",
  columns: { block: t.int8, hash: t.text },
}).rows;

const ADVANCE = statement({
  name: "commerce-advance",
  params: { contract: t.text, fromBlock: t.int8, seen: t.int8, to: t.int8, now: t.timestamptz },
  text: `
    update offchain.commerce_contract set read_to = $to, read_at = $now, failures = 0, next_try_at = null
    where contract = $contract and from_block = $fromBlock and read_to = $seen`,
});

const SET_MARK = statement({
  name: "commerce-mark",
  params: { from: t.int8, block: t.int8, hash: t.text },
  text: `
    with gone as (delete from offchain.commerce_mark where block >= $from and block <> $block)
    insert into offchain.commerce_mark (block, hash) values ($block, $hash)
    on conflict (block) do update set hash = excluded.hash`,
});

const TAKE_BACK = statement({
  name: "commerce-take-back",
  params: { from: t.int8 },
  text: `delete from offchain.commerce_log l where l.block >= $from returning l.job_id as "jobId"`,
  columns: { jobId: t.numeric },
});

const LOG = columnsOf(commerceLog);
const INSERT = statement({
  name: "commerce-logs-store",
  params: { logs: t.records(LOG) },
  text: `
    insert into offchain.commerce_log (${t.namesOf(LOG)})
    select * from $logs order by logs.block_hash, logs.log_index
    on conflict (block_hash, log_index) do nothing`,
});

const LOGS_OF = statement({
  name: "commerce-logs-of",
  params: { jobIds: t.array(t.numeric) },
  text: `
    select ${t.fieldsOf(LOG)} from offchain.commerce_log where job_id = any($jobIds)`,
  columns: LOG,
});

const DROP_JOBS = statement({
  name: "commerce-jobs-drop",
  params: { jobIds: t.array(t.numeric) },
  text: "delete from offchain.commerce_job j where j.job_id = any($jobIds) returning j.provider",
  columns: { provider: t.text },
});

const STORE_JOBS = statement({
  name: "commerce-jobs-store",
  params: { jobs: t.jsonb<StoredJob[]>() },
  text: `
    insert into offchain.commerce_job
      (job_id, provider, block, log_index, funded_at, ended_at, client, evaluator, token, units, state, job)
    select (j->>'jobId')::numeric, j->>'provider', (j->'funded'->>'block')::int8, (j->'funded'->>'logIndex')::int4,
      (j->'funded'->>'at')::int8, (j->'ended'->>'at')::int8, j->>'client', j->>'evaluator', j->>'token',
      (j->>'units')::numeric, j->>'state', j
    from jsonb_array_elements($jobs::jsonb) j`,
});

const TOUCH = statement({
  name: "commerce-touch",
  params: { providers: t.array(t.text) },
  // And whom they hired: what a client earned is its money.
  text: `
    insert into offchain.commerce_provider (provider)
    select t.provider from (
      select unnest($providers::text[]) as provider
      union select j.provider from offchain.commerce_job j where j.client = any($providers)) t
    order by t.provider
    on conflict (provider) do update set version = excluded.version`,
});

/**
 * Stores the logs that were read from a block on in place of the stored ones, and makes the jobs whose logs changed again:
 * those that were funded, each a function of its logs.
 * Check then write: how far the contract was read, then its next range; another run may read it, and another contract may be
 * set: the update names both as they were seen, and nothing is stored when they are gone.
 * @param read `hash` of block `to` @returns number of logs; null where another run has read on
 */
export const storeCommerceRange = (
  pool: pg.Pool,
  { contract, fromBlock, readTo }: CommerceContract,
  read: { from: number; to: number; hash: string; logs: readonly CommerceLog[] },
  now: Date,
): Promise<number | null> =>
  transaction(pool, async (tx) => {
    const { from, to, hash, logs } = read;
    if ((await ADVANCE.run(tx, { contract, fromBlock, seen: readTo, to, now })) === 0) return null;
    const taken = await TAKE_BACK.rows(tx, { from });
    await SET_MARK.run(tx, { from, block: to, hash });
    await INSERT.run(tx, { logs });
    const jobIds = [...new Set([...taken, ...logs].map(({ jobId }) => jobId))];
    if (jobIds.length > 0) await remake(tx, jobIds);
    return logs.length;
  });

async function remake(tx: Queryable, jobIds: readonly string[]): Promise<void> {
  const dropped = await DROP_JOBS.rows(tx, { jobIds });
  const made = [...jobsOf(await LOGS_OF.rows(tx, { jobIds })).values()];
  const jobs = made.flatMap(({ provider, funded, units, ...job }): StoredJob[] =>
    provider !== null && funded !== null && units !== null ? [{ ...job, provider, funded, units: String(units) }] : [],
  );
  await STORE_JOBS.run(tx, { jobs });
  await TOUCH.run(tx, { providers: [...new Set([...dropped, ...jobs].map(({ provider }) => provider))] });
}

/** Puts the next read off, after one that failed. */
export const putOffCommerce = statement({
  name: "commerce-fail",
  params: { contract: t.text, nextTryAt: t.timestamptz },
  text: `
    update offchain.commerce_contract set failures = failures + 1, next_try_at = $nextTryAt where contract = $contract`,
}).run;

/** Of marks older than `blocks` keeps one for 2,000 blocks: a reorganisation of this depth is read again by ranges anyway. */
export const thinCommerceMarks = statement({
  name: "commerce-marks-thin",
  params: { blocks: t.int8 },
  text: `
    delete from offchain.commerce_mark k using offchain.commerce_contract c
    where k.block < c.read_to - $blocks and exists (
      select from offchain.commerce_mark l where l.block > k.block and l.block / 2000 = k.block / 2000)`,
}).run;
