/** `npm run backfill`: indexes the chain with its progress shown, fetches a part of its history, or estimates both before. */
import { pino } from "pino";
import { loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/variable.ts";
import { Failure } from "../core/errors.ts";
import { NodeUnavailable } from "../indexer/node.ts";
import { AlreadyRunning, LaunchError } from "../indexer/schema-name.ts";
import { DEADLINE_MS } from "../runtime/lifecycle.ts";
import { CommandError, EXIT, indexedContracts, taskOf, USAGE } from "./backfill/arguments.ts";
import { printEstimate } from "./backfill/estimate.ts";
import { fetchHistory, indexChain, watchIndexer } from "./backfill/index-chain.ts";
import { openDisplay } from "./backfill/screen.ts";
import { withDatabase } from "./operator-command.ts";

/** Aborted by the first SIGINT or SIGTERM. */
const interrupt = new AbortController();
let interruptedBy: "SIGINT" | "SIGTERM" | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    // Ponder gets seven seconds to end in order; a second signal ends this process at once.
    if (interruptedBy !== undefined) process.exit(EXIT[signal]);
    interruptedBy = signal;
    interrupt.abort();
    setTimeout(() => process.exit(EXIT[signal]), DEADLINE_MS).unref();
  });

try {
  await run();
  if (interruptedBy !== undefined)
    console.log("\ninterrupted: what is fetched and indexed is kept, the next run continues");
  process.exit(interruptedBy === undefined ? EXIT.done : EXIT[interruptedBy]);
} catch (error) {
  process.exit(exitCodeOf(error));
}

async function run(): Promise<void> {
  const config = loadConfig();
  const log = pino(
    { base: { name: "backfill" }, level: config.logLevel === "info" ? "error" : config.logLevel },
    pino.destination(2),
  );
  const task = taskOf(
    process.argv.slice(2),
    indexedContracts(config).map(({ name }) => name),
  );
  const display = openDisplay();
  const context = { log, display, stopping: interrupt.signal };
  if (task.kind === "help") return console.log(USAGE);
  if (task.kind === "watch") return withDatabase((db) => watchIndexer(db, context));
  if (task.kind === "estimate") return printEstimate(config, task.part);
  if (task.kind === "fetch") return fetchHistory(config, task.part, context);
  return indexChain(config, context);
}

/** Prints why the command ended. @returns the exit code */
function exitCodeOf(error: unknown): number {
  if (error instanceof AlreadyRunning) {
    console.error(`${error.message} It does the backfill itself: npm run backfill -- --watch shows its progress.`);
    return EXIT.running;
  }
  if (error instanceof CommandError) {
    console.error(error.message);
    return error.code;
  }
  if (
    error instanceof Failure ||
    error instanceof LaunchError ||
    error instanceof ConfigError ||
    error instanceof NodeUnavailable
  ) {
    console.error(`The backfill cannot run: ${error.message}`);
    return EXIT.failed;
  }
  console.error(error);
  return EXIT.failed;
}
