/** `npm run indexer`: reads the chain into Postgres until it is asked to end, or makes a checkpoint of the index. */
import { parseArgs } from "node:util";
import { childEnvironment, loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/variable.ts";
import { fittedPool, requirePrimary, TooFewConnections } from "../db/operations/server-at-start.ts";
import { indexerGauges } from "../ops/metrics/indexer.ts";
import { openOps } from "../ops/open.ts";
import { onShutdown } from "../runtime/lifecycle.ts";
import { createLog } from "../runtime/log.ts";
import { makeCheckpoint } from "./checkpoint/make.ts";
import { launchIndexer } from "./launcher.ts";
import { LaunchError } from "./schema-name.ts";

try {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { checkpoint: option, signer: option, "make-checkpoint": option } });
  const { checkpoint: folder, signer, "make-checkpoint": to } = values;
  if (to !== undefined) {
    // Its signature is of a key that the indexer itself has not.
    const { id, signature } = await makeCheckpoint(loadConfig(), to);
    console.log(`${id} is in ${to}, signed by ${signature.signer}`);
    process.exit();
  }
  const config = loadConfig(undefined, { of: "indexer" });
  const { indexerUrl, pool } = config.database;
  const room = indexerUrl
    ? await requirePrimary(indexerUrl, "INDEXER_DATABASE_URL or DATABASE_URL").catch(({ message }: Error) => {
        throw new LaunchError(message);
      })
    : null;
  const log = createLog(config, "indexer");
  const ops = openOps(config, "indexer", log);
  const gauges = ops && indexerGauges(ops.registry);
  await ops?.listen({ more: gauges!.ponderMetrics });
  const fitted = fittedPool(room, "indexer", pool, (sentence) => log.warn(sentence));
  const env = { ...childEnvironment({}).all, DATABASE_POOL: String(fitted) };
  const checkpoint = folder === undefined ? undefined : { folder, signer };
  const launcher = launchIndexer({ config, log, env, checkpoint, onReport: gauges?.onReport });
  onShutdown(async () => {
    await ops?.close();
    await launcher.stop();
  });
  await launcher.done;
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const isUsage = code?.startsWith("ERR_PARSE_ARGS");
  if (!(isUsage || error instanceof LaunchError || error instanceof ConfigError || error instanceof TooFewConnections))
    throw error;
  console.error(`The indexer cannot start: ${message}`);
  process.exit(isUsage ? 2 : 1);
}
