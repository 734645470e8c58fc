/** `npm run bench -- index`: how fast the chain becomes rows, compared with the same logs decoded and copied by hand. */
import { join } from "node:path";
import { decodeEventLog, numberToHex } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { createReceiptSigner } from "../clients/signer.ts";
import { copyIn } from "../columns/copy-rows.ts";
import { checkpointId } from "../core/snapshots/checkpoint.ts";
import { trackIndexedBlock } from "../db/operations/index-state.ts";
import { ensureDatabase } from "../devnet/postgres.ts";
import { withClient } from "../devnet/with-client.ts";
import { atLeast, printTable, quantile } from "../harness/figures.ts";
import { type ScratchPostgres, withPostgres } from "../harness/scratch-postgres.ts";
import { EVENTS_PER_BLOCK, logsOf } from "../harness/synthetic/blocks.ts";
import {
  checkRows,
  type Requests,
  type Run,
  startIndexer,
  startSyntheticNode,
  UNFINAL,
} from "../harness/synthetic/indexer.ts";

/** Sizes of one run; a lane answers 20 requests a second at first, which decides how long one lane takes. */
type Plan = { oneLaneBlocks: number; lanes: number; blocks: number; liveBlocks: number; polls: [number, ...number[]] };
const FULL: Plan = { oneLaneBlocks: 60, lanes: 64, blocks: 3_000, liveBlocks: 40, polls: [200, 1000] };
const SHORT: Plan = { oneLaneBlocks: 10, lanes: 64, blocks: 200, liveBlocks: 10, polls: [200] };

type Node = Awaited<ReturnType<typeof startSyntheticNode>>;

/** @param args `--short` for a quick look (half a minute), `--checkpoint` for how much sooner an index with one serves */
export default async function index(args: string[]): Promise<void> {
  const run = args.includes("--checkpoint") ? checkpoints : measure;
  await withPostgres("bench-index", {}, (at) => run(at, args.includes("--short") ? SHORT : FULL));
}

async function measure({ postgres, later }: ScratchPostgres, plan: Plan): Promise<void> {
  const head = plan.blocks + UNFINAL;
  const node = await startSyntheticNode(head);
  later(() => node.stop());
  console.log(`synthetic chain, ${EVENTS_PER_BLOCK} identity events a block, a node without delay\n`);
  const print = printTable("", ["events", ["seconds", 1], "events/s"], 26);
  const row = (name: string, { events, seconds, rate }: Measure) => print(name, events, seconds, rate);
  const database = (name: string) => ensureDatabase(postgres.url, name);

  const floor = await decodeAndCopy(await database("floor"), plan.blocks);
  row("viem decode + COPY", floor);
  const one = await oneLane({ databaseUrl: await database("one"), rpcUrl: node.url }, plan.oneLaneBlocks);
  row("backfill, 1 lane", one);
  const [firstPoll, ...otherPolls] = plan.polls;
  const run = { databaseUrl: await database("many"), rpcUrl: node.url, lanes: plan.lanes, blocks: plan.blocks, head };
  const many = await backfill(run, node);
  row(`backfill, ${plan.lanes} lanes`, many.measured);
  await many.stop();
  await nextGeneration(run.databaseUrl);
  const cached = await backfill({ ...run, pollMs: firstPoll }, node);
  row("re-index from cache", cached.measured);
  const times = { unit: " ×", digits: 2 };
  console.log(`\n${atLeast(`${plan.lanes} lanes / 1 lane`, many.measured.rate / one.rate, 10, times)}`);
  console.log(atLeast("backfill / viem decode + COPY", many.measured.rate / floor.rate, 0.4, times));
  console.log(atLeast("re-index / viem decode + COPY", cached.measured.rate / floor.rate, 0.7, times));
  console.log("\nrequests per 1,000 events");
  printRequests(`backfill, ${plan.lanes} lanes`, many);
  printRequests("re-index from cache", cached);
  console.log();

  const live = { databaseUrl: run.databaseUrl, node, rounds: plan.liveBlocks };
  const tell = printTable("block → row (ms)", ["p50", "p95", "max"], 26);
  let at = await latency({ ...live, from: head, pollMs: firstPoll, tell });
  await cached.stop();
  for (const pollMs of otherPolls) {
    const again = startIndexer({ ...run, pollMs });
    await again.said("serving");
    at = await latency({ ...live, from: at, pollMs, tell });
    await again.stop();
  }
}

type Measure = { events: number; seconds: number; rate: number };
const measureOf = (events: number, ms: number): Measure => ({ events, seconds: ms / 1000, rate: (events * 1000) / ms });

