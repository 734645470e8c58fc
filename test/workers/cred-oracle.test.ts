/** The per-token oracle on a real chain: what differs is written once, within the day's gas, from what the chain holds. */
import { toEventSelector, toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import { credOracleAbi } from "../../abis/cred-oracle.ts";
import { oracleGas } from "../../core/transactions/gas-bounds.ts";
import { until } from "../../harness/until.ts";
import { perFile, perTest } from "../support/started.ts";
import { oracleWorld } from "./support/cred-oracle.ts";
import { clockAtNoon, startSending } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());
const world = perTest(() => oracleWorld(on, desk));

const SENDS = { waitingKinds: ["oracle"] };
const states = async () => (await world.intents()).map(({ state }) => state);

it("has the interface of the oracle on Base", () => {
  const of = (type: string) => credOracleAbi.filter((entry) => entry.type === type);
  const events = of("event").map((entry) => toEventSelector(entry as never));
  expect(events).toContain("0xf0c4b913e45573bf86658c741042bff212f18ed72304d9b08b7f22e4c4b3ad4c");
  const selectors = of("function").map((entry) => toFunctionSelector(entry as never));
  const live = [
    "getCredScore(uint256)",
    "getCredData(uint256)",
    "batchUpdate(uint256[],uint8[])",
    "update(uint256,uint8)",
    "transferOwnership(address)",
  ];
  expect(selectors.toSorted()).toEqual(live.map((text) => toFunctionSelector(`function ${text}`)).toSorted());
});

describe("what is written", () => {
  it("first scores, a zero too; later only what moved by the threshold", async () => {
    desk.send(SENDS);
    expect(await world.write({ 0: 0, 1: 50, 2: 80 })).toBe(3);
    expect(await world.held([0, 1, 2, 3])).toEqual([0, 50, 80, null]);
    expect(await world.run()).toBe(0);
    expect(await world.write({ 0: 1, 1: 52, 2: 79, 3: 10 }, { threshold: 2 })).toBe(2);
    expect(await world.held([0, 1, 2, 3])).toEqual([0, 52, 80, 10]);
    expect(await states()).toEqual(["mined", "mined"]);
    expect(await world.writes()).toHaveLength(5);
  });

  it("the same scores again after others: a key names what was there before", async () => {
    desk.send(SENDS);
    for (const score of [50, 60, 50, 60]) {
      await world.write({ 7: score });
      expect(await world.held([7])).toEqual([score]);
    }
    expect(await world.writes()).toEqual([50, 60, 50, 60].map((score) => [7, score]));
  });

  it("nothing without an oracle, before the interval is over, or while a batch is under way", async () => {
    await world.score({ 1: 50 });
    expect(await world.run({}, {}, null)).toBe(0);
    expect(await world.run()).toBe(1);
    await world.score({ 2: 60 });
    expect(await world.run()).toBe(0);
    desk.send(SENDS);
    await world.settled();
    expect(await world.run({ intervalMs: 3_600_000 })).toBe(0);
    expect(await world.run({ intervalMs: 3_600_000, now: new Date(Date.now() + 3_600_000) })).toBe(1);
  });

  it("in batches, those that differ most and those never written in turn, once however often and by whom the job runs", async () => {
    const scores = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [n, 10 * (n + 1)]));
    await world.score(scores);
    const queued = await Promise.all([world.run({ batch: 3 }), world.run({ batch: 3 }), world.run({ batch: 3 })]);
    expect(queued.toSorted()).toEqual([0, 0, 7]);
    desk.send(SENDS);
    await world.settled();
    expect(await world.writes()).toEqual([0, 6, 1, 5, 2, 4, 3].map((n) => [n, 10 * (n + 1)]));
    expect(await states()).toEqual(["mined", "mined", "mined"]);
  });

  it("a small change written longest ago, whatever number of others moves further each time", async () => {
    const clock = clockAtNoon();
    desk.send(SENDS, {}, clock);
    const others = (score: number) => Object.fromEntries([0, 1, 2, 3, 4, 5].map((n) => [n, score]));
    for (const scores of [{ 9: 50 }, others(0)]) {
      await world.write(scores, { now: clock() });
      await on.evm.increaseTime({ seconds: 2 });
    }
    await world.score({ 9: 53, ...others(100) });
    const now = new Date(clock().getTime() + 86_400_000);
    expect(await world.run({ gasPerDay: oracleGas(2), now })).toBe(2);
    await world.settled();
    expect(await world.held([9, 0, 1])).toEqual([53, 100, 0]);
  });
});

