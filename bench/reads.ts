/** `npm run bench -- reads [--quick] [--keyed]`: keyed reads beside the database's own limit and a common build, /health beside bare Node, then lists and cards. */
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openPool } from "../db/sql/connect.ts";
import { type Postgres, removePostgres, startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { freePort } from "../runtime/free-port.ts";
import cards from "./cards.ts";
import { goal } from "./goal.ts";
import list from "./list.ts";
import { cpuOf, cpuOfMachine } from "./reads/cpu.ts";
import type { Load, Loaded } from "./reads/load.ts";
import { findPgbench, runPgbench } from "./reads/pgbench.ts";
import type { Read, Reads } from "./reads/pipelined.ts";
import { type Served, startApi, startNode, startReference } from "./reads/servers.ts";
import { plantProfiles } from "./reads/world.ts";

type Plan = { agents: number; rounds: number; seconds: number; warmSeconds: number };
const FULL: Plan = { agents: 200_000, rounds: 7, seconds: 6, warmSeconds: 8 };
const QUICK: Plan = { agents: 20_000, rounds: 3, seconds: 2, warmSeconds: 3 };
const CONNECTIONS = 32;
const AGENT = "/api/v2/agent/*";
const HEALTH = "/health";

/** One round of one server. CPU in microseconds a request. */
type Round = { rate: number; nodeUs: number; postgresUs: number; p50Ms: number; p99Ms: number };
type Contender = { name: string; run(seconds: number): Promise<Round> };

/** @param args `--quick` for a short look; `--keyed` leaves out lists and cards */
export default async function reads(args: string[]): Promise<void> {
  const quick = args.includes("--quick");
  await keyed(quick ? QUICK : FULL);
  if (args.includes("--keyed")) return;
  console.log("\n## lists\n");
  await list(quick ? ["--short"] : []);
  console.log("\n## cards\n");
  await cards(quick ? ["--short"] : []);
}

async function keyed(plan: Plan): Promise<void> {
  const directory = scratchDirectory("bench-reads", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg"), fast: true });
  const started: { stop(): unknown }[] = [];
  try {
    await plant(postgres.url, plan.agents);
    const chain = await startNode();
    started.push(chain);
    const dataDir = join(directory, "data");
    const api = await startApi(postgres.url, dataDir, chain.url);
    started.push(api);
    const counting = await startApi(postgres.url, dataDir, chain.url, undefined, {
      OPS_PORT: String(await freePort()),
    });
    started.push(counting);
    const [reference, bare, middlewares] = (await Promise.all(
      ["reference", "bare", "middlewares"].map(async (kind) => {
        const server = await startReference(kind, postgres.url, dataDir);
        started.push(server);
        return server;
      }),
    )) as [Served, Served, Served];
    const load = fork(join(import.meta.dirname, "reads/load.ts"));
    started.push({ stop: () => load.kill() });
    const asking = (name: string, server: Served, path: string, accept?: string): Contender => ({
      name,
      run: (seconds) => ask(load, server, postgres, { path, ids: plan.agents, ...(accept && { accept }) }, seconds),
    });

    const pgbench = findPgbench();
    if (!pgbench) console.log("pgbench is not installed: the database's own limit is not measured, only the driver's.");
    const pipelining = fork(join(import.meta.dirname, "reads/pipelined.ts"));
    started.push({ stop: () => pipelining.kill() });
    const limit = pgbench ? [byPgbench(pgbench, postgres, plan.agents)] : [];
    const driver = byDriver(pipelining, postgres, plan.agents);
    const agent = asking("GET agent, the service", api, AGENT);
    const counted = asking("GET agent, the service with metrics", counting, AGENT);
    const compressed = asking("GET agent, the service, by br", api, AGENT, "gzip, deflate, br");
    const common = asking("GET agent, ORM + stock middlewares", reference, AGENT);
    const node = asking("node:http alone", bare, HEALTH);
    const health = asking("GET /health, the service", api, HEALTH);
    const stock = asking("Hono + three stock middlewares", middlewares, HEALTH);
    console.log(
      `${plan.agents.toLocaleString("en")} agents, random ids, ${CONNECTIONS} connections; medians of ${plan.rounds} interleaved rounds of ${plan.seconds} s\n`,
    );
    const own = [
      process.pid,
      load.pid!,
      pipelining.pid!,
      ...[api, counting, reference, bare, middlewares].map(({ pid }) => pid),
    ];
    const contenders = [...limit, driver, agent, counted, compressed, common, node, health, stock];
    const { rounds, foreign } = await play(contenders, plan, own, postgres);
    table(rounds);
    const ratio = (name: string, one: Contender, other: Contender, least?: number) => {
      const { inRate, text } = ratios(rounds.get(one)!, rounds.get(other)!);
      console.log(least === undefined ? `${name}: ${text}` : goal(`${name} ≥ ${least}`, text, inRate >= least));
    };
    console.log("");
    for (const pgbench of limit) ratio("GET agent / pgbench", agent, pgbench, 0.45);
    ratio("GET agent / one pipelined statement each", agent, driver);
    ratio("GET agent with metrics / without", counted, agent);
    ratio("GET agent by br / uncompressed", compressed, agent);
    ratio("GET agent / ORM + stock middlewares", agent, common, 3);
    ratio("/health / node:http", health, node, 0.5);
    ratio("/health / Hono + stock middlewares", health, stock);
    console.log(
      `\nload ${loadavg()[0]!.toFixed(1)}; ${(foreign * 100).toFixed(0)} % of the machine went to others meanwhile${foreign > 0.15 ? ": too much for figures to be kept" : ""}`,
    );
  } finally {
    await Promise.all(started.map(({ stop }) => stop()));
    await postgres.stop();
    // The cluster may have been moved to where its own account can reach it.
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

async function plant(url: string, agents: number): Promise<void> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "list/world.ts"), url, String(agents)]);
  const pool = openPool({ connectionString: url, max: 1 });
  try {
    await plantProfiles(pool);
  } finally {
    await pool.end();
  }
}

