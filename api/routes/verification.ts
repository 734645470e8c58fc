/**
 * Verification: of an agent's wallet by its signature, of its owner by the exchange's attestation, of accounts by social proofs.
 */

import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { ProofReader } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import { attestationCall, attestationOf, uidCall, uidOf } from "../../core/agents/exchange-attestation.ts";
import type { Address, AgentRef, Hex } from "../../core/agents/facts.ts";
import { needleOf } from "../../core/agents/social-proofs.ts";
import { type ErrorCode, Failure, fail } from "../../core/errors.ts";
import { txLink } from "../../core/links.ts";
import { PROOF_PLATFORMS, type ProofPlatform, type ProofPlatformKey } from "../../core/proof-platforms.ts";
import { unixSeconds } from "../../core/times.ts";
import { numericId } from "../../core/views/agent-report.ts";
import {
  type Attestation,
  attestationsOf,
  recordExchangeVerification,
  VERIFIED_ACCOUNT,
  verificationTransaction,
} from "../../db/agents/attestations.ts";
import { recordProofOwnership } from "../../db/agents/proof-ownership.ts";
import { recordWalletVerification } from "../../db/agents/wallets.ts";
import { insertChainWrite } from "../../db/transactions/chain-writes.ts";
import type { WalletCaller } from "../caller-types.ts";
import { type Call, type Endpoint, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { agentRef } from "../parameters.ts";
import type { Json } from "../reply.ts";
import * as schemas from "../schemas/updates.ts";
import { factsOf, writtenTokenId } from "../services/agent-facts.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { queueOnce } from "../services/chain-writes.ts";
import { proveAccount } from "../services/prove-account.ts";
import { writesShown } from "../services/until-shown.ts";
import { authorizeAgentWallet, authorizeController, controls, emitVerified, writeAgent } from "../services/writing.ts";

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
  responses: { 200: { description: "Verified on chain", schema: schemas.verifySchema }, 202: schemas.PENDING_WRITE },
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
  responses: { 200: { description: "Verified", schema: schemas.exchangeVerifySchema }, 202: schemas.PENDING_WRITE },
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
  200: { description: "Proven", schema: schemas.provenSchema(platforms) },
  202: schemas.PENDING_WRITE,
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
      operationId: `verify${schemas.capitalised(platform.key)}`,
      summary: platform.summary,
      description: `By the token's owner or the agent's wallet. ${platform.description}`,
      body: schemas.proofBodySchema(platform),
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

/**
 * Verifies an agent by the attestation of its present owner, from the index or from the chain.
 * Check then write: the attestation is valid, then record and intent; it may be revoked or expire, the agent be sold:
 * the owner is checked again, and validity is computed at every read.
 * @returns the attestation, and the intent that sets the identity contract's flag; null when the contract has no such
 *   flag
 * @throws Failure forbidden, not_found (agent, attestation), gone (revoked or expired), out_of_funds, rate_limited,
 *   upstream_unavailable
 */
async function verifyExchange(
  deps: HandlerDeps,
  request: { tokenId: number; wallet: Address; now: number },
): Promise<{ attestation: Attestation; intentKey: string | null }> {
  const { tokenId, wallet, now } = request;
  const identity = deps.config.contracts.identity.address;
  const authorize = await authorizeController(deps, tokenId, wallet);
  const before = await factsOf(deps.facts, { tokenId });
  const attestation = await validAttestation(deps, before.owner, now);
  const flagged = await hasFlag(deps, identity, tokenId);
  return writeAgent(
    deps,
    { tokenId, now },
    (facts) => {
      authorize(facts);
      if (facts.owner !== before.owner)
        fail("request_in_progress", `Agent ${tokenId} changed hands a moment ago.`, {
          retryAfter: 1,
          hint: "Repeat the request.",
        });
    },
    async (write) => {
      const { tx, now: at } = write;
      if (await recordExchangeVerification(tx, tokenId, attestation, at)) await emitVerified(write, "coinbase", null);
      const args = [BigInt(tokenId), true] as const;
      const intent = {
        // The contract awards points with each call: one call for each owner, independent of the attestation.
        intentKey: `exchange:${tokenId}:${attestation.recipient}`,
        // By the attestation that has just been read.
        known: true,
        to: identity,
        data: encodeFunctionData({ abi: identityAbi, functionName: "setCoinbaseVerified", args }),
      } as const;
      const intentKey = flagged ? (await queueOnce(write, wallet, intent)).intentKey : null;
      return { result: { attestation, intentKey }, scored: true, cause: "agent.exchange_verified" };
    },
  );
}

/** @throws Failure not_found when the owner never had one, gone when none is valid now */
async function validAttestation(deps: HandlerDeps, owner: Address, now: number): Promise<Attestation> {
  const { attesters, attestationSchemas } = deps.config;
  const schema = attestationSchemas[0]!;
  const seconds = unixSeconds(new Date(now));
  const isValid = ({ revokedAt, expiresAt }: Attestation) =>
    revokedAt === 0 && (expiresAt === 0 || expiresAt > seconds);
  const rows = await attestationsOf(deps.db, { recipient: owner, schema, attesters });
  const indexed = rows.filter(({ data }) => data === VERIFIED_ACCOUNT);
  // The chain's newest attestation comes first: the index may be a block behind it, and behind its revocation.
  const newest = await attestationOnChain(deps, owner, schema).catch((error: unknown) => {
    const other = indexed.find(isValid);
    if (other && error instanceof Failure && error.code === "upstream_unavailable") return other;
    throw error;
  });
  const fits = newest?.recipient === owner && newest.schema === schema && attesters.includes(newest.attester);
  const right = fits && newest.data === VERIFIED_ACCOUNT ? newest : null;
  if (right && isValid(right)) return right;
  const known = indexed.filter(({ uid }) => uid !== newest?.uid);
  const valid = known.find(isValid);
  if (valid) return valid;
  if (known.length === 0 && right === null)
    return fail("not_found", `The exchange has not attested the owner ${checksum(owner)}.`, {
      hint: "The owner completes the exchange's on-chain verification first.",
    });
  return fail("gone", `The exchange's attestation of the owner ${checksum(owner)} was revoked or has expired.`, {
    hint: "The owner asks the exchange for a new one first.",
  });
}

/** The newest attestation of a wallet, as the exchange's indexer and EAS answer. @throws Failure upstream_unavailable */
async function attestationOnChain(
  { chain, config }: HandlerDeps,
  recipient: Address,
  schema: Hex,
): Promise<Attestation | null> {
  const { attestationIndexer, eas } = config.contracts;
  const answer = await chain.call({ to: attestationIndexer.address, data: uidCall(recipient, schema) });
  const uid = answer.ok ? uidOf(answer.data) : null;
  if (!uid) return null;
  const read = await chain.call({ to: eas.address, data: attestationCall(uid) });
  const attestation = read.ok ? attestationOf(read.data) : null;
  if (!attestation) return null;
  // Older than the first block that is indexed: the index will never have it.
  const [first, head] = await Promise.all([chain.block(eas.startBlock), chain.headBlock()]);
  const older = first !== null && attestation.attestedAt < first.timestamp;
  return { ...attestation, indexedFrom: older ? null : head };
}

/** Whether the identity contract has such a flag: its first version had none. @throws Failure upstream_unavailable */
async function hasFlag({ chain }: HandlerDeps, identity: Address, tokenId: number): Promise<boolean> {
  const data = encodeFunctionData({ abi: identityAbi, functionName: "coinbaseVerified", args: [BigInt(tokenId)] });
  const answer = await chain.call({ to: identity, data });
  return answer.ok && answer.data.length === 66;
}

/**
 * @returns the transaction that verified it, or the intent that will
 * @throws Failure not_found, forbidden, out_of_funds, rate_limited
 */
async function verifyWallet(
  deps: HandlerDeps,
  { tokenId, wallet, now }: { tokenId: number; wallet: Address; now: number },
): Promise<{ txHash: Hex; block: number } | { intentKey: string }> {
  const authorize = await authorizeAgentWallet(deps, tokenId, wallet);
  return writeAgent<{ txHash: Hex; block: number } | { intentKey: string }>(
    deps,
    { tokenId, now },
    authorize,
    async (write) => {
      const { tx, facts, now: at } = write;
      await recordWalletVerification(tx, { tokenId, wallet, mintTx: facts.mintTx, at });
      const { owner, ownership } = facts;
      const { transfers } = ownership;
      await recordProofOwnership(tx, { tokenId, proof: "wallet", subject: wallet, owner, transfers, at });
      const done = facts.verified ? await verificationTransaction(tx, { tokenId }) : null;
      if (done) return { result: done, scored: false };
      const { intentKey, queued } = await queueOnce(write, wallet, {
        intentKey: `verify:${tokenId}`,
        to: deps.config.contracts.identity.address,
        data: encodeFunctionData({ abi: identityAbi, functionName: "verify", args: [BigInt(tokenId)] }),
      });
      if (queued) {
        const behalf = controls(facts, wallet) ? wallet : facts.owner;
        await insertChainWrite(tx, { tokenId, slot: "verified", intentKey, wallet: behalf, at });
      }
      return { result: { intentKey }, scored: false };
    },
  );
}
