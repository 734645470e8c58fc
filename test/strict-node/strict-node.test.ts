/** Each rule of the strict node refuses what its providers refuse, in their words, and nothing else. */
import { type Hex, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { faultOf } from "../../clients/rpc/errors.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { MISSING_STATE, PROFILES, type ProfileName } from "../../harness/strict-node/profiles.ts";
import {
  answerBytes,
  backendBehind,
  computeUnits,
  logsFound,
  OMITS,
  omitsLogs,
  type Rule,
} from "../../harness/strict-node/rules.ts";
import { type StrictNode, startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { until } from "../../harness/until.ts";
import { endedPerTest, perFile } from "../support/started.ts";

const HEAD = 80;
const SENDER = privateKeyToAccount(`0x${"11".repeat(32)}`);
/** Emits two empty logs whenever it is called. */
const LOGGER = "0x00000000000000000000000000000000000a0909";
const TOPICLESS_LOGS: Hex = "0x60006000a060006000a0";

const anvil = perFile(startAnvil);
const ended = endedPerTest();

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read by the tests only
type Json = any;

async function post(url: string, body: object): Promise<{ status: number; headers: Headers; json: Json }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}
const call = (method: string, params: unknown[] = [], id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });
const direct = async (method: string, params: unknown[] = []) =>
  (await post(anvil.url, call(method, params))).json.result;
async function before(profile: ProfileName | readonly Rule[], now?: () => number): Promise<StrictNode> {
  return ended(await startStrictNode({ upstream: anvil.url, profile, ...(now && { now }) }));
}
const logs = (blocks: number, from = 1) =>
  call("eth_getLogs", [{ fromBlock: numberToHex(from), toBlock: numberToHex(from + blocks - 1) }]);

beforeAll(async () => {
  await direct("anvil_mine", [numberToHex(HEAD)]);
  await direct("anvil_setCode", [LOGGER, TOPICLESS_LOGS]);
  await direct("anvil_setBalance", [SENDER.address, numberToHex(10n ** 20n)]);
});

