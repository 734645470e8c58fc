/** A process with the API as `npm run api` wires it. It sends its parent its port and, on request, the counts of its cards. */
import { createApi } from "../../api/app.ts";
import { type ReadTimeouts, startServer } from "../../api/server.ts";
import type { CardRenderer, CardStats } from "../../card-renderer/renderer.ts";
import { loadConfig } from "../../config/config.ts";
import { wireApi } from "../../wiring/api.ts";

/** The parent's first message. `patience` undefined: the service's own. */
export type Start = { patience: ReadTimeouts | undefined };
export type ApiAddress = { port: number };
/** The answer to `stats`. */
export type Stats = { cards: CardStats; residentBytes: number };

process.once("message", async ({ patience }: Start) => {
  const config = loadConfig();
  const { value: deps } = await wireApi(config);
  const server = await startServer(createApi(deps), { host: "127.0.0.1", port: 0 }, patience);
  process.on("message", (message) => {
    if (message !== "stats") return;
    const cards = (deps.cards as CardRenderer).stats();
    process.send!({ cards, residentBytes: process.memoryUsage.rss() } satisfies Stats);
  });
  process.send!({ port: server.port } satisfies ApiAddress);
});
