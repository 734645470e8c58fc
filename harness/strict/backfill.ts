/** A backfill from the synthetic node through a profile, its rows compared with the story. */
import { keepsState, type ProfileName } from "../strict-node/profiles.ts";
import { type StrictCounts, startStrictNode } from "../strict-node/strict-node.ts";
import { checkRows, startIndexer, startSyntheticNode, UNFINAL } from "../synthetic/indexer.ts";

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
  const synthetic = await startSyntheticNode(head, spread);
  const node = await startStrictNode({ upstream: synthetic.url, profile });
  const env = { RPC_ARCHIVE: String(keepsState(profile)) };
  const indexer = startIndexer({ databaseUrl, rpcUrl: node.url, lanes: LANES, env });
  try {
    await indexer.said("serving", timeoutMs);
    await checkRows(databaseUrl, Math.floor(head / spread));
    return node.counts();
  } catch (error) {
    throw Object.assign(error as Error, { counts: node.counts() });
  } finally {
    await indexer.stop();
    node.close();
    await synthetic.stop();
  }
}
