/** A process that serves one of the references, named by its argument: `reference` or `bare`. It sends its parent the port. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { siteOf } from "../../api/deps.ts";
import { loadConfig } from "../../config/config.ts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { openPool } from "../../db/sql/connect.ts";
import { referenceApp } from "./reference-app.ts";

/** As long as the service's own answer. */
const HEALTH = { status: "ok", version: "v2", port: 4000, contractDeployed: true };

const SERVERS: Record<string, () => RequestListener | Promise<RequestListener>> = {
  /** Nothing but Node. */
  bare: () => {
    const body = JSON.stringify(HEALTH);
    const headers = { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) };
    return (_, outgoing) => void outgoing.writeHead(200, headers).end(body);
  },
  /** The whole keyed read as it is commonly built. */
  reference: async () => {
    const config = loadConfig(undefined, { followStack: false });
    const db = openPool({
      connectionString: config.database.url,
      max: config.database.pool,
      options: "-c search_path=onchain,offchain,public",
    });
    const { indexedBlock } = await readIndexState(db);
    const app = referenceApp(db, siteOf(config), indexedBlock ?? 0);
    return getRequestListener(app.fetch as Parameters<typeof getRequestListener>[0]);
  },
};

const listener = await SERVERS[process.argv[2] ?? ""]!();
const server = createServer(listener).listen(0, "127.0.0.1", () => {
  process.send!((server.address() as AddressInfo).port);
});
