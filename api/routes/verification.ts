/**
 * Verification: of an agent's wallet by its signature, of its owner by the exchange's attestation, of accounts by social proofs.
 */
import type { ProofReader } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import type { AgentRef } from "../../core/agents/facts.ts";
import { needleOf } from "../../core/agents/social-proofs.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { txLink } from "../../core/links.ts";
import { PROOF_PLATFORMS, type ProofPlatform, type ProofPlatformKey } from "../../core/proof-platforms.ts";
import { numericId } from "../../core/views/agent-report.ts";
import type { WalletCaller } from "../caller-types.ts";
import { type Call, type Endpoint, endpointsOf } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import type { Json } from "../reply.ts";
import {
  capitalised,
  exchangeVerifySchema,
  PENDING_WRITE,
  proofBodySchema,
  provenSchema,
  verifySchema,
} from "../schemas/updates.ts";
import { writtenTokenId } from "../services/agent-facts.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { proveAccount } from "../services/prove-account.ts";
import { writesShown } from "../services/until-shown.ts";
import { verifyExchange, verifyWallet } from "../services/verification.ts";

const endpoint = endpointsOf({ tag: "Verification", named: { ref: agentRef }, data: true });

const errors: ErrorCode[] = ["forbidden", "conflict", "out_of_funds"];

export const walletVerify = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/verify",
  operationId: "verifyWallet",
  summary: "Verify the agent's wallet, by its own signature",
  description:
    "The agent's own wallet signs in; the mark is written on chain. Asked again, the same transaction answers.",
  guard: { caller: "siwa" },
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
  summary: "Verify the owner by the exchange's attestation",
  description:
    "Asked by the token's owner or the agent's wallet. Counts while the owner that it was verified by has the token and any attestation that is neither revoked nor expired.",
  guard: { caller: "siwa" },
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

const proofErrors: ErrorCode[] = ["forbidden", "proof_missing", "conflict", "upstream_unavailable", "out_of_funds"];

const responsesOf = (platforms: readonly ProofPlatform[]) => ({
  200: { description: "Proven", schema: provenSchema(platforms) },
  202: PENDING_WRITE,
});

/** The operations of some platforms, in their order. */
export function proofEndpoints(platforms: readonly ProofPlatform[] = PROOF_PLATFORMS): Endpoint[] {
  const responses = responsesOf(platforms);
  return platforms.map((platform) =>
    endpoint({
      guard: { caller: "siwa", bucket: "proofs" },
      responses,
      errors: proofErrors,
      method: "post",
      path: `/api/v2/agent/{ref}/verify/${platform.key}`,
      operationId: `verify${capitalised(platform.key)}`,
      summary: platform.summary,
      description: `By the token's owner or the agent's wallet. ${platform.description}`,
      body: proofBodySchema(platform),
      handler: (call, json) => proveOn(platform, call, json),
    }),
  );
}

type ProofCall = Call<{ ref: AgentRef }, unknown, unknown, WalletCaller>;

async function proveOn(platform: ProofPlatform, call: ProofCall, json: Json<ReturnType<typeof responsesOf>>) {
  const { deps, params, caller, networks, now, body: claim } = call;
  const tokenId = await writtenTokenId(deps, params.ref);
  const { prefix } = deps.config.service;
  const expected = needleOf(prefix, tokenId);
  const key = platform.key as ProofPlatformKey;
  const proven = await proveAccount(deps, {
    platform: key,
    reader: deps.proofs[key] as ProofReader<unknown>,
    claim,
    expected,
    hint: platform.hint(claim, { needle: expected, prefix }),
    wallet: caller.wallet,
    networks,
    tokenId,
    now,
  });
  const { transaction, handle, username, accountId, trait } = proven;
  if ("txHash" in transaction)
    return (await writesShown(deps, tokenId)) ? json(body(transaction)) : pendingWrite(tokenId, []);
  const { complete, mined } = await minedIntents(deps, [transaction.intentKey], { tokenId, what: "trait" });
  return complete ? json(body(mined[0]!)) : pendingWrite(tokenId, mined);

  function body({ txHash, block }: { txHash: `0x${string}`; block?: number }) {
    return {
      success: true as const,
      tokenId,
      platform: platform.key,
      handle,
      ...(username !== null && { username }),
      ...numericId(platform, accountId),
      trait,
      txHash,
      ...(block !== undefined && { block }),
      explorer: txLink(deps.config.service.explorer, txHash),
    };
  }
}
