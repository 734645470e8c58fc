/** Shares of the day's budget on a real chain: what many free writes leave to what is paid for, to known accounts and to the roots. */
import { encodeFunctionData, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { SHARE_DIVISORS } from "../../core/transactions/free-gas.ts";
import { profileGas } from "../../core/transactions/gas-bounds.ts";
import { firstOffer } from "../../core/transactions/transaction-fees.ts";
import { senderState } from "../../db/transactions/sender-state.ts";
import { queueIntent } from "../../db/transactions/transaction-outbox.ts";
import { until } from "../../harness/until.ts";
import { sql } from "../support/sql.ts";
import { perFile, perTest } from "../support/started.ts";
import { clockAtNoon, PAID_CHECKOUT, startSending } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

const accept = (payment?: typeof PAID_CHECKOUT) => desk.accept(desk.request(), payment);
/** Gas that a mint offers: its bound where it is free. */
const MINT_GAS = 1_000_000n;

/** A budget in whose share of newcomers so many free mints may be under way, and the chain at a fixed price. */
async function budgetFor(mints: bigint) {
  const market = await on.chain.fees();
  const { maxFeePerGasWei } = firstOffer(market, on.config.sender);
  const dailyBudgetWei = SHARE_DIVISORS.newcomers * mints * MINT_GAS * maxFeePerGasWei;
  return { options: { dailyBudgetWei, maxFeePerGasWei }, chain: { fees: async () => market }, dailyBudgetWei };
}
const inState = async (state: string) => {
  const { rows } = await desk.db.query(sql`select intent_key as key from offchain.transaction_outbox
    where state = ${state} order by id`);
  return rows.map(({ key }) => key as string);
};
/** Cost of what is mined, in wei: all, and free writes alone. */
const cost = async () => {
  const { rows } = await desk.db.query(
    `select coalesce(sum(cost_wei), 0) as whole, coalesce(sum(cost_wei) filter (where free_for is not null), 0) as free
     from offchain.transaction_outbox`,
  );
  return { all: BigInt(rows[0].whole), free: BigInt(rows[0].free) };
};

describe("a day's budget", () => {
  it("100 free registrations of strangers end their share, and nothing of what was paid for or is the service's own", async () => {
    const { options, chain, dailyBudgetWei } = await budgetFor(2n);
    const flood = await Promise.all(Array.from({ length: 100 }, () => accept()));
    const sender = desk.send(options, chain, clockAtNoon());
    await until("the share is used up", async () => {
      const use = await senderState(desk.db);
      const [signed, queued] = [await inState("signed"), await inState("queued")];
      return use !== null && use.newcomersWei > 0n && signed.length === 0 && queued.length < 100;
    });
    // They come last, and behind many that wait.
    const paid = await Promise.all([accept(PAID_CHECKOUT), accept(PAID_CHECKOUT)]);
    const root = { intentKey: "root:1", to: on.identity, data: "0x8da5cb5b", free: null } as const;
    await queueIntent(desk.db, root);
    for (const { mintId } of paid) expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
    await until("the service's own call is mined", async () => (await desk.intent(root.intentKey)).state === "mined");
    const { all, free } = await cost();
    expect(free).toBeGreaterThan(0n);
    expect(free).toBeLessThanOrEqual(dailyBudgetWei / SHARE_DIVISORS.newcomers);
    expect(all).toBeLessThanOrEqual(dailyBudgetWei);
    expect(await senderState(desk.db)).toMatchObject({ pausedUntil: null, funded: true });
    // How many fit into the share follows the base fee, which falls from block to block.
    expect((await inState("queued")).length).toBeGreaterThan(flood.length / 2);
    await sender.stop();

    // The rest is sent on the next days.
    const tomorrow = clockAtNoon();
    desk.send({ ...options, dailyBudgetWei: 0n }, chain, () => new Date(tomorrow().getTime() + 86_400_000));
    for (const { mintId } of flood) expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
  });

  it("paid ones are served to the end of the whole budget", async () => {
    const { options, chain, dailyBudgetWei } = await budgetFor(1n);
    const paid = await Promise.all(Array.from({ length: 30 }, () => accept(PAID_CHECKOUT)));
    desk.send(options, chain, clockAtNoon());
    await until("it is used up", async () => (await senderState(desk.db))?.pausedUntil);
    const { all } = await cost();
    expect(all).toBeGreaterThan((dailyBudgetWei * 6n) / 10n);
    expect(all).toBeLessThanOrEqual(dailyBudgetWei);
    expect((await inState("mined")).length).toBeLessThan(paid.length);
  });
});

describe("gas of a part of a profile", () => {
  it("stays within what it is counted as, for texts and traits in the largest and smallest form", async () => {
    const { mintId } = await accept(PAID_CHECKOUT);
    desk.send();
    const { tokenId } = await desk.decided(mintId);
    const id = BigInt(tokenId!);
    const text = (bytes: number) => "\u{1F980}".repeat(bytes / 4);
    const call = (functionName: "setLore" | "setPersonality" | "addTrait", ...args: unknown[]) =>
      encodeFunctionData({ abi: identityAbi, functionName, args: [id, ...args] } as never);
    const person = (bytes: number) => {
      const [quirks, communicationStyle, values, humor] = Array.from({ length: 4 }, () => text(bytes / 4));
      return call("setPersonality", {
        quirks,
        communicationStyle,
        values,
        humor,
        riskTolerance: 10,
        autonomyLevel: 10,
      });
    };
    const calls: [data: Hex, replaced: number][] = [
      ...[2_048, 4, 2_048].map((bytes, n): [Hex, number] => [call("setLore", text(bytes)), [0, 2_048, 4][n]!]),
      ...[16, 2_048, 0].map((bytes, n): [Hex, number] => [person(bytes), [0, 16, 2_048][n]!]),
      [call("setLore", ""), 2_048],
      [call("addTrait", text(256), text(128)), 0],
      [call("addTrait", "a", "b"), 0],
    ];
    const shares: number[] = [];
    for (const [n, [data, replaced]] of calls.entries()) {
      const gasBound = profileGas(data, replaced);
      const found = await on.chain.estimateGas({ from: on.signer.address, to: on.identity, data, gas: 16_000_000n });
      shares.push(found.ok ? Math.round((100 * Number(found.gas)) / Number(gasBound)) : 0);
      const intentKey = `profile:${tokenId}:${n}:0`;
      const free = { account: "ada", tokenId: tokenId!, networks: null, known: true, gasBound, at: new Date() };
      await queueIntent(desk.db, { intentKey, to: on.identity, data, free });
      await until(
        "it is decided",
        async () =>
          (await desk.intent(intentKey)).state !== "queued" && (await desk.intent(intentKey)).state !== "signed",
      );
      expect((await desk.intent(intentKey)).error).toBeNull();
    }
    // Percent of what each is counted as: the rest is for a contract that costs a little more.
    expect(Math.max(...shares)).toBeLessThan(90);
    const { rows } = await desk.db.query(
      "select intent_key from offchain.transaction_outbox where gas_used > gas_bound",
    );
    expect(rows).toEqual([]);
    console.log(shares);
  });
});

describe("the order of free writes", () => {
  /** A call that anyone's account might have caused. */
  const call = (intentKey: string, account: string, known: boolean) =>
    queueIntent(desk.db, {
      ...{ intentKey, to: on.identity, data: "0x8da5cb5b" },
      free: { account, tokenId: null, networks: null, known, gasBound: 100_000n, at: new Date() },
    });
  const minedInOrder = async () => {
    const { rows } = await desk.db.query(
      "select intent_key as key from offchain.transaction_outbox where state = 'mined' order by nonce",
    );
    return rows.map(({ key }) => key as string);
  };

  it("known accounts come before new ones, and each account gets its turn", async () => {
    for (let n = 0; n < 5; n++) await call(`flood:${n}`, "mallory", false);
    await call("small:0", "ada", false);
    for (let n = 0; n < 3; n++) await call(`known:${n}`, "grace", true);
    await call("known-too:0", "joan", true);
    await queueIntent(desk.db, { intentKey: "own:0", to: on.identity, data: "0x8da5cb5b", free: null });
    desk.send({}, {}, clockAtNoon());
    await until("all are mined", async () => (await inState("mined")).length === 11);
    expect(await minedInOrder()).toEqual([
      ...["own:0", "known:0", "known-too:0", "known:1", "known:2"],
      ...["flood:0", "small:0", "flood:1", "flood:2", "flood:3", "flood:4"],
    ]);
  });

  it("newcomers whose share is used up delay no known account", async () => {
    const { options, chain } = await budgetFor(1n);
    for (let n = 0; n < 80; n++)
      await queueIntent(desk.db, {
        ...{ intentKey: `profile:9:${n}:0`, to: on.identity, data: "0x8da5cb5b" },
        free: { account: `m${n}`, tokenId: null, networks: null, known: false, gasBound: 2_000_000n, at: new Date() },
      });
    await call("known:0", "grace", true);
    desk.send(options, chain, clockAtNoon());
    await until("the known account's is mined", async () => (await desk.intent("known:0")).state === "mined");
    expect(await inState("mined")).toEqual(["known:0"]);
  });

  it("a free call never uses more gas than it was counted for", async () => {
    await queueIntent(desk.db, {
      ...{ intentKey: "verify:0", to: on.identity, data: "0x8da5cb5b" },
      free: { account: "ada", tokenId: 0, networks: null, known: false, gasBound: 21_500n, at: new Date() },
    });
    desk.send({}, {}, clockAtNoon());
    await until("it is refused", async () => (await desk.intent("verify:0")).state === "failed");
    expect((await desk.intent("verify:0")).error).toMatch(/gas/);
  });
});
