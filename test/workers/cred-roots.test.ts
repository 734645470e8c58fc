/** Roots of all scores on a real chain: one per change and interval, exactly once across crashes and reorganisations. */
import { Registry } from "prom-client";
import { encodeFunctionData, keccak256, toHex, zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { epochByNumber, latestPublished, proofOf } from "../../db/cred/cred-epochs.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { credRootGauges } from "../../ops/metrics/scores.ts";
import { ROOTS_FAULT_POINTS } from "../../workers/cred/cred-roots.ts";
import { FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { parseMetrics, sampleOf } from "../ops/support/exposition.ts";
import { deepDescribe, deepIt } from "../support/share.ts";
import { perFile, perTest } from "../support/started.ts";
import { rootsWorld } from "./support/cred-roots.ts";
import { startSending } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());
const world = perTest(() => rootsWorld(on, desk));
beforeEach(() => world.score({ 0: 40, 1: 80, 2: 95 }));

/** A time after now, with an index of that time. */
async function later(hours: number): Promise<Date> {
  const now = new Date(Date.now() + hours * 3_600_000);
  await plantCheckpoint(desk.db, { at: Math.floor(now.getTime() / 1_000) });
  return now;
}
const numbers = async () => (await world.epochs()).map(({ epoch, state }) => [epoch, state]);

describe("an epoch", () => {
  it("is published with the scores of one snapshot, and every agent of it can be proved", async () => {
    desk.send();
    const epoch = await world.publish(1);
    expect(epoch).toMatchObject({ leaves: 3, block: 1_000, contract: world.address, chainId: 8453, kept: true });
    expect(epoch.registry).toBe(on.identity);
    expect(await world.rootOf(1)).toBe(epoch.root);
    const receipt = await on.evm.getTransactionReceipt({ hash: epoch.txHash! });
    expect(Number(receipt.blockNumber)).toBe(epoch.txBlock);
    expect(await Promise.all([0, 1, 2, 3].map((tokenId) => world.proven(1, tokenId)))).toEqual([40, 80, 95, null]);
    expect((await proofOf(desk.db, 1, 2))!.leaf).toEqual({
      ...{ chainId: 8453, registry: on.identity, tokenId: 2, score: 95, tier: 4, block: 950 },
      computedAt: Date.parse("2026-01-01T00:00:00Z") / 1_000,
    });
  });

  it("follows when scores have changed and the interval is over; unchanged scores get one per heartbeat", async () => {
    desk.send();
    await world.publish(1);
    await world.score({ 0: 41 });
    expect(await world.run()).toBe(0);
    await world.publish(2, { now: await later(1.1) });
    expect(await Promise.all([world.proven(1, 0), world.proven(2, 0)])).toEqual([40, 41]);

    // Nothing changed: recorded as checked, and not built again before the next interval.
    const unchanged = await later(2.2);
    expect(await world.run({ now: unchanged })).toBe(0);
    expect((await epochByNumber(desk.db, 2))!.checkedAt).toEqual(unchanged);
    await world.score({ 0: 42 });
    expect(await world.run({ now: await later(2.5) })).toBe(0);
    await world.score({ 0: 41 });
    const third = await world.publish(3, { now: await later(25) });
    expect(third.root).toBe((await epochByNumber(desk.db, 2))!.root);
    expect(await world.events()).toEqual([1, 2, 3]);
  });

  it("is stored once by many workers at once", async () => {
    desk.send();
    const stored = await Promise.all(Array.from({ length: 5 }, () => world.run()));
    expect(stored.sort()).toEqual([0, 0, 0, 0, 1]);
    await world.published(1);
    expect(await numbers()).toEqual([[1, "published"]]);
    expect(await world.events()).toEqual([1]);
  });

  it("waits for the one before it", async () => {
    await world.run();
    await world.score({ 0: 1 });
    expect(await world.run({ now: await later(5) })).toBe(0);
    expect(await numbers()).toEqual([[1, "built"]]);
  });

  deepIt("of thousands of agents is built in a process of its own", async () => {
    desk.send();
    await world.score(Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [i, i % 101])));
    expect(await world.publish(1)).toMatchObject({ leaves: 2_500 });
    expect(await Promise.all([7, 2_499].map((tokenId) => world.proven(1, tokenId)))).toEqual([7, 2_499 % 101]);
    expect(desk.log.lines.join("")).toMatch(/"peakBytes":\d+/);
    // Unchanged: the process is not asked for its parts.
    expect(await world.run({ now: await later(2) })).toBe(0);
  });

  deepIt("leaves out agents that do not exist any more, and those without a score", async () => {
    desk.send();
    await desk.db.query("delete from onchain.agent where token_id = 1");
    await desk.db.query("delete from offchain.cred where token_id = 2");
    expect(await world.publish(1)).toMatchObject({ leaves: 1 });
    expect(await Promise.all([0, 1, 2].map((tokenId) => world.proven(1, tokenId)))).toEqual([40, null, null]);
  });

  it("leaves out a token whose id no leaf has room for, and proves the others", async () => {
    desk.send();
    await world.score({ [2 ** 40]: 99, [2 ** 40 - 1]: 98 });
    expect(await world.publish(1)).toMatchObject({ leaves: 4 });
    expect(await Promise.all([0, 2 ** 40 - 1, 2 ** 40].map((tokenId) => world.proven(1, tokenId)))).toEqual([
      40,
      98,
      null,
    ]);
  });

  deepIt("loses its tree when enough newer ones are published, and keeps its root", async () => {
    desk.send();
    for (const n of [1, 2, 3, 4, 5]) {
      await world.score({ 0: n });
      await world.publish(n, { now: await later(2 * n) });
    }
    expect((await world.epochs()).map(({ kept }) => kept)).toEqual([false, true, true, true, true]);
    expect(await Promise.all([1, 2].map((epoch) => world.proven(epoch, 0)))).toEqual([null, 2]);
    expect(await world.rootOf(1)).toBe((await epochByNumber(desk.db, 1))!.root);
  });
});

