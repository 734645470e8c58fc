/** Intent `mint:<mintId>`: the token's id from its log, then the request's profile and referral. */
import { decodeFunctionData, encodeEventTopics, pad, parseEventLogs, toFunctionSelector } from "viem/utils";
import { identityAbi } from "../../../abis/identity.ts";
import type { Chain, Log } from "../../../clients/ports.ts";
import type { Address, Hex } from "../../../core/agents/facts.ts";
import { fieldWrites } from "../../../core/agents/profile-input.ts";
import { keyTail } from "../../../core/solana/keys.ts";
import { deleteProfileFields, writeProfileFields } from "../../../db/agents/profiles.ts";
import { deleteReferrals, ensureReferralCodes, recordReferral } from "../../../db/agents/referral-codes.ts";
import { deleteProofs } from "../../../db/agents/social-proofs.ts";
import { recomputeCred } from "../../../db/cred/cred.ts";
import { offchainSource, retractSources } from "../../../db/events/append-events.ts";
import { setAwardsDue } from "../../../db/mints/mint-awards.ts";
import {
  completeMint,
  failMint,
  type Mint,
  mintById,
  mintsByIds,
  mintTransactions,
  reopenMint,
  tokensHeld,
} from "../../../db/mints/mints.ts";
import { readIndexState } from "../../../db/operations/index-state.ts";
import { oweWhatBought, revokeCredit } from "../../../db/payments/ledger.ts";
import { isIndexed, type Queryable } from "../../../db/sql/transaction.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import { bringsAwards, withdrawAwards } from "./award.ts";
import type { IntentEffect } from "./effect.ts";

const MINT_FOR = toFunctionSelector("mintFor(address,address,string,string,bool,uint8)");
const [REGISTERED] = encodeEventTopics({ abi: identityAbi, eventName: "AgentRegistered" });
/** Blocks per request to a node, and max requests: an index more than 10,000 blocks behind is broken. */
const BLOCKS_AT_ONCE = 2_000;
const MAX_QUESTIONS = 5;

/**
 * Registrations that are on the chain although their intents are queued, because the database was restored to a time
 * before they were signed. A successful call of `mintFor` directly at the contract identifies one: only the contract's
 * owner can make it. Calls through another contract do not count, since any account can send the same calldata there.
 */
const mintIdOf = ({ intentKey }: Pick<Intent, "intentKey">): string => intentKey.slice("mint:".length);

/**
 * Looks for the tokens of queued mints: in the index, and above its block on the chain.
 * @returns intent id → hash of the transaction that minted its token; null while neither knows: then nothing may be minted
 * @throws Failure upstream_unavailable
 */
async function mintedBefore(
  { db, chain, head }: { db: Queryable; chain: Chain; head: number },
  intents: readonly Intent[],
): Promise<Map<number, Hex> | null> {
  const { indexedBlock } = await readIndexState(db);
  if (indexedBlock === null || head - indexedBlock > BLOCKS_AT_ONCE * MAX_QUESTIONS) return null;
  const mints = await mintsByIds(db, intents.map(mintIdOf));
  const wanted = intents.flatMap((intent) => {
    const mint = mints.get(mintIdOf(intent));
    return mint ? [{ intent, mint }] : [];
  });
  if (wanted.length === 0) return new Map();
  const candidates = await mintTransactions(db, {
    mintIds: wanted.map(({ mint }) => mint.mintId),
    selector: MINT_FOR,
  });
  candidates.push(...(await registeredSince({ db, chain, head }, indexedBlock + 1, wanted)));

  const hashes = new Map<number, Hex>();
  const taken = new Set<Hex>();
  for (const { mintId, txHash } of candidates) {
    const one = wanted.find(({ mint }) => mint.mintId === mintId);
    if (!one || hashes.has(one.intent.id) || taken.has(txHash)) continue;
    const transaction = await chain.transaction(txHash);
    if (transaction === null || transaction.block === null || transaction.to !== one.intent.to) continue;
    if (!isOf(one, transaction.data)) continue;
    hashes.set(one.intent.id, txHash);
    taken.add(txHash);
  }
  return hashes;
}

