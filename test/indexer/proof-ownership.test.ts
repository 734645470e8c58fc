/** Proofs and the owner they were made under, by the index: a transfer ends them for discovery, a reorganisation of it does not. */
import { beforeAll, expect, test } from "vitest";
import type { ProofKind } from "../../core/agents/caveats.ts";
import type { Address } from "../../core/agents/facts.ts";
import { findFacts } from "../../db/agents/facts.ts";
import { recordProofOwnership } from "../../db/agents/proof-ownership.ts";
import { recordProof } from "../../db/agents/social-proofs.ts";
import { recordWalletVerification } from "../../db/agents/wallets.ts";
import { syncOwnRows } from "../../db/directory/own.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { knownAgents } from "../../db/discovery/known.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { indexWorld, someone } from "../support/index-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(indexWorld);
let identity: Address;
const [alice, bob, wallet] = [someone(1), someone(2), someone(3)];
/** An account proves one agent. */
const accountOf = (tokenId: number) => `10${tokenId}`;
const HOUR_AGO = new Date(Date.now() - 3_600_000);

beforeAll(async () => {
  identity = world.contracts.identity.toLowerCase() as Address;
  await migrate(world.database.url);
  world.startIndexer();
  await world.mineBlocks(30);
});

const pool = () => world.database.pool;
const factsOf = async (tokenId: number) => (await findFacts(pool(), [{ tokenId }], { identity }))[0]!;
const earlier = async (tokenId: number) =>
  (await factsOf(tokenId)).ownership.earlier.map(({ proof, provedAt }) => [proof, provedAt]);

/** Records as the service does, under the owner that the index knows. */
async function prove(tokenId: number, proof: ProofKind, at: Date): Promise<void> {
  const { owner, mintTx, ownership } = await factsOf(tokenId);
  const subject = proof === "wallet" ? wallet : accountOf(tokenId);
  if (proof === "wallet") await recordWalletVerification(pool(), { tokenId, wallet, mintTx, at });
  else {
    const found = { tokenId, platform: proof, accountId: subject, handle: "Ada", username: null, evidence: {} };
    await recordProof(pool(), found, null, at);
  }
  await recordProofOwnership(pool(), { tokenId, proof, subject, owner, transfers: ownership.transfers, at });
}
async function give(tokenId: number, from: Address, to: Address): Promise<number> {
  const { blockNumber } = await world.identity(from, "transferFrom", [from, to, BigInt(tokenId)]);
  await world.settle();
  return Number((await world.chain.getBlock({ blockNumber })).timestamp);
}
/** What discovery knows once directory and documents have followed. */
async function discovered(tokenId: number) {
  const rules = { now: new Date(), exchangeSchema: "0x1" };
  await syncOwnRows(pool(), [tokenId], { contract: identity, chainId: 8453 }, rules);
  while ((await followDirectory(pool(), new Date())).more);
  const sql = "select id from offchain.directory where token_id = $1 and removed_at is null";
  const [row] = await world.rows<{ id: number }>(sql, [tokenId]);
  const [agent] = await knownAgents(pool(), [row!.id], new Date(), { shared: true });
  const { proofs, walletProven, caveats } = agent!.known;
  return { proofs, walletProven, factor: agent!.factors[1], says: caveats.proofs };
}