/** What the database gives when nothing but pgbench asks it. */
const byPgbench = (program: string, postgres: Postgres, agents: number): Contender => ({
  name: "pgbench -M prepared -c 8, same SQL",
  async run(seconds) {
    const before = cpuOf(postgres.pid, { children: true });
    const rate = await runPgbench(program, postgres.url, agents, seconds);
    const postgresUs = ((cpuOf(postgres.pid, { children: true }) - before) / (rate * seconds)) * 1e6;
    return { rate, nodeUs: Number.NaN, postgresUs, p50Ms: Number.NaN, p99Ms: Number.NaN };
  },
});

/** What the driver gives without HTTP and without gathering. */
const byDriver = (child: ChildProcess, postgres: Postgres, agents: number): Contender => ({
  name: "pg driver, pipelined, one each",
  async run(seconds) {
    const cpu = () => [cpuOf(child.pid!), cpuOf(postgres.pid, { children: true })] as const;
    const before = cpu();
    child.send({ url: postgres.url, ids: agents, inFlight: CONNECTIONS, forMs: seconds * 1000 } satisfies Reads);
    const [read] = (await once(child, "message")) as [Read];
    const [nodeUs, postgresUs] = cpu().map((after, i) => ((after - before[i]!) / read.reads) * 1e6) as [number, number];
    return { rate: read.reads / read.seconds, nodeUs, postgresUs, p50Ms: Number.NaN, p99Ms: Number.NaN };
  },
});

async function ask(
  load: ChildProcess,
  server: Served,
  postgres: Postgres,
  what: Pick<Load, "path" | "accept" | "ids">,
  seconds: number,
): Promise<Round> {
  const cpu = () => [cpuOf(server.pid), cpuOf(postgres.pid, { children: true })] as const;
  const before = cpu();
  load.send({ url: server.url, connections: CONNECTIONS, forMs: seconds * 1000, ...what } satisfies Load);
  const [loaded] = (await once(load, "message")) as [Loaded];
  if (loaded.failures > 0) throw new Error(`${loaded.failures} answers of ${server.url}${what.path} were no 200`);
  const [nodeUs, postgresUs] = cpu().map((after, i) => ((after - before[i]!) / loaded.answers) * 1e6) as [
    number,
    number,
  ];
  return { rate: loaded.answers / loaded.seconds, nodeUs, postgresUs, p50Ms: loaded.p50Ms, p99Ms: loaded.p99Ms };
}

type Played = { rounds: Map<Contender, Round[]>; foreign: number };

/** Everybody in turn, round after round; `foreign` is the share of the machine that went to processes of others. */
async function play(all: Contender[], plan: Plan, own: number[], postgres: Postgres): Promise<Played> {
  for (const { run } of all) await run(plan.warmSeconds);
  const rounds = new Map<Contender, Round[]>(all.map((contender) => [contender, []]));
  const others = () =>
    cpuOfMachine() - own.reduce((sum, pid) => sum + cpuOf(pid), cpuOf(postgres.pid, { children: true }));
  const began = performance.now();
  let spent = -others();
  for (let round = 0; round < plan.rounds; round++)
    for (const contender of all) {
      const before = others();
      const result = await contender.run(plan.seconds);
      rounds.get(contender)!.push(result);
      // pgbench's own work ends with its process, and nobody can tell it from that of others.
      if (Number.isNaN(result.nodeUs)) spent -= others() - before;
    }
  spent += others();
  const capacity = ((performance.now() - began) / 1000) * cpus().length;
  return { rounds, foreign: Math.max(0, spent / capacity) };
}

function table(rounds: Played["rounds"]): void {
  console.log("                                     answers/s   CPU µs in Node   in Postgres      p50 ms   p99 ms");
  for (const [{ name }, own] of rounds) {
    const of = (pick: (round: Round) => number, digits = 0) => {
      const value = median(own.map(pick));
      return Number.isNaN(value) ? "–" : value.toFixed(digits);
    };
    console.log(
      `${name.padEnd(36)} ${of((r) => r.rate).padStart(9)} ${of((r) => r.nodeUs).padStart(16)} ${of((r) => r.postgresUs).padStart(13)} ` +
        `${of((r) => r.p50Ms, 1).padStart(11)} ${of((r) => r.p99Ms, 1).padStart(8)}`,
    );
  }
}

/** The median of the ratios round by round: neighbours in time share the machine's mood. */
function ratios(one: Round[], other: Round[]): { inRate: number; text: string } {
  const inRate = median(one.map(({ rate }, i) => rate / other[i]!.rate));
  const inCpu = median(one.map(({ nodeUs }, i) => other[i]!.nodeUs / nodeUs));
  const text = `${inRate.toFixed(2)} ×${Number.isNaN(inCpu) ? "" : `, ${inCpu.toFixed(2)} × by CPU in Node`}`;
  return { inRate, text };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
