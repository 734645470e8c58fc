/** The figures of agents with jobs: which are older than what was read, what they rest on, how they are stored, and pages of jobs. */
import type pg from "pg";
import type { JobState } from "../../core/commerce/jobs.ts";
import { type JobRemovedKey, MAX_JOBS } from "../../core/commerce/rules.ts";
import type { StoredJobFigures } from "../../core/commerce/view.ts";
import type { JobFacts, JobFigures, WeighedJob } from "../../core/commerce/weigh.ts";
import { DUST_UNITS, INCOME_SECONDS } from "../../core/income/rules.ts";
import { unitsAsText } from "../../core/units-text.ts";
import { agentFigures } from "../income/agent-figures.ts";
import { groupOf, PAID_AGENTS, walletAgents } from "../income/followed.ts";
import { moneyFacts } from "../income/income-facts.ts";
import {
  array,
  bool,
  filtered,
  int4,
  int8,
  jsonb,
  narrow,
  nullable,
  numeric,
  statement,
  text,
  timestamptz,
} from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import type { StoredJob } from "./commerce-logs.ts";

const DUE = statement({
  name: "commerce-figures-due",
  params: { before: timestamptz, limit: int8 },
  text: `
    select a.id from offchain.commerce_provider p
    join ${PAID_AGENTS} a on a.wallet collate "C" = p.provider
    left join offchain.commerce_figures g on g.directory_id = a.id
    where g.directory_id is null or g.wallet <> a.wallet or g.seen <> p.version or g.computed_at < $before
    order by g.computed_at nulls first, a.id limit $limit`,
  columns: { id: int8 },
});

/** Agents whose figures are missing, older than what was read, or older than `before`: windows move with the clock. */
export const dueJobFigures = async (db: Queryable, before: Date, limit: number): Promise<number[]> =>
  (await DUE.rows(db, { before, limit })).map(({ id }) => id);

const { store, gone } = agentFigures<StoredJobFigures, number>({
  name: "commerce",
  figures: "commerce_figures",
  items: "commerce_weighed",
  seen: int8,
  still: `exists (
    select from ${PAID_AGENTS} a join offchain.commerce_provider p on p.provider = a.wallet where a.id = g.directory_id)`,
});

/** Forgets agents whose wallet is no provider any more. */
export const forgetJobless = (db: Queryable): Promise<number> => gone.run(db);

const SIDE = `a.wallet, a.owner, array(select address from ${groupOf("a.owner")} g) as "group"`;
const SIDE_COLUMNS = { owner: nullable(text), group: array(text) };

const AGENT = statement({
  name: "commerce-agent",
  params: { id: int8 },
  text: `
    select ${SIDE}, p.version as seen
    from ${PAID_AGENTS} a join offchain.commerce_provider p on p.provider = a.wallet where a.id = $id`,
  columns: { wallet: filtered(text), ...SIDE_COLUMNS, seen: int8 },
});

const JOBS = statement({
  name: "commerce-jobs",
  params: { wallet: text, usdc: text, since: int8 },
  text: `
    select j.job_id as "jobId", j.client, j.evaluator, j.token, j.units, j.state, j.funded_at as "fundedAt",
      j.ended_at as "endedAt", coalesce((j.job->'ended'->>'block')::int8, j.block) as block
    from offchain.commerce_job j
    where j.provider = $wallet and (j.funded_at > $since or j.ended_at > $since)
    order by (j.token = $usdc and j.units >= ${DUST_UNITS}) is true desc, j.state = 'completed' desc,
      j.block desc, j.log_index desc limit ${MAX_JOBS}`,
  columns: {
    jobId: numeric,
    client: text,
    evaluator: nullable(text),
    token: nullable(text),
    units: numeric,
    state: narrow<JobState>(text),
    fundedAt: int8,
    endedAt: nullable(int8),
    block: int8,
  },
});

/**
 * What the figures of one agent rest on, bounded: its jobs of the longest window, those with money before others and of these the
 * completed ones, since what is not completed costs a client nothing; and what is known of its clients' money.
 * @param db a snapshot @param id of its row of the directory @param usdc lower-case @param now Unix seconds
 * @returns null for one whose wallet is no provider
 */
export async function jobFacts(
  db: Queryable,
  { id, usdc, now }: { id: number; usdc: string; now: number },
): Promise<{ seen: number; facts: JobFacts } | null> {
  const agent = await AGENT.maybeOne(db, { id });
  if (agent === null) return null;
  const { seen, ...side } = agent;
  const since = now - INCOME_SECONDS;
  const jobs = await JOBS.rows(db, { wallet: side.wallet, usdc, since });
  const payers = [...new Set(jobs.map(({ client }) => client))];
  const money = await moneyFacts(db, { ...side, payers, of: "jobs", usdc, since });
  return { seen, facts: { ...money, usdc, jobs: jobs.map((job) => ({ ...job, units: BigInt(job.units) })) } };
}