/** The floor: every log decoded with viem and copied into one table, nothing else. */
async function decodeAndCopy(databaseUrl: string, blocks: number): Promise<Measure> {
  const logs = Array.from({ length: blocks }, (_, i) => logsOf(i + 1)).flat();
  return withClient(databaseUrl, async (client) => {
    await client.query("create table event (id bigint primary key, name text, args jsonb, block bigint)");
    const started = performance.now();
    const lines = logs.map(({ topics, data, blockNumber }, i) => {
      const { eventName, args } = decodeEventLog({ abi: identityAbi, topics: topics as [`0x${string}`], data });
      const json = JSON.stringify(args, (_, value) => (typeof value === "bigint" ? value.toString() : value));
      return `${i}\t${eventName}\t${json}\t${Number(blockNumber)}\n`;
    });
    await copyIn(client, "copy event from stdin", [Buffer.from(lines.join(""))]);
    return measureOf(logs.length, performance.now() - started);
  });
}

/** From the start of a process until it serves: a backfill, and an index that begins with a checkpoint of it. */
async function checkpoints({ postgres, directory, later }: ScratchPostgres, { blocks, lanes }: Plan): Promise<void> {
  // Both begin with starts of Ponder: a longer history outweighs them.
  const last = blocks * 40;
  const node = await startSyntheticNode(last + UNFINAL);
  later(() => node.stop());
  const print = printTable("start → served", [["seconds", 1]], 26);
  async function begin(name: string, words: string[]) {
    const run = { databaseUrl: await ensureDatabase(postgres.url, name), rpcUrl: node.url, lanes, words };
    const started = Date.now();
    const indexer = startIndexer(run);
    const seconds = ((await indexer.said("serving")) - started) / 1000;
    await checkRows(run.databaseUrl, last + UNFINAL);
    print(name, seconds);
    return { ...indexer, run, seconds };
  }
  const whole = await begin("backfill", []);
  const key = numberToHex(5, { size: 32 });
  const making = { ...whole.run, env: { RECEIPT_SIGNER_PRIVATE_KEY: key }, words: ["--make-checkpoint", directory] };
  await startIndexer(making).ended;
  await whole.stop();
  const signer = createReceiptSigner(key).address;
  const begun = await begin("checkpoint", ["--checkpoint", join(directory, checkpointId(last)), "--signer", signer]);
  await begun.stop();
  const times = whole.seconds / begun.seconds;
  console.log(atLeast(`of ${last * EVENTS_PER_BLOCK} events`, times, 10, { unit: " ×", digits: 1 }));
}

/** Prints the requests that the node got, by method. */
function printRequests(name: string, { measured, requests }: { measured: Measure; requests: Requests }): void {
  const per1000 = Object.entries(requests)
    .toSorted(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method} ${((count * 1000) / measured.events).toFixed(1)}`);
  console.log(`${name.padEnd(26)} ${per1000.join(", ")}`);
}

/** One lane as far as `endBlock`: timed by Ponder's own first and last word on it. */
async function oneLane(run: Omit<Run, "lanes">, endBlock: number): Promise<Measure> {
  const { said, stop } = startIndexer({ ...run, lanes: 1, endBlock });
  try {
    return await timed(said, endBlock);
  } finally {
    await stop();
  }
}

/** A backfill of everything final, its rows checked as soon as they are served; the indexer goes on following the head. */
async function backfill(run: Run & { blocks: number; head: number }, node: Node) {
  await node.requests();
  const { said, stop } = startIndexer(run);
  try {
    const measured = await timed(said, run.blocks);
    const requests = await node.requests();
    await said("serving");
    await checkRows(run.databaseUrl, run.head);
    return { measured, requests, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function timed(said: (message: string) => Promise<number>, blocks: number): Promise<Measure> {
  const started = await said("Started backfill indexing");
  const finished = await said("Completed backfill indexing across all chains");
  return measureOf(blocks * EVENTS_PER_BLOCK, finished - started);
}

/** Makes the next start build a fresh index out of what is cached. */
const nextGeneration = (databaseUrl: string) =>
  withClient(databaseUrl, (client) => client.query("update onchain.index_state set generation = generation + 1"));

type Live = {
  databaseUrl: string;
  node: Node;
  pollMs: number;
  rounds: number;
  from: number;
  tell: ReturnType<typeof printTable>;
};

/** Prints the time from a new head at the node to the block's rows in the views. @returns the last head */
async function latency({ databaseUrl, node, pollMs, rounds, from, tell }: Live): Promise<number> {
  const tracker = await trackIndexedBlock(databaseUrl, { pollMs: 1_000 });
  const times: number[] = [];
  for (let head = from + 1; head <= from + rounds; head++) {
    // Blocks come at no fixed phase of the poll.
    await new Promise((done) => setTimeout(done, Math.random() * pollMs));
    await node.setHead(head);
    const mined = performance.now();
    if (!(await tracker.waitFor(head, 30_000))) throw new Error(`block ${head} was not indexed within 30 s`);
    times.push(performance.now() - mined);
  }
  await tracker.close();
  await checkRows(databaseUrl, from + rounds);
  tell(`poll ${pollMs} ms`, ...[0.5, 0.95, 1].map((q) => quantile(times, q)));
  return from + rounds;
}
