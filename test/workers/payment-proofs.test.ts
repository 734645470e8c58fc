/** Payments that reviews name, on a real chain: the Transfer log alone makes a payer, one payment proves one review, and a reorganisation takes it back. */
import { createWalletClient, http, type TransactionReceipt } from "viem";
import { base } from "viem/chains";
import { beforeEach, expect, it } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import type { Chain } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import { reviewPage } from "../../db/reviews/review-pages.ts";
import { testLog } from "../../harness/log.ts";
import { plantRows } from "../../harness/onchain.ts";
import { stubChain } from "../../harness/stub-chain.ts";
import { JOBS } from "../../workers/jobs.ts";
import { paymentProofs } from "../../workers/reviews/payment-proofs.ts";
import { reviewFiles } from "../../workers/reviews/review-files.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { ERC8004, feedbackRow, registeredRow } from "../support/reviewed.ts";
import { perFile, perTest } from "../support/started.ts";
import { startIncomeWorld } from "./support/income.ts";
import { lower } from "./support/money-chain.ts";

const SCHEMA = `0x${"f".repeat(64)}`;
const world = perFile(startIncomeWorld);
const db = perTest(() => testDatabase({ indexed: true }));
let first = 0;
let clock: Date;
let perDay = 100_000_000;
const at = (n: number) => lower(world.account(first + n).address);
const [CLIENT, WALLET, OWNER, OTHER, SHOWN, PUPPET] = [1, 2, 3, 4, 5, 6];

beforeEach(async () => {
  first += 100;
  perDay = 100_000_000;
});

const context = (over: object = {}) =>
  ({
    ...{ db: db.pool, clock: () => clock, log: testLog(), fault: () => {}, chain: world.chain },
    config: {
      ...{ attestationSchemas: [SCHEMA], chain: { id: 8453 }, reviewProofsPerDay: perDay },
      service: { publicUrl: "https://agents.test" },
      contracts: { usdc: { address: world.usdc } },
      upstreams: { gateways: { ipfs: "https://ipfs.example", arweave: "https://ar.example" } },
    },
    ...over,
  }) as never;
const recompute = () => reviewStats.run(context(), {});
const look = (chain: Chain = world.chain) => paymentProofs.run(context({ chain }), {});

type Given = { client: number; index?: number; proof: object | null; givenAt?: number; agent?: number };
const agentRow = (id: number, over: object = {}) =>
  registeredRow(id, at(OWNER), { agentWallet: at(WALLET), feedbackCount: 1, ...over });
/** Agents with reviews that name their proofs, files read; the clock stands a little after the chain's. */
async function plant(given: readonly Given[], over: object = {}): Promise<void> {
  clock = await world.now();
  const now = Math.floor(clock.getTime() / 1_000);
  await plantRows(db.pool, "erc8004Agent", [agentRow(31, over), agentRow(32)]);
  const row = (id: number) => ({
    platform: "erc8004",
    agent_id: String(id),
    token_id: id,
    name: `Agent ${id}`,
    cred_score: 1,
  });
  await plantDirectory(db.pool, [row(31), row(32)]);
  await db.pool.query("update offchain.directory set registry = $1", [ERC8004]);
  const feedback = given.map(({ client, index = 1, proof, givenAt = now, agent = 31 }) => {
    const feedbackUri = JSON.stringify({ proofOfPayment: proof });
    return feedbackRow(agent, at(client), { feedbackIndex: BigInt(index), feedbackUri, givenAt });
  });
  await plantRows(db.pool, "erc8004Feedback", feedback);
  await recompute();
  await reviewFiles.run(context(), {});
}
/** What callers see of each review, and the evidence levels that are stored. */
async function told() {
  const about = { registry: ERC8004, agentId: "31" } as const;
  const page = await reviewPage(db.pool, about, { choice: "all", after: null, limit: 100 });
  return Object.fromEntries(
    page.map(({ review, file, evidenceLevel }) => {
      const n = [CLIENT, WALLET, OWNER, OTHER, SHOWN, PUPPET].find((one) => at(one) === review.client);
      const { state, payer, units } = file?.proof ?? { state: null, payer: null, units: null };
      return [`${n}.${review.index}`, { state, payer, units: units && Number(units), evidenceLevel }];
    }),
  );
}
const proofOf = ({ transactionHash }: TransactionReceipt) => ({ chainId: "8453", txHash: transactionHash });

