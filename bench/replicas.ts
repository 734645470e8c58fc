/** `npm run bench -- replicas [--quick]`: keyed reads by an API on the primary alone beside one with a streaming replica, quiet and while others write. */
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openPool } from "../db/sql/connect.ts";
import { type Postgres, removePostgres, startPostgres } from "../devnet/postgres.ts";
import { startReplica } from "../harness/replica.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { freePort } from "../runtime/free-port.ts";
import { goal } from "./goal.ts";
import { cpuOf, cpuOfMachine } from "./reads/cpu.ts";
import type { Load, Loaded } from "./reads/load.ts";
import { type Served, startApi, startNode } from "./reads/servers.ts";
import { plantProfiles } from "./reads/world.ts";

type Plan = { agents: number; rounds: number; seconds: number };
const FULL: Plan = { agents: 200_000, rounds: 5, seconds: 6 };
const QUICK: Plan = { agents: 20_000, rounds: 3, seconds: 2 };
const CONNECTIONS = 32;
/** Commits a second of the writer, five rows each. */
const COMMITS = 200;
/** Share of the CPU that a read costs the primary without a replica, of the CPU in Node, and of reads at the replica. */
const GOALS = { primary: 0.15, node: 1.1, share: 0.95 };

/** CPU in microseconds a request; `share` of the reads that the replica answered. */
type Round = {
  rate: number;
  nodeUs: number;
  primaryUs: number;
  replicaUs: number;
  p50Ms: number;
  p99Ms: number;
  share: number;
};
type Api = Served & { opsPort: number };
type World = { primary: Postgres; replica: Postgres; load: ChildProcess; plan: Plan };

/** @param args `--quick` for a short look */
export default async function replicas(args: string[]): Promise<void> {
  const plan = args.includes("--quick") ? QUICK : FULL;
  const directory = scratchDirectory("bench-replicas", { onDisk: true });
  // Commits wait for the WAL to be written, as in production, on a disk that need not keep it.
  const settings = { synchronous_commit: "on" };
  const primary = await startPostgres({ dataDir: join(directory, "primary"), fast: true, settings });
  const started: { stop(): unknown }[] = [];
  try {
    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "list/world.ts"),
      primary.url,
      String(plan.agents),
    ]);
    const pool = openPool({ connectionString: primary.url, max: 2 });
    started.push({ stop: () => pool.end() });
    await plantProfiles(pool);
    const replica = await startReplica(primary.url, join(directory, "replica"));
    started.push(replica);
    const chain = await startNode();
    started.push(chain);
    const start = async (more: Record<string, string>): Promise<Api> => {
      const opsPort = await freePort();
      const env = { LIST_MEMORY_MB: "0", OPS_PORT: String(opsPort), ...more };
      const api = await startApi(primary.url, join(directory, "data"), chain.url, undefined, env);
      started.push(api);
      return { ...api, opsPort };
    };
    const apis = [await start({}), await start({ READ_DATABASE_URLS: replica.url })] as const;
    const load = fork(join(import.meta.dirname, "reads/load.ts"));
    started.push({ stop: () => load.kill() });
    const world: World = { primary, replica, load, plan };
    console.log(
      `${plan.agents.toLocaleString("en")} agents, random ids, ${CONNECTIONS} connections; medians of ${plan.rounds} interleaved rounds of ${plan.seconds} s`,
    );
    const before = { own: ownCpu(world, apis), machine: cpuOfMachine(), at: performance.now() };
    for (const api of apis) await ask(world, api);
    await compare("no writes", world, apis);
    const writer = writes(pool, plan.agents);
    await compare(`${COMMITS} commits a second`, world, apis, true);
    await writer.stop();
    const seconds = ((performance.now() - before.at) / 1_000) * cpus().length;
    const foreign = (cpuOfMachine() - before.machine - (ownCpu(world, apis) - before.own)) / seconds;
    console.log(
      `\nload ${loadavg()[0]!.toFixed(1)}; ${(Math.max(0, foreign) * 100).toFixed(0)} % of the machine went to others meanwhile`,
    );
  } finally {
    for (const part of started.toReversed()) await part.stop();
    await primary.stop();
    for (const name of ["primary", "replica"]) await removePostgres(join(directory, name));
    rmSync(directory, { recursive: true, force: true });
  }
}

const ownCpu = ({ primary, replica, load }: World, apis: readonly Api[]) =>
  [process.pid, load.pid!, ...apis.map(({ pid }) => pid)].reduce(
    (sum, pid) => sum + cpuOf(pid),
    cpuOf(primary.pid, { children: true }) + cpuOf(replica.pid, { children: true }),
  );

