/** The verb mint: accepts a request and its transaction in one commit, and waits for what the chain says. */
import type pg from "pg";
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import { fail } from "../../core/errors.ts";
import type { Address } from "../../core/facts.ts";
import { ogOf } from "../../core/og-wallets.ts";
import {
  agentOfWallet,
  commitMint,
  liveMintOf,
  lockWalletMints,
  MINT_CHANNEL,
  type Mint,
  type MintCall,
  type MintRequest,
  mintByFingerprint,
  mintById,
} from "../../db/mints.ts";
import { referrerOf } from "../../db/referrals.ts";
import { isNoIndex, type Queryable, transaction } from "../../db/transaction.ts";
import type { Fault } from "../../faults.ts";
import type { MintEffect } from "../../payments/effects.ts";
import type { Paid, Till } from "../guards/payment/till.ts";
import { lookUntil } from "./look-until.ts";
import { requireFunds } from "./writing.ts";

/** Places where a crash test kills the process, in the order a request passes them. */
export const MINT_FAULT_POINTS = ["mint.checked", "mint.before-commit", "mint.after-commit"] as const;
/** One more where it is paid for: the money is there, the mint is not. */
export const PAID_MINT_FAULT_POINT = "mint.paid";

export type MintDeps = {
  /** The identity contract. */
  identity: Address;
  now: Date;
  fault: Fault;
  /** Pays for it, unless the wallet is a V1 wallet. */
  payment: Pick<Till, "price" | "settle">;
};

/**
 * Accepts a request to mint: its row and its transaction are committed together, so that it is minted exactly once
 * whatever dies afterwards. What has a price is checked, paid and checked again: no transaction of the database waits
 * for a settlement. The same fingerprint again is the same mint, in whatever state it is by then.
 * @throws Failure out_of_funds, already_registered (with the wallet's `tokenId`), invalid_input (referral code),
 *   indexer_behind, and what settling throws
 */
export async function acceptMint(db: pg.Pool, request: MintRequest, deps: MintDeps): Promise<Mint> {
  try {
    // A V1 wallet's registration is free; that it happens once is seen to below.
    const free = deps.payment.price === 0n || ogOf(request.wallet) !== undefined;
    const accepted = free ? await accept(db, request, deps, null) : await acceptPaid(db, request, deps);
    deps.fault("mint.after-commit");
    return accepted;
  } catch (error) {
    if (isNoIndex(error)) fail("indexer_behind", "The index is not ready yet.", { retryAfter: 5, cause: error });
    throw error;
  }
}

async function acceptPaid(db: pg.Pool, request: MintRequest, deps: MintDeps): Promise<Mint> {
  const known = await transaction(db, async (tx) => {
    const found = await mintByFingerprint(tx, request.fingerprint);
    if (!found) await refuseUnlessPossible(tx, request);
    return found;
  });
  if (known) return known;
  const effect: MintEffect = { kind: "mint", request, call: mintCall(request, deps.identity) };
  const paid = await deps.payment.settle({ holds: `mint:${request.wallet}`, effect });
  deps.fault("mint.paid");
  return accept(db, request, deps, paid);
}

/** The commit point. */
const accept = (db: pg.Pool, request: MintRequest, deps: MintDeps, paid: Paid | null): Promise<Mint> =>
  transaction(db, async (tx) => {
    await lockWalletMints(tx, request.wallet);
    const known = await mintByFingerprint(tx, request.fingerprint);
    if (known) return known;
    await refuseUnlessPossible(tx, request);
    deps.fault("mint.checked");
    const mint = await commitMint(tx, request, mintCall(request, deps.identity), deps.now);
    await paid?.fulfil(tx, `mint:${mint.mintId}`);
    deps.fault("mint.before-commit");
    return mint;
  });

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

const mintCall = (request: MintRequest, identity: Address): MintCall => ({
  to: identity,
  data: encodeFunctionData({
    abi: identityAbi,
    functionName: "mintFor",
    args: [request.recipient, request.wallet, request.name, request.framework, request.soulbound, request.origin],
  }),
});

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
