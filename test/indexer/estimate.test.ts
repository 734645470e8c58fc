/** The request model of a backfill: what Ponder requests for ranges, densities and limits, and what an operator reads of it. */
import { describe, expect, it } from "vitest";
import { computeUnitsOf } from "../../indexer/estimate/estimate.ts";
import { missingRanges, predictRequests, type RequestPlan } from "../../indexer/estimate/request-model.ts";
import { type SampledNodes, sampleHistory } from "../../indexer/estimate/sample.ts";
import type { BlockRange } from "../../indexer/progress/meter.ts";
import { estimateLines, incomeLines, jobLines } from "../../scripts/backfill/estimate.ts";

const plan = (over: Partial<RequestPlan> = {}): RequestPlan => ({
  strata: [{ range: [1, 100_000], blocks: 0, events: 0 }],
  filters: [[[1, 100_000]]],
  reads: {},
  identityEventsPerBlock: 0,
  logsRange: null,
  lanes: 64,
  nodeRate: 1_000,
  ...over,
});

describe("the request model", () => {
  it("asks for each block with events once, and for logs in ranges that grow as Ponder's do", () => {
    const quiet = predictRequests(plan());
    const busy = predictRequests(plan({ strata: [{ range: [1, 100_000], blocks: 40_000, events: 400_000 }] }));
    expect(busy.requests.eth_getBlockByNumber! - quiet.requests.eth_getBlockByNumber!).toBeGreaterThan(39_999);
    expect(busy.requests.eth_getBlockByNumber!).toBeLessThan(41_000);
    // Intervals of 26, 39, 58 … blocks, each in chunks of 500 blocks and more.
    expect(quiet.requests.eth_getLogs).toBeGreaterThan(40);
    expect(quiet.requests.eth_getLogs).toBeLessThan(500);
    expect(busy.seconds).toBeGreaterThan(quiet.seconds + 39);
  });

  it("asks a node with a limit in as many requests as the limit needs, twice, each filter for itself", () => {
    const limited = predictRequests(plan({ logsRange: 10 }));
    expect(limited.requests.eth_getLogs).toBeGreaterThanOrEqual(20_000);
    expect(limited.requests.eth_getLogs).toBeLessThan(21_400);
    const two = predictRequests(plan({ logsRange: 10, filters: [[[1, 100_000]], [[50_001, 100_000]]] }));
    expect(two.requests.eth_getLogs! / limited.requests.eth_getLogs!).toBeCloseTo(1.5, 1);
  });

  it("asks for nothing that the cache has", () => {
    const cached = predictRequests(plan({ filters: [[]] }));
    // The blocks above the last final one.
    expect(cached.requests.eth_getLogs).toBe(30);
    expect(cached.requests.eth_getBlockByNumber).toBeLessThan(150);
    const half = predictRequests(plan({ filters: [[[50_001, 100_000]]], logsRange: 10 }));
    expect(half.requests.eth_getLogs).toBeLessThan(11_200);
    expect(
      missingRanges(
        [1, 10],
        [
          [3, 4],
          [7, 20],
        ],
      ),
    ).toEqual([
      [1, 2],
      [5, 6],
    ]);
    expect(missingRanges([1, 10], [])).toEqual([[1, 10]]);
    expect(missingRanges([5, 10], [[1, 12]])).toEqual([]);
  });

  it("takes as long as lanes and node allow", () => {
    const strata = [{ range: [1, 100_000] as BlockRange, blocks: 5_000, events: 5_000 }];
    const seconds = (lanes: number, nodeRate: number) => predictRequests(plan({ strata, lanes, nodeRate })).seconds;
    expect(seconds(1, 10_000)).toBeGreaterThan(3 * seconds(8, 10_000));
    expect(seconds(64, 10)).toBeGreaterThan(490);
  });
});

/** Nodes of a chain in which every block from 60,000 on has two events in blocks of even number. */
function chainOf(address: string, topic: string): SampledNodes {
  const requests: Record<string, number> = {};
  return {
    async request(method, params) {
      requests[method] = (requests[method] ?? 0) + 1;
      if (method !== "eth_getLogs") return { transactions: [] };
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const logs: object[] = [];
      for (let block = Number(fromBlock); block <= Number(toBlock); block++)
        if (block >= 60_000 && block % 2 === 0)
          for (const topics of [[topic], [topic], ["0xother"]])
            logs.push({ address, blockNumber: `0x${block.toString(16)}`, topics, transactionHash: "0x" });
      return logs;
    },
    stats: () => [{ roles: ["logs"], logsRange: 2_000, requests } as never],
  };
}

