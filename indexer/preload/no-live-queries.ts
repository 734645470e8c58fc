/**
 * Preloaded into the Ponder process: it keeps no account of changed tables for live queries, which this service does not
 * offer (src/api/index.ts). For them each block, also one without events, makes and drops a table and wakes every
 * connection that listens; each row of an index fires a trigger; and a connection listens for nobody.
 */
import { replaceTexts } from "./replace-module.ts";

replaceTexts([
  // Makes the table.
  [
    "runtime/omnichain.js",
    'if (database.userQB.$dialect === "postgres") {\n                        await tx.wrap(',
    'if (database.userQB.$dialect === "postgres") {\n                        if (false) await tx.wrap(',
  ],
  // The triggers of an index that was begun with them would look for that table.
  ["runtime/omnichain.js", "createLiveQueryTriggers,", "dropLiveQueryTriggers as createLiveQueryTriggers,"],
  // Listens.
  [
    "client/index.js",
    "while (globalThis.PONDER_COMMON.apiShutdown.isKilled === false) {\n                // biome-ignore",
    "while (false) {\n                // biome-ignore",
  ],
]);
