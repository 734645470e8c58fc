/** Accepting a mint: every refusal before anything happens, one row and one intent however often it is asked. */
import type pg from "pg";
import { decodeFunctionData } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { acceptMint, awaitMint, MINT_FAULT_POINTS, type MintDeps, mintStatus } from "../../api/services/mint.ts";
import type { Address } from "../../core/agents/facts.ts";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import { Failure, fail } from "../../core/errors.ts";
import { completeMint, failMint, type MintRequest, reopenMint } from "../../db/mints/mints.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import { storeSenderState } from "../../db/transactions/sender-state.ts";
import { intentByKey } from "../../db/transactions/transaction-outbox.ts";
import { agentRow, plantOnchain, plantRows } from "../../harness/onchain.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { until } from "../../harness/until.ts";
import { FREE_CHECKOUT } from "../../payments/checkout.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";
import { mintRequest } from "./support/sending.ts";

const IDENTITY = `0x${"1d".repeat(20)}` as Address;
const now = new Date("2026-01-02T03:04:05Z");

const database = perTest(testDatabase);
let db: pg.Pool;
beforeEach(async () => {
  db = database.pool;
  await plantOnchain(db);
});

/** Wallets are no contracts. */
const chain = healthyChain();

let people = 0;
const wallet = () => `0x${(++people).toString(16).padStart(40, "e")}` as Address;
const request = (over: Partial<MintRequest> = {}): MintRequest => {
  const agent = wallet();
  return mintRequest(agent, { soulbound: true, fingerprint: `fingerprint-${people}`, ...over });
};
const accept = (asked: MintRequest, over: Partial<MintDeps> = {}) =>
  acceptMint(db, asked, { identity: IDENTITY, chain, now, fault: () => {}, payment: FREE_CHECKOUT, ...over });
const refusal = async (asked: MintRequest): Promise<Failure> => {
  const error = await accept(asked).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Failure);
  return error;
};
const rows = async (table: string) => Number((await db.query(`select count(*) from offchain.${table}`)).rows[0].count);
const plantAgent = (tokenId: number, agentAddress: Address, owner = agentAddress) =>
  plantRows(db, "agent", [agentRow(tokenId, { agentAddress, owner, mintedBlock: 1, updatedBlock: 1 })]);

describe("acceptance", () => {
  it("commits the request and the transaction that carries it out", async () => {
    const asked = request({ personality: { humor: "dry" }, narrative: { origin: "there" } });
    const mint = await accept(asked);
    expect(mint).toEqual({
      ...{ ...asked, mintId: expect.stringMatching(/^[0-9a-f-]{36}$/), state: "pending", createdAt: now },
      ...{ tokenId: null, txHash: null, block: null, error: null, completedAt: null },
    });
    const intent = await intentByKey(db, `mint:${mint.mintId}`);
    expect(intent).toMatchObject({ to: IDENTITY, state: "queued", valueWei: 0n, nonce: null });
    const call = decodeFunctionData({ abi: identityAbi, data: intent!.data });
    expect(call.functionName).toBe("mintFor");
    const given = call.args?.map((arg) => (typeof arg === "string" ? arg.toLowerCase() : arg));
    expect(given).toEqual([asked.recipient, asked.wallet, "ada", "custom", true, 1]);
  });

  it("20 identical requests at once are one mint", async () => {
    const asked = request();
    const mints = await Promise.all(Array.from({ length: 20 }, () => accept(asked)));
    expect(new Set(mints.map((mint) => mint.mintId)).size).toBe(1);
    expect(await rows("mint")).toBe(1);
    expect(await rows("transaction_outbox")).toBe(1);
  });

  it("20 different requests of one wallet at once: one is accepted, the others hear who was first", async () => {
    const asked = request();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => accept({ ...asked, name: `Name ${n}`, fingerprint: `f${n}` })),
    );
    const accepted = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(accepted).toHaveLength(1);
    const extra = { tokenId: null, mintId: accepted[0]!.mintId };
    for (const reason of refused) expect(reason).toMatchObject({ code: "already_registered", options: { extra } });
    expect(await rows("mint")).toBe(1);
    expect(await rows("transaction_outbox")).toBe(1);
  });

  it.each(MINT_FAULT_POINTS)("killed at %s: the retry is accepted once", async (point) => {
    const asked = request();
    const killed = (reached: string) => {
      if (reached === point) throw new Error("killed");
    };
    await expect(accept(asked, { fault: killed })).rejects.toThrow("killed");
    const mint = await accept(asked);
    expect(mint.state).toBe("pending");
    expect(await rows("mint")).toBe(1);
    expect(await rows("transaction_outbox")).toBe(1);
  });
});