/** Registrations of the queued wallets in the blocks that the index does not have yet. */
async function registeredSince(
  { db, chain, head }: { db: Queryable; chain: Chain; head: number },
  firstBlock: number,
  wanted: readonly { intent: Intent; mint: Mint }[],
): Promise<{ mintId: string; txHash: Hex }[]> {
  const wallets = [...new Set(wanted.map(({ mint }) => pad(mint.wallet)))];
  const mints: { mintId: string; txHash: Hex }[] = [];
  for (const address of new Set(wanted.map(({ intent }) => intent.to))) {
    for (let from = firstBlock; from <= head; from += BLOCKS_AT_ONCE) {
      const toBlock = Math.min(head, from + BLOCKS_AT_ONCE - 1);
      const logs = await chain.logs({ address, topics: [REGISTERED, null, wallets], fromBlock: from, toBlock });
      const held = await tokensHeld(
        db,
        logs.map(({ topics }) => Number(topics[1])),
      );
      for (const { topics, txHash } of logs) {
        if (held.has(Number(topics[1]))) continue;
        for (const { intent, mint } of wanted)
          if (intent.to === address && topics[2] === pad(mint.wallet)) mints.push({ mintId: mint.mintId, txHash });
      }
    }
  }
  return mints;
}

/**
 * Whether a transaction's input registered this registrant. A wallet registers once, so receiver and origin identify it. A
 * Solana key may share a receiver with others; it follows the call's arguments (older transactions have equal calldata).
 */
function isOf({ intent, mint }: { intent: Intent; mint: Mint }, data: Hex): boolean {
  if (data === intent.data) return true;
  if (!data.startsWith(MINT_FOR)) return false;
  const { args } = decodeFunctionData({ abi: identityAbi, data });
  const [to, , , , , origin] = args as readonly [Address, Address, string, string, boolean, number];
  if (to.toLowerCase() !== mint.recipient || origin !== mint.origin) return false;
  return mint.solanaAddress === null || data.endsWith(keyTail(mint.solanaAddress).slice(2));
}

export const mintEffect: IntentEffect = {
  prefix: "mint",
  doneBefore: mintedBefore,

  /**
   * Check then write: the receipt, then mint, profile, referral and score (`undone`, `failed`: the same); it may be
   * decided otherwise: guarded update on the mint's state, in the intent's commit.
   */
  async mined(tx, intent, receipt, now) {
    const mintId = mintIdOf(intent);
    const request = await mintById(tx, mintId);
    if (!request) throw new Error(`there is no mint ${mintId}`);
    const tokenId = registeredToken(receipt.logs, intent.to, request);
    const mint = await completeMint(tx, mintId, { tokenId, txHash: receipt.hash, block: receipt.block, at: now });
    if (!mint) return;
    await ensureReferralCodes(tx, [{ tokenId, name: mint.name, agentAddress: mint.wallet }]);
    await writeProfileFields(tx, { tokenId, writes: writesOf(mint), at: now });
    if (mint.referralCode) await recordReferral(tx, tokenId, mint.referralCode);
    if (bringsAwards(mint)) await setAwardsDue(tx, { mintId, at: now });
    if (await isIndexed(tx)) await recomputeCred(tx, { tokenIds: [tokenId] }, { now, cause: "profile" });
  },

  async failed(tx, intent, reason, now) {
    const failed = await failMint(tx, mintIdOf(intent), reason, now);
    // Its payment becomes a credit for the wallet's next request.
    if (failed) await oweWhatBought(tx, `mint:${failed.mintId}`, "refused_by_chain");
  },

  /**
   * The token does not exist any more, and another registrant may get its id. Rows that the mint wrote under that id are
   * deleted, and written again with the id of the second inclusion. Awards that are not signed yet are withdrawn and
   * queued for that id.
   */
  async undone(tx, intent) {
    const before = await reopenMint(tx, mintIdOf(intent));
    if (before?.state === "failed") await revokeCredit(tx, `mint:${before.mintId}`);
    if (!before || before.tokenId === null) return;
    await deleteProfileFields(tx, before.tokenId);
    await deleteReferrals(tx, before.tokenId);
    // They name the token's id, which may become another agent's.
    await deleteProofs(tx, before.tokenId);
    await retractSources(tx, [offchainSource(before.tokenId)]);
    if (bringsAwards(before)) await withdrawAwards(tx, before.wallet);
  },
};

const writesOf = (mint: Mint) =>
  fieldWrites({
    personality: mint.personality ?? undefined,
    narrative: mint.narrative ?? undefined,
    ...mint.listing,
  });

/**
 * The token that a mint registered. The receiver's hook may register others in the same transaction; the mint's own has
 * the requested wallet and name, and its log is the last one, because it follows the hook.
 */
function registeredToken(logs: Log[], contract: string, mint: Pick<Mint, "wallet" | "name">): number {
  const events = parseEventLogs({
    abi: identityAbi,
    eventName: "AgentRegistered",
    logs: logs.filter((log) => log.address === contract) as never,
  });
  const own = events.findLast(({ args }) => args.agentAddress.toLowerCase() === mint.wallet && args.name === mint.name);
  if (!own) throw new Error(`the receipt registers no agent of ${mint.wallet}`);
  return Number(own.args.tokenId);
}
