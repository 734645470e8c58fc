/** A million reviews in a database of its own: all weighed, and one more. */
import type pg from "pg";
import { stopwatch } from "../../harness/figures.ts";
import { withPostgres } from "../../harness/scratch-postgres.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";

const SCHEMA = `0x${"f".repeat(64)}`;
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const wallet = (n: string) => `'0x' || left(md5('w' || ${n}) || md5('x' || ${n}), 40)`;

/** Agents are as unlike as those of a real registry: the first has hundreds of times the reviews of the last. */
const plant = (reviews: number) => `
  select setseed(0.42);
  create temp table drawn as
  select i, 1 + floor(power(random(), 3) * ${reviews / 50})::int8 as agent, floor(random() * ${reviews / 3})::int8 as client
  from generate_series(1, ${reviews}) i;
  insert into onchain.erc8004_feedback
  select '${REGISTRY}', agent, ${wallet("client")}, row_number() over (partition by agent, client order by i), i % 101, 0,
    case when i % 10 = 0 then 'responseTime' else 'starred' end, '', '', '', '0x', i % 20 = 0, 1770000000 + i * 10, 1000 + i,
    '0x' || md5(i::text) || md5('h' || i)
  from drawn;
  insert into onchain.erc8004_agent
  select '${REGISTRY}', agent_id, ${wallet("'o' || agent_id")}, null, '', 1, 1, '0x', count(*) filter (where not revoked), 1
  from onchain.erc8004_feedback group by agent_id;
  insert into onchain.attestation
  select '0x' || md5(c::text), '${SCHEMA}', '0x', ${wallet("c")}, '0x' || lpad('1', 64, '0'), 1, 0, 0, 1, '0x'
  from generate_series(0, ${reviews / 3}, 13) c;
  insert into offchain.reviewer_history
  select ${wallet("c")}, 1769000000 + c % 9000 * 600, c % 70, null, ${wallet("'f' || c % 5000")}, 9
  from generate_series(0, ${reviews / 3}) c where c % 3 > 0;
  create index on onchain.erc8004_feedback (client, given_at);
  create index on onchain.erc8004_agent (owner);
  create index on onchain.erc8004_agent (agent_wallet);`;

/** @returns seconds for all reviews, and milliseconds for one more of the agent that has most */
export const measureDatabase = (reviews: number): Promise<{ agents: number; seconds: number; oneMs: number }> =>
  withPostgres("bench-reviews", { max: 2, schemas: "both" }, async ({ pool }) => {
    await pool.query(plant(reviews));
    await pool.query("vacuum analyze");
    const config = { attestationSchemas: [SCHEMA], service: { publicUrl: "https://agents.test" } };
    const run = () => reviewStats.run({ db: pool, clock: () => new Date(), config } as never, {});
    const [allMs, agents] = await stopwatch(run);
    await addOne(pool);
    const [oneMs, changed] = await stopwatch(run);
    if (changed !== 1) throw new Error("one agent has a review more");
    return { agents, seconds: allMs / 1_000, oneMs };
  });

/** One more review of the agent that has most. */
async function addOne(pool: pg.Pool): Promise<void> {
  await pool.query(
    `with most as (
       update onchain.erc8004_agent set feedback_count = feedback_count + 1, updated_block = 2
       where agent_id = (select agent_id from onchain.erc8004_agent order by feedback_count desc limit 1)
       returning registry, agent_id)
     insert into onchain.erc8004_feedback
     select registry, agent_id, '0x' || repeat('9', 40), 1, 50, 0, 'starred', '', '', '', '0x', false, 1790000000, 2, '0x' from most`,
  );
}
