/** Intent `mint:<mintId>`: the token's id from its log, then the request's profile and referral. */
import { parseEventLogs } from "viem/utils";
import { identityAbi } from "../../../abis/identity.ts";
import type { Log } from "../../../clients/ports.ts";
import { fieldWrites } from "../../../core/agents/profile-input.ts";
import { deleteProfileFields, writeProfileFields } from "../../../db/agents/profiles.ts";
import { deleteReferrals, ensureReferralCodes, recordReferral } from "../../../db/agents/referral-codes.ts";
import { deleteProofs } from "../../../db/agents/social-proofs.ts";
import { recomputeCred } from "../../../db/cred/cred.ts";
import { offchainSource, retractSources } from "../../../db/events/append-events.ts";
import { setAwardsDue } from "../../../db/mints/mint-awards.ts";
import { completeMint, failMint, type Mint, mintById, reopenMint } from "../../../db/mints/mints.ts";
import { oweWhatBought, revokeCredit } from "../../../db/payments/ledger.ts";
import { isIndexed } from "../../../db/sql/transaction.ts";
import { bringsAwards, withdrawAwards } from "./award.ts";
import type { IntentEffect } from "./effect.ts";
import { mintedBefore, mintIdOf } from "./minted-before.ts";

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
    await writeProfileFields(tx, tokenId, writesOf(mint), now);
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
