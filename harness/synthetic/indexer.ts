/** The indexer as it runs in production, on the synthetic chain; and the node of that chain. */
import { join } from "node:path";
import { CONTRACT_NAMES, hasHistory } from "../../config/contracts.ts";
import { withClient } from "../../devnet/with-client.ts";
import { commandOf } from "../../runtime/processes.ts";
import { startChild } from "../child.ts";
import { startProcess } from "../service-process.ts";
import { until } from "../until.ts";
import { CHAIN_ID, IDENTITY, storyOf } from "./blocks.ts";

/** Blocks at the end of the chain that are not final: Ponder takes all before them as final. */
export const UNFINAL = 30;
const MAX_WAIT_MS = 1_800_000;

/** Requests by method; `HTTP` are the messages that carried them. */
export type Requests = Record<string, number>;

/** The node (server.ts) as a process of its own. @param spread every nth block has a story */
export async function startSyntheticNode(head: number, spread = 1) {
  const node = startChild(join(import.meta.dirname, "server.ts"), [head, spread]);
  const url = `http://127.0.0.1:${await node.hears<number>()}`;
  /** Calls a method that is not a part of JSON-RPC nodes. */
  const control = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return ((await (await fetch(url, { method: "POST", body })).json()) as { result: unknown }).result;
  };
  return {
    url,
    /** What it was asked since the last call. */
    requests: async () => (await control("synthetic_counts")) as Requests,
    setHead: (block: number) => control("synthetic_setHead", block),
    stop: () => node.stop(),
  };
}

export type Run = {
  databaseUrl: string;
  rpcUrl: string;
  lanes: number;
  endBlock?: number;
  pollMs?: number;
  env?: Record<string, string>;
  /** Its command line. */
  words?: string[];
};

/** Environment of a process that indexes the synthetic chain. */
export const syntheticEnvironment = ({
  databaseUrl,
  rpcUrl,
  lanes,
}: Pick<Run, "databaseUrl" | "rpcUrl" | "lanes">) => ({
  DATABASE_URL: databaseUrl,
  RPC_URL: rpcUrl,
  CHAIN_ID: String(CHAIN_ID),
  RPC_LANES: String(lanes),
  CONTRACTS: `identity=${IDENTITY},${CONTRACT_NAMES.filter(hasHistory).map((name) => `${name}=@0`)}`,
});

/** Starts it. `said` resolves with the time of a line of its log, whether it has come or will. */
export function startIndexer(run: Run) {
  const heard = new Map<string, number>();
  const env = {
    ...{ ...syntheticEnvironment(run), POLL_INTERVAL_MS: String(run.pollMs ?? 1000), LOG_LEVEL: "info" },
    ...(run.endBlock !== undefined && { BACKFILL_END_BLOCK: String(run.endBlock) }),
    ...run.env,
  };
  const indexer = startProcess("indexer", env, {
    command: [...commandOf("indexer"), ...(run.words ?? [])],
    onLog({ msg, time, level, error }) {
      if (level >= 50) console.error(`indexer: ${msg}${error ? `: ${String(error).slice(0, 300)}` : ""}`);
      const key = msg.startsWith("serving ") ? "serving" : msg;
      if (!heard.has(key)) heard.set(key, time);
    },
  });
  async function said(message: string, timeoutMs = MAX_WAIT_MS): Promise<number> {
    const come = () => heard.get(message) ?? indexer.hasEnded();
    const at = await until(`the indexer says "${message}"`, come, { timeoutMs, everyMs: 5 });
    if (typeof at === "number") return at;
    throw new Error(`the indexer ended (${await indexer.ended}) before "${message}"`);
  }
  return { said, ended: indexer.ended, stop: () => indexer.stop() };
}

/** A fast index with rows missing is worth nothing: counts and sums must be those of the story. @throws when they are not */
export async function checkRows(databaseUrl: string, blocks: number): Promise<void> {
  const expected = { agents: blocks, traits: blocks, mutations: blocks, points: blocks * (100 + 10 + 5 + 75) };
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`
      select count(*)::int as agents, sum(trait_count)::int as traits, sum(mutation_count)::int as mutations,
             sum(points)::int as points from onchain.agent`);
    const last = await client.query("select owner from onchain.agent where token_id = $1", [storyOf(blocks).moved]);
    if (JSON.stringify(rows[0]) !== JSON.stringify(expected) || last.rows[0].owner !== storyOf(blocks).nextOwner)
      throw new Error(`the index is wrong: ${JSON.stringify(rows[0])} instead of ${JSON.stringify(expected)}`);
  });
}
