/** Facts come in the order asked for, from one snapshot; wallets lead to their own agent. */
import { beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { agentsOfWallets, agentsToWrite, ownAgents, recordWalletVerification } from "../../db/agents/wallets.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { agentRow, plantRows } from "../../harness/onchain.ts";
import { addressOf, randomAgents } from "../support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const agents = randomAgents(20, NOW, inject("fuzz").seed);
const db = perFile(() => testDatabase({ indexed: true }));

beforeAll(() => plantAgents(db.pool, agents));

const idsOf = async (tokenIds: number[]) => (await loadFacts(db.pool, tokenIds)).map((facts) => facts.tokenId);

it("keeps the order asked for and leaves unknown tokens out", async () => {
  expect(await idsOf([7, 0, 999, 19, 3])).toEqual([7, 0, 19, 3]);
  expect(await idsOf([999, Number.MAX_SAFE_INTEGER])).toEqual([]);
  expect(await idsOf([])).toEqual([]);
});

it("sees what its own transaction wrote", async () => {
  await transaction(db.pool, async (tx) => {
    await tx.query("update onchain.agent set name = 'inside' where token_id = 3");
    expect((await loadFacts(tx, [3]))[0]!.name).toBe("inside");
    await tx.query("update onchain.agent set name = 'outside' where token_id = 3");
  });
});

it("cuts microseconds off instead of rounding them up", async () => {
  await db.pool.query("delete from offchain.profile_field where token_id = 5");
  await db.pool.query(
    `insert into offchain.profile_field (token_id, field, value, written_at)
     values (5, 'narrative.origin', '"x"', '2026-01-01T00:00:00.999999Z')`,
  );
  expect((await loadFacts(db.pool, [5]))[0]!.profile[0]!.writtenAt).toBe("2026-01-01T00:00:00.999Z");
});

it("prefers the score Ethos gives the agent's own wallet, and lends none of a wallet that it only names", async () => {
  await db.pool.query("delete from offchain.ethos_score");
  const ethos = (wallet: Address, score: number) =>
    db.pool.query("insert into offchain.ethos_score values ($1, $2, now())", [wallet, score]);
  const shown = async () => (await loadFacts(db.pool, [3]))[0]!.ethosScore;
  expect(await shown()).toBeNull();
  const [own, owner] = [addressOf(3), addressOf(3, 1)];
  await ethos(owner, 900);
  expect(await shown()).toBe(900);
  await ethos(own, 1400);
  await db.pool.query("update onchain.agent set verified = false, verified_wallet = null where token_id = 3");
  expect(await shown()).toBe(900);
  await db.pool.query("update onchain.agent set verified_wallet = $1 where token_id = 3", [own]);
  expect(await shown()).toBe(1400);
});

it("gives points beyond the integers of JSON as the nearest number", async () => {
  await db.pool.query("update onchain.agent set points = 123456789012345678901234567890 where token_id = 4");
  expect((await loadFacts(db.pool, [4]))[0]!.points).toBe(1.2345678901234568e29);
});

describe("the agent of a wallet", () => {
  const [wallet, other] = [addressOf(600), addressOf(601)];
  const MINT: Address = `0x${"c".repeat(64)}`;
  const plant = (tokenId: number, over: object) =>
    plantRows(db.pool, "agent", [agentRow(tokenId, { agentAddress: wallet, owner: other, mintTx: MINT, ...over })]);
  const found = async (by = agentsOfWallets) => (await by(db.pool, [wallet])).get(wallet);
  const confirmed = async (tokenId: number) => (await loadFacts(db.pool, [tokenId]))[0]!.walletConfirmed;
  beforeEach(async () => {
    await db.pool.query("delete from onchain.agent where token_id >= 600 or agent_address = $1", [wallet]);
    await db.pool.query("truncate offchain.wallet_verification, offchain.mint");
  });

  it("is the lowest token that names it while it has none of its own, and that one grants nothing", async () => {
    expect(await found()).toBeUndefined();
    for (const tokenId of [602, 601]) await plant(tokenId, {});
    expect([await found(), await found(ownAgents), await confirmed(601)]).toEqual([601, undefined, false]);
  });

  it.each<[string, object]>([
    ["it owns", { owner: wallet }],
    ["it minted for itself", { owner: wallet, mintedTo: wallet, origin: 0 }],
    ["the contract was told it has verified", { verified: true, verifiedWallet: wallet }],
  ])("is the one %s, before any that name it", async (_, over) => {
    await plant(601, {});
    await plant(605, over);
    expect([await found(), await found(ownAgents)]).toEqual([605, 605]);
    expect([await confirmed(601), await confirmed(605)]).toEqual([false, true]);
  });

  it("is not one that another wallet had verified before it was named", async () => {
    await plant(601, { verified: true, verifiedWallet: other });
    expect([await found(ownAgents), await confirmed(601)]).toEqual([undefined, false]);
  });

  it("is one that it has verified or registered here, for as long as the token is the same mint's", async () => {
    await plant(601, {});
    await plant(604, {});
    await plant(607, {});
    await recordWalletVerification(db.pool, { tokenId: 607, wallet, mintTx: MINT, at: NOW });
    expect([await found(ownAgents), await confirmed(607)]).toEqual([607, true]);
    await db.plant("mint", { wallet, token_id: 604, tx_hash: MINT });
    expect([await found(), await found(ownAgents), await confirmed(604)]).toEqual([604, 604, true]);
    await db.pool.query("update onchain.agent set mint_tx = $2 where agent_address = $1", [
      wallet,
      `0x${"d".repeat(64)}`,
    ]);
    expect([await found(), await found(ownAgents), await confirmed(604)]).toEqual([601, undefined, false]);
  });

  it("is none that a Solana key registered for it, beside one of its own doing", async () => {
    await plant(601, { owner: wallet, mintedTo: wallet, origin: 2 });
    expect(await found(ownAgents)).toBe(601);
    await plant(605, { owner: wallet, mintedTo: wallet });
    expect(await found(ownAgents)).toBe(605);
  });

  it("is none that it was given, beside one of its own doing; of those the lowest, token 0 among them", async () => {
    for (const tokenId of [603, 602]) await plant(tokenId, { owner: wallet, mintedTo: wallet });
    await plant(601, { owner: wallet, mintedTo: other });
    expect(await found()).toBe(602);
    await db.pool.query(sql`update onchain.agent set agent_address = ${wallet}, owner = ${wallet}, minted_to =
        ${wallet}, origin = 1 where token_id = 0`);
    expect([await found(), await found(ownAgents)]).toEqual([0, 0]);
  });

  it("for a write is the one of its own doing, however many name it; without one it is all that name it", async () => {
    const written = async () => (await agentsToWrite(db.pool, { wallet })).map(({ token_id }) => token_id);
    expect(await written()).toEqual([]);
    await plant(607, {});
    expect(await written()).toEqual([607]);
    // One that it was given, and one that a Solana key registered for it.
    await plant(601, { owner: wallet, mintedTo: other });
    await plant(608, { owner: wallet, mintedTo: wallet, origin: 2 });
    await db.plant("mint", { wallet, origin: 2, token_id: 608, tx_hash: MINT, solana_address: "key" });
    expect(await written()).toEqual([601, 607, 608]);
    await recordWalletVerification(db.pool, { tokenId: 607, wallet, mintTx: MINT, at: NOW });
    expect(await written()).toEqual([607]);
    await plant(604, { owner: wallet, mintedTo: wallet });
    expect(await written()).toEqual([604, 607]);
  });
});

it("reads everything about an agent in one statement", async () => {
  const client = await db.pool.connect();
  onTestFinished(() => client.release());
  const statements: unknown[] = [];
  const counted = {
    query: (...args: unknown[]) => {
      statements.push(args[0]);
      return (client.query as (...a: unknown[]) => unknown)(...args);
    },
  } as Parameters<typeof loadFacts>[0];
  await loadFacts(counted, [1, 2, 3]);
  expect(statements).toEqual([expect.objectContaining({ name: "facts-load" })]);
});
