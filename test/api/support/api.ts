/** The API over a real HTTP server and a real database, and a client that holds every answer to the OpenAPI document. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest";
import { type Api, createApi } from "../../../api/app.ts";
import type { ApiDeps } from "../../../api/deps.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { openApiDocument } from "../../../api/openapi/document.ts";
import { type RunningServer, startServer } from "../../../api/server.ts";
import { createCardRenderer } from "../../../card-renderer/renderer.ts";
import { isPublicUrl } from "../../../clients/http/public-address.ts";
import type { Chain } from "../../../clients/ports.ts";
import { unconfiguredReaders } from "../../../clients/proof-platforms.ts";
import { openRateBuckets } from "../../../clients/rate-buckets.ts";
import { createSecretBox } from "../../../clients/secret-box.ts";
import { createReceiptSigner } from "../../../clients/signer.ts";
import { webhookTargets } from "../../../clients/webhook-receivers.ts";
import { loadConfig, overlaid } from "../../../config/config.ts";
import type { ErrorCode } from "../../../core/error-codes.ts";
import { trackIndexedBlock } from "../../../db/operations/index-state.ts";
import { openReadPool, type ReadPool } from "../../../db/replicas/read-pool.ts";
import { openPool } from "../../../db/sql/connect.ts";
import { GENEROUS_RATES } from "../../../devnet/generous-rates.ts";
import { FREE_PHASE } from "../../../harness/child-env.ts";
import { LONG } from "../../../harness/patience.ts";
import { healthyChain } from "../../../harness/stub-chain.ts";
import { topologyEnv } from "../../../harness/topology.ts";
import { until } from "../../../harness/until.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { sql } from "../../support/sql.ts";
import { onReplicaOfRun, topologyOfRun } from "../../support/topology-of-run.ts";
import { conformance } from "./conformance.ts";

export const HOST = "agents.test";
/** As long as can be configured: a good answer comes when the chain has decided, however long the machine takes. */
const PATIENT = { MINT_WAIT_MS: "120000", PAYMENT_WAIT_MS: "120000" };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Receive what is paid. */
const PAYEES = { PAY_TO_DEPLOYER: `0x${"d1".repeat(20)}`, PAY_TO_TREASURY: `0x${"d2".repeat(20)}` };

/** Seals the secrets of webhooks. */
export const WEBHOOK_KEY = `0x${"7e".repeat(32)}` as const;

