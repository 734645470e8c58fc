/** The worker process: `npm run workers`. Any number of them may run. */
import { loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/variable.ts";
import { onShutdown, sayUp } from "../runtime/lifecycle.ts";
import { startReaders } from "../wiring/readers.ts";
import { wireWorkers } from "../wiring/workers.ts";
import { JOBS } from "./jobs.ts";
import { READERS, runWorkers } from "./run.ts";

try {
  const { value: context, close } = await wireWorkers(loadConfig(undefined, { of: "workers" }));
  const workers = await runWorkers(context, JOBS, READERS);
  const readers = startReaders({ log: context.log });
  onShutdown(async () => {
    await Promise.all([workers.stop(), readers.stop()]);
    await close();
  });
  context.log.info("the workers run");
  sayUp();
} catch (error) {
  const { message } = error as Error;
  const reason = error instanceof ConfigError ? `the configuration is not usable:\n${message}` : message;
  console.error(`The workers cannot start: ${reason}`);
  process.exit(1);
}
