/** `npm run bench -- estimate [--short]`: what `npm run backfill -- --estimate` says, beside what the backfill then takes. */
import { openRpcPool } from "../clients/rpc/pool.ts";
import { loadConfig } from "../config/config.ts";
import { ensureDatabase } from "../devnet/postgres.ts";
import { CHILD_ENV } from "../harness/child-env.ts";
import { printTable, sum } from "../harness/figures.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { startProcess } from "../harness/service-process.ts";
import { CHAIN_ID, EVENTS_PER_BLOCK } from "../harness/synthetic/blocks.ts";
import { startSyntheticNode, syntheticEnvironment, UNFINAL } from "../harness/synthetic/indexer.ts";
import { estimateBackfill } from "../indexer/estimate/estimate.ts";

type Run = { blocks: number; lanes: number };
const FULL: Run[] = [
  { blocks: 900, lanes: 64 },
  { blocks: 900, lanes: 8 },
  { blocks: 3_000, lanes: 64 },
];

/** @param args `--short` makes the first run only */
export default async function estimate(args: string[]): Promise<void> {
  const columns = [
    "lanes",
    "requests said",
    "made",
    ["made/said", 2],
    ["seconds said", 1],
    ["taken", 1],
    ["taken/said", 2],
  ] as const;
  const row = printTable("events", columns, 8);
  await withPostgres("bench-estimate", {}, async ({ postgres }) => {
    for (const [n, run] of (args.includes("--short") ? FULL.slice(0, 1) : FULL).entries()) {
      const { requests, seconds } = await compare(await ensureDatabase(postgres.url, `estimate_${n}`), run);
      const pairs = [requests, seconds].flatMap(([said, taken]) => [said, taken, taken / said]);
      row(String(run.blocks * EVENTS_PER_BLOCK), run.lanes, ...pairs);
    }
  });
}

type Pair = readonly [said: number, taken: number];

async function compare(databaseUrl: string, { blocks, lanes }: Run): Promise<{ requests: Pair; seconds: Pair }> {
  const node = await startSyntheticNode(blocks + UNFINAL);
  try {
    const env = { ...CHILD_ENV, ...syntheticEnvironment({ databaseUrl, rpcUrl: node.url, lanes }) };
    const config = loadConfig(env, { followStack: false });
    const contracts = Object.entries(config.indexed).map(([name, one]) => ({ name, ...one, from: one.startBlock }));
    const nodes = openRpcPool({ chainId: CHAIN_ID, nodes: config.chain.nodes });
    const said = await estimateBackfill(config, { contracts, to: blocks, cached: new Map(), nodes });
    nodes.close();
    await node.requests();
    const started = performance.now();
    const backfill = startProcess("backfill", env);
    const code = await backfill.ended;
    if (code !== 0) throw new Error(`the backfill ended with ${code}:\n${backfill.output()}`);
    const taken = (performance.now() - started) / 1000;
    const { HTTP: _, ...made } = await node.requests();
    const all = (counts: Record<string, number>) => sum(Object.values(counts));
    return { requests: [all(said.requests), all(made)], seconds: [said.seconds, taken] };
  } finally {
    await node.stop();
  }
}
