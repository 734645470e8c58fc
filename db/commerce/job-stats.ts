/** Jobs of agents as evidence: which figures are older than what was read, what they rest on, how they are stored, and pages of jobs. */
import type { JobState } from "../../core/commerce/jobs.ts";
import { JOB_RULES_VERSION, type JobRemovedKey } from "../../core/commerce/rules.ts";
import { computeJobs } from "../../core/commerce/stats.ts";
import { DUST_UNITS } from "../../core/income/rules.ts";
import type { StoredJobStats } from "../../core/income/view.ts";
import {
  evidence,
  IN_WINDOWS,
  type LogPlace,
  placeAfter,
  storeWeighed,
  type WeighedAgent,
  WINDOW_PARAMS,
  weighedOf,
} from "../income/agent-stats.ts";
import { PAID_AGENTS, walletAgents } from "../income/followed.ts";
import { evidenceFacts, formerStatement } from "../income/income-facts.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import type { StoredJob } from "./commerce-logs.ts";

const AGENT = statement({
  name: "commerce-agent",
  params: { id: t.int8 },
  text: `
    select a.wallet, a.owner, p.version as seen
    from ${PAID_AGENTS} a join offchain.commerce_provider p on p.provider = a.wallet where a.id = $id`,
  columns: { wallet: t.filtered(t.text), owner: t.nullable(t.text), seen: t.int8 },
});

const JOBS_PARAMS = { wallet: t.text, usdc: t.text, since: t.int8 };
/** What is not completed costs a client nothing; other tokens and dust take no place. */
const SOURCE = `
  select j.client as payer, case when j.state = 'completed' then j.units else 0 end as given,
    (j.token = $usdc and j.units >= ${DUST_UNITS}) is true as counts, j.funded_at as at, j.ended_at, j.log_index,
    coalesce((j.job->'ended'->>'block')::int8, j.block) as block, j.job_id, j.evaluator, j.token, j.units, j.state
  from offchain.commerce_job j
  where j.provider = $wallet and (j.funded_at > $since or j.ended_at > $since)`;

const JOBS = statement({
  name: "commerce-jobs",
  params: JOBS_PARAMS,
  text: `
    with ${weighedOf(SOURCE)}
    select s.job_id as "jobId", s.payer as client, s.evaluator, s.token, s.units, s.state, s.at as "fundedAt",
      s.ended_at as "endedAt", s.block
    from s where s.weighed`,
  columns: {
    jobId: t.numeric,
    client: t.text,
    evaluator: t.nullable(t.text),
    token: t.nullable(t.text),
    units: t.uint256,
    state: t.narrow<JobState>(t.text),
    fundedAt: t.int8,
    endedAt: t.nullable(t.int8),
    block: t.int8,
  },
});

/** Columns of sums of jobs `s` of windows `w`. */
const SUMS = `
  count(*) filter (where s.at > w.since) as funded,
  count(*) filter (where s.state = 'completed' and s.ended_at > w.since) as completed,
  coalesce(sum(s.units) filter (where s.state = 'completed' and s.ended_at > w.since and s.token = $usdc), 0) as units`;
const SUMS_COLUMNS = { days: t.int4, funded: t.int8, completed: t.int8, units: t.uint256 };

const RAW = statement({
  name: "commerce-raw",
  params: { ...JOBS_PARAMS, ...WINDOW_PARAMS },
  text: `
    with s as (${SOURCE})
    select w.days, ${SUMS},
      count(*) filter (where s.state = 'rejected' and s.ended_at > w.since) as rejected,
      count(*) filter (where s.state = 'expired' and s.ended_at > w.since) as expired,
      count(distinct s.payer) as clients,
      count(distinct s.evaluator) filter (
        where s.state <> 'expired' and s.ended_at > w.since and s.evaluator <> s.payer) as evaluators,
      count(*) filter (
        where s.state = 'completed' and s.ended_at > w.since and s.evaluator = s.payer) as "evaluatedByClient",
      count(*) filter (
        where s.state = 'completed' and s.ended_at > w.since and s.evaluator is null) as "notEvaluated"
    from s ${IN_WINDOWS} group by w.days`,
  columns: {
    ...SUMS_COLUMNS,
    ...{
      rejected: t.int8,
      expired: t.int8,
      clients: t.int8,
      evaluators: t.int8,
      evaluatedByClient: t.int8,
      notEvaluated: t.int8,
    },
  },
});