test("a sale ends proofs for discovery until they are made again; taking it back restores them", async () => {
  const { tokenId } = await world.mint(alice, "For sale", { agentAddress: wallet });
  await world.identity(world.owner, "verify", [BigInt(tokenId)]);
  await world.settle();
  await prove(tokenId, "wallet", HOUR_AGO);
  await prove(tokenId, "x", HOUR_AGO);
  expect(await factsOf(tokenId)).toMatchObject({ ownership: { transfers: 1, heldSince: null, earlier: [] } });
  expect(await discovered(tokenId)).toEqual({ proofs: 1, walletProven: true, factor: 75, says: [] });

  const soldAt = await give(tokenId, alice, bob);
  const both = [
    ["wallet", HOUR_AGO.toISOString()],
    ["x", HOUR_AGO.toISOString()],
  ];
  expect(await earlier(tokenId)).toEqual(both);
  expect((await factsOf(tokenId)).ownership).toMatchObject({ transfers: 2, heldSince: soldAt });
  const [proved, sold] = [HOUR_AGO, new Date(soldAt * 1000)].map((at) => at.toISOString().slice(0, 10));
  const since = `was proved on ${proved} under an earlier owner; the token came to its present one on ${sold}.`;
  expect(await discovered(tokenId)).toEqual({
    ...{ proofs: 0, walletProven: false, factor: 0 },
    says: [`Its wallet ${since}`, `Its account on X ${since}`],
  });

  // A reorganisation takes the sale back.
  await world.reorg(1);
  await world.settle();
  expect(await earlier(tokenId)).toEqual([]);
  expect(await discovered(tokenId)).toEqual({ proofs: 1, walletProven: true, factor: 75, says: [] });

  // The buyer's own proof counts, with the same account; the seller's stays his for when the sale is taken back.
  await give(tokenId, alice, bob);
  await prove(tokenId, "x", new Date());
  expect(await earlier(tokenId)).toEqual(both.slice(0, 1));
  expect(await discovered(tokenId)).toMatchObject({ proofs: 1, walletProven: false, factor: 25 });

  // Sold back, nothing returns: it is the seller's again, not his all along.
  await give(tokenId, bob, alice);
  expect(await earlier(tokenId)).toEqual(both);
  await world.reorg(1);
  await world.settle();
  expect(await earlier(tokenId)).toEqual(both.slice(0, 1));
  await world.reorg(1);
  await world.settle();
});

test("a token sold away and back within one look at the index is seen", async () => {
  const { tokenId } = await world.mint(alice, "There and back", { agentAddress: wallet });
  await world.settle();
  await prove(tokenId, "x", HOUR_AGO);
  expect(await discovered(tokenId)).toMatchObject({ proofs: 1, factor: 25 });
  await give(tokenId, alice, bob);
  await give(tokenId, bob, alice);
  expect(await discovered(tokenId)).toMatchObject({ proofs: 0, factor: 0 });
  await prove(tokenId, "x", new Date(Date.now() + 1000));
  expect(await discovered(tokenId)).toMatchObject({ proofs: 1, factor: 25 });
});

test("of proofs without a recorded owner the time decides, of a wallet that only the chain tells of the block", async () => {
  const { tokenId } = await world.mint(alice, "From before", { agentAddress: wallet });
  const verify = () => world.identity(world.owner, "verify", [BigInt(tokenId)]);
  await verify();
  await world.settle();
  const kinds = async () => (await earlier(tokenId)).map(([proof]) => proof);
  const record = (at: Date) =>
    recordProof(
      pool(),
      { tokenId, platform: "github", accountId: "7", handle: "ada", username: null, evidence: {} },
      null,
      at,
    );
  /** As the migration that began to record owners wrote it. */
  const migrated = (at: Date) =>
    pool().query("insert into offchain.proof_ownership values ($1, 'github', '7', '', 0, $2)", [tokenId, at]);
  await record(HOUR_AGO);
  await migrated(HOUR_AGO);
  expect(await kinds()).toEqual([]);
  const soldAt = await give(tokenId, alice, bob);
  expect(await kinds()).toEqual(["github", "wallet"]);
  await pool().query("update offchain.proof_ownership set proved_at = to_timestamp($2) where token_id = $1", [
    tokenId,
    soldAt,
  ]);
  expect(await kinds()).toEqual(["wallet"]);
  await pool().query("delete from offchain.proof_ownership where token_id = $1", [tokenId]);
  expect(await kinds()).toEqual(["github", "wallet"]);

  const later = await world.mint(alice, "Verified by its buyer", { agentAddress: wallet });
  await give(later.tokenId, alice, bob);
  await world.identity(world.owner, "verify", [BigInt(later.tokenId)]);
  await world.settle();
  expect(await factsOf(later.tokenId)).toMatchObject({ verified: true, ownership: { transfers: 2, earlier: [] } });
  // Asked for by the seller, mined under the buyer.
  await pool().query("insert into offchain.proof_ownership values ($1, 'wallet', $2, $3, 1, now())", [
    ...[later.tokenId, wallet, alice],
  ]);
  expect(await earlier(later.tokenId)).toMatchObject([["wallet", expect.any(String)]]);
});
