/** Verification: of an agent's wallet by its own signature, of its owner by the exchange's attestation. */
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import { checksum } from "../../core/addresses.ts";
import { attestationCall, attestationOf, uidCall, uidOf } from "../../core/agents/exchange-attestation.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { Failure, fail } from "../../core/errors.ts";
import { unixSeconds } from "../../core/times.ts";
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
import type { HandlerDeps } from "../handler-deps.ts";
import { factsOf } from "./agent-facts.ts";
import { queueOnce } from "./chain-writes.ts";
import { authorizeAgentWallet, authorizeController, controls, emitVerified, writeAgent } from "./writing.ts";

/**
 * Verifies an agent by the attestation of its present owner, from the index or from the chain.
 * Check then write: the attestation is valid, then record and intent; it may be revoked or expire, the agent be sold:
 * the owner is checked again, and validity is computed at every read.
 * @returns the attestation, and the intent that sets the identity contract's flag; null when the contract has no such
 *   flag
 * @throws Failure forbidden, not_found (agent, attestation), gone (revoked or expired), out_of_funds, rate_limited,
 *   upstream_unavailable
 */
export async function verifyExchange(
  deps: HandlerDeps,
  asked: { tokenId: number; wallet: Address; now: number },
): Promise<{ attestation: Attestation; intentKey: string | null }> {
  const { tokenId, wallet, now } = asked;
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
  const asked = await chain.call({ to: attestationIndexer.address, data: uidCall(recipient, schema) });
  const uid = asked.ok ? uidOf(asked.data) : null;
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
export async function verifyWallet(
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
