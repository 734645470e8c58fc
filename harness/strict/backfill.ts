/** A backfill from the synthetic node through a profile, its rows compared with the story. */
import { fork } from "node:child_process";
import { join } from "node:path";
import { checkRows, startIndexer, stop } from "../../bench/index.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { keepsState, type ProfileName } from "../strict-node/profiles.ts";
import { type StrictCounts, startStrictNode } from "../strict-node/strict-node.ts";

/** The last blocks, which the indexer follows as new ones. */
const UNFINAL = 30;
/** Of an operator who sets nothing. */
const LANES = 8;

export type BackfillOptions = {
  profile: ProfileName;
  /** An empty database. */
  databaseUrl: string;
  /** Blocks with 10 events each. */
  stories: number;
  /** Every nth block has a story. */
  spread: number;
  timeoutMs: number;
};

/** @throws Error when it does not end in time, or a row is wrong */
export async function strictBackfill(options: BackfillOptions): Promise<StrictCounts> {
  const { profile, databaseUrl, stories, spread, timeoutMs } = options;
  const head = stories * spread + UNFINAL;
  const synthetic = fork(join(PROJECT_ROOT, "bench/synthetic/server.ts"), [String(head), String(spread)]);
  const port = await new Promise((resolve, reject) => {
    synthetic.once("message", resolve);
    synthetic.once("exit", () => reject(new Error("the synthetic node did not start")));
  });
  const node = await startStrictNode({ upstream: `http://127.0.0.1:${port}`, profile });
  const env = { RPC_ARCHIVE: String(keepsState(profile)) };
  const indexer = startIndexer({ databaseUrl, rpcUrl: node.url, lanes: LANES, env });
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no index after ${timeoutMs / 1000} s`)), timeoutMs);
    });
    await Promise.race([indexer.said("serving"), late]);
    await checkRows(databaseUrl, Math.floor(head / spread));
    return node.counts();
  } catch (error) {
    throw Object.assign(error as Error, { counts: node.counts() });
  } finally {
    clearTimeout(timer);
    await stop(indexer.child);
    node.close();
    synthetic.disconnect();
  }
}
