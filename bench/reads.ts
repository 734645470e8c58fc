/** `npm run bench -- reads [--short]`: compares keyed reads with the database's own limit and a common build, and /health with bare Node. */
import { goal, printTable } from "../harness/figures.ts";
import { cpuOf } from "../harness/running-processes.ts";
import { type ScratchPostgres, withPostgres } from "../harness/scratch-postgres.ts";
import { findPgbench, runPgbench } from "./reads/pgbench.ts";
import {
  AGENT,
  asking,
  type Contender,
  database,
  mediansOf,
  metered,
  meterOthers,
  type Plan,
  play,
  ratio,
  saidOf,
} from "./reads/rounds.ts";
import { plantReads, type ServerProcess, startLoad, startReference, startService } from "./reads/servers.ts";

const FULL: Plan = { agents: 200_000, rounds: 7, seconds: 6, warmSeconds: 8 };
const SHORT: Plan = { agents: 20_000, rounds: 3, seconds: 2, warmSeconds: 3 };
const HEALTH = "/health";

/** @param args `--short` for a quick look */
export default async function reads(args: string[]): Promise<void> {
  await withPostgres("bench-reads", { fast: true }, (at) => measure(at, args.includes("--short") ? SHORT : FULL));
}

async function measure(at: ScratchPostgres, plan: Plan): Promise<void> {
  const { postgres } = at;
  await plantReads(at, plan.agents);
  const api = await startService(at);
  const reference = await startReference("reference", at);
  const bare = await startReference("bare", at);
  const load = startLoad(at);

  const contender = (name: string, { url, pid }: ServerProcess, path: string) => {
    const meters = { node: () => cpuOf(pid), postgres: () => database(postgres) };
    return asking(load, { name, url, path, ids: plan.agents, meters });
  };
  const pgbench = findPgbench();
  if (!pgbench) console.log("pgbench is not installed: the database's own limit is not measured.");
  const limit = pgbench ? [byPgbench(pgbench, at, plan.agents)] : [];
  const agent = contender("GET agent, the service", api, AGENT);
  const common = contender("GET agent, ORM + stock middlewares", reference, AGENT);
  const node = contender("node:http alone", bare, HEALTH);
  const health = contender("GET /health, the service", api, HEALTH);
  console.log(saidOf(plan));
  const pids = [process, load, api, reference, bare].map(({ pid }) => pid);
  const others = meterOthers([() => database(postgres), ...pids.map((pid) => () => cpuOf(pid))]);
  const contenders = [...limit, agent, common, node, health].map((one) =>
    one.unseen ? { ...one, run: (seconds: number) => others.unseen(() => one.run(seconds)) } : one,
  );
  const rounds = new Map([...(await play(contenders, plan))].map(([{ name }, own]) => [name, own]));
  const row = printTable("", ["answers/s", "CPU µs in Node", "in Postgres", ["p50 ms", 1], ["p99 ms", 1]]);
  for (const [name, own] of rounds) row(name, ...mediansOf(own, ["node", "postgres"]));
  const tell = (what: string, one: Contender, other: Contender, least: number) => {
    const [ours, theirs] = [rounds.get(one.name)!, rounds.get(other.name)!];
    const [inRate, inCpu] = [ratio(ours, theirs, (r) => r.rate), ratio(theirs, ours, (r) => r.us.node ?? Number.NaN)];
    const text = `${inRate.toFixed(2)} ×${Number.isNaN(inCpu) ? "" : `, ${inCpu.toFixed(2)} × by CPU in Node`}`;
    console.log(goal(`${what} ≥ ${least}`, text, inRate >= least));
  };
  console.log("");
  for (const pgbench of limit) tell("GET agent / pgbench", agent, pgbench, 0.45);
  tell("GET agent / ORM + stock middlewares", agent, common, 3);
  tell("/health / node:http", health, node, 0.5);
  console.log(`\n${others.summary()}`);
}

/** What the database gives when nothing but pgbench asks it. */
const byPgbench = (program: string, { postgres }: ScratchPostgres, agents: number): Contender => ({
  name: "pgbench -M prepared -c 8, same SQL",
  unseen: true,
  async run(seconds) {
    const done = await metered({ postgres: () => database(postgres) }, async () => {
      const rate = await runPgbench(program, postgres.url, agents, seconds);
      return { answers: rate * seconds, seconds };
    });
    return { ...done, p50Ms: Number.NaN, p99Ms: Number.NaN };
  },
});