it("make a payer by the Transfer log alone, whatever the file says", async () => {
  expect(JOBS).toContain(paymentProofs);
  const paid = await world.send(at(WALLET), 250_000, await funded(CLIENT, 250_000));
  const others = await world.send(at(WALLET), 900_000);
  const elsewhere = await world.send(at(OTHER), 300_000, await funded(CLIENT, 300_000));
  const nothing = await world.send(at(WALLET), 0, await funded(PUPPET, 1));
  const shown = await world.send(at(WALLET), 150_000, await funded(SHOWN, 150_000));
  await plantRows(db.pool, "erc8004Agent", [agentRow(77, { owner: at(OTHER), agentWallet: at(SHOWN) })]);
  // What it says of amount and accounts is not read.
  const said = { ...proofOf(paid), fromAddress: at(OTHER), toAddress: at(OTHER), amount: "1e9" };
  await plant([
    { client: CLIENT, index: 1, proof: said },
    { client: CLIENT, index: 2, proof: { ...proofOf(paid), chainId: "1" } },
    { client: CLIENT, index: 3, proof: proofOf(elsewhere) },
    { client: CLIENT, index: 4, proof: { txHash: "0x12" } },
    { client: CLIENT, index: 5, proof: null },
    { client: PUPPET, index: 1, proof: proofOf(others) },
    { client: PUPPET, index: 2, proof: proofOf(nothing) },
    { client: PUPPET, index: 3, proof: proofOf(paid) },
    { client: PUPPET, index: 4, proof: { txHash: `0x${"77".repeat(32)}` } },
    { client: OTHER, index: 1, proof: proofOf(shown) },
  ]);
  expect((await told())[`${CLIENT}.1`]).toMatchObject({ state: "waiting", evidenceLevel: "unknown" });
  await look();
  await recompute();
  const none = { payer: null, units: null };
  expect(await told()).toEqual({
    [`${CLIENT}.1`]: { state: "paid", payer: at(CLIENT), units: 250_000, evidenceLevel: "payer" },
    [`${CLIENT}.2`]: { state: "other_chain", ...none, evidenceLevel: "payer" },
    [`${CLIENT}.3`]: { state: "nothing", ...none, evidenceLevel: "payer" },
    [`${CLIENT}.4`]: { state: "malformed", ...none, evidenceLevel: "payer" },
    [`${CLIENT}.5`]: { state: null, ...none, evidenceLevel: "payer" },
    [`${PUPPET}.1`]: { state: "other_payer", ...none, evidenceLevel: "unknown" },
    [`${PUPPET}.2`]: { state: "nothing", ...none, evidenceLevel: "unknown" },
    [`${PUPPET}.3`]: { state: "other_payer", ...none, evidenceLevel: "unknown" },
    [`${PUPPET}.4`]: { state: "unknown", ...none, evidenceLevel: "unknown" },
    [`${OTHER}.1`]: { state: "paid", payer: at(SHOWN), units: 150_000, evidenceLevel: "payer" },
  });
});

/** An account with USDC. */
async function funded(n: number, units: number) {
  await world.send(at(n), units);
  return at(n);
}

it("count once: the first review of a transaction keeps it, and what is income is counted there", async () => {
  // Five cents twice over are ten only for who counts a payment twice.
  const paid = await world.send(at(WALLET), 50_000, await funded(CLIENT, 50_000));
  await plant([1, 2, 3].map((index) => ({ client: CLIENT, index, proof: proofOf(paid) })));
  await look();
  await recompute();
  const found = await told();
  expect([1, 2, 3].map((index) => found[`${CLIENT}.${index}`]!.state)).toEqual(["paid", "used", "used"]);
  expect(found[`${CLIENT}.1`]!.evidenceLevel).toBe("unknown");

  await db.pool.query(`update offchain.review_file set units = 100000; update offchain.review_figures set seen = null`);
  await recompute();
  expect((await told())[`${CLIENT}.1`]!.evidenceLevel).toBe("payer");
  // What the rules of income removed makes no payer by another way.
  await db.pool.query(
    `insert into offchain.income_payment (directory_id, block, log_index, tx_hash, at, payer, units, rule)
     select id, 1, 1, $1, 1, $2, 100000, 'self_funded' from offchain.directory where agent_id = '31'`,
    [paid.transactionHash, at(CLIENT)],
  );
  await db.pool.query("update offchain.review_figures set seen = null");
  await recompute();
  expect((await told())[`${CLIENT}.1`]!.evidenceLevel).toBe("unknown");
});

