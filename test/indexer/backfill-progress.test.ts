/** The progress of a backfill: what follows from counters, when it is a stall, and what an operator reads. */
import { expect, it } from "vitest";
import type { BackfillProgress } from "../../core/views/backfill.ts";
import { failureText } from "../../indexer/ponder-process.ts";
import { type BlockRange, progressMeter, type Sample } from "../../indexer/progress/meter.ts";
import { parsePonderCounters } from "../../indexer/progress/ponder-metrics.ts";
import { nodeProgress } from "../../indexer/progress/recorder.ts";
import { redactor } from "../../runtime/log.ts";
import { logLine, openDisplay, screenLines } from "../../scripts/backfill/screen.ts";

const CONTRACTS = [
  { name: "Identity", address: "0xaa", startBlock: 200 },
  { name: "Eas", address: "0xbb", startBlock: 100 },
];

function meterAt0() {
  let time = 0;
  const startedAt = "2026-11-22T00:00:00.000Z";
  const meter = progressMeter({ contracts: CONTRACTS, endBlock: undefined, startedAt, now: () => time });
  const nothing = { run: 1, block: null, head: 1_100, published: false, counters: null, nodes: [], lastFailure: null };
  return (seconds: number, sample: Partial<Sample> = {}): BackfillProgress => {
    time = seconds * 1_000;
    return meter.add({ ...nothing, cached: new Map(), ...sample });
  };
}
const counters = (fetchedBlock: number | null, answered: number, events = 0) => ({
  ...{ fetchedBlock, events: { Identity: events }, answered: { eth_getLogs: answered }, failed: 0 },
});

it("counts from the first block of any contract, each contract from its own, and what the cache has beyond", () => {
  const add = meterAt0();
  expect(add(0)).toMatchObject({ state: "starting", fromBlock: 100, toBlock: 1_100, progress: 0, secondsLeft: null });
  add(10, { block: 200, counters: counters(300, 50, 100) });
  const early: BlockRange = [350, 450];
  const late: BlockRange = [1_000, 2_000];
  const later = add(20, { block: 300, counters: counters(400, 150, 300), cached: new Map([["0xaa", [early, late]]]) });
  expect(later).toMatchObject({
    ...{ state: "running", progress: 0.2, fetchedBlock: 400, secondsLeft: 80, stalledSeconds: null },
    ...{ events: 300, eventsPerSecond: 15, requests: { eth_getLogs: 150 }, requestsPerSecond: 7.5 },
    contracts: [
      // 200 to 400, then 401 to 450 and 1,000 to 1,100 of the cache.
      { name: "Identity", fromBlock: 200, fetchedBlocks: 201 + 50 + 101, totalBlocks: 901, events: 300 },
      { name: "Eas", fromBlock: 100, fetchedBlocks: 301, totalBlocks: 1_001, events: 0 },
    ],
  });
  // The pace is that of the batches that were committed; the time since the last one is used up.
  expect(add(60, { block: 300, counters: counters(450, 300, 300) }).secondsLeft).toBe(40);
});

it("a minute without a block, an event or an answer is a stall, and so is a run that repeats its first requests", () => {
  const add = meterAt0();
  const still = { block: 200, counters: counters(200, 5) };
  add(0, still);
  expect(add(59, still).stalledSeconds).toBeNull();
  expect(add(60, still).stalledSeconds).toBe(60);
  expect(add(61, { block: 200, counters: counters(200, 6) }).stalledSeconds).toBeNull();
  // Ponder ends and starts again and again at the same block: its counters begin at 0 each time.
  for (let run = 2; run < 8; run++) add(61 + run * 10, { run, block: 200, counters: counters(200, 6) });
  expect(add(140, { run: 8, block: 200, counters: counters(200, 6) }).stalledSeconds).toBe(79);
  expect(add(141, { run: 8, block: 201, counters: counters(201, 7) }).stalledSeconds).toBeNull();
  // A silent Ponder is no progress either, and the last known counters hold.
  expect(add(202, { run: 8, block: 201 })).toMatchObject({ stalledSeconds: 61, requests: { eth_getLogs: 7 } });
  // An index that is served and at the head waits for blocks, which is no stall.
  expect(add(300, { run: 8, block: 1_100, published: true })).toMatchObject({ state: "done", stalledSeconds: null });
  expect(add(400, { run: 8, block: 1_100, published: true }).stalledSeconds).toBeNull();
});

it("reads Ponder's counters by contract and by method", () => {
  const text = [
    "# TYPE ponder_sync_block gauge",
    'ponder_sync_block{chain="base"} 1.2e3',
    'ponder_indexing_completed_events{chain="base",event="Identity:Transfer"} 7',
    'ponder_indexing_completed_events{chain="base",event="Identity:Mutated"} 3',
    'ponder_rpc_request_duration_bucket{le="1",method="eth_getLogs",chain="base"} 4',
    'ponder_rpc_request_duration_count{method="eth_getLogs",chain="base"} 5',
    'ponder_rpc_request_error_total{method="eth_getLogs",chain="base"} 2',
  ].join("\n");
  expect(parsePonderCounters(text)).toEqual({
    ...{ fetchedBlock: 1_200, events: { Identity: 10 }, answered: { eth_getLogs: 5 }, failed: 2 },
  });
});

