/** A sender in a process of its own, for tests that kill it. Everything comes by environment. */
import { pino } from "pino";
import { createSigner } from "../../../clients/signer.ts";
import { loadConfig } from "../../../config/config.ts";
import { openPool } from "../../../db/sql/connect.ts";
import { chainAt } from "../../../harness/chain-at.ts";
import { faultAt } from "../../../runtime/faults.ts";
import { onShutdown } from "../../../runtime/lifecycle.ts";
import { runSender } from "../../../workers/transactions/sender.ts";

const config = loadConfig();
const db = openPool({ connectionString: config.database.url!, max: 2 });
const sender = runSender({
  db,
  chain: chainAt(config.chain.rpcUrls, config.chain.id),
  signer: createSigner(config.sender.privateKey!, config.chain.id),
  clock: () => new Date(),
  log: pino({ level: config.logLevel }),
  fault: faultAt(config.faultPoint),
  config,
  options: { pollMs: 25 },
});
onShutdown(async () => {
  await sender.stop();
  await db.end();
});