it("are none where the transaction failed, came after the review, or went to another wallet", async () => {
  const early = Number((await world.evm.getBlock()).timestamp) - 10;
  const paid = await world.send(at(WALLET), 200_000, await funded(CLIENT, 200_000));
  await world.evm.impersonateAccount({ address: at(CLIENT) });
  const failed = await createWalletClient({ chain: base, transport: http(world.anvil.url) }).writeContract({
    ...{ address: world.usdc, abi: usdcAbi, functionName: "transfer", args: [at(WALLET), 10n ** 12n] },
    ...{ account: at(CLIENT), chain: base, gas: 100_000n },
  });
  await world.evm.waitForTransactionReceipt({ hash: failed });
  await plant([
    { client: CLIENT, index: 1, proof: proofOf(paid), givenAt: early },
    { client: OTHER, index: 1, proof: { txHash: failed } },
    { client: CLIENT, index: 2, proof: proofOf(paid) },
  ]);
  await look();
  await recompute();
  const found = await told();
  expect(found[`${CLIENT}.1`]!.state).toBe("after");
  // It was paid before this one, and after the first that its account wrote: that is the one which counts.
  expect(found[`${CLIENT}.2`]).toMatchObject({ state: "paid", evidenceLevel: "unknown" });
  expect(found[`${OTHER}.1`]!.state).toBe("failed");

  const moved = "update onchain.erc8004_agent set agent_wallet = $1, updated_block = 2 where agent_id = 31";
  await db.pool.query(moved, [at(SHOWN)]);
  await recompute();
  await reviewFiles.run(context(), {});
  clock = new Date(clock.getTime() + 20_000);
  await look();
  // What had been paid stays, whatever wallet the agent takes then.
  const states = async () => {
    const all = await told();
    return [1, 2].map((index) => all[`${CLIENT}.${index}`]!.state);
  };
  expect(await states()).toEqual(["nothing", "paid"]);
  await db.pool.query("update onchain.erc8004_agent set agent_wallet = null, updated_block = 3 where agent_id = 31");
  await recompute();
  await reviewFiles.run(context(), {});
  clock = new Date(clock.getTime() + 60_000);
  await look();
  expect(await states()).toEqual(["no_wallet", "paid"]);
});

it("are taken back with the transaction, and not looked up any more once no reorganisation takes them back", async () => {
  const paid = await world.send(at(WALLET), 250_000, await funded(CLIENT, 250_000));
  await plant([{ client: CLIENT, proof: proofOf(paid) }]);
  await look();
  await recompute();
  expect((await told())[`${CLIENT}.1`]).toMatchObject({ state: "paid", evidenceLevel: "payer" });
  await world.reorg(1);
  clock = new Date(clock.getTime() + 60_000);
  await look();
  await recompute();
  expect((await told())[`${CLIENT}.1`]).toMatchObject({ state: "unknown", units: null, evidenceLevel: "unknown" });

  // It is mined again; an hour later it is final.
  const again = await world.send(at(WALLET), 250_000, at(CLIENT));
  const mined = [again.transactionHash, clock];
  await db.pool.query("update offchain.review_file set proof_tx = $1, proof_next_at = $2", mined);
  await look();
  await recompute();
  expect((await told())[`${CLIENT}.1`]).toMatchObject({ state: "paid", evidenceLevel: "payer" });
  clock = new Date(clock.getTime() + 3_700_000);
  expect(await look()).toBe(1);
  clock = new Date(clock.getTime() + 86_400_000);
  expect(await look(stubChain())).toBe(0);
});

it("wait while no node answers, and one that no node answers about holds up no other", async () => {
  const paid = await world.send(at(WALLET), 250_000, await funded(CLIENT, 250_000));
  const odd = `0x${"66".repeat(32)}` as const;
  await plant([
    { client: PUPPET, proof: { txHash: odd } },
    { client: CLIENT, proof: proofOf(paid) },
  ]);
  await expect(look(stubChain())).rejects.toThrow();
  perDay = 0;
  expect(await look(stubChain())).toBe(0);
  perDay = 100_000_000;
  const receipt: Chain["receipt"] = (hash) =>
    hash === odd ? fail("upstream_unavailable", "too large") : world.chain.receipt(hash);
  const partly = new Proxy(world.chain, { get: (of, key) => (key === "receipt" ? receipt : of[key as keyof Chain]) });
  expect(await look(partly)).toBe(1);
  expect((await told())[`${CLIENT}.1`]!.state).toBe("paid");
  expect((await told())[`${PUPPET}.1`]!.state).toBe("waiting");
});

it("take turns: who names many delays its own", async () => {
  const paid = await world.send(at(WALLET), 250_000, await funded(CLIENT, 250_000));
  const many = Array.from({ length: 15 }, (_, i) => ({
    ...{ client: PUPPET, index: i + 1 },
    proof: { txHash: `0x${(i + 1).toString(16).padStart(64, "0")}` },
  }));
  await plant([...many, { client: CLIENT, proof: proofOf(paid) }]);
  perDay = (2 * 86_400) / 15;
  expect(await look()).toBe(2);
  expect((await told())[`${CLIENT}.1`]!.state).toBe("paid");
});