describe("profiles", () => {
  it.each(Object.keys(PROFILES) as ProfileName[])("%s answers as the node does inside its limits", async (profile) => {
    const node = await before(profile);
    const { json, status } = await post(node.url, logs(10));
    expect([status, json]).toEqual([200, { jsonrpc: "2.0", id: 1, result: [] }]);
    const batch = await post(node.url, [call("eth_chainId"), call("eth_gasPrice", [], "b")]);
    expect(batch.json).toMatchObject([{ id: 1, result: "0x2105" }, { id: "b" }]);
    expect(node.counts()).toEqual({
      ...{ http: 2, batches: 1, refused: {}, retried: 0 },
      requests: { eth_getLogs: 1, eth_chainId: 1, eth_gasPrice: 1 },
    });
  });

  it.each<[ProfileName, number, number, number, RegExp]>([
    ["public-base", 2_000, 413, -32614, /limited to a 2,000 range/],
    ["logs-10", 10, 400, -32600, /up to a 10 block range\. .*should work: \[0x1, 0xa\]/],
    ["logs-500", 500, 200, -32600, /should work: \[0x1, 0x1f4\]/],
    ["logs-2000", 2_000, 200, -32602, /query exceeds max block range 2000/],
    ["logs-10000", 10_000, 413, -32614, /limited to a 10,000 range/],
    ["logs-unnamed", 1_000, 200, -32600, /block range is too wide/],
  ])("%s refuses logs of more than %i blocks", async (profile, max, httpStatus, code, words) => {
    const node = await before(profile);
    expect((await post(node.url, logs(max))).json.result).toEqual([]);
    const { status, json } = await post(node.url, logs(max + 1));
    expect([status, json.error.code]).toEqual([httpStatus, code]);
    expect(json.error.message).toMatch(words);
    expect(node.counts().refused).toEqual({ [`logs of more than ${max} blocks`]: 1 });
  });

  it("a range may be named by words", async () => {
    const node = await before("logs-10");
    const open = (fromBlock: string) => post(node.url, call("eth_getLogs", [{ fromBlock, toBlock: "latest" }]));
    expect((await open("earliest")).json.error.code).toBe(-32600);
    expect((await open("latest")).json.result).toEqual([]);
  });

  it.each<[ProfileName, number, number]>([
    ["public-base", 10, -32014],
    ["logs-2000", 20, -32600],
    ["logs-500", 100, -32000],
  ])("%s answers a batch of more than %i with one error object", async (profile, max, code) => {
    const node = await before(profile);
    const batch = (size: number) => Array.from({ length: size }, (_, id) => call("eth_chainId", [], id));
    expect((await post(node.url, batch(max))).json).toHaveLength(max);
    expect((await post(node.url, batch(max + 1))).json).toMatchObject({ id: null, error: { code } });
  });

  it("a pruned node has the newest states only, and says so in many ways", async () => {
    const node = await before("pruned");
    const read = (block: string) => post(node.url, call("eth_getBalance", [SENDER.address, block]));
    expect((await read("latest")).json.result).toBeDefined();
    expect((await read(numberToHex(HEAD - 20))).json.error).toBeUndefined();
    const words = new Set<string>();
    for (let turn = 0; turn < 8; turn++) words.add((await read(numberToHex(10))).json.error.message);
    expect(words.size).toBe(8);
    const { hash } = await direct("eth_getBlockByNumber", ["0x1", false]);
    expect((await post(node.url, call("eth_call", [{ to: LOGGER }, { blockHash: hash }]))).json.error).toBeDefined();
  });

  it("the pool takes all of these words for a missing state or block", () => {
    const faults = MISSING_STATE.map((words) => [words(100).message, faultOf("eth_call", words(100))]);
    expect(faults.filter(([, fault]) => fault !== "state" && fault !== "block")).toEqual([]);
  });

  it("gas limits above 2^24 are refused", async () => {
    const node = await before("logs-10");
    const signed = (gas: bigint) =>
      SENDER.signTransaction({
        chainId: 8453,
        type: "eip1559",
        to: SENDER.address,
        gas,
        nonce: 0,
        maxFeePerGas: 10n ** 10n,
      });
    const send = async (gas: bigint) =>
      (await post(node.url, call("eth_sendRawTransaction", [await signed(gas)]))).json;
    expect((await send(16_777_217n)).error).toMatchObject({
      message: "transaction gas limit too high (cap: 16777216, tx: 16777217)",
    });
    const estimate = (gas: number) =>
      post(node.url, call("eth_call", [{ to: LOGGER, gas: numberToHex(gas) }, "latest"]));
    expect((await estimate(16_777_217)).json.error.message).toBe("intrinsic gas too high");
    expect((await estimate(16_777_216)).json.result).toBe("0x");
    expect((await send(16_777_216n)).result).toMatch(/^0x/);
  });

  it("the public endpoint serves no filters and no pending block", async () => {
    const node = await before("public-base");
    expect((await post(node.url, call("eth_newBlockFilter"))).json.error.code).toBe(-32601);
    expect((await post(node.url, call("eth_getBlockByNumber", ["pending", false]))).json.error.code).toBe(-32014);
  });
});