/** What asks a service, as clients do. */
type Client = {
  get(path: string, init?: RequestInit): Promise<Answer>;
  /** The body of a GET, as what the test takes it for. */
  read<T>(path: string): Promise<T>;
  send(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /** Sends a body as JSON. */
  write(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Posts a body as JSON, or none, signed in as a wallet. */
  postAs(
    by: { siwa(): Promise<string> },
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
};

export type TestApi = Client &
  Pick<TestDatabase, "plant"> & {
    url: string;
    deps: ApiDeps;
    database: TestDatabase;
    /** Connections of the test itself. */
    pool: pg.Pool;
    /** Runs a statement, with its values after it or in it. @returns its rows */
    sql(text: string | TemplateStringsArray, ...values: unknown[]): Promise<pg.QueryResult["rows"]>;
    server: RunningServer;
    document: OpenApi;
    /** Messages logged at level error: a test that provokes none expects none. */
    errors: string[];
    /** Does `work` while no request waits for the chain: what is open is answered as pending. */
    impatiently<T>(work: () => Promise<T>): Promise<T>;
    /** Does `work` with all requests at one process that reads from the primary, whatever there is: for what each keeps for itself. */
    atOne<T>(work: () => Promise<T>): Promise<T>;
    close(): Promise<void>;
  };

export type Answer = { status: number; headers: Headers; text: string; body: Body };
// A body's shape is what the tests assert; the validator has already held it to the document.
type Body = Record<string, never> & { code?: string; error?: string };
export type OpenApi = {
  info: Record<string, unknown>;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
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
  /** Settings of the pool of each process in place of the patient ones. */
  pool?: pg.PoolConfig;
  /** Always one process that reads from the primary, whatever the run asks for: for tests of what each keeps for itself. */
  alone?: boolean;
};

/** Starts the API on a free port, with a database of its own. */
export async function startApi(options: ApiOptions = {}): Promise<TestApi> {
  const database = await testDatabase({ indexed: options.indexed !== false });
  const config = loadConfig(
    overlaid(
      {
        ...{ PUBLIC_URL: `https://${HOST}`, DATABASE_URL: database.url, DATA_DIR: "/nonexistent" },
        ...FREE_PHASE,
        ...PAYEES,
        ...GENEROUS_RATES,
        ...PATIENT,
      },
      options.env ?? {},
    ),
    { followStack: false, of: "api" },
  );
  const topology = options.alone ? undefined : topologyOfRun();
  const pools: pg.Pool[] = [];
  const counters: ReturnType<typeof openRateBuckets>[] = [];
  const prefix = (topology && topologyEnv(topology).QUEUE_PREFIX) ?? "test";
  const replica = await onReplicaOfRun(database.url);
  const readPools: ReadPool[] = [];
  /** What every process has for itself, whatever it shares with the others. */
  const own = async () => {
    // More patient than the service: what takes a machine long that runs everything at once is no overload to tell of.
    const db = openPool({
      connectionString: database.url,
      connectionTimeoutMillis: LONG,
      turnMs: LONG,
      statement_timeout: LONG,
      ...options.pool,
    });
    const rateBuckets = openRateBuckets({ redisUrl: topology?.redisUrl, prefix, log: SILENT, commandTimeoutMs: LONG });
    pools.push(db);
    counters.push(rateBuckets);
    const reading = { primary: db, url: database.url, maxLagMs: 1_000, log: SILENT };
    const replicas =
      replica && !options.alone && !options.deps?.db
        ? await openReadPool({ ...reading, replicaUrls: [replica] })
        : undefined;
    if (replicas) readPools.push(replicas);
    return { db, replicas, rateBuckets, cards: createCardRenderer() };
  };
  const index = await trackIndexedBlock(database.url, { pollMs: 50 });
  const errors: string[] = [];
  const deps: ApiDeps = {
    config,
    ...(await own()),
    // One for both: tests let it look by hand.
    index,
    chain: options.chain ?? healthyChain(),
    identityProvider: null,
    isPublicUrl: (url) => isPublicUrl(url, { loopback: config.upstreams.gateways.allowLoopback }),
    proofs: unconfiguredReaders(),
    facilitator: null,
    webhooks: { secrets: createSecretBox([WEBHOOK_KEY]), targets: webhookTargets(config.webhooks) },
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
  const second = topology && createApi({ ...deps, ...(await own()), ...options.deps }, options.endpoints);
  if (topology?.redisUrl) await until("both count in Redis", () => countTogether(counters));
  const one = deps.replicas ? createApi({ ...deps, replicas: undefined }, options.endpoints) : api;
  const balancer = second && inTurn(api, second, one);
  const server = await startServer(balancer ?? api, { host: "127.0.0.1", port: 0 });
  const { document, check } = described(api.endpoints, config.service);

  return {
    ...clientAt(server.url, check),
    url: server.url,
    deps,
    database,
    pool: database.pool,
    plant: database.plant,
    sql: async (text, ...values) =>
      await database.rows(typeof text === "string" ? { text, values } : sql(text, ...values)),
    server,
    document,
    errors,
    async impatiently(work) {
      const { mintWaitMs, payments } = config;
      Object.assign(config, { mintWaitMs: 0, payments: { ...payments, waitMs: 0 } });
      try {
        return await work();
      } finally {
        Object.assign(config, { mintWaitMs, payments });
      }
    },
    async atOne(work) {
      if (balancer) balancer.isAtOne = true;
      try {
        return await work();
      } finally {
        if (balancer) balancer.isAtOne = false;
      }
    },
    async close() {
      await server.stop();
      await index.close();
      for (const counter of counters) counter.close();
      await Promise.all(readPools.map((reads) => reads.close()));
      await Promise.all(pools.map((pool) => pool.end()));
      await database.drop();
    },
  };
}

/** @param check is shown every answer */
function clientAt(url: string, check: Described["check"] = () => {}): Client {
  async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url + path, { method, redirect: "manual", ...init });
    const type = response.headers.get("content-type") ?? "";
    const text = await textOf(response, type);
    const isJson = type.startsWith("application/json");
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
    check(method, path, answer);
    return answer;
  }
  const write: Client["write"] = (method, path, body, headers) =>
    send(method, path, { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
  return {
    get: (path, init) => send("GET", path, init),
    read: async <T>(path: string) => (await send("GET", path)).body as unknown as T,
    send,
    write,
    async postAs(by, path, body, more) {
      const headers = { authorization: await by.siwa(), ...more };
      return body === undefined ? send("POST", path, { headers }) : write("POST", path, body, headers);
    },
  };
}

/**
 * The API of a whole test file: there from its first test on, closed after its last. After each test it has logged no
 * error, unless the file provokes some and looks at them itself.
 */
export function apiForFile(
  options: ApiOptions | (() => ApiOptions | Promise<ApiOptions>) = {},
  { provoked = false } = {},
): TestApi {
  const api = {} as TestApi;
  beforeAll(async () => {
    Object.assign(api, await startApi(typeof options === "function" ? await options() : options));
  });
  if (!provoked) afterEach(() => expect(api.errors?.splice(0) ?? []).toEqual([]));
  afterAll(() => api.close?.());
  return api;
}

/** An API that is closed when the test that wants it has ended. */
export async function apiForTest(options?: ApiOptions): Promise<TestApi> {
  const api = await startApi(options);
  onTestFinished(() => api.close());
  return api;
}

/** A server that is stopped when the test that wants it has ended, and what asks it. */
export async function serverForTest(
  api: Api,
  binding: object = {},
  patience?: Parameters<typeof startServer>[2],
): Promise<RunningServer & Client> {
  const server = await startServer(api, { host: "127.0.0.1", port: 0, ...binding }, patience);
  onTestFinished(() => server.stop());
  return { ...server, ...clientAt(server.url) };
}

/** What an endpoint that only a test has is called. */
export const named = <M extends "get" | "post" | "put">(method: M, path: string) => ({
  ...{ method, path, operationId: path.slice(1), tag: "Test", summary: "What a test needs" },
});

/** A status and a part of a body, for `toMatchObject`. */
export const answering = (status: number, body: object) => ({ status, body });

/** What a refusal answers, for `toMatchObject`. */
export const refusal = (status: number, code: ErrorCode, more: object = {}) => ({ status, body: { code, ...more } });

type Described = { document: OpenApi; check: ReturnType<typeof conformance> };

/** By their endpoints and what the document says of the service: most of a run's APIs are described alike. */
const descriptions = new WeakMap<readonly Endpoint[], Map<string, Described>>();

function described(endpoints: readonly Endpoint[], service: Parameters<typeof openApiDocument>[1]): Described {
  const known = descriptions.get(endpoints) ?? new Map<string, Described>();
  descriptions.set(endpoints, known);
  const key = JSON.stringify([service.name, service.publicUrl]);
  let found = known.get(key);
  if (!found) {
    const document = openApiDocument(endpoints, service) as unknown as OpenApi;
    found = { document, check: conformance(document) };
    known.set(key, found);
  }
  return found;
}

/** Whether what one counts the other goes on from: before it is connected, each counts for itself. */
async function countTogether(counters: Pick<ReturnType<typeof openRateBuckets>, "take">[]): Promise<boolean> {
  const bucket = { key: randomUUID(), quota: 100, windowMs: 86_400_000 };
  const left: number[] = [];
  for (const counter of counters) left.push((await counter.take([bucket], Date.now())).levels[0]!.left);
  return left.every((tokens, i) => tokens === 99 - i);
}

/** Two processes behind a balancer, as far as a process can tell: every request goes to the other one, unless to `one` alone. */
function inTurn(first: Api, second: Api, one: Api): Api & { isAtOne: boolean } {
  let turn = 0;
  return {
    isAtOne: false,
    endpoints: first.endpoints,
    listener(incoming, outgoing) {
      (this.isAtOne ? one : turn++ % 2 === 0 ? first : second).listener(incoming, outgoing);
    },
    stop() {
      for (const each of new Set([first, second, one])) each.stop();
    },
  };
}

/** The body; nothing of a stream, which has no end: it is let go once its head has been seen. */
async function textOf(response: Response, type: string): Promise<string> {
  if (!type.startsWith("text/event-stream")) return response.text();
  await response.body?.cancel();
  return "";
}