it("the sample sees that density differs over time, leaves out other events, and has a bound on its requests", async () => {
  const nodes = chainOf("0xaa", "0xevent");
  const sample = await sampleHistory({
    nodes,
    contracts: [{ name: "Handshakes", address: "0xaa", startBlock: 0, from: 0 }],
    filters: [{ contract: "Handshakes", address: "0xaa", events: ["0xevent"] }],
    to: 99_999,
    cached: new Map([["0xaa", [[80_000, 99_999]]]]),
    windows: 50,
  });
  expect(sample.events.Handshakes! / 40_000).toBeGreaterThan(0.9);
  expect(sample.events.Handshakes! / 40_000).toBeLessThan(1.1);
  // Those from 80,000 on are in the cache: indexed, and not requested.
  const blocks = sample.strata.reduce((sum, stratum) => sum + stratum.blocks, 0);
  expect(blocks / 10_000).toBeGreaterThan(0.9);
  expect(blocks / 10_000).toBeLessThan(1.1);
  expect(sample.logsRange).toBe(2_000);
  expect(sample.requests).toBeLessThanOrEqual(50 + 1 + 51);
});

it("compute units follow the table, and the lines name its source", () => {
  const requests = { eth_getLogs: 1_000, eth_getBlockByNumber: 20_000, eth_call: 10 };
  expect(computeUnitsOf(requests)).toBe(60_000 + 400_000 + 260);
  const lines = estimateLines({
    from: 42_254_000,
    to: 43_000_000,
    contracts: [{ name: "Identity", from: 42_254_000, blocks: 746_001, missingBlocks: 746_001, events: 12_000 }],
    events: 12_000,
    requests,
    computeUnits: computeUnitsOf(requests),
    seconds: 3_720,
    lanes: 64,
    sample: { requests: 150, share: 0.034, logsRange: 2_000, nodeRate: 85.4 },
  });
  expect(lines).toEqual([
    "Blocks 42,254,000 to 43,000,000, 746,001 in all",
    "",
    "contract  from block   blocks  not in the cache  events",
    "Identity  42,254,000  746,001           746,001  12,000",
    "",
    "method                requests  units each  compute units",
    "eth_getLogs              1,000          60         60,000",
    "eth_getBlockByNumber    20,000          20        400,000",
    "eth_call                    10          26            260",
    "all                     21,010                    460,260",
    "",
    "Time: 1 h 2 min with 64 lanes; the node answered 85 requests a second, at most 2,000 blocks in one eth_getLogs",
    "Sample: 150 requests, 3.4 % of the blocks. Compute units: Alchemy's table of 2026; providers change theirs.",
  ]);
});

it("what the payments to agents' wallets take is told with it, known number of wallets or not", () => {
  expect(incomeLines({ wallets: 1_200, logsRange: 2_000, perDay: 10_000 })).toEqual([
    "",
    "Payments to 1,200 wallets of agents, read by the workers afterwards: 8,169 requests for 90 days, at most 490,140 compute units; 12 each time that the newest blocks are read.",
    "Those who paid and owners of paid agents are read, too: as much for each 500. The daily budget income-requests is 10,000, which is 19 h 36 min for the 90 days.",
  ]);
  expect(incomeLines({ wallets: null, logsRange: null, perDay: 0 }).slice(1)).toEqual([
    "Payments to each 500 wallets of agents, read by the workers afterwards: 1,167 requests for 90 days, at most 70,020 compute units; 4 each time that the newest blocks are read.",
    "The daily budget income-requests is 0: none are read.",
  ]);
});

it("says what agents' jobs take", () => {
  expect(jobLines({ blocks: 10_000_001, logsRange: 2_000, perDay: 10_000 })).toEqual([
    "",
    "Agents' jobs of 10,000,001 blocks, read by the workers afterwards: 7,007 requests, at most 420,420 compute units; 4 each time that the newest blocks are read.",
    "The daily budget job-requests is 10,000, which is 16 h 49 min for these.",
  ]);
  expect(jobLines({ blocks: 1, logsRange: null, perDay: 0 }).at(-1)).toBe(
    "The daily budget job-requests is 0: none are read.",
  );
  expect(jobLines({ blocks: undefined, logsRange: null, perDay: 10_000 })).toEqual([
    "",
    "CONTRACTS names no agentCommerce: no agents' jobs are read.",
  ]);
});