const STORE_WEIGHED = statement({
  name: "commerce-weighed-store",
  params: { id: int8, jobIds: array(numeric), rules: array(nullable(text)), throughs: array(nullable(text)) },
  text: `
    with given as materialized (
      select * from unnest($jobIds::numeric[], $rules::text[], $throughs::text[]) r(job_id, rule, through)
    ), left_over as (
      delete from offchain.commerce_weighed w
      where w.directory_id = $id and w.job_id not in (select g.job_id from given g)
    )
    insert into offchain.commerce_weighed as w (directory_id, job_id, rule, through)
    select $id, g.* from given g order by g.job_id
    on conflict (directory_id, job_id) do update set rule = excluded.rule, through = excluded.through
    where (w.rule, w.through) is distinct from (excluded.rule, excluded.through)`,
});

/**
 * Stores the figures of one agent and its jobs, in one commit.
 * Check then write: facts in one snapshot, then figures; jobs and transfers may be stored meanwhile: `seen` is stored with the
 * figures, so those of older facts are stale for the next run.
 */
export const storeJobFigures = (
  pool: pg.Pool,
  of: { id: number; wallet: string; seen: number; figures: JobFigures; jobs: readonly WeighedJob[] },
  now: Date,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const { id, wallet, seen, figures, jobs } = of;
    if ((await store.run(tx, { id, wallet, seen, figures: unitsAsText(figures), now })) === 0) return;
    await STORE_WEIGHED.run(tx, {
      id,
      jobIds: jobs.map((one) => one.jobId),
      rules: jobs.map((one) => one.removed?.rule ?? null),
      throughs: jobs.map((one) => one.removed?.through ?? null),
    });
  });

const OF_AGENT = statement({
  name: "commerce-of-agent",
  params: { id: int8 },
  text: `
    select c.contract, c.read_to as "readTo", ${SIDE}, g.figures, g.computed_at as "computedAt",
      ${walletAgents("a.wallet")} as agents,
      coalesce(g.seen = p.version, p.provider is null) as current
    from offchain.directory d
    left join offchain.commerce_contract c on true
    left join ${PAID_AGENTS} a on a.id = d.id
    left join offchain.commerce_provider p on p.provider = a.wallet
    left join offchain.commerce_figures g on g.directory_id = d.id and g.wallet = a.wallet
    where d.id = $id`,
  columns: {
    contract: nullable(text),
    readTo: nullable(int8),
    wallet: nullable(text),
    ...SIDE_COLUMNS,
    figures: nullable(jsonb<StoredJobFigures>()),
    computedAt: nullable(timestamptz),
    agents: int8,
    current: nullable(bool),
  },
});

/**
 * What is known of an agent's jobs; null where there is no such agent. `contract` is null where none is read, `wallet` for an
 * agent without one that is known to be its own; `agents`: how many have it. `current`: the figures are of all that was read.
 */
export const agentCommerce = (db: Queryable, id: number) => OF_AGENT.maybeOne(db, { id });

/** The place after which a page of jobs begins: the log by which the job before it was funded. */
export type JobPlaceOnPage = { block: number; logIndex: number };

const PAGE = statement({
  name: "commerce-page",
  params: { id: int8, wallet: text, block: int8, logIndex: int4, limit: int8 },
  text: `
    select j.block, j.log_index as "logIndex", j.job, w.job_id is not null as weighed, w.rule, w.through
    from offchain.commerce_job j
    left join offchain.commerce_weighed w on w.directory_id = $id and w.job_id = j.job_id
    where j.provider = $wallet and (j.block, j.log_index) < ($block::int8, $logIndex::int4)
    order by j.block desc, j.log_index desc limit $limit`,
  columns: {
    block: int8,
    logIndex: int4,
    job: jsonb<StoredJob>(),
    weighed: bool,
    rule: nullable(narrow<JobRemovedKey>(text)),
    through: nullable(text),
  },
});

/** Jobs of a provider that were funded, the newest first. @param after null for the first page */
export const jobPage = (
  db: Queryable,
  agent: { id: number; wallet: string },
  { after, limit }: { after: JobPlaceOnPage | null; limit: number },
) => PAGE.rows(db, { ...agent, ...(after ?? { block: Number.MAX_SAFE_INTEGER, logIndex: 0 }), limit });
