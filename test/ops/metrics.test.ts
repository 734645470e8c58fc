/** What a process tells of itself: requests by route, the index, upstreams, jobs; in Prometheus' words, at no public place. */
import { Registry } from "prom-client";
import { beforeAll, describe, expect, it } from "vitest";
import { openHttp } from "../../clients/http.ts";
import { loadConfig } from "../../config/config.ts";
import { testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { indexerGauges } from "../../ops/metrics/indexer.ts";
import { jobMeter, requestMeter, upstreamMeter, webhookMeter } from "../../ops/metrics/meters.ts";
import { Histogram } from "../../ops/metrics/metric.ts";
import { indexGauges, queueGauges, stalledGauge } from "../../ops/metrics/process.ts";
import { openOps } from "../../ops/open.ts";
import { plantAgents } from "../api/support/agents.ts";
import { startApi } from "../api/support/api.ts";
import { perFile, perTest } from "../support/started.ts";
import { type Family, parseMetrics, sampleOf } from "./support/exposition.ts";

const DURATION = "agents_http_request_duration_seconds";
const read = async (registry: Registry) => parseMetrics(await registry.metrics());

describe("requests", () => {
  const registry = new Registry();
  const api = perFile(() => startApi({ deps: { meter: requestMeter(registry) } }));
  beforeAll(async () => {
    indexGauges(registry, api.deps.index);
    await plantAgents(api.database.pool, [{ tokenId: 0, name: "Ada" }]);
  });

  it("are counted by template, method and class of status, whichever way they took", async () => {
    await api.get("/api/v2/agent/0");
    // An escape leads over Hono instead of the short way.
    await api.get("/api/v2/agent/%30");
    await api.get("/api/v2/agent/4242");
    await api.send("HEAD", "/api/v2/agent/0");
    await api.send("POST", "/api/v2/mint", { body: "{}", headers: { "content-type": "application/json" } });
    const families = await read(registry);
    const count = (labels: Record<string, string>) => sampleOf(families, `${DURATION}_count`, labels);
    const agent = { method: "GET", route: "/api/v2/agent/{ref}" };
    expect(count({ ...agent, status: "2xx" })).toBe(3);
    expect(count({ ...agent, status: "4xx" })).toBe(1);
    expect(count({ method: "POST", route: "/api/v2/mint", status: "4xx" })).toBe(1);
    expect(sampleOf(families, `${DURATION}_bucket`, { ...agent, status: "2xx", le: "+Inf" })).toBe(3);
    expect(sampleOf(families, `${DURATION}_sum`, { ...agent, status: "2xx" })).toBeGreaterThan(0);
  });

  it("make no series of what callers send", async () => {
    const series = (families: Map<string, Family>) =>
      [...families.values()].reduce((sum, { series }) => sum + series.length, 0);
    await api.get("/api/v2/nothing-0");
    await api.send("PUT", "/health");
    await api.send("OPTIONS", "/api/v2/agents");
    const before = series(await read(registry));
    for (let n = 1; n <= 20; n++) {
      await api.get(`/api/v2/agent/${n}000`);
      await api.get(`/api/v2/nothing-${n}?q=${n}`);
      await api.get("/api/v2/agent/0", { headers: { "user-agent": `bot-${n}`, "x-request-id": `request-${n}` } });
    }
    const families = await read(registry);
    expect(series(families)).toBe(before);
    expect(sampleOf(families, "agents_http_unrouted_total", { kind: "not_found" })).toBe(21);
    expect(sampleOf(families, "agents_http_unrouted_total", { kind: "method_not_allowed" })).toBe(1);
    expect(sampleOf(families, "agents_http_unrouted_total", { kind: "options" })).toBe(1);
  });

  it("read no metrics: they are on no path of the API", async () => {
    expect((await api.get("/metrics")).status).toBe(404);
    expect((await api.get("/queues")).status).toBe(404);
  });

  it("stand beside the index as it is served, and the open streams", async () => {
    const families = await read(registry);
    expect(sampleOf(families, "agents_index_block")).toBe(api.deps.index.block);
    expect(sampleOf(families, "agents_index_finalized_block")).toBe(900);
    expect(sampleOf(families, "agents_index_ready")).toBe(1);
    expect(sampleOf(families, "agents_index_stale")).toBe(0);
    expect(sampleOf(families, "agents_event_streams")).toBe(0);
    await api.database.pool.query("update onchain.index_state set reason = 'an agent is missing'");
    await until("the hole shows", async () => sampleOf(await read(registry), "agents_index_incomplete") === 1);
    await api.database.pool.query("update onchain.index_state set stale = true, reason = 'a deep reorg'");
    await until("the staleness shows", async () => sampleOf(await read(registry), "agents_index_stale") === 1);
    expect(sampleOf(await read(registry), "agents_index_incomplete")).toBe(0);
  });
});

const registry = perTest(() => new Registry());

describe("a histogram", () => {
  it("puts a duration into every bucket it is not above, the bound included", async () => {
    const durations = new Histogram(registry, { name: "test_seconds", help: "Test" }).series({ of: 'a "b"' });
    for (const ms of [0.2, 1, 1.01, 120_000, 120_001]) durations.observe(ms);
    const families = await read(registry);
    const bucket = (le: string) => sampleOf(families, "test_seconds_bucket", { le });
    expect([bucket("0.001"), bucket("0.0025"), bucket("30"), bucket("120"), bucket("+Inf")]).toEqual([2, 3, 3, 4, 5]);
    expect(sampleOf(families, "test_seconds_sum")).toBeCloseTo(240.00321, 4);
    expect(sampleOf(families, "test_seconds_count")).toBe(5);
  });

  it("shows nothing before its first duration", async () => {
    new Histogram(registry, { name: "test_seconds", help: "Test" }).series({ of: "nothing" });
    expect((await read(registry)).get("test_seconds")!.series).toEqual([]);
  });
});

describe("upstreams", () => {
  it("are told apart by outcome, and whom we leave alone shows", async () => {
    const meter = upstreamMeter(registry);
    const http = openHttp({ userAgent: "test", maxWaitMs: 100, meter });
    const upstream = http.upstream({
      name: "Nobody",
      baseUrl: "http://127.0.0.1:9",
      rate: { burst: 100, perSecond: 1 },
    });
    const ask = () => upstream.ask({ path: "/", statuses: [200], read: () => true }).catch(() => false);
    expect(sampleOf(await read(registry), "agents_upstream_breaker_open", { upstream: "Nobody" })).toBe(0);
    for (let n = 0; n < 12; n++) await ask();
    await http.close();
    const families = await read(registry);
    const count = (outcome: string) =>
      sampleOf(families, "agents_upstream_request_duration_seconds_count", { upstream: "Nobody", outcome });
    expect([count("answered"), count("trouble"), count("refused")]).toEqual([undefined, 10, 2]);
    expect(sampleOf(families, "agents_upstream_breaker_open", { upstream: "Nobody" })).toBe(1);
  });
});

describe("jobs and queues", () => {
  it("are told by name; a queue whose store is away is told as that, not as empty", async () => {
    let away = false;
    queueGauges(registry, async () => {
      if (away) throw new Error("away");
      return [{ name: "score", waiting: 3, active: 1, failed: 2, oldestSeconds: 17 }];
    });
    stalledGauge(registry, async () => {
      if (away) throw new Error("away");
      return [{ name: "score", seconds: 90 }];
    });
    jobMeter(registry).ran("score", "failed", 1_500);
    const families = await read(registry);
    expect(sampleOf(families, "agents_queue_jobs", { queue: "score", state: "waiting" })).toBe(3);
    expect(sampleOf(families, "agents_queue_oldest_seconds", { queue: "score" })).toBe(17);
    expect(sampleOf(families, "agents_queue_standing_seconds", { queue: "score" })).toBe(90);
    expect(sampleOf(families, "agents_queue_up")).toBe(1);
    expect(sampleOf(families, "agents_job_duration_seconds_sum", { job: "score", outcome: "failed" })).toBe(1.5);
    away = true;
    const later = await read(registry);
    expect(sampleOf(later, "agents_queue_jobs")).toBeUndefined();
    expect(sampleOf(later, "agents_queue_up")).toBe(0);
    expect(sampleOf(later, "agents_queue_standing_seconds")).toBeUndefined();
  });
});

describe("webhooks", () => {
  it("tell their attempts by outcome, and why any was switched off", async () => {
    const meter = webhookMeter(registry);
    for (const outcome of ["delivered", "delivered", "failed"] as const) meter.attempted(outcome, 250);
    meter.disabled("gone");
    const families = await read(registry);
    const count = (outcome: string) => sampleOf(families, "agents_webhook_attempt_duration_seconds_count", { outcome });
    expect([count("delivered"), count("failed"), count("dead")]).toEqual([2, 1, undefined]);
    expect(sampleOf(families, "agents_webhooks_disabled_total", { reason: "gone" })).toBe(1);
  });
});

describe("the indexer", () => {
  it("tells head and progress, and what Ponder counts where it answers", async () => {
    let time = 0;
    const gauges = indexerGauges(registry, () => time);
    expect(sampleOf(await read(registry), "agents_chain_head_block")).toBeUndefined();
    expect(await gauges.ponderMetrics()).toBe("");
    const progress = { block: 90, at: 1, finalizedBlock: 70, finalizedAt: 1, ready: true };
    const metricsUrl = "http://127.0.0.1:9/metrics";
    gauges.onReport({
      schema: "s",
      progress,
      head: 100,
      published: true,
      metricsUrl,
      run: 1,
      lastFailure: null,
      nodes: [],
    });
    time = 5_000;
    const families = await read(registry);
    expect(sampleOf(families, "agents_chain_head_block")).toBe(100);
    expect(sampleOf(families, "agents_indexer_block")).toBe(90);
    expect(sampleOf(families, "agents_indexer_report_age_seconds")).toBe(5);
    expect(await gauges.ponderMetrics()).toBe("");
  });
});

describe("the port of metrics", () => {
  const config = (env: Record<string, string>) =>
    loadConfig({ DATA_DIR: "/nonexistent", ...env }, { followStack: false });

  it("is none unless it is set, and then of this machine alone", async () => {
    expect(openOps(config({}), "api", testLog())).toBeUndefined();
    expect(config({ OPS_PORT: "9400" }).ops).toEqual({ host: "127.0.0.1", port: 9400 });
  });

  it("answers metrics and health, refuses the rest, and says in a sentence when it is taken", async () => {
    const ops = openOps({ ops: { host: "127.0.0.1", port: -1 } } as never, "workers", testLog())!;
    const server = await ops.listen({ more: async () => "# HELP ponder_x x\n# TYPE ponder_x gauge\nponder_x 1\n" });
    const answer = await fetch(`${server.url}/metrics`);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const families = parseMetrics(await answer.text());
    expect(sampleOf(families, "process_resident_memory_bytes", { role: "workers" })).toBeGreaterThan(1_000_000);
    expect(sampleOf(families, "ponder_x")).toBe(1);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect((await fetch(`${server.url}/other`)).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`, { method: "POST" })).status).toBe(405);
    const port = Number(new URL(server.url).port);
    const second = openOps(config({ OPS_PORT: String(port) }), "api", testLog())!;
    await expect(second.listen()).rejects.toThrow(`port ${port} for metrics is taken`);
    await ops.close();
  });
});
