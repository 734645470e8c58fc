/** `npm run backfill -- --contract … --from … --to …`: fills the cache with a part of the history, without an index. */
import type { Logger } from "pino";
import { type Config, childEnvironment } from "../../config/config.ts";
import { FINALITY_BLOCKS } from "../../indexer/block-hashes.ts";
import { fetchPart } from "../../indexer/fetch-part.ts";
import { type Nodes, openNodes } from "../../indexer/node.ts";
import { progressRecorder } from "../../indexer/progress/recorder.ts";
import { indexBuild } from "../../indexer/schema-name.ts";
import { withSession } from "../../indexer/session.ts";
import { CommandError, indexedContracts, type Part, type Selection, selectionOf } from "./arguments.ts";
import type { Display } from "./display.ts";
import { count, duration } from "./formats.ts";

type BackfillRun = { log: Logger; display: Display; stopping: AbortSignal };

/** @throws CommandError, LaunchError in words for the operator */
export async function fetchHistory(config: Config, part: Part, run: BackfillRun): Promise<void> {
  const nodes = openNodes(config, run.log);
  try {
    await fetchOver(nodes, { config, part, ...run });
  } finally {
    nodes.pool.close();
  }
}

async function fetchOver(
  { node, answer }: Nodes,
  { config, part, log, display, stopping }: BackfillRun & { config: Config; part: Part },
): Promise<void> {
  const databaseUrl = config.database.indexerUrl;
  if (!databaseUrl) throw new CommandError("DATABASE_URL is not set and no local stack is running.");
  if (!config.chain.cache) throw new CommandError("RPC_CACHE is false: nothing of what is fetched would be kept.");
  if (!(await answer())) throw new CommandError("No JSON-RPC node answers.");
  const { block: head } = await node.head();
  const selection = selectionOf(part, indexedContracts(config), head - FINALITY_BLOCKS);
  const startedAt = performance.now();
  const build = indexBuild(config);
  const env = childEnvironment({}).all;
  const recorder = progressRecorder({
    chainId: config.chain.id,
    contracts: selection.contracts.map((contract) => ({ ...contract, startBlock: contract.from })),
    endBlock: selection.to,
    write: async () => {},
  });
  let fetched = false;
  await withSession({ databaseUrl, waits: false, config, build, log, stopping }, async (session) => {
    fetched = await fetchPart(session, {
      node,
      env,
      part: {
        from: Object.fromEntries(selection.contracts.map(({ name, from }) => [name, from])),
        to: selection.to,
      },
      onReport(report) {
        recorder.report(session.db, report);
        if (recorder.last) display.show(recorder.last);
      },
      onFailure: (reason) => recorder.failed(session.db, reason),
    });
  });
  if (!fetched) return;
  const seconds = (performance.now() - startedAt) / 1_000;
  display.line(`${words(selection)} is in the cache, in ${duration(seconds)}; the index was not touched`);
}

function words({ contracts, to }: Selection): string {
  const from = Math.min(...contracts.map((contract) => contract.from));
  return `the history of ${contracts.map(({ name }) => name).join(", ")} from block ${count(from)} to ${count(to)}`;
}
