/** One run of the job that publishes roots, in a process that a fault point kills. Everything comes by environment. */
import { pino } from "pino";
import { createSigner } from "../../../clients/signer.ts";
import { loadConfig } from "../../../config/config.ts";
import { openPool } from "../../../db/sql/connect.ts";
import { chainAt } from "../../../harness/chain-at.ts";
import { faultAt } from "../../../runtime/faults.ts";
import { credRoots } from "../../../workers/cred/cred-roots.ts";

const config = loadConfig();
const db = openPool({ connectionString: config.database.url!, max: 2 });
await credRoots.run(
  {
    db,
    chain: chainAt(config.chain.rpcUrls, config.chain.id),
    signer: createSigner(config.sender.privateKey!, config.chain.id),
    clock: () => new Date(),
    log: pino({ level: "warn" }),
    fault: faultAt(config.faultPoint),
    config,
  } as never,
  {},
);
await db.end();
