/** Changes scores while the directory is asked, and notes each change: from the notes follow the totals at any moment. */
import type pg from "pg";
import { boundsOf, type DirectoryFilter } from "../../core/directory/filters.ts";
import { countNaively, naiveWhere } from "./naive.ts";

const COMMITS_PER_SECOND = 4;
const SCORES_PER_COMMIT = 250;

/** One commit; times are epoch milliseconds around it. */
export type Commit = { begun: number; done: number };

/** The scores of agents, as a recompute writes them, and of one `marked` agent that no other commit changes. */
const CHANGE = `
  with chosen as (
    select d.id, d.token_id, d.cred_score as before,
      case when d.token_id = $2 then $3::int2 else ((d.cred_score + 7 + d.token_id % 29) % 101)::int2 end as after
    from offchain.directory d join offchain.cred c on c.token_id = d.token_id
    where d.platform = 'helixa' and d.agent_id in (
      select (($4::int8 + i * 3989) % $5::int8)::text from generate_series(0, $6::int - 1) i
      union select $2::int8::text)
  ), noted as (
    insert into bench_change (seq, id, before, after) select $1, id, before, after from chosen
  )
  update offchain.cred c set score = n.after from chosen n where c.token_id = n.token_id`;

/**
 * Changes 1,000 scores a second in four commits, until it is stopped. In every second one agent's score goes to 95 or
 * back to 5, and the service is asked until it shows that.
 * @param agents how many there are in the own registry
 */
export async function changeScores(pool: pg.Pool, url: string, agents: number) {
  await pool.query(
    "create unlogged table if not exists bench_change (seq int, id int8, before int2, after int2); truncate bench_change",
  );
  const { rows } = await pool.query<{ token_id: string; address: string }>(
    `select d.token_id, d.address from offchain.directory d join offchain.cred c on c.token_id = d.token_id
     where d.platform = 'helixa' and d.address is not null and d.cred_score < 91 order by d.token_id limit 400`,
  );
  const changes = { commits: [] as Commit[], scores: 0, seenMs: [] as number[], stop };
  let running = true;
  const watched: Promise<void>[] = [];
  const changing = (async () => {
    for (let seq = 0; running; seq++) {
      const due = performance.now() + 1000 / COMMITS_PER_SECOND;
      const marked = rows[Math.floor(seq / COMMITS_PER_SECOND / 2) % rows.length]!;
      // Four commits up, four down.
      const up = Math.floor(seq / COMMITS_PER_SECOND) % 2 === 0;
      const start = 500 + ((seq * 7919) % (agents - 1));
      const begun = now();
      const { rowCount } = await pool.query(CHANGE, [
        seq,
        marked.token_id,
        up ? 95 : 5,
        start,
        agents,
        SCORES_PER_COMMIT,
      ]);
      const done = now();
      changes.commits.push({ begun, done });
      changes.scores += rowCount ?? 0;
      if (seq % COMMITS_PER_SECOND === 0) watched.push(watch(marked.address, up, done));
      await new Promise((next) => setTimeout(next, Math.max(0, due - performance.now())));
    }
  })();
  async function stop() {
    running = false;
    await changing;
    await Promise.all(watched);
  }
  async function watch(address: string, up: boolean, committed: number): Promise<void> {
    const path = `${url}/api/terminal/agents?filter=preferred&limit=1&q=${address}`;
    for (const ends = committed + 20_000; now() < ends; ) {
      const { total } = (await (await fetch(path)).json()) as { total: number };
      if (total === (up ? 1 : 0)) break;
      await new Promise((done) => setTimeout(done, 20));
    }
    changes.seenMs.push(now() - committed);
  }
  return changes;
}

/**
 * How many rows a question had after each commit, exactly: SQL counts them now, and the noted changes lead back.
 * @param commits how many there were; nothing else changes the directory
 * @returns totals by commit; the first is that before all of them
 */
export async function totalsByCommit(
  pool: pg.Pool,
  question: { filter: DirectoryFilter; q: string | undefined; now: number },
  commits: number,
): Promise<number[]> {
  const totals = new Array<number>(commits + 1).fill(await countNaively(pool, question));
  const [tier] = boundsOf(question, question.now).scores;
  if (!tier) return totals;
  const others = naiveWhere({ ...question, filter: "all" });
  const { rows: moved } = await pool.query(
    `select c.seq, sum((c.after between ${tier.from} and ${tier.to})::int - (c.before between ${tier.from} and ${tier.to})::int)::int as by
     from bench_change c where c.id in (select id from offchain.directory where ${others.where} and id in (select id from bench_change))
     group by c.seq`,
    others.values,
  );
  const by = new Map((moved as { seq: number; by: number }[]).map(({ seq, by }) => [seq, by]));
  for (let commit = commits; commit > 0; commit--) totals[commit - 1] = totals[commit]! - (by.get(commit - 1) ?? 0);
  return totals;
}

const now = () => performance.timeOrigin + performance.now();
