/** `npm run bench -- estimate [--short]`: what `npm run backfill -- --estimate` says, beside what the backfill then takes. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openRpcPool } from "../clients/rpc/pool.ts";
import { loadConfig } from "../config/config.ts";
import { ensureDatabase, removePostgres, startPostgres } from "../devnet/postgres.ts";
import { CHILD_ENV } from "../harness/child-env.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { estimateBackfill } from "../indexer/estimate/estimate.ts";
import { entryOf } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { indexedContracts, selectionOf } from "../scripts/backfill/arguments.ts";
import { CHAIN_ID, EVENTS_PER_BLOCK } from "./synthetic/blocks.ts";
import { syntheticEnvironment } from "./synthetic/environment.ts";

/** Blocks that are final when the backfill starts: Ponder takes all but the last 30 as final. */
const UNFINAL = 30;
type Run = { blocks: number; lanes: number };
const FULL: Run[] = [
  { blocks: 900, lanes: 64 },
  { blocks: 900, lanes: 8 },
  { blocks: 3_000, lanes: 64 },
];

/** @param args `--short` makes the first run only */
export default async function estimate(args: string[]): Promise<void> {
  const directory = scratchDirectory("bench-estimate", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg") });
  try {
    console.log("events  lanes   requests said   made  made/said   seconds said  taken  taken/said");
    for (const [n, run] of (args.includes("--short") ? FULL.slice(0, 1) : FULL).entries())
      await compare(await ensureDatabase(postgres.url, `estimate_${n}`), run);
  } finally {
    await postgres.stop();
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compare(databaseUrl: string, { blocks, lanes }: Run): Promise<void> {
  const node = fork(join(PROJECT_ROOT, "bench/synthetic/server.ts"), [String(blocks + UNFINAL)]);
  try {
    const [port] = await once(node, "message");
    const rpcUrl = `http://127.0.0.1:${port}`;
    const env = {
      ...CHILD_ENV,
      ...syntheticEnvironment({ databaseUrl, rpcUrl, lanes }),
    };
    const config = loadConfig(env, { followStack: false });
    const all = { contract: undefined, from: undefined, to: undefined };
    const { contracts, to } = selectionOf(all, indexedContracts(config), blocks);
    const nodes = openRpcPool({ chainId: CHAIN_ID, nodes: config.chain.nodes });
    const said = await estimateBackfill(config, { contracts, to, cached: new Map(), nodes });
    nodes.close();
    await counted(rpcUrl);
    const started = performance.now();
    const child = spawn(process.execPath, [entryOf("backfill")], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    if (code !== 0) throw new Error(`the backfill ended with ${code}`);
    const seconds = (performance.now() - started) / 1000;
    const { HTTP: _, ...made } = await counted(rpcUrl);
    row(blocks * EVENTS_PER_BLOCK, lanes, [sum(said.requests), sum(made)], [said.seconds, seconds]);
  } finally {
    node.disconnect();
  }
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);

/** Requests by method since the last call. */
async function counted(rpcUrl: string): Promise<Record<string, number>> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "synthetic_counts", params: [] });
  return ((await (await fetch(rpcUrl, { method: "POST", body })).json()) as { result: Record<string, number> }).result;
}

type Pair = readonly [said: number, taken: number];

function row(events: number, lanes: number, requests: Pair, seconds: Pair): void {
  const cell = (value: number, width: number, digits = 0) => value.toFixed(digits).padStart(width);
  console.log(
    `${cell(events, 6)} ${cell(lanes, 6)} ${cell(requests[0], 15)} ${cell(requests[1], 6)} ${cell(requests[1] / requests[0], 10, 2)}` +
      ` ${cell(seconds[0], 14, 1)} ${cell(seconds[1], 6, 1)} ${cell(seconds[1] / seconds[0], 11, 2)}`,
  );
}