describe("payment", () => {
  it("is asked for after every check, and a refused one leaves nothing behind", async () => {
    const payments: string[] = [];
    const paying = (asked: MintRequest, refused = false) => {
      const settle: MintDeps["payment"]["settle"] = async () => {
        payments.push(asked.fingerprint);
        if (refused) fail("payment_required", "It costs 1.00 USDC.");
        return { method: "x402", reference: "8453:0x0:1", amountUnits: 1_000_000n, fulfil: async () => {} };
      };
      return accept(asked, { payment: { price: 1_000_000n, given: null, settle } });
    };
    const registered = request();
    await plantAgent(2, registered.wallet);
    await expect(paying(registered)).rejects.toMatchObject({ code: "already_registered" });
    await expect(paying(request({ referralCode: "nobody-0000" }))).rejects.toMatchObject({ code: "invalid_input" });
    expect(payments).toEqual([]);
    const asked = request();
    await expect(paying(asked, true)).rejects.toMatchObject({ code: "payment_required" });
    expect(await rows("mint")).toBe(0);
    await paying(asked);
    await paying(asked);
    expect(payments).toEqual([asked.fingerprint, asked.fingerprint]);
    expect(await rows("mint")).toBe(1);
  });

  it("is not asked of a V1 wallet, which registers once", async () => {
    const settle = () => fail("payment_required", "It costs 1.00 USDC.");
    const veteran = request({ wallet: OG_WALLETS[2]!.wallet });
    const payment = { price: 1_000_000n, given: null, settle };
    expect(await accept(veteran, { payment })).toMatchObject({ state: "pending" });
    const again = accept({ ...veteran, fingerprint: "again" }, { payment });
    await expect(again).rejects.toMatchObject({ code: "already_registered" });
    // Being the receiver of somebody else's registration is not registering.
    const gift = request({ recipient: OG_WALLETS[3]!.wallet });
    await expect(accept(gift, { payment })).rejects.toMatchObject({ code: "payment_required" });
  });
});

