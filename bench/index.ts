/** `npm run bench -- index`: how fast the chain becomes rows, beside the same logs decoded and copied by hand. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { decodeEventLog } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { trackIndexedBlock } from "../db/operations/index-state.ts";
import { openClient } from "../db/sql/connect.ts";
import { ensureDatabase, removePostgres, startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { entryOf } from "../runtime/processes.ts";
import { EVENTS_PER_BLOCK, logsOf, storyOf } from "./synthetic/blocks.ts";
import { copyIn } from "./synthetic/copy-in.ts";
import { syntheticEnvironment } from "./synthetic/environment.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Sizes of one run; a lane answers 20 requests a second at first, which decides how long one lane takes. */
type Plan = { oneLaneBlocks: number; lanes: number; blocks: number; liveBlocks: number; polls: number[] };
const FULL: Plan = { oneLaneBlocks: 60, lanes: 64, blocks: 3_000, liveBlocks: 40, polls: [200, 1000] };
const SHORT: Plan = { oneLaneBlocks: 10, lanes: 64, blocks: 200, liveBlocks: 10, polls: [200] };

/** @param args `--short` for a quick look (half a minute) */
export default async function index(args: string[]): Promise<void> {
  const plan = args.includes("--short") ? SHORT : FULL;
  const directory = scratchDirectory("bench-index", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg") });
  // Ponder takes all but the last 30 blocks as final: the backfill ends at `plan.blocks`.
  const head = plan.blocks + 30;
  const node = fork(join(ROOT, "bench/synthetic/server.ts"), [String(head)], { stdio: "inherit" });
  try {
    const rpcUrl = await new Promise<string>((resolve, reject) => {
      node.once("message", (port) => resolve(`http://127.0.0.1:${port}`));
      node.once("exit", () => reject(new Error("the synthetic node did not start")));
    });
    console.log(`synthetic chain, ${EVENTS_PER_BLOCK} identity events a block, a node without delay\n`);
    console.log("                              events   seconds  events/s");
    const database = (name: string) => ensureDatabase(postgres.url, name);

    const floor = await decodeAndCopy(await database("floor"), plan.blocks);
    row("viem decode + COPY", floor);
    const one = await oneLane({ databaseUrl: await database("one"), rpcUrl }, plan.oneLaneBlocks);
    row("backfill, 1 lane", one);
    const run = { databaseUrl: await database("many"), rpcUrl, lanes: plan.lanes, blocks: plan.blocks, head };
    const many = await backfill(run);
    row(`backfill, ${plan.lanes} lanes`, many.measured);
    await many.stop();
    await nextGeneration(run.databaseUrl);
    const [firstPoll, ...otherPolls] = plan.polls as [number, ...number[]];
    const cached = await backfill({ ...run, pollMs: firstPoll });
    row("re-index from cache", cached.measured);
    console.log(
      `\n${plan.lanes} lanes / 1 lane = ${(many.measured.rate / one.rate).toFixed(1)}, ` +
        `re-index / viem decode + COPY = ${(cached.measured.rate / floor.rate).toFixed(2)}\n`,
    );
    console.log("requests per 1,000 events");
    printRequests(`backfill, ${plan.lanes} lanes`, many);
    printRequests("re-index from cache", cached);
    console.log();

    console.log("block → row (ms)                p50       p95       max");
    const live = { databaseUrl: run.databaseUrl, rpcUrl, rounds: plan.liveBlocks, from: head };
    let at = await latency({ ...live, pollMs: firstPoll });
    await cached.stop();
    for (const pollMs of otherPolls) {
      const again = startIndexer({ ...run, pollMs });
      await again.said("serving");
      at = await latency({ ...live, from: at, pollMs });
      await stop(again.child);
    }
  } finally {
    node.disconnect();
    await postgres.stop();
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

type Measure = { events: number; seconds: number; rate: number };
const measure = (events: number, ms: number): Measure => ({ events, seconds: ms / 1000, rate: (events * 1000) / ms });

function row(name: string, { events, seconds, rate }: Measure): void {
  const cells = [String(events), seconds.toFixed(1), rate.toFixed(0)].map((cell) => cell.padStart(9));
  console.log(`${name.padEnd(26)} ${cells.join(" ")}`);
}

/** The floor: every log decoded with viem and copied into one table, nothing else. */
async function decodeAndCopy(databaseUrl: string, blocks: number): Promise<Measure> {
  const client = openClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query("create table event (id bigint primary key, name text, args jsonb, block bigint)");
  const logs = Array.from({ length: blocks }, (_, i) => logsOf(i + 1)).flat();
  const started = performance.now();
  const lines: string[] = [];
  for (const [i, log] of logs.entries()) {
    const { eventName, args } = decodeEventLog({
      abi: identityAbi,
      topics: log.topics as [`0x${string}`],
      data: log.data,
    });
    const json = JSON.stringify(args, (_, value) => (typeof value === "bigint" ? value.toString() : value));
    lines.push(`${i}\t${eventName}\t${json}\t${Number(log.blockNumber)}\n`);
  }
  await copyIn(client, "copy event from stdin", lines.join(""));
  const taken = performance.now() - started;
  await client.end();
  return measure(logs.length, taken);
}

/** Requests by method. */
type Requests = Record<string, number>;
export type Run = {
  databaseUrl: string;
  rpcUrl: string;
  lanes: number;
  endBlock?: number;
  pollMs?: number;
  env?: Record<string, string>;
};

/** Prints the requests that the node got, by method; `HTTP` are the messages that carried them. */
function printRequests(name: string, { measured, requests }: { measured: Measure; requests: Requests }): void {
  const per1000 = Object.entries(requests)
    .toSorted(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method} ${((count * 1000) / measured.events).toFixed(1)}`);
  console.log(`${name.padEnd(26)} ${per1000.join(", ")}`);
}

/** Starts the indexer as it runs in production. @returns the process and a way to wait for a line of its log */
export function startIndexer(run: Run) {
  const child = spawn(process.execPath, [entryOf("indexer")], {
    cwd: ROOT,
    env: {
      PATH: "/usr/bin:/bin",
      ...syntheticEnvironment(run),
      POLL_INTERVAL_MS: String(run.pollMs ?? 1000),
      ...(run.endBlock !== undefined && { BACKFILL_END_BLOCK: String(run.endBlock) }),
      LOG_LEVEL: "info",
      ...run.env,
    },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const heard = new Map<string, number>();
  const waiting = new Map<string, (at: number) => void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const { msg, time, level, error } = JSON.parse(line) as {
      msg: string;
      time: number;
      level: number;
      error?: string;
    };
    if (level >= 50) console.error(`indexer: ${msg}${error ? `: ${error.slice(0, 300)}` : ""}`);
    const key = msg.startsWith("serving ") ? "serving" : msg;
    if (heard.has(key)) return;
    heard.set(key, time);
    waiting.get(key)?.(time);
  });
  const said = (message: string) =>
    new Promise<number>((resolve, reject) => {
      const at = heard.get(message);
      if (at !== undefined) return resolve(at);
      waiting.set(message, resolve);
      child.once("exit", (code) => reject(new Error(`the indexer ended (${code}) before "${message}"`)));
    });
  return { child, said };
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** One lane as far as `endBlock`: timed by Ponder's own first and last word on it. */
async function oneLane(run: Omit<Run, "lanes">, endBlock: number): Promise<Measure> {
  const { child, said } = startIndexer({ ...run, lanes: 1, endBlock });
  try {
    return await timed(said, endBlock);
  } finally {
    await stop(child);
  }
}

/** A backfill of everything final, its rows checked as soon as they are served; the indexer goes on following the head. */
async function backfill(run: Run & { blocks: number; head: number }) {
  await control(run.rpcUrl, "synthetic_counts");
  const { child, said } = startIndexer(run);
  try {
    const measured = await timed(said, run.blocks);
    const requests = (await control(run.rpcUrl, "synthetic_counts")) as Requests;
    await said("serving");
    await checkRows(run.databaseUrl, run.head);
    return { measured, requests, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function timed(said: (message: string) => Promise<number>, blocks: number): Promise<Measure> {
  const started = await said("Started backfill indexing");
  const finished = await said("Completed backfill indexing across all chains");
  return measure(blocks * EVENTS_PER_BLOCK, finished - started);
}

/** A fast index with rows missing is worth nothing: counts and sums must be those of the story. */
export async function checkRows(databaseUrl: string, blocks: number): Promise<void> {
  const expected = { agents: blocks, traits: blocks, mutations: blocks, points: blocks * (100 + 10 + 5 + 75) };
  const client = openClient({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(`
    select count(*)::int as agents, sum(trait_count)::int as traits, sum(mutation_count)::int as mutations,
           sum(points)::int as points from onchain.agent`);
  const last = await client.query("select owner from onchain.agent where token_id = $1", [storyOf(blocks).moved]);
  await client.end();
  if (JSON.stringify(rows[0]) !== JSON.stringify(expected) || last.rows[0].owner !== storyOf(blocks).nextOwner)
    throw new Error(`the index is wrong: ${JSON.stringify(rows[0])} instead of ${JSON.stringify(expected)}`);
}

/** Makes the next start build a fresh index out of what is cached. */
async function nextGeneration(databaseUrl: string): Promise<void> {
  const client = openClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query("update onchain.index_state set generation = generation + 1");
  await client.end();
}

/** Prints the time from a new head at the node to the block's rows in the views. @returns the last head */
async function latency(options: { databaseUrl: string; rpcUrl: string; pollMs: number; rounds: number; from: number }) {
  const { databaseUrl, rpcUrl, pollMs, rounds, from } = options;
  const tracker = await trackIndexedBlock(databaseUrl, { pollMs: 1_000 });
  const times: number[] = [];
  for (let head = from + 1; head <= from + rounds; head++) {
    // Blocks come at no fixed phase of the poll.
    await new Promise((done) => setTimeout(done, Math.random() * pollMs));
    await setHead(rpcUrl, head);
    const mined = performance.now();
    if (!(await tracker.waitFor(head, 30_000))) throw new Error(`block ${head} was not indexed within 30 s`);
    times.push(performance.now() - mined);
  }
  await tracker.close();
  await checkRows(databaseUrl, from + rounds);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q: number) => sorted[Math.min(rounds - 1, Math.floor(q * rounds))]!;
  const cells = [at(0.5), at(0.95), sorted.at(-1)!].map((ms) => ms.toFixed(0).padStart(9));
  console.log(`${`poll ${pollMs} ms`.padEnd(25)} ${cells.join(" ")}`);
  return from + rounds;
}

const setHead = (rpcUrl: string, head: number) => control(rpcUrl, "synthetic_setHead", head);

/** Calls a method of the synthetic node that is not a part of JSON-RPC nodes. */
async function control(rpcUrl: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}