it("says a failure in the node's words, without paths, queries and keys", () => {
  const key = "abcdef0123456789abcdef";
  const redact = redactor([key]);
  const message = [
    "HTTP request failed.",
    "",
    "Status: 429",
    `URL: https://base.example/v2/${key}`,
    'Request body: {"method":"eth_getLogs"}',
    "",
    `Details: {"code":429,"message":"over the limit of ${key}, see https://base.example/plans?k=${key}"}`,
    "Version: viem@2.57.1",
  ].join("\n");
  const asked = { method: "eth_getLogs", hostname: "base.example" };
  expect(failureText({ ...asked, msg: "Received JSON-RPC error", error: { message } }, redact)).toBe(
    'base.example eth_getLogs: HTTP 429, {"code":429,"message":"over the limit of [redacted], see base.example"}',
  );
  const late = "JSON-RPC request surpassed timeout";
  expect(failureText({ ...asked, msg: late }, redact)).toBe(`base.example eth_getLogs: ${late}`);
  const inactive = "All JSON-RPC providers are inactive";
  expect(failureText({ msg: inactive }, redact)).toBe(inactive);
});

it("says of a node what the pool knows: its state, its limits, what it refused", () => {
  const stats = {
    ...{ host: "base.example", roles: ["logs" as const], state: "ready" as const, since: null },
    ...{ logsRange: 500, batch: 10, perSecond: 24.6 },
    ...{ requests: { eth_getLogs: 7, eth_call: 3 }, posts: 2, refused: { rate: 2, range: 1 }, retried: 3 },
  };
  const state = "ready, at most logs of 500 blocks, 25 requests/s";
  expect(nodeProgress(stats)).toEqual({ host: "base.example", state, requests: 10, failed: 3 });
  const silent = { ...stats, state: "silent" as const, since: Date.parse("2026-11-22T01:02:03Z") };
  expect(nodeProgress(silent).state).toBe("silent since 01:02:03 UTC");
  expect(nodeProgress({ ...stats, state: "wrong_chain" }).state).toBe("serves another chain, left out");
});

const RECORD: BackfillProgress = {
  ...{ state: "running", fromBlock: 41_663_783, block: 46_958_120, fetchedBlock: 47_000_000, toBlock: 52_000_000 },
  ...{ progress: 0.5121, secondsLeft: 4_320, stalledSeconds: null, lastFailure: null },
  ...{ events: 123_456, eventsPerSecond: 1_210.4 },
  ...{ requests: { eth_getLogs: 1_000, eth_getBlockByNumber: 9_000 }, requestsPerSecond: 310.2 },
  contracts: [
    { name: "Identity", fetchedBlocks: 48, events: 9_000, eventsPerSecond: 9.4 },
    { name: "Eas", fetchedBlocks: 100, events: 12, eventsPerSecond: 0 },
  ].map((contract) => ({ ...contract, fromBlock: 42_254_000, totalBlocks: 100 })),
  nodes: [{ host: "mainnet.base.org", state: "ready", requests: 10_000, requestsPerSecond: 310.2, failed: 3 }],
  startedAt: "2026-11-22T00:00:00.000Z",
};
const STALLED: BackfillProgress = {
  ...RECORD,
  eventsPerSecond: 0,
  stalledSeconds: 75,
  lastFailure: { at: "2026-11-22T00:00:10.000Z", reason: "mainnet.base.org eth_getLogs: over the daily limit" },
};
const NOW = Date.parse("2026-11-22T00:00:13.000Z");

it("is a block of lines in a terminal", () => {
  expect(screenLines(RECORD, { now: NOW, colour: false, width: 100 })).toEqual([
    "████████████████████░░░░░░░░░░░░░░░░░░░░  51.2 %",
    "block 46,958,120 of 52,000,000   1,210 events/s   310 requests/s   1 h 12 min left",
    "",
    "contract  from block  fetched  events  a second",
    "Identity  42,254,000   48.0 %   9,000       9.4",
    "Eas       42,254,000  100.0 %      12       0.0",
    "",
    "node              requests  a second  failed  state",
    "mainnet.base.org    10,000       310       3  ready",
  ]);
  expect(screenLines(STALLED, { now: NOW, colour: false, width: 60 }).slice(-3)).toEqual([
    "",
    "stalled: no progress for 1 min 15 s; last failure 3 s ago:",
    "mainnet.base.org eth_getLogs: over the daily limit",
  ]);
  const narrow = screenLines(STALLED, { now: NOW, colour: false, width: 50 });
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(50);
});

it("is one line in a log", () => {
  expect(logLine(RECORD, { now: NOW })).toBe(
    "51.2 %, block 46958120 of 52000000, 1,210 events/s, 310 requests/s, 1 h 12 min left",
  );
  expect(logLine(STALLED, { now: NOW })).toContain(
    "stalled: no progress for 1 min 15 s; last failure 3 s ago: mainnet.base.org eth_getLogs: over the daily limit",
  );
});

it("redraws its lines in a terminal and adds a line each ten seconds to a log, without escape sequences", () => {
  let now = NOW;
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const terminal = openDisplay({ isTTY: true, columns: 100, write, hasColors: () => true }, () => now);
  terminal.show(RECORD);
  terminal.show(RECORD);
  now += 1_000;
  terminal.show(RECORD);
  expect(written).toHaveLength(2);
  expect(written[1]!.startsWith("\x1b[9A\r\x1b[J")).toBe(true);
  written.length = 0;
  const log = openDisplay({ write }, () => now);
  log.show(RECORD);
  now += 9_000;
  log.show(RECORD);
  now += 1_000;
  log.show(RECORD);
  expect(written).toHaveLength(2);
  expect(written.join("")).not.toContain("\x1b");
});