/** Both APIs in turn, round after round; prints medians, ratios and whether the goals are met. */
async function compare(name: string, world: World, apis: readonly [Api, Api], written = false): Promise<void> {
  const rounds: [Round[], Round[]] = [[], []];
  for (let i = 0; i < world.plan.rounds; i++)
    for (const [at, api] of apis.entries()) rounds[at]!.push(await ask(world, api));
  console.log(
    `\n${name.padEnd(28)} answers/s   CPU µs: Node   primary   replica      p50 ms   p99 ms   reads at the replica`,
  );
  for (const [at, own] of rounds.entries()) {
    const of = (pick: (round: Round) => number, digits = 0) => median(own.map(pick)).toFixed(digits);
    console.log(
      `${(at ? "primary and one replica" : "primary alone").padEnd(28)} ${of((r) => r.rate).padStart(9)} ${of((r) => r.nodeUs).padStart(14)} ` +
        `${of((r) => r.primaryUs).padStart(9)} ${of((r) => r.replicaUs).padStart(9)} ${of((r) => r.p50Ms, 1).padStart(11)} ${of((r) => r.p99Ms, 1).padStart(8)} ${of((r) => r.share * 100, 1).padStart(20)} %`,
    );
  }
  const ratio = (pick: (round: Round) => number) =>
    median(rounds[1].map((round, i) => pick(round) / pick(rounds[0][i]!)));
  // The writer's commits are CPU of the primary too.
  if (!written) {
    const [primary, node] = [ratio((r) => r.primaryUs), ratio((r) => r.nodeUs)];
    const { primary: mostPrimary, node: mostNode } = GOALS;
    const what = (of: string, most: number) => `CPU of ${of} a read, with / without ≤ ${most}`;
    console.log(goal(what("the primary", mostPrimary), primary.toFixed(2), primary <= mostPrimary));
    console.log(goal(what("Node", mostNode), node.toFixed(2), node <= mostNode));
  }
  const share = median(rounds[1].map((round) => round.share));
  console.log(goal(`share of reads at the replica ≥ ${GOALS.share}`, share.toFixed(2), share >= GOALS.share));
}

async function ask({ primary, replica, load, plan }: World, api: Api): Promise<Round> {
  const cpu = () =>
    [cpuOf(api.pid), cpuOf(primary.pid, { children: true }), cpuOf(replica.pid, { children: true })] as const;
  const [before, readsBefore] = [cpu(), await readsOf(api)];
  const forMs = plan.seconds * 1_000;
  load.send({
    url: api.url,
    path: "/api/v2/agent/*",
    ids: plan.agents,
    connections: CONNECTIONS,
    forMs,
  } satisfies Load);
  const [loaded] = (await once(load, "message")) as [Loaded];
  if (loaded.failures > 0) throw new Error(`${loaded.failures} answers were no 200`);
  const [nodeUs, primaryUs, replicaUs] = cpu().map((after, i) => ((after - before[i]!) / loaded.answers) * 1e6) as [
    number,
    number,
    number,
  ];
  const reads = await readsOf(api);
  const [atPrimary, atReplica] = [reads.primary - readsBefore.primary, reads.replica - readsBefore.replica];
  const { p50Ms, p99Ms } = loaded;
  const share = atReplica / Math.max(1, atPrimary + atReplica);
  return { rate: loaded.answers / loaded.seconds, nodeUs, primaryUs, replicaUs, p50Ms, p99Ms, share };
}

/** Statements by the server that answered them, as the API's metrics count them. */
async function readsOf({ opsPort }: Api): Promise<{ primary: number; replica: number }> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const counts = [...text.matchAll(/^agents_database_reads_total\{.*?server="([^"]+)".*\} (\d+)$/gm)];
  const of = (isPrimary: boolean) =>
    counts.filter(([, server]) => (server === "primary") === isPrimary).reduce((sum, [, , n]) => sum + Number(n), 0);
  return { primary: of(true), replica: of(false) };
}

/** Commits at a steady rate until it is stopped. */
function writes(pool: ReturnType<typeof openPool>, agents: number): { stop(): Promise<void> } {
  let ended = false;
  const running = (async () => {
    const began = performance.now();
    for (let done = 0; !ended; done++) {
      const ids = Array.from({ length: 5 }, () => Math.floor(Math.random() * agents));
      await pool.query("update offchain.referral_code set code = code where token_id = any($1)", [ids]);
      const early = began + (done * 1_000) / COMMITS - performance.now();
      if (early > 0) await sleep(early);
    }
  })();
  return {
    async stop() {
      ended = true;
      await running;
    },
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
