/** Traces: a request, its statements, what it asks of others and the transaction it causes are one trace at a real collector. */
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { openHttp } from "../../clients/http.ts";
import { loadConfig } from "../../config/config.ts";
import { openPool } from "../../db/sql/connect.ts";
import { intentByKey, queueIntent } from "../../db/transactions/transaction-outbox.ts";
import { listen } from "../../harness/listen.ts";
import { until } from "../../harness/until.ts";
import { openTraces } from "../../ops/open.ts";
import { traceStatements } from "../../ops/traced-pool.ts";
import { createLog } from "../../runtime/log.ts";
import { span, traceparent } from "../../runtime/tracing.ts";
import { plantAgents } from "../api/support/agents.ts";
import { startApi } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";

type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  status?: { code?: number };
};
const collected: OtlpSpan[] = [];
const services = new Set<unknown>();
const authorizations = new Set<string | undefined>();
/** What upstreams were sent as traceparent. */
const passedOn: (string | undefined)[] = [];
const server = perFile(() =>
  listen(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString("utf8");
    outgoing.setHeader("content-type", "application/json");
    if (incoming.url !== "/v1/traces") {
      passedOn.push(incoming.headers.traceparent?.toString());
      return void outgoing.end("{}");
    }
    authorizations.add(incoming.headers.authorization);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const { key, value } of resource.attributes) if (key === "service.name") services.add(value.stringValue);
      for (const { spans } of scopeSpans) collected.push(...spans);
    }
    outgoing.end("{}");
  }),
);
// Before what is traced.
perFile(async () => {
  const config = loadConfig(
    {
      DATA_DIR: "/nonexistent",
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20collector-key-1",
    },
    { followStack: false },
  );
  return { close: await openTraces(config, "api") };
});
const api = perFile(() => startApi({ env: { TRUSTED_PROXIES: "127.0.0.1" } }));
const pool = perFile(() => openPool({ connectionString: api.database.url, max: 2 }));
beforeAll(async () => {
  for (const traced of [api.deps.db, pool]) traceStatements(traced);
  await plantAgents(api.database.pool, [{ tokenId: 0, name: "Ada" }]);
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const found = (what: string, matches: (one: OtlpSpan) => boolean) =>
  until(`the collector has ${what}`, () => collected.find(matches));
const attribute = ({ attributes }: OtlpSpan, key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

it("goes on with the trace of a proxy of ours, by route, with the request's id and its statements", async () => {
  await api.get("/api/v2/agent/0", { headers: { traceparent: PARENT, "x-request-id": "request-0001" } });
  const request = await found("the request", ({ traceId, kind }) => traceId === TRACE && kind === 2);
  expect(request.name).toBe("GET /api/v2/agent/{ref}");
  expect(request.parentSpanId).toBe("b7ad6b7169203331");
  expect(attribute(request, "agents.request_id")).toBe("request-0001");
  expect(Number(attribute(request, "http.response.status_code"))).toBe(200);
  const statement = await found(
    "a statement",
    (one) => one.traceId === TRACE && attribute(one, "db.system.name") === "postgresql",
  );
  expect(statement.kind).toBe(3);
  expect([...services]).toEqual(["helixa-api"]);
  expect([...authorizations]).toEqual(["Bearer collector-key-1"]);
});

it("begins a trace of its own for a caller that is no proxy of ours", async () => {
  const stranger = await startApi();
  onTestFinished(() => stranger.close());
  await stranger.get("/api/v2/agent/77", { headers: { traceparent: PARENT, "x-request-id": "request-0002" } });
  const request = await found("the request", (one) => attribute(one, "agents.request_id") === "request-0002");
  expect(request.traceId).not.toBe(TRACE);
  expect(request.parentSpanId ?? "").toBe("");
});

it("is passed on to upstreams, and remembered with a transaction that is asked for", async () => {
  const http = openHttp({ userAgent: "test", maxWaitMs: 100 });
  const upstream = http.upstream({ name: "Somebody", baseUrl: server.url, rate: { burst: 9, perSecond: 9 } });
  await span("test", { kind: "internal", parent: PARENT }, async () => {
    await upstream.ask({ path: "/asked", statuses: [200], read: () => true });
    await queueIntent(pool, { intentKey: "traced", to: `0x${"ab".repeat(20)}`, data: "0x", free: null });
  });
  await http.close();
  const asked = await found("the question", ({ name }) => name === "ask Somebody");
  expect(passedOn).toEqual([`00-${TRACE}-${asked.spanId}-01`]);
  const intent = await intentByKey(pool, "traced");
  expect(intent?.trace).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  await span("transaction conclude", { kind: "consumer", parent: intent!.trace, root: true }, async () => {});
  const concluded = await found("what the sender did", ({ name }) => name === "transaction conclude");
  expect(concluded.traceId).toBe(TRACE);
});

it("holds no value of a statement and no text of an error, and marks what failed", async () => {
  const secret = "a-value-nobody-may-see";
  await span("test", { kind: "internal", root: true }, () => pool.query("select $1::int", [secret])).catch(() => {});
  const failed = await found("the failure", ({ name, status }) => name === "select" && status?.code === 2);
  expect(attribute(failed, "error.type")).toBe("22P02");
  expect(JSON.stringify(collected)).not.toContain(secret);
});

it("stands in every log line of the work", async () => {
  const lines: string[] = [];
  const log = createLog({ logLevel: "info", secrets: [] }, "test", { write: (line: string) => void lines.push(line) });
  log.info("outside");
  await span("test", { kind: "internal", parent: PARENT }, async () => log.info("inside"));
  expect(JSON.parse(lines[0]!).trace_id).toBeUndefined();
  expect(JSON.parse(lines[1]!)).toMatchObject({ trace_id: TRACE, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(traceparent()).toBeNull();
});