describe("the metrics", () => {
  it("show epoch, age, size and duration; without a root the time since the start", async () => {
    const registry = new Registry();
    let now = Date.now();
    const of = { address: world.address, intervalMs: 3_600_000 };
    credRootGauges(registry, desk.db, of, { clock: () => now, now: () => now });
    const read = async (name: string) => sampleOf(parseMetrics(await registry.metrics()), `agents_cred_root_${name}`);
    now += 60_000;
    expect(await Promise.all(["epoch", "age_seconds", "interval_seconds"].map(read))).toEqual([undefined, 60, 3_600]);
    desk.send();
    const published = new Date(now);
    await world.publish(1, { now: published });
    now += 120_000;
    expect(await Promise.all(["epoch", "age_seconds", "leaves"].map(read))).toEqual([1, 120, 3]);
    // Unchanged scores are as good as a new root.
    const checked = await later(3);
    await world.run({ now: checked });
    now = checked.getTime() + 5_000;
    expect(await read("age_seconds")).toBe(5);
    expect(await read("build_seconds")).toBeGreaterThanOrEqual(0);
  });
});

describe("nothing is published", () => {
  it("without an address, without scores, while the index is behind or wrong", async () => {
    expect(await world.run({ over: { address: undefined } })).toBe(0);
    await plantCheckpoint(desk.db, { at: Math.floor(Date.now() / 1_000) - 3_600 });
    expect(await world.run()).toBe(0);
    await plantCheckpoint(desk.db);
    await desk.db.query("update onchain.index_state set stale = true");
    expect(await world.run()).toBe(0);
    await desk.db.query("update onchain.index_state set stale = false");
    await desk.db.query("truncate offchain.cred");
    expect(await world.run()).toBe(0);
    expect(await numbers()).toEqual([]);
  });

  it("while the contract refuses the account, and the reason is said", async () => {
    const { abi } = world.roots;
    await world.byOwner(encodeFunctionData({ abi, functionName: "pause" }));
    await expect(world.run()).rejects.toThrow(/refuses 0x[0-9a-f]{40}: it is paused/);
    await world.byOwner(encodeFunctionData({ abi, functionName: "unpause" }));
    await world.byOwner(encodeFunctionData({ abi, functionName: "setPublisher", args: [zeroAddress] }));
    await expect(world.run()).rejects.toThrow(/its publisher is 0x0{40}/);
    await expect(world.run({ over: { address: `0x${"7".repeat(40)}` } })).rejects.toThrow(/There is no CredRoots at/);
    expect(await numbers()).toEqual([]);
  });

  it("of scores that have waited too long: those of the next run follow", async () => {
    await world.run({ now: new Date(Date.now() - 3_700_000) });
    desk.send();
    await until("the epoch has failed", async () => (await epochByNumber(desk.db, 1))!.state === "failed");
    expect((await epochByNumber(desk.db, 1))!.error).toBe("its scores are more than an hour old");
    await world.publish(2);
    expect(await world.events()).toEqual([2]);
  });
});

