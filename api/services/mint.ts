/** The verb mint: accepts a request and its transaction in one commit, and waits for what the chain says. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import { fail } from "../../core/errors.ts";
import type { Address } from "../../core/facts.ts";
import { ogOf } from "../../core/og-wallets.ts";
import {
  agentOfWallet,
  insertMint,
  liveMintOf,
  MINT_CHANNEL,
  type Mint,
  type MintRequest,
  mintByFingerprint,
  mintById,
} from "../../db/mints.ts";
import { referrerOf } from "../../db/referrals.ts";
import { isNoIndex, type Queryable, transaction } from "../../db/transaction.ts";
import { queueIntent } from "../../db/tx-outbox.ts";
import type { Fault } from "../../faults.ts";
import { lookUntil } from "./look-until.ts";
import { requireFunds } from "./writing.ts";

/** Places where a crash test kills the process, in the order a request passes them. */
export const MINT_FAULT_POINTS = ["mint.checked", "mint.before-commit", "mint.after-commit"] as const;

export type MintDeps = {
  /** The identity contract. */
  identity: Address;
  now: Date;
  fault: Fault;
  /** Takes the price, of all but V1 wallets; called when nothing else can refuse the request any more. @throws Failure payment_required */
  pay(): unknown;
};

/**
 * Accepts a request to mint: its row and its transaction are committed together, so that it is minted exactly once
 * whatever dies afterwards. The same fingerprint again is the same mint, in whatever state it is by then.
 * @throws Failure out_of_funds, already_registered (with the wallet's `tokenId`), invalid_input (referral code),
 *   indexer_behind
 */
export async function acceptMint(db: pg.Pool, request: MintRequest, deps: MintDeps): Promise<Mint> {
  try {
    const mint = await transaction(db, async (tx) => {
      // Requests of one wallet, one after the other; different wallets do not wait for each other.
      await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`mint:${request.wallet}`]);
      const known = await mintByFingerprint(tx, request.fingerprint);
      if (known) return known;
      await refuseUnlessPossible(tx, request);
      deps.fault("mint.checked");
      // A V1 wallet's registration is free; that it happens once is seen to above.
      if (!ogOf(request.wallet)) await deps.pay();
      const accepted = await commitMint(tx, request, deps);
      deps.fault("mint.before-commit");
      return accepted;
    });
    deps.fault("mint.after-commit");
    return mint;
  } catch (error) {
    if (isNoIndex(error)) fail("indexer_behind", "The index is not ready yet.", { retryAfter: 5, cause: error });
    throw error;
  }
}

/** Every check that may refuse, cheapest first. */
async function refuseUnlessPossible(tx: Queryable, request: MintRequest): Promise<void> {
  await requireFunds(tx);
  const registered = await agentOfWallet(tx, request.wallet);
  const live = await liveMintOf(tx, request.wallet);
  if (registered !== null || live) {
    const tokenId = registered ?? live?.tokenId ?? null;
    const sentence =
      tokenId === null ? "This wallet's registration is under way." : `This wallet is already agent ${tokenId}.`;
    fail("already_registered", sentence, { extra: { tokenId, ...(tokenId === null && { mintId: live!.mintId }) } });
  }
  if (request.referralCode === null) return;
  const refusal = (message: string) => fail("invalid_input", message, { details: [{ path: "referralCode", message }] });
  const referrer = await referrerOf(tx, request.referralCode);
  if (!referrer) return refusal("There is no such referral code.");
  if (referrer.wallets.some((wallet) => wallet === request.wallet || wallet === request.recipient))
    refusal("A wallet cannot use its own referral code.");
}

/** The commit point: row and intent. */
async function commitMint(tx: Queryable, request: MintRequest, { identity, now }: MintDeps): Promise<Mint> {
  const mintId = randomUUID();
  await insertMint(tx, mintId, request, now);
  await queueIntent(tx, {
    intentKey: `mint:${mintId}`,
    to: identity,
    data: encodeFunctionData({
      abi: identityAbi,
      functionName: "mintFor",
      args: [request.recipient, request.wallet, request.name, request.framework, request.soulbound, request.origin],
    }),
  });
  return (await mintById(tx, mintId))!;
}

/** A mint by its id; null when there is none. */
export const mintStatus = (db: Queryable, mintId: string): Promise<Mint | null> => mintById(db, mintId);

/**
 * Waits until the chain has decided.
 * @returns the mint: minted, failed, or still pending after `timeoutMs`
 * @throws Failure not_found for an unknown id
 */
export function awaitMint(db: pg.Pool, mintId: string, timeoutMs: number): Promise<Mint> {
  return lookUntil(db, {
    channel: MINT_CHANNEL,
    concerns: (decided) => decided === mintId,
    timeoutMs,
    look: async () => (await mintById(db, mintId)) ?? fail("not_found", "There is no such mint."),
    decided: (mint) => mint.state !== "pending",
  });
}