const REST = statement({
  name: "commerce-rest",
  params: { ...JOBS_PARAMS, ...WINDOW_PARAMS, side: t.array(t.text) },
  text: `
    with ${weighedOf(SOURCE)}
    select w.days, ${SUMS}, not s.counts as "isDust", case when s.payer = any($side) then s.payer else '' end as client,
      case when s.evaluator = any($side) then s.evaluator end as evaluator, case when s.token = $usdc then s.token end as token
    from s ${IN_WINDOWS} where not s.weighed group by 1, 5, 6, 7, 8`,
  columns: {
    ...SUMS_COLUMNS,
    isDust: t.bool,
    client: t.text,
    evaluator: t.nullable(t.text),
    token: t.nullable(t.text),
  },
});

const readFacts = evidenceFacts({
  kind: "jobs",
  agent: AGENT,
  items: JOBS,
  payer: ({ client }) => client,
  others: ({ evaluator }) => evaluator,
  former: formerStatement("commerce-former", {
    ...{ payer: "j.client", at: "j.funded_at", rules: JOB_RULES_VERSION },
    from: `offchain.commerce_weighed w join offchain.commerce_figures g on g.directory_id = w.directory_id
      join offchain.commerce_job j on j.job_id = w.job_id`,
  }),
  raw: RAW,
  rest: REST,
});

/** The facts of the jobs of one agent. @see evidenceFacts */
export async function jobFacts(db: Queryable, agent: WeighedAgent) {
  const facts = await readFacts(db, agent);
  return facts && { ...facts, facts: { ...facts.facts, jobs: facts.items } };
}

/** Jobs as evidence. */
export const jobEvidence = evidence({
  name: "commerce",
  figures: "commerce_figures",
  items: "commerce_weighed",
  seen: t.int8,
  paid: `offchain.commerce_provider p
    join ${PAID_AGENTS} a on a.wallet collate "C" = p.provider
    left join offchain.commerce_figures g on g.directory_id = a.id`,
  isStale: "(g.directory_id is null or g.seen <> p.version)",
  still: `exists (
    select from ${PAID_AGENTS} a join offchain.commerce_provider p on p.provider = a.wallet where a.id = g.directory_id)`,
  facts: jobFacts,
  storeItems: storeWeighed("commerce_weighed", { jobId: t.numeric }, {}),
  compute(facts, now, totals) {
    const { figures, jobs: items } = computeJobs(facts, now, totals);
    return { figures, items };
  },
});

/**
 * What is known of an agent's jobs; null where there is no such agent. `contract` is null where none is read, `wallet` for an
 * agent without one that is known to be its own; `agents`: how many have it. `current`: the figures are of all that was read.
 */
export const agentCommerce = statement({
  name: "commerce-of-agent",
  params: { id: t.int8 },
  text: `
    select c.contract, c.read_to as "readTo", a.wallet, a.owner, g.figures, g.computed_at as "computedAt",
      ${walletAgents("a.wallet")} as agents,
      coalesce(g.seen = p.version, p.provider is null) as current
    from offchain.directory d
    left join offchain.commerce_contract c on true
    left join ${PAID_AGENTS} a on a.id = d.id
    left join offchain.commerce_provider p on p.provider = a.wallet
    left join offchain.commerce_figures g on g.directory_id = d.id and g.wallet = a.wallet
    where d.id = $id`,
  columns: {
    contract: t.nullable(t.text),
    readTo: t.nullable(t.int8),
    wallet: t.nullable(t.text),
    owner: t.nullable(t.text),
    figures: t.nullable(t.jsonb<StoredJobStats>()),
    computedAt: t.nullable(t.timestamptz),
    agents: t.int8,
    current: t.nullable(t.bool),
  },
}).maybeOne;

/** Jobs of a provider, the newest first, by the log by which each was funded. @param after null for the first page */
export const jobPage = statement({
  name: "commerce-page",
  given: (agent: { id: number; wallet: string }, { after, limit }: { after: LogPlace | null; limit: number }) => ({
    ...agent,
    ...placeAfter(after),
    limit,
  }),
  params: { id: t.int8, wallet: t.text, block: t.int8, logIndex: t.int4, limit: t.int8 },
  text: `
    select j.block, j.log_index as "logIndex", j.job, w.job_id is not null as weighed, w.rule, w.through
    from offchain.commerce_job j
    left join offchain.commerce_weighed w on w.directory_id = $id and w.job_id = j.job_id
    where j.provider = $wallet and (j.block, j.log_index) < ($block::int8, $logIndex::int4)
    order by j.block desc, j.log_index desc limit $limit`,
  columns: {
    block: t.int8,
    logIndex: t.int4,
    job: t.jsonb<StoredJob>(),
    weighed: t.bool,
    rule: t.nullable(t.narrow<JobRemovedKey>(t.text)),
    through: t.nullable(t.text),
  },
}).rows;
