/** Intents `profile:<tokenId>:<id>:<place>` and `verify:<tokenId>`: the parts of a profile that an agent's controller writes on chain. */
import { decodeFunctionData } from "viem/utils";
import { identityAbi } from "../../../abis/identity.ts";
import type { Hex } from "../../../core/agents/facts.ts";
import { type FieldWrite, fieldWrites } from "../../../core/agents/profile-input.ts";
import { alignProfileFields, deleteProfileTrait } from "../../../db/agents/profiles.ts";
import { recomputeCred } from "../../../db/cred/cred.ts";
import { oweWhatBought, revokeCredit } from "../../../db/payments/ledger.ts";
import { isIndexed } from "../../../db/sql/transaction.ts";
import { chainWriteOf, profileWriteOf, walletControls } from "../../../db/transactions/chain-writes.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import type { EffectContext, IntentEffect } from "./effect.ts";

/**
 * The service may write to every token.
 * Check then write: the requester still controls the token, then the signature; it may change hands before the block.
 * Accepted: one block, and the service writes the request of a caller who had the right at that time.
 */
async function refusal({ db }: EffectContext, { intentKey }: Intent): Promise<string | null> {
  const write = await chainWriteOf(db, { intentKey });
  if (!write || !(await isIndexed(db))) return null;
  return (await walletControls(db, { tokenId: write.tokenId, wallet: write.wallet }))
    ? null
    : "the agent changed hands";
}

/** Intents `verify:<tokenId>`: the mark comes back through the index. */
export const verifyEffect: IntentEffect = {
  prefix: "verify",
  refusal,
  async mined() {},
  async failed() {},
  async undone() {},
};

export const profileEffect: IntentEffect = {
  prefix: "profile",
  refusal,

  /**
   * Deletes the off-chain value of the same part: the clocks of blocks and of this service differ by seconds, and the
   * older text must not count as the newer one.
   */
  async mined(tx, intent, _receipt, now) {
    const write = await chainWriteOf(tx, { intentKey: intent.intentKey });
    if (!write) return;
    const { trait, writes } = written(intent.data);
    if (trait !== null) return deleteProfileTrait(tx, write.tokenId, trait);
    await alignProfileFields(tx, { tokenId: write.tokenId, writes, at: write.acceptedAt });
    if (await isIndexed(tx)) await recomputeCred(tx, { tokenIds: [write.tokenId] }, { now, cause: "profile" });
  },

  /**
   * Check then write: the intent's outcome, then `oweWhatBought` (`undone`: `revokeCredit`); the credit may be spent:
   * the intent's own transaction, and a guarded update on the payment's state. It becomes a credit also where other
   * parts of the same update were written.
   */
  async failed(tx, intent) {
    await oweWhatBought(tx, profileWriteOf(intent.intentKey), "refused_by_chain");
  },
  /** The owner's request stays, and is mined again. */
  async undone(tx, intent) {
    await revokeCredit(tx, profileWriteOf(intent.intentKey));
  },
};

/** The fields that a call of the identity contract wrote. */
function written(data: Hex): { trait: string | null; writes: FieldWrite[] } {
  const call = decodeFunctionData({ abi: identityAbi, data });
  switch (call.functionName) {
    case "addTrait":
      return { trait: call.args[1], writes: [] };
    case "setPersonality":
      return { trait: null, writes: fieldWrites({ personality: call.args[1] }) };
    case "setOrigin":
      return { trait: null, writes: fieldWrites({ narrative: { origin: call.args[1] } }) };
    case "setMission":
      return { trait: null, writes: fieldWrites({ narrative: { mission: call.args[1] } }) };
    case "setLore":
      return { trait: null, writes: fieldWrites({ narrative: { lore: call.args[1] } }) };
    case "setManifesto":
      return { trait: null, writes: fieldWrites({ narrative: { manifesto: call.args[1] } }) };
    default:
      throw new Error(`${call.functionName} writes no profile`);
  }
}