describe("the number of an epoch", () => {
  it("follows the contract's where the database is older than the chain", async () => {
    desk.send();
    await world.publish(1);
    const args = [41n, keccak256(toHex("of a lost database")), 9n, 9n] as const;
    await world.byOwner(encodeFunctionData({ abi: world.roots.abi, functionName: "publish", args }));
    // Nothing has changed here, but the newest root is not this database's.
    await world.publish(42, { now: await later(2) });
    expect(await world.proven(42, 1)).toBe(80);
    expect(await world.events()).toEqual([1, 41, 42]);
  });

  it("taken on the chain between check and block fails, and the next run takes another", async () => {
    await world.run();
    const args = [1n, keccak256(toHex("another")), 9n, 9n] as const;
    await world.byOwner(encodeFunctionData({ abi: world.roots.abi, functionName: "publish", args }));
    desk.send();
    await until("the epoch has failed", async () => (await epochByNumber(desk.db, 1))!.state === "failed");
    expect((await epochByNumber(desk.db, 1))!.error).toMatch(/EpochTaken/);
    expect(await world.run()).toBe(0);
    await world.publish(2, { now: await later(0.1) });
    expect(await world.proven(2, 2)).toBe(95);
  });

  deepIt("with the same root on the chain already is published without another event", async () => {
    await world.run();
    const { root } = (await epochByNumber(desk.db, 1))!;
    const publish = encodeFunctionData({ abi: world.roots.abi, functionName: "publish", args: [1n, root, 3n, 9n] });
    await world.byOwner(publish);
    desk.send();
    await world.published(1);
    expect(await world.events()).toEqual([1]);
  });
});

describe("a reorganisation", () => {
  it("that removes the transaction publishes the same root again", async () => {
    desk.send();
    const before = await world.publish(1);
    await on.reorg(1);
    await until("it is published again", async () => {
      const now = await latestPublished(desk.db);
      return now !== null && now.txBlock === Number((await on.evm.getBlock()).number) && (await world.latest()) === 1n;
    });
    expect(await world.rootOf(1)).toBe(before.root);
    expect(await world.proven(1, 0)).toBe(40);
    expect(await world.events()).toEqual([1]);
  });

  it("that changed scores is followed by another epoch, never by another root of the same one", async () => {
    const sender = desk.send();
    const before = await world.publish(1);
    await sender.stop();
    await on.reorg(1);
    await world.score({ 0: 12 });
    expect(await world.run({ now: await later(2) })).toBe(1);
    desk.send();
    await world.published(2);
    expect([await world.rootOf(1), await world.proven(2, 0)]).toEqual([before.root, 12]);
    expect(await world.events()).toEqual([1, 2]);
  });
});

deepDescribe("a crash", () => {
  for (const at of ROOTS_FAULT_POINTS)
    deepIt(`of the job at ${at} ends in one epoch`, async () => {
      expect(await world.runAndDie(at)).toBe("SIGKILL");
      desk.send();
      expect(await world.run()).toBe(at === "roots.committed" ? 0 : 1);
      await world.published(1);
      expect(await world.run({ now: await later(2) })).toBe(0);
      expect(await numbers()).toEqual([[1, "published"]]);
      expect(await world.events()).toEqual([1]);
    });
  // The others of the sender's are tried with every kind of effect in sender.test.ts.
  const around = ["sender.before-store", "sender.after-broadcast", "sender.after-effect"];
  for (const at of FAULT_POINTS.filter((point) => around.includes(point)))
    deepIt(`of the sender at ${at} ends in one epoch`, async () => {
      await world.run();
      expect(await desk.spawnSender(at).ended).toBe("SIGKILL");
      desk.send();
      await world.published(1);
      expect(await world.events()).toEqual([1]);
    });
});
