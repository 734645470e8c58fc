/** `npm run indexer`: reads the chain into Postgres until it is asked to end. */
import { pino } from "pino";
import { ConfigError, childEnvironment, loadConfig } from "../config.ts";
import { onShutdown } from "../lifecycle.ts";
import { LaunchError, launchIndexer } from "./launcher.ts";

try {
  const config = loadConfig();
  const log = pino({ name: "indexer", level: config.logLevel, base: { name: "indexer" } });
  const launcher = launchIndexer({ config, log, env: childEnvironment({}).all });
  onShutdown(() => launcher.stop());
  await launcher.done;
} catch (error) {
  if (!(error instanceof LaunchError || error instanceof ConfigError)) throw error;
  console.error(`The indexer cannot start: ${error.message}`);
  process.exit(1);
}
