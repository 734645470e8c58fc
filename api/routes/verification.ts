/** Verification: of an agent's wallet by its signature, of its owner by the exchange's attestation. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { endpoint } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import { PENDING_WRITE } from "../schemas/pending.ts";
import { exchangeVerifySchema, verifySchema } from "../schemas/verification.ts";
import { writtenTokenId } from "../services/agent-facts.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { verifyExchange } from "../services/verify-exchange.ts";
import { verifyWallet } from "../services/verify-wallet.ts";

const params = z.object({ ref: agentRef });
const errors: ErrorCode[] = ["forbidden", "not_found", "conflict", "out_of_funds"];

export const walletVerify = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/verify",
  operationId: "verifyWallet",
  tag: "Verification",
  summary: "Verify the agent's wallet, by its own signature",
  description:
    "The agent's own wallet signs in; the mark is written on chain. Asked again, the same transaction answers.",
  guard: { caller: "siwa" },
  data: true,
  params,
  responses: { 200: { description: "Verified on chain", schema: verifySchema }, 202: PENDING_WRITE },
  errors,
  async handler({ deps, params: { ref }, caller, now }, json) {
    const tokenId = await writtenTokenId(deps, ref);
    const answer = (txHash: string, block: number) => json({ success: true, tokenId, verified: true, txHash, block });
    const begun = await verifyWallet(deps, { tokenId, wallet: caller.wallet, now });
    if ("txHash" in begun) return answer(begun.txHash, begun.block);
    const { complete, mined } = await minedIntents(deps, [begun.intentKey], { tokenId, what: "verification" });
    return complete ? answer(mined[0]!.txHash, mined[0]!.block) : pendingWrite(tokenId, mined);
  },
});

export const exchangeVerify = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/coinbase-verify",
  operationId: "verifyExchange",
  tag: "Verification",
  summary: "Verify the owner by the exchange's attestation",
  description:
    "Asked by the token's owner or the agent's wallet. Counts while the owner that it was verified by has the token and any attestation that is neither revoked nor expired.",
  guard: { caller: "siwa" },
  data: true,
  params,
  responses: { 200: { description: "Verified", schema: exchangeVerifySchema }, 202: PENDING_WRITE },
  errors: [...errors, "gone"],
  async handler({ deps, params: { ref }, caller, now }, json) {
    const tokenId = await writtenTokenId(deps, ref);
    const { attestation, intentKey } = await verifyExchange(deps, { tokenId, wallet: caller.wallet, now });
    const intentKeys = intentKey === null ? [] : [intentKey];
    const { complete, mined } = await minedIntents(deps, intentKeys, { tokenId, what: "verification" });
    if (!complete) return pendingWrite(tokenId, mined);
    return json({
      success: true,
      tokenId,
      coinbaseVerified: true,
      attestationUid: attestation.uid,
      attester: checksum(attestation.attester),
      txHash: mined[0]?.txHash ?? null,
      ...(mined[0] && { block: mined[0].block }),
    });
  },
});