describe("refusals", () => {
  afterEach(async () => {
    expect(await rows("transaction_outbox")).toBe(await rows("mint"));
  });

  it("a wallet that is an agent hears which, token 0 included", async () => {
    const asked = request();
    await plantAgent(0, asked.wallet);
    const options = { extra: { tokenId: 0 } };
    expect(await refusal(asked)).toMatchObject({ code: "already_registered", status: 409, options });
  });

  it("a wallet that only owns somebody else's agent may register its own", async () => {
    const asked = request();
    await plantAgent(3, wallet(), asked.wallet);
    expect(await accept(asked)).toMatchObject({ state: "pending" });
  });

  it("a wallet whose mint is done but not indexed yet hears its token", async () => {
    const asked = request();
    const { mintId } = await accept(asked);
    await completeMint(db, mintId, { tokenId: 9, txHash: "0xaa", block: 5, at: now });
    const options = { extra: { tokenId: 9 } };
    const another = await refusal({ ...asked, fingerprint: "fresh" });
    expect(another).toMatchObject({ code: "already_registered", options });
    // The same request is answered as before.
    expect(await accept(asked)).toMatchObject({ mintId, state: "minted", tokenId: 9 });
  });

  it("a failed mint does not stand in the way of another", async () => {
    const asked = request();
    const { mintId } = await accept(asked);
    await failMint(db, mintId, "NameTaken", now);
    expect(await accept({ ...asked, fingerprint: "fresh" })).toMatchObject({ state: "pending" });
    // Reopened by a reorganisation it would be the second: it stays failed.
    expect(await reopenMint(db, mintId)).toBeNull();
    expect(await mintStatus(db, mintId)).toMatchObject({ state: "failed" });
  });

  it("an unknown referral code, and one's own", async () => {
    const referrer = wallet();
    const owner = wallet();
    await plantAgent(4, referrer, owner);
    const named = request({ referralCode: "grace-0000", recipient: referrer });
    await db.query("update onchain.agent set verified_wallet = agent_address where token_id = 4");
    await db.query("insert into offchain.referral_code (token_id, code) values (4, 'grace-0000'), (5, 'gone-0000')");
    const referralCode = "grace-0000";
    const [unknown, own] = ["There is no such referral code.", "A wallet cannot use its own referral code."];
    for (const [asked, message] of [
      [request({ referralCode: "nobody-0000" }), unknown],
      [request({ referralCode: "gone-0000" }), unknown],
      [request({ referralCode, recipient: owner }), own],
      [named, own],
      [request({ referralCode, wallet: owner }), own],
    ] as const) {
      const options = { details: [{ path: "referralCode", message }] };
      expect(await refusal(asked)).toMatchObject({ code: "invalid_input", options });
    }
    expect(await accept(request({ referralCode: "grace-0000" }))).toMatchObject({ referralCode: "grace-0000" });
    // A token that only names a wallet has a code that is not the wallet's own.
    await db.query("update onchain.agent set verified_wallet = null where token_id = 4");
    expect(await accept(named)).toMatchObject({ referralCode: "grace-0000" });
  });

  it("a V1 wallet's code is known before the wallet has an agent, and not for the wallet itself", async () => {
    const { wallet: veteran, code } = OG_WALLETS[0]!;
    expect((await refusal(request({ referralCode: code, wallet: veteran }))).code).toBe("invalid_input");
    expect(await accept(request({ referralCode: code }))).toMatchObject({ referralCode: code });
  });

  it("without gas funds nothing new is accepted, and what was is still answered", async () => {
    const asked = request();
    const { mintId } = await accept(asked);
    const state = { address: IDENTITY, balanceWei: 1n, checkedAt: now };
    await storeSenderState(db, { ...state, funded: false });
    const registered = request();
    await plantAgent(6, registered.wallet);
    const options = { retryAfter: expect.any(Number) };
    expect(await refusal(registered)).toMatchObject({ code: "out_of_funds", status: 503, options });
    expect(await accept(asked)).toMatchObject({ mintId });
    await storeSenderState(db, { ...state, funded: true });
    expect(await accept(request())).toMatchObject({ state: "pending" });
  });

  it("before the first index nothing can be said about wallets", async () => {
    await db.query("drop schema onchain cascade");
    await expect(accept(request())).rejects.toSatisfy(isNoIndex);
  });
});

describe("waiting", () => {
  it("ends when the chain has decided", async () => {
    const { mintId } = await accept(request());
    const waiting = awaitMint(db, mintId, 30_000);
    const listening = `select 1 from pg_stat_activity where application_name = 'notifications'
      and datname = current_database()`;
    const listens = `${listening} and query ilike 'listen%'`;
    await until("somebody listens", async () => (await database.rows(listens)).length === 1);
    await completeMint(db, mintId, { tokenId: 0, txHash: "0xaa", block: 5, at: now });
    expect(await waiting).toMatchObject({ state: "minted", tokenId: 0, txHash: "0xaa", block: 5 });
  });

  it("ends with the pending mint when time is up", async () => {
    const { mintId } = await accept(request());
    expect(await awaitMint(db, mintId, 50)).toMatchObject({ mintId, state: "pending" });
    expect(await awaitMint(db, mintId, 0)).toMatchObject({ mintId, state: "pending" });
  });

  it("many wait on one connection", async () => {
    const mints = await Promise.all(Array.from({ length: 30 }, () => accept(request())));
    const waiting = Promise.all(mints.map((mint) => awaitMint(db, mint.mintId, 30_000)));
    for (const [n, { mintId }] of mints.entries()) {
      await (n % 2
        ? failMint(db, mintId, "NameTaken", now)
        : completeMint(db, mintId, { tokenId: n, txHash: "0xaa", block: 5, at: now }));
    }
    const decided = await waiting;
    expect(decided.map((mint) => mint.state)).toEqual(mints.map((_, n) => (n % 2 ? "failed" : "minted")));
    const listeners =
      "select 1 from pg_stat_activity where application_name = 'notifications' and datname = current_database()";
    // It stays for a minute, for those who wait next.
    expect(await database.rows(listeners)).toHaveLength(1);
  });

  it("of an unknown mint is refused", async () => {
    await expect(awaitMint(db, crypto.randomUUID(), 10)).rejects.toMatchObject({ code: "not_found" });
    expect(await mintStatus(db, crypto.randomUUID())).toBeNull();
  });
});
