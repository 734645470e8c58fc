/** The API over a real HTTP server and a real database, and a client that holds every answer to the OpenAPI document. */
import pg from "pg";
import { createApi } from "../../../api/app.ts";
import type { ApiDeps } from "../../../api/deps.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { openApiDocument } from "../../../api/openapi.ts";
import { type RunningServer, startServer } from "../../../api/server.ts";
import { createCardRenderer } from "../../../cards/renderer.ts";
import type { Chain } from "../../../clients/ports.ts";
import { openRateCounters } from "../../../clients/rate-counters.ts";
import { createReceiptSigner } from "../../../clients/receipt-signer.ts";
import { unconfiguredProofs } from "../../../clients/unavailable.ts";
import { loadConfig } from "../../../config.ts";
import { trackIndexedBlock } from "../../../db/index-state.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { plantOnchain } from "../../support/onchain.ts";
import { conformance } from "./conformance.ts";
import { healthyChain } from "./stub-chain.ts";

export const HOST = "agents.test";
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export type TestApi = {
  url: string;
  deps: ApiDeps;
  database: TestDatabase;
  server: RunningServer;
  document: OpenApi;
  /** Messages logged at level error: a test that provokes none expects none. */
  errors: string[];
  get(path: string, init?: RequestInit): Promise<Answer>;
  send(method: string, path: string, init?: RequestInit): Promise<Answer>;
  close(): Promise<void>;
};

export type Answer = { status: number; headers: Headers; text: string; body: Body };
// A body's shape is what the tests assert; the validator has already held it to the document.
type Body = Record<string, never> & { code?: string; error?: string };
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};
export type Operation = {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: { "application/json": { schema: Record<string, unknown> } } };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
};

export type ApiOptions = {
  chain?: Chain;
  env?: Record<string, string>;
  now?: () => number;
  /** False leaves the database without an index. */
  indexed?: boolean;
  /** Replaces the service's own endpoints. */
  endpoints?: readonly Endpoint[];
  deps?: Partial<ApiDeps>;
};

/** Starts the API on a free port, with a database of its own. */
export async function startApi(options: ApiOptions = {}): Promise<TestApi> {
  const database = await testDatabase();
  if (options.indexed !== false) await plantOnchain(database.pool);
  const config = loadConfig(
    { PUBLIC_URL: `https://${HOST}`, DATABASE_URL: database.url, DATA_DIR: "/nonexistent", ...options.env },
    { followStack: false },
  );
  const db = new pg.Pool({ connectionString: database.url, connectionTimeoutMillis: 1000, statement_timeout: 5000 });
  db.on("error", () => {});
  const index = await trackIndexedBlock(database.url, { pollMs: 50 });
  const errors: string[] = [];
  const deps: ApiDeps = {
    config,
    db,
    index,
    chain: options.chain ?? healthyChain(),
    identityProvider: null,
    rateCounters: openRateCounters({ prefix: "test", log: SILENT }),
    proofs: {
      x: unconfiguredProofs("X"),
      github: unconfiguredProofs("GitHub"),
      farcaster: unconfiguredProofs("Farcaster"),
    },
    cards: createCardRenderer(),
    facilitator: null,
    receipts: config.receipts.privateKey ? createReceiptSigner(config.receipts.privateKey) : null,
    queues: async () => [],
    log: {
      ...SILENT,
      error: (data, message) => void errors.push(`${message}: ${String((data as { err?: Error }).err?.stack)}`),
    },
    fault: () => {},
    now: options.now ?? Date.now,
    ...options.deps,
  };
  const api = createApi(deps, options.endpoints);
  const server = await startServer(api, { host: "127.0.0.1", port: 0 });
  const document = openApiDocument(api.endpoints, config.service) as unknown as OpenApi;
  const check = conformance(document);

  async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(server.url + path, { method, redirect: "manual", ...init });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
    check(method, path, answer);
    return answer;
  }
  return {
    url: server.url,
    deps,
    database,
    server,
    document,
    errors,
    get: (path, init) => send("GET", path, init),
    send,
    async close() {
      await server.stop();
      await index.close();
      await db.end();
      await database.drop();
    },
  };
}