describe("rules", () => {
  it("compute units refill by the second, and the wait is named", async () => {
    let now = 0;
    const units = (whole: boolean): Rule =>
      computeUnits({
        ...{ perSecond: 10, burst: 20, weights: { eth_chainId: 10 }, fallback: 1, whole },
        words: (waitS) => ({ code: 429, message: "slower", status: 429, headers: { "retry-after": `${waitS}` } }),
      });
    const node = await before([units(false)], () => now);
    const batch = await post(
      node.url,
      [1, 2, 3].map((id) => call("eth_chainId", [], id)),
    );
    // A batch is HTTP 200; each call in it is refused for itself.
    expect([batch.status, batch.json.map((one: Json) => one.error?.code)]).toEqual([200, [undefined, undefined, 429]]);
    const single = await post(node.url, call("eth_chainId"));
    expect([single.status, single.headers.get("retry-after")]).toEqual([429, "1"]);
    now = 1_000;
    expect((await post(node.url, call("eth_chainId"))).status).toBe(200);
    expect(node.counts()).toMatchObject({ refused: { rate: 2 }, retried: 2 });

    const whole = await before([units(true)], () => now);
    expect((await post(whole.url, [call("eth_chainId"), call("eth_chainId")])).status).toBe(200);
    expect((await post(whole.url, [call("eth_chainId"), call("eth_chainId")])).json.error.code).toBe(429);
  });

  it("too many logs are refused with the range that fits, and too many bytes are", async () => {
    for (let round = 0; round < 2; round++) {
      const hash = await direct("eth_sendRawTransaction", [
        await SENDER.signTransaction({
          ...{ chainId: 8453, type: "eip1559", to: LOGGER, gas: 100_000n, maxFeePerGas: 10n ** 10n },
          nonce: Number(await direct("eth_getTransactionCount", [SENDER.address, "latest"])),
        }),
      ]);
      // The node answers before it has made the block.
      await until("its block", () => direct("eth_getTransactionReceipt", [hash]));
    }
    const head = Number(await direct("eth_blockNumber"));
    const words = ({ from, fits }: { from: number; fits: number }) => ({ code: -32005, message: `${from}..${fits}` });
    const node = await before([logsFound(3, words)]);
    expect((await post(node.url, logs(10, head - 9))).json.error.message).toBe(`${head - 9}..${head - 1}`);
    expect((await post(node.url, logs(9, head - 9))).json.result).toHaveLength(2);

    const narrow = await before([answerBytes(1_000, { code: -32008, message: "Response is too big" })]);
    expect((await post(narrow.url, logs(10, head - 9))).json.error.code).toBe(-32008);
    expect((await post(narrow.url, call("eth_chainId"))).json.result).toBe("0x2105");
    const batch = Array.from({ length: 30 }, (_, id) => call("eth_chainId", [], id));
    expect((await post(narrow.url, batch)).json).toMatchObject({ id: null, error: { code: -32008 } });
  });

  it("logs are left out of the first answer that would have them, and of no other", async () => {
    const { result } = (await post(anvil.url, logs(Number(await direct("eth_blockNumber"))))).json;
    expect(result.length).toBeGreaterThan(0);
    const node = await before([omitsLogs(1)]);
    const head = Number(await direct("eth_blockNumber"));
    expect((await post(node.url, logs(head))).json.result).toEqual([]);
    expect((await post(node.url, logs(head))).json.result).toEqual(result);
    expect(node.counts().refused).toEqual({ [OMITS]: 1 });
  });

  it("one backend of two has the newest block a moment later", async () => {
    let now = 0;
    const node = await before([backendBehind(500, 2)], () => now);
    const twice = async (body: object) => [(await post(node.url, body)).json, (await post(node.url, body)).json];
    // Both know the head that is there at first.
    const [first, same] = await twice(call("eth_blockNumber"));
    expect(same).toEqual(first);
    await direct("anvil_mine", ["0x1"]);
    const newest = await direct("eth_getBlockByNumber", ["latest", false]);
    expect((await twice(call("eth_blockNumber")))[0].result).toBe(newest.number);
    // The proxy has noticed the new block: its backends differ.
    await expect.poll(async () => (await twice(call("eth_blockNumber")))[1].result).not.toBe(newest.number);
    const [there, behind] = await twice(call("eth_getBlockByNumber", [newest.number, false]));
    expect([there.result.hash, behind.result]).toEqual([newest.hash, null]);
    const byHash = await twice(call("eth_getLogs", [{ blockHash: newest.hash }]));
    expect([byHash[0].result, byHash[1].error.message]).toEqual([[], "unknown block"]);
    const byRange = await twice(call("eth_getLogs", [{ fromBlock: newest.number, toBlock: newest.number }]));
    expect(byRange[1].error.message).toBe("block range extends beyond current head block");
    const state = await twice(call("eth_getBalance", [SENDER.address, newest.number]));
    expect([state[0].result === undefined, state[1].error.message]).toEqual([false, "header not found"]);
    now = 500;
    const later = await twice(call("eth_getBlockByNumber", [newest.number, false]));
    expect(later[1].result.hash).toBe(newest.hash);
  });
});
