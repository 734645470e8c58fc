/** The worker process: `npm run workers`. Any number of them may run. */
import { composeWorkers } from "../compose/workers.ts";
import { loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { onShutdown, sayUp } from "../runtime/lifecycle.ts";
import { runWorkers } from "./run.ts";

try {
  const { value: context, close } = await composeWorkers(loadConfig(undefined, { of: "workers" }));
  const workers = await runWorkers(context);
  onShutdown(async () => {
    await workers.stop();
    await close();
  });
  context.log.info("the workers run");
  sayUp();
} catch (error) {
  const reason = error instanceof ConfigError ? `the configuration is not usable:\n${error.message}` : String(error);
  console.error(`The workers cannot start: ${reason}`);
  process.exit(1);
}
