/** The API process: `npm run api`. */
import { loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/variable.ts";
import { onShutdown } from "../runtime/lifecycle.ts";
import { wireApi } from "../wiring/api.ts";
import { createApi } from "./app.ts";
import { startServer } from "./server.ts";

try {
  const config = loadConfig(undefined, { of: "api" });
  const { value: deps, close } = await wireApi(config);
  const server = await startServer(createApi(deps), config.http);
  onShutdown(async () => {
    await server.stop();
    await close();
  });
  deps.log.info({ url: server.url, publicUrl: config.service.publicUrl }, "the API listens");
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

/** One sentence for the operator who started the process. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is not usable:\n${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return "The API's port is taken: stop what uses it, or set PORT.";
  return `The API cannot start: ${message}`;
}
