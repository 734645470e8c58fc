/** The transaction outbox on a real chain: each intent exactly once, whatever nodes, keys, fees and reorganisations do. */
import fc from "fast-check";
import { createWalletClient, type Hex, http, parseEther, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { describe, expect, it, onTestFinished } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import type { Chain, SendOutcome } from "../../clients/ports.ts";
import { Failure, fail } from "../../core/errors.ts";
import { firstOffer } from "../../core/transactions/transaction-fees.ts";
import { mintById } from "../../db/mints/mints.ts";
import { dayUse, senderState } from "../../db/transactions/sender-state.ts";
import { LONG } from "../../harness/patience.ts";
import { startTroubledNode } from "../../harness/troubled-node.ts";
import { until } from "../../harness/until.ts";
import type { IntentEffect } from "../../workers/transactions/intents/effect.ts";
import { FAULT_POINTS, FILLER_FAULT_POINT } from "../../workers/transactions/sender.ts";
import { forAllLater } from "../support/for-all.ts";
import { casesOf, deepIt } from "../support/share.ts";
import { perFile, perTest } from "../support/started.ts";
import { clockAtNoon, PAID_CHECKOUT, startSending, tokensOf } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

const outage = () => fail("upstream_unavailable", "The chain cannot be reached at the moment.");
const queuedMint = async (over = {}, payment?: typeof PAID_CHECKOUT) => {
  const mint = await desk.accept(desk.request(over), payment);
  return { ...mint, intentKey: `mint:${mint.mintId}` };
};
/** A token to act on. */
const minted = () => desk.minted();
const state = async (intentKey: string) => (await desk.intent(intentKey)).state;
/** Waits until all of them are in a state. */
const become = (expected: string, ...intentKeys: string[]) =>
  until(`${intentKeys.join(" and ")}: ${expected}`, async () =>
    (await Promise.all(intentKeys.map(state))).every((one) => one === expected),
  );
const funded = (expected: boolean) =>
  until(`funded: ${expected}`, async () => (await senderState(desk.db))?.funded === expected);

describe("the undisturbed way", () => {
  it("mints, and writes what the request brought along", async () => {
    const referrer = await queuedMint({ name: "Grace" });
    desk.send();
    const first = await desk.decided(referrer.mintId);
    const sql = "select code from offchain.referral_code where token_id = $1";
    const { code } = (await desk.rows(sql, [first.tokenId]))[0];
    expect(code).toMatch(/^grace-[a-z0-9]{4}$/);
    await desk.plantAgent(first.tokenId!, first.wallet);

    const { mintId, wallet } = await queuedMint({
      personality: { humor: "dry", riskTolerance: 0 },
      narrative: { origin: "Somerset" },
      listing: { skills: ["drafting"], services: { web: { url: "https://quill.example" } } },
      referralCode: code,
    });
    const mint = await desk.decided(mintId);
    expect(mint).toMatchObject({ state: "minted", tokenId: first.tokenId! + 1, error: null });
    expect(await tokensOf(on, wallet)).toEqual([mint.tokenId]);
    const receipt = await on.evm.getTransactionReceipt({ hash: mint.txHash! });
    expect(Number(receipt.blockNumber)).toBe(mint.block);
    const fields = "select field, value from offchain.profile_field where token_id = $1 order by field";
    expect(await desk.rows(fields, [mint.tokenId])).toEqual([
      { field: "narrative.origin", value: "Somerset" },
      { field: "personality.humor", value: "dry" },
      { field: "personality.riskTolerance", value: 0 },
      { field: "services", value: { web: { url: "https://quill.example" } } },
      { field: "skills", value: ["drafting"] },
    ]);
    const referrals = await desk.rows("select token_id::int, referrer_token_id::int, code from offchain.referral");
    expect(referrals).toEqual([{ token_id: mint.tokenId, referrer_token_id: first.tokenId, code }]);
  });

  it("sends 50 at once with nonces without a gap", async () => {
    const mints = await Promise.all(Array.from({ length: 50 }, () => queuedMint()));
    desk.send();
    const decided = await Promise.all(mints.map((mint) => desk.decided(mint.mintId)));
    expect(decided.every((mint) => mint.state === "minted")).toBe(true);
    expect(new Set(decided.map((mint) => mint.tokenId)).size).toBe(50);
    const nonces = await Promise.all(mints.map(async ({ intentKey }) => Number((await desk.intent(intentKey)).nonce)));
    nonces.sort((a, b) => a - b);
    expect(nonces).toEqual(Array.from({ length: 50 }, (_, n) => nonces[0]! + n));
    expect(await on.chain.nonce(on.signer.address, "latest")).toBe(nonces[49]! + 1);
    expect(await on.chain.nonce(on.signer.address, "pending")).toBe(nonces[49]! + 1);
  });

  it("one key is one transaction, however often it is queued", async () => {
    const { tokenId } = await minted();
    const queue = () => desk.queueCall(`verify:${tokenId}`, "verify", [BigInt(tokenId)]);
    const results = await Promise.all(Array.from({ length: 10 }, queue));
    expect(results.filter((result) => result.queued)).toHaveLength(1);
    desk.send();
    await become("mined", `verify:${tokenId}`);
    expect(await queue()).toMatchObject({ queued: false });
    expect(await desk.attempts(`verify:${tokenId}`)).toHaveLength(1);
  });
});

describe("refusals", () => {
  it("by simulation use no nonce, name the contract's error, and free the wallet for another request", async () => {
    const before = await on.chain.nonce(on.signer.address, "latest");
    const request = desk.request();
    const { mintId } = await desk.accept(request);
    // It becomes a contract that takes nothing after it was accepted: INVALID.
    await on.evm.setCode({ address: request.wallet, bytecode: "0xfe" });
    desk.send();
    const error = expect.stringMatching(/^ERC721InvalidReceiver: /);
    expect(await desk.decided(mintId)).toMatchObject({ state: "failed", error, tokenId: null });
    expect(await desk.intent(`mint:${mintId}`)).toMatchObject({ state: "failed", nonce: null });
    expect(await on.chain.nonce(on.signer.address, "latest")).toBe(before);
    // The same request again is the same failure; a new one is a new mint.
    expect(await desk.accept(request)).toMatchObject({ mintId, state: "failed" });
    const anew = { ...request, fingerprint: "another" };
    await expect(desk.accept(anew)).rejects.toMatchObject({ code: "conflict" });
    await on.evm.setCode({ address: request.wallet, bytecode: "0x" });
    const second = await desk.accept(anew);
    expect(await desk.decided(second.mintId)).toMatchObject({ state: "minted" });
  });

  it("by the block itself are reverted intents, with their consequence, and hold up nobody", async () => {
    const { tokenId } = await minted();
    const failures: string[] = [];
    const failed: IntentEffect["failed"] = async (_tx, intent, reason) =>
      void failures.push(`${intent.intentKey} ${reason}`);
    const effect: IntentEffect = { prefix: "name", mined: async () => {}, undone: async () => {}, failed };
    await on.evm.setAutomine(false);
    // Both are possible when they are simulated, side by side; in the block the second finds the name taken.
    const name = `n${Date.now().toString(36)}`;
    await desk.queueCall("name:1", "registerName", [BigInt(tokenId), name]);
    await desk.queueCall("name:2", "registerName", [BigInt(tokenId), name]);
    desk.send({ effects: [effect] });
    await become("signed", "name:1", "name:2");
    await on.minesPooled(2);
    await become("reverted", "name:2");
    expect(await state("name:1")).toBe("mined");
    expect(failures).toEqual(["name:2 reverted"]);
  });

  it("an error of the node is no refusal", async () => {
    const { mintId } = await queuedMint();
    let asked = 0;
    desk.send({}, { estimateGas: async (call) => (++asked < 4 ? outage() : on.chain.estimateGas(call)) });
    expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
    expect(asked).toBe(4);
  });
});

describe("receivers that burn gas", () => {
  it.each([
    ["nearly a block", 25_000_000n],
    ["two thirds of a block", 20_000_000n],
    ["twice what a mint may use", 2_000_000n],
  ])("one that burns %s: its mint fails before it is signed, and those behind it are minted", async (_name, burnt) => {
    const before = await on.chain.nonce(on.signer.address, "latest");
    const hostile = await queuedMint();
    await on.plantContract(hostile.wallet, "GasBurner", [burnt]);
    const honest = await Promise.all([queuedMint(), queuedMint()]);
    desk.send();
    for (const { mintId, intentKey } of honest) {
      expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
      expect(await desk.gasLimit(intentKey)).toBeLessThanOrEqual(1_000_000n);
    }
    const error =
      "ERC721InvalidReceiver: the receiver is a contract that refuses the token, or needs more than 1000000 gas to take it";
    expect(await desk.decided(hostile.mintId)).toMatchObject({ state: "failed", error });
    expect(await desk.intent(hostile.intentKey)).toMatchObject({ state: "failed", nonce: null });
    expect(await on.chain.nonce(on.signer.address, "latest")).toBe(before + 2);
  });
});

describe("transactions that no node takes", () => {
  /** A node that refuses every call of this mint for good, by its text, and takes all else. */
  const refusing =
    (wallet: string, text: string, name = "Ada") =>
    (raw: Hex) =>
      raw.includes(wallet.slice(2)) && raw.includes(Buffer.from(name).toString("hex"))
        ? Promise.resolve<SendOutcome>({ kind: "refused", reason: text })
        : on.chain.send(raw);

  it("refused for good: a filler takes the nonce, the intent fails with the reason, those behind it are mined", async () => {
    const refused = await queuedMint();
    const behind = await queuedMint();
    desk.send({}, { send: refusing(refused.wallet, "exceeds block gas limit") });
    expect(await desk.decided(behind.mintId)).toMatchObject({ state: "minted" });
    const error = "the network refuses it: exceeds block gas limit";
    expect(await desk.decided(refused.mintId)).toMatchObject({ state: "failed", error });
    expect(await tokensOf(on, refused.wallet)).toEqual([]);
    const [first, behindIt] = [await desk.intent(refused.intentKey), await desk.intent(behind.intentKey)];
    expect(first.state).toBe("reverted");
    expect(Number(behindIt.nonce)).toBe(Number(first.nonce) + 1);
    expect(await desk.attempts(refused.intentKey)).toMatchObject([{ filler: false }, { filler: true }]);
    const { newcomer } = await dayUse(desk.db, on.signer.address, new Date());
    expect(newcomer).toMatchObject({ committedWei: 0n, open: 0 });
    // The wallet is free to try again.
    const again = await desk.accept(desk.request({ wallet: refused.wallet, recipient: refused.wallet, name: "Grace" }));
    expect(await desk.decided(again.mintId)).toMatchObject({ state: "minted" });
  });

  it("a node has it although it said no: the block decides, and the mint that it took is no failure", async () => {
    await on.evm.setAutomine(false);
    const mint = await queuedMint();
    let taken: Hex | undefined;
    const send = async (raw: Hex): Promise<SendOutcome> => {
      taken ??= raw;
      if (raw !== taken) return { kind: "rejected", reason: "no" };
      await on.chain.send(raw);
      return { kind: "refused", reason: "exceeds block gas limit" };
    };
    desk.send({}, { send });
    await until("a filler is signed", async () => (await desk.attempts(mint.intentKey)).some(({ filler }) => filler));
    await on.evm.mine({ blocks: 1 });
    await desk.mintedOnce(mint);
    expect(await desk.decided(mint.mintId)).toMatchObject({ error: null });
  });

  it("held up by one that no block takes: after its time a filler lets the others through", async () => {
    const held = await queuedMint();
    const behind = await queuedMint();
    const send = async (raw: Hex): Promise<SendOutcome> =>
      raw.includes(held.wallet.slice(2)) ? { kind: "accepted" } : on.chain.send(raw);
    desk.send({ holdMs: 500, stuckAfterMs: LONG }, { send });
    await until("the others are mined", async () => {
      await on.evm.mine({ blocks: 1 });
      return (await state(behind.intentKey)) === "mined";
    });
    expect(await desk.decided(held.mintId)).toMatchObject({ state: "failed", error: "no block took it in time" });
    expect(await tokensOf(on, held.wallet)).toEqual([]);
  });

  it("a filler that is reorganised away is mined again, and what failed stays failed once", async () => {
    const { mintId, wallet, intentKey } = await queuedMint();
    desk.send({}, { send: refusing(wallet, "exceeds block gas limit") });
    await desk.decided(mintId);
    await on.reorg(1);
    await until("it is decided again", async () => {
      await on.evm.mine({ blocks: 1 });
      return (await state(intentKey)) === "reverted" && (await mintById(desk.db, mintId))?.state === "failed";
    });
    expect(await tokensOf(on, wallet)).toEqual([]);
  });
});

describe("answers that are lost or lie", () => {
  const answers: [string, (raw: Hex) => Promise<SendOutcome>][] = [
    ["an answer lost after the node took it", (raw) => on.chain.send(raw).then(outage)],
    ["an answer lost before the node saw it", async () => outage()],
    ["already known", (raw) => on.chain.send(raw).then(() => ({ kind: "known" }))],
    ["nonce too low", (raw) => on.chain.send(raw).then(() => ({ kind: "nonce_used" }))],
    ["replacement underpriced", (raw) => on.chain.send(raw).then(() => ({ kind: "underpriced" }))],
    ["underpriced, and really not taken", async () => ({ kind: "underpriced" })],
    ["insufficient funds, and really not taken", async () => ({ kind: "unfunded" })],
    ["rejected, and really not taken", async () => ({ kind: "rejected", reason: "no" })],
  ];
  it.each(answers)("%s: one token", async (_name, answer) => {
    const mint = await queuedMint();
    let sent = 0;
    desk.send({}, { send: (raw) => (sent++ === 0 ? answer(raw) : on.chain.send(raw)) });
    await desk.mintedOnce(mint);
    expect(await desk.attempts(mint.intentKey)).toHaveLength(1);
  });

  deepIt("whatever fails, in any order: as many tokens as requests, one for each", async () => {
    await forAllLater(
      [fc.infiniteStream(fc.constantFrom("good", "good", "good", "before", "after")), fc.integer({ min: 1, max: 6 })],
      { numRuns: 6 },
      async (luck, requests) => {
        // Each round is a sender of its own beside the same database, which by then has a past.
        const mints = await Promise.all(Array.from({ length: requests }, () => queuedMint()));
        let calls = 0;
        const shaky =
          <A extends unknown[], T>(real: (...args: A) => Promise<T>) =>
          async (...args: A): Promise<T> => {
            const now = calls++ < 60 ? luck.next().value : "good";
            if (now === "before") outage();
            const answer = await real(...args);
            return now === "after" ? outage() : answer;
          };
        const names = ["headBlock", "nonce", "call", "estimateGas", "fees", "send", "receipt", "balance"] as const;
        const over = Object.fromEntries(names.map((name) => [name, shaky(on.chain[name] as () => Promise<unknown>)]));
        const sender = desk.send({}, over);
        for (const mint of mints) await desk.mintedOnce(mint);
        await sender.stop();
      },
    );
  });
});

describe("transactions that are not mined", () => {
  it("dropped by the node: the same bytes are sent again", async () => {
    await on.evm.setAutomine(false);
    const mint = await queuedMint();
    desk.send({ stuckAfterMs: LONG });
    const [attempt] = await until("it is broadcast", async () => {
      const attempts = await desk.attempts(mint.intentKey);
      return attempts[0]?.broadcast_at && attempts;
    });
    await on.evm.dropTransaction({ hash: attempt!.hash });
    expect((await on.evm.getTxpoolStatus()).pending).toBe(0);
    await on.minesPooled(1);
    expect((await desk.mintedOnce(mint)).txHash).toBe(attempt!.hash);
    expect(await desk.attempts(mint.intentKey)).toHaveLength(1);
  });

  it("stuck below the base fee: replaced at the same nonce for at least 12.5 % more, every hash remembered", async () => {
    await on.evm.setAutomine(false);
    const mints = await Promise.all([queuedMint(), queuedMint()]);
    desk.send();
    const keys = mints.map(({ intentKey }) => intentKey);
    await become("signed", ...keys);
    await on.mineAtBaseFee("20", 4);
    const areReplaced = async () => (await Promise.all(keys.map(desk.attempts))).every((all) => all.length > 1);
    await until("both are replaced", areReplaced);
    await until("one is included", async () => {
      await on.mineAtBaseFee("20", 1);
      return (await state(mints[1]!.intentKey)) === "mined";
    });
    for (const { intentKey, ...of } of mints) {
      const mint = await desk.mintedOnce(of);
      const attempts = await desk.attempts(intentKey);
      expect(attempts.map((a) => a.hash)).toContain(mint.txHash);
      expect(new Set(attempts.map((a) => a.nonce)).size).toBe(1);
      for (const [earlier, later] of attempts.slice(1).map((a, n) => [attempts[n]!, a] as const)) {
        expect(BigInt(later.fee) * 1000n).toBeGreaterThanOrEqual(BigInt(earlier.fee) * 1125n);
        expect(BigInt(later.tip) * 1000n).toBeGreaterThanOrEqual(BigInt(earlier.tip) * 1125n);
      }
    }
  });

  it("stuck for long: the tip climbs no higher than a multiple of what others pay, whatever the fee may be", async () => {
    await on.evm.setAutomine(false);
    const { mintId, intentKey } = await queuedMint();
    const maxTipPerGasWei = parseGwei("0.1");
    // The node advises a tip of 1000 gwei, says that others pay 10, and forgets what it takes.
    const [priorityFeePerGasWei, recentTipWei] = [parseGwei("1000"), parseGwei("10")];
    const market = { baseFeePerGasWei: parseGwei("1"), priorityFeePerGasWei, recentTipWei, blockGasLimit: 30_000_000n };
    const over = { fees: async () => market, send: async () => ({ kind: "accepted" }) as const };
    const sender = desk.send({ maxTipPerGasWei, stuckAfterMs: 1, rebroadcastMs: 1 }, over);
    await become("signed", intentKey);
    await until("the caps are reached", async () => {
      await on.evm.mine({ blocks: 1 });
      return desk.log.lines.some((line) => line.includes("the caps of fee and tip allow no higher offer"));
    });
    const tips = (await desk.attempts(intentKey)).map(({ tip }) => BigInt(tip));
    expect(tips.length).toBeGreaterThan(1);
    for (const tip of tips) expect(tip).toBeLessThanOrEqual(maxTipPerGasWei);
    await sender.stop();
    await on.evm.setAutomine(true);
    desk.send();
    expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
  });

  it("the cap is kept, and the transaction is mined once the price falls", async () => {
    await on.evm.setAutomine(false);
    const { mintId, intentKey } = await queuedMint();
    const cap = parseGwei("6");
    desk.send({ maxFeePerGasWei: cap });
    await until("it is signed", async () => (await state(intentKey)) === "signed");
    // Blocks until it says so: those before it was broadcast make no transaction stuck.
    await until("it says so", async () => {
      await on.mineAtBaseFee("30", 1);
      return desk.log.lines.some((line) => line.includes("the caps of fee and tip allow no higher offer"));
    });
    for (const attempt of await desk.attempts(intentKey)) expect(BigInt(attempt.fee)).toBeLessThanOrEqual(cap);
    await until("it is mined", async () => {
      await on.mineAtBaseFee("1", 1);
      return (await state(intentKey)) === "mined";
    });
    expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
  });
});

describe("nonces", () => {
  it("used by another process: signed anew, once that is certain", async () => {
    const mint = await queuedMint();
    const { intentKey } = mint;
    let asked = 0;
    const receipt = (hash: Hex) => {
      asked++;
      return on.chain.receipt(hash);
    };
    const send = async (raw: Hex): Promise<SendOutcome> => (asked === 0 ? { kind: "accepted" } : on.chain.send(raw));
    desk.send({}, { send, receipt });
    await become("signed", intentKey);
    const nonce = Number((await desk.intent(intentKey)).nonce);
    expect(await on.chain.send(await on.foreign(nonce))).toEqual({ kind: "accepted" });
    await until("its receipt is looked for in vain", () => asked >= 10);
    expect(Number((await desk.intent(intentKey)).nonce)).toBe(nonce);
    expect(await desk.attempts(intentKey)).toHaveLength(1);
    await on.evm.mine({ blocks: 3 });
    await desk.mintedOnce(mint);
    expect((await desk.attempts(intentKey)).map((attempt) => attempt.nonce)).toEqual([nonce, nonce + 1]);
  });

  it("a missing receipt proves nothing: while the node hides it, nothing is signed anew", async () => {
    const { mintId, intentKey, wallet } = await queuedMint();
    let hidden = true;
    let asked = 0;
    desk.send({}, { receipt: async (hash) => (++asked && hidden ? null : on.chain.receipt(hash)) });
    await until("it is signed", async () => (await state(intentKey)) === "signed");
    await until("it is on chain", async () => (await tokensOf(on, wallet)).length === 1);
    await on.evm.mine({ blocks: 30 });
    const before = asked;
    await until("ten more looks", () => asked >= before + 10);
    expect(await desk.attempts(intentKey)).toHaveLength(1);
    hidden = false;
    await desk.mintedOnce({ mintId, wallet });
  });

  it("a gap left by another's transaction that never came is closed", async () => {
    await on.evm.setAutomine(false);
    const nonce = await on.chain.nonce(on.signer.address, "latest");
    const foreign = await on.chain.send(await on.foreign(nonce));
    expect(foreign.kind).toBe("accepted");
    const { mintId, intentKey, wallet } = await queuedMint();
    desk.send({ stuckAfterMs: 300 });
    await until("it is signed", async () => (await state(intentKey)) === "signed");
    expect(Number((await desk.intent(intentKey)).nonce)).toBe(nonce + 1);
    const pool = await on.evm.getTxpoolContent();
    const waiting = Object.values(pool.pending).flatMap((byNonce) => Object.values(byNonce));
    const stranger = waiting.find((tx) => Number(tx.nonce) === nonce)!;
    await on.evm.dropTransaction({ hash: stranger.hash });
    await on.evm.setAutomine(true);
    await on.evm.mine({ blocks: 1 });
    await desk.mintedOnce({ mintId, wallet });
    expect(await desk.intent(`gap:${on.signer.address}:${nonce}`)).toMatchObject({ nonce });
    expect(await on.chain.nonce(on.signer.address, "latest")).toBe(nonce + 2);
  });

  it("two senders: one sends, the other takes over when it dies", async () => {
    const first = desk.spawnSender();
    const mint = await queuedMint();
    await desk.decided(mint.mintId);
    desk.send();
    const mints = await Promise.all(Array.from({ length: 20 }, () => queuedMint()));
    await desk.decided(mints[0]!.mintId);
    first.kill();
    await first.ended;
    for (const each of [mint, ...mints]) await desk.mintedOnce(each);
    const later = await queuedMint();
    expect(await desk.decided(later.mintId)).toMatchObject({ state: "minted" });
    // One nonce for each; a slow one may have been replaced at its nonce.
    const sql = `select count(distinct (intent_id, nonce))::int as n, count(distinct nonce)::int as nonces
      from offchain.transaction_attempt`;
    expect(await desk.rows(sql)).toEqual([{ n: 22, nonces: 22 }]);
  });
});

describe("gas funds", () => {
  it("out of funds: new mints are refused, accepted ones wait and are sent after funding", async () => {
    const balance = await on.chain.balance(on.signer.address);
    const mint = await queuedMint();
    await on.evm.setBalance({ address: on.signer.address, value: 1n });
    try {
      desk.send();
      await funded(false);
      const refused = await desk.accept(desk.request()).catch((error) => error);
      expect(refused).toBeInstanceOf(Failure);
      expect(refused).toMatchObject({ code: "out_of_funds", status: 503, options: { retryAfter: expect.any(Number) } });
      expect(await desk.rows("select mint_id from offchain.mint")).toHaveLength(1);
      expect((await mintById(desk.db, mint.mintId))?.state).toBe("pending");
    } finally {
      await on.evm.setBalance({ address: on.signer.address, value: balance });
    }
    await desk.mintedOnce(mint);
    await funded(true);
    const next = await queuedMint();
    expect(await desk.decided(next.mintId)).toMatchObject({ state: "minted" });
  });

  it("drained while transactions wait in the pool: they are sent again once they can be paid", async () => {
    await on.evm.setAutomine(false);
    const balance = await on.chain.balance(on.signer.address);
    const { mintId, intentKey } = await queuedMint();
    let taken = false;
    desk.send({}, { send: async (raw) => (taken ? on.chain.send(raw) : { kind: "unfunded" }) });
    await become("signed", intentKey);
    await funded(false);
    taken = true;
    await on.evm.setBalance({ address: on.signer.address, value: balance });
    await on.evm.setAutomine(true);
    expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
    await funded(true);
  });
});

describe("the day's budget", () => {
  it("used up: nothing is signed, new mints are refused with the hour, and the next day goes on by itself", async () => {
    const first = await queuedMint();
    let now = new Date("2031-05-06T23:00:00Z");
    const clock = () => now;
    const sender = desk.send({ dailyBudgetWei: 0n }, {}, clock);
    await desk.decided(first.mintId);
    await sender.stop();
    const sql = "select cost_wei from offchain.transaction_outbox where intent_key = $1";
    const cost = BigInt((await desk.rows(sql, [first.intentKey]))[0].cost_wei);
    const paid = await on.evm.getTransactionReceipt({ hash: (await desk.intent(first.intentKey)).tx_hash! });
    expect(cost).toBe(paid.gasUsed * paid.effectiveGasPrice);

    // A mint offers 2.6 times of what it costs, and twice is left.
    const waiting = await queuedMint({}, PAID_CHECKOUT);
    const market = { ...(await on.chain.fees()), baseFeePerGasWei: paid.effectiveGasPrice, priorityFeePerGasWei: 0n };
    desk.send({ dailyBudgetWei: 3n * cost }, { fees: async () => market }, clock);
    const midnight = new Date("2031-05-07T00:00:00Z");
    await until("it is known", async () => (await senderState(desk.db))?.pausedUntil?.getTime() === midnight.getTime());
    expect(await state(waiting.intentKey)).toBe("queued");
    expect(await senderState(desk.db)).toMatchObject({ funded: true, spentWei: cost });
    const refused = await desk.accept(desk.request()).catch((error) => error);
    expect(refused).toMatchObject({ code: "out_of_funds", status: 503, message: expect.stringMatching(/budget/) });

    now = new Date("2031-05-07T00:00:01Z");
    expect(await desk.decided(waiting.mintId)).toMatchObject({ state: "minted" });
    await until("the pause is over", async () => (await senderState(desk.db))?.pausedUntil === null);
  });

  it("what is under way counts with all that it may cost, so that a burst stays within it", async () => {
    const mints = await Promise.all(Array.from({ length: 6 }, () => queuedMint({}, PAID_CHECKOUT)));
    const market = await on.chain.fees();
    const offer = firstOffer(market, on.config.sender);
    // Room for the offers of two mints at a time.
    const dailyBudgetWei = 2n * 400_000n * offer.maxFeePerGasWei;
    const options = { dailyBudgetWei, maxFeePerGasWei: on.config.sender.maxFeePerGasWei };
    desk.send(options, { fees: async () => market }, clockAtNoon());
    await until("it is used up", async () => (await senderState(desk.db))?.pausedUntil);
    const { spentWei } = (await senderState(desk.db))!;
    expect(spentWei).toBeGreaterThan(0n);
    expect(spentWei).toBeLessThanOrEqual(dailyBudgetWei);
    const states = await Promise.all(mints.map(({ intentKey }) => state(intentKey)));
    expect(states.filter((one) => one === "signed")).toEqual([]);
    expect(states.filter((one) => one === "queued").length).toBeGreaterThan(0);
  });
});

describe("reorganisations", () => {
  it("a mint that is reorganised away is pending again, sent again, and keeps what it brought", async () => {
    await on.evm.setAutomine(false);
    const alice = await queuedMint({ name: "Alice", narrative: { origin: "A" } });
    desk.send();
    await on.minesPooled(1);
    const before = await desk.decided(alice.mintId);
    await on.reorg(1);
    await until("it is pending again", async () => (await mintById(desk.db, alice.mintId))?.state === "pending");
    const profile = () => desk.rows("select token_id::int as id, value from offchain.profile_field order by 1");
    expect(await profile()).toEqual([]);
    // Somebody else's mint comes first this time and takes the token id.
    const stranger = privateKeyToAccount(generatePrivateKey());
    const strangers = createWalletClient({ account: stranger, chain: base, transport: http(on.rpcUrl) });
    await on.evm.setBalance({ address: stranger.address, value: parseEther("1") });
    await on.pooled(1);
    await strangers.writeContract({
      ...{ address: on.identity, abi: identityAbi, functionName: "mint", value: parseEther("0.5") },
      args: [stranger.address, "Stranger", "custom", false],
      ...{ maxFeePerGas: parseGwei("300"), maxPriorityFeePerGas: parseGwei("200") },
    });
    await on.minesPooled(2);
    const after = await desk.decided(alice.mintId);
    expect(after).toMatchObject({ state: "minted", txHash: before.txHash });
    expect(after.tokenId).not.toBe(before.tokenId);
    expect(await tokensOf(on, stranger.address)).toEqual([before.tokenId]);
    expect(await tokensOf(on, alice.wallet)).toEqual([after.tokenId]);
    expect(await profile()).toEqual([{ id: after.tokenId, value: "A" }]);
    const codes = await desk.rows("select token_id::int as id, code from offchain.referral_code");
    expect(codes).toEqual([{ id: after.tokenId, code: expect.stringMatching(/^alice-/) }]);
  });

  it("moved to another block with another order of tokens: settled again as the chain has it", async () => {
    await on.evm.setAutomine(false);
    const mints = [await queuedMint({ name: "One" }), await queuedMint({ name: "Two" })];
    desk.send();
    await on.minesPooled(2);
    const before = await Promise.all(mints.map((mint) => desk.decided(mint.mintId)));
    await on.reorg(1);
    await on.minesPooled(2);
    await until("both are settled again", async () => {
      const now = await Promise.all(mints.map((mint) => mintById(desk.db, mint.mintId)));
      return now.every((mint, n) => mint?.state === "minted" && mint.block !== before[n]!.block);
    });
    for (const [n, { mintId, wallet }] of mints.entries()) {
      const mint = await mintById(desk.db, mintId);
      expect(await tokensOf(on, wallet)).toEqual([mint!.tokenId]);
      expect(mint!.txHash).toBe(before[n]!.txHash);
    }
  });

  it("a node that is behind its own past undoes nothing", async () => {
    const { mintId, intentKey } = await queuedMint();
    let lag = 0;
    let rounds = 0;
    const { chain } = on;
    const headBlock = async () => {
      rounds++;
      return (await chain.headBlock()) - lag;
    };
    const behind: Partial<Chain> = {
      headBlock,
      nonce: async (address, at) => (lag > 0 ? 0 : chain.nonce(address, at)),
      receipt: async (hash) => (lag > 0 ? null : chain.receipt(hash)),
      block: async (number) => (lag > 0 && typeof number === "number" ? null : chain.block(number)),
    };
    desk.send({}, behind);
    const mint = await desk.decided(mintId);
    lag = 5;
    const before = rounds;
    await until("ten rounds go by", () => rounds >= before + 10);
    expect(await mintById(desk.db, mintId)).toEqual(mint);
    lag = 0;
    expect(await state(intentKey)).toBe("mined");
  });
});

describe("kill -9", () => {
  it.each(casesOf(FAULT_POINTS, ["sender.after-broadcast"]))("at %s ends in exactly one token", async (point) => {
    const mint = await queuedMint();
    const { intentKey } = mint;
    const doomed = desk.spawnSender(point);
    expect(await doomed.ended).toBe("SIGKILL");
    desk.send();
    await desk.mintedOnce(mint);
    expect(await desk.attempts(intentKey)).toHaveLength(1);
    expect(await state(intentKey)).toBe("mined");
  });

  deepIt("where a filler takes the nonce ends in one filler and one failure", async () => {
    const node = await startTroubledNode(on.rpcUrl);
    node.mode = "sent-refused";
    onTestFinished(() => node.close());
    const { mintId, intentKey, wallet } = await queuedMint();
    const doomed = desk.spawnSender(FILLER_FAULT_POINT, node.url);
    expect(await doomed.ended).toBe("SIGKILL");
    expect((await mintById(desk.db, mintId))?.state).toBe("pending");
    desk.spawnSender(undefined, node.url);
    expect(await desk.decided(mintId)).toMatchObject({ state: "failed", error: expect.stringMatching(/refuses it/) });
    expect(await desk.attempts(intentKey)).toMatchObject([{ filler: false }, { filler: true }]);
    expect(await tokensOf(on, wallet)).toEqual([]);
  });
});