describe("the gas of a day", () => {
  it("bounds the scores of all runs; the next day goes on", async () => {
    const clock = clockAtNoon();
    desk.send(SENDS, {}, clock);
    await world.score(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [n, 50 + n])));
    const gasPerDay = oracleGas(5);
    expect(await world.run({ gasPerDay, now: clock() })).toBe(5);
    await world.settled();
    const [{ gas_limit }] = (await world.intents()) as unknown as [{ gas_limit: string }];
    expect(Number(gas_limit)).toBeLessThanOrEqual(Number(oracleGas(5)));
    const second = await world.run({ gasPerDay, now: clock() });
    expect(second).toBeLessThanOrEqual(1);
    await world.settled();
    expect(await world.run({ gasPerDay: 0n, now: clock() })).toBe(0);
    const tomorrow = new Date(clock().getTime() + 86_400_000);
    expect(await world.run({ gasPerDay, now: tomorrow })).toBe(5);
    await world.settled();
    expect(await world.writes()).toHaveLength(10 + second);
  });

  it("is that of the largest batch: it fits into the bound of its kind", async () => {
    desk.send(SENDS);
    const scores = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [n + 2 ** 40, 100]));
    expect(await world.write(scores, { batch: 400 })).toBe(400);
    const [{ state, gas_limit }] = (await world.intents()) as unknown as [{ state: string; gas_limit: string }];
    expect(state).toBe("mined");
    expect(Number(gas_limit)).toBeGreaterThan(8_000_000);
  });
});

describe("what others do", () => {
  it("a write that was made elsewhere is seen before the next one, and overwritten where it differs", async () => {
    desk.send(SENDS);
    await world.write({ 1: 50, 2: 60 });
    await world.run();
    await world.elsewhere(1, 99);
    await world.elsewhere(2, 60);
    // What was read lately is believed for a day, unless the score itself moves.
    expect(await world.run()).toBe(0);
    expect(await world.run({ now: new Date(Date.now() + 2 * 86_400_000) })).toBe(1);
    await world.settled();
    expect(await world.held([1, 2])).toEqual([50, 60]);
  });

  it("a write or a new score between queueing and signing ends the batch; the next run writes what is right then", async () => {
    await world.score({ 1: 50, 2: 60 });
    await world.run();
    await world.elsewhere(1, 50);
    desk.send(SENDS);
    await world.settled();
    expect(await world.intents()).toMatchObject([{ state: "failed", error: "the oracle holds other scores by now" }]);
    expect(await world.run()).toBe(1);
    await world.settled();
    expect(await world.held([1, 2])).toEqual([50, 60]);
    expect(await states()).toEqual(["failed", "mined"]);
  });

  it("a score that moved before signing is not written as it was", async () => {
    await world.score({ 1: 50 });
    await world.run();
    await world.score({ 1: 20 });
    desk.send(SENDS);
    await world.settled();
    expect(await world.intents()).toMatchObject([{ state: "failed", error: "scores have changed since" }]);
    await world.run();
    await world.settled();
    expect(await world.writes()).toEqual([[1, 20]]);
  });

  it("an oracle of another owner gets nothing, and costs nothing", async () => {
    desk.send(SENDS);
    const foreign = await world.deploy(world.stranger);
    await world.score({ 1: 50 });
    expect(await world.run({}, {}, foreign)).toBe(1);
    await world.settled();
    expect(await world.intents()).toMatchObject([{ state: "failed", gas_limit: null }]);
    // It stays one intent, which is tried again.
    await world.run({}, {}, foreign);
    await world.settled();
    expect(await states()).toEqual(["failed"]);
  });

  it("switched off, what was queued is not signed", async () => {
    await world.score({ 1: 50 });
    await world.run();
    desk.send({ waitingKinds: ["uri"] });
    const { mintId } = await desk.accept(desk.request());
    await desk.decided(mintId);
    expect(await states()).toEqual(["queued"]);
  });

  it("a reorganisation brings the same transaction back", async () => {
    desk.send(SENDS);
    await world.write({ 1: 50 });
    await on.reorg(1);
    await on.evm.mine({ blocks: 2 });
    await until("it is there again", async () => (await world.held([1]))[0] === 50);
    await world.settled();
    expect(await world.run()).toBe(0);
    expect(await states()).toEqual(["mined"]);
    expect(await world.writes()).toEqual([[1, 50]]);
  });
});
