/**
 * Intents `award:<wallet>:<what>`: the bonuses a registration brings, on chain. Their keys name the wallet, which
 * registers once, and not the token, which a reorganisation may renumber. So each bonus is granted exactly once.
 */
import type pg from "pg";
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../../abis/identity.ts";
import type { Address } from "../../../core/agents/facts.ts";
import { OG_TRAIT, ogOf } from "../../../core/agents/og-wallets.ts";
import { BONUSES } from "../../../core/mints/bonuses.ts";
import { kindGasBound } from "../../../core/transactions/gas-bounds.ts";
import { recordReferral } from "../../../db/agents/referral-codes.ts";
import { referrerOf } from "../../../db/agents/referrals.ts";
import { type DueMint, retryAwards, setAwardsDue } from "../../../db/mints/mint-awards.ts";
import type { Mint } from "../../../db/mints/mints.ts";
import {
  attemptedKey,
  type FreeWrite,
  type NewIntent,
  queueRepeatable,
  withdrawQueued,
} from "../../../db/transactions/transaction-outbox.ts";
import type { IntentEffect } from "./effect.ts";

/** Places where a crash test kills the sender while it queues awards. */
export const AWARD_FAULT_POINTS = ["awards.before-commit", "awards.after-commit"] as const;

/** Milliseconds until an award that could not be queued, or that the chain refused, is tried again. */
export const AWARD_RETRY_MS = 600_000;

const WHAT = ["referrer", "minter", "og", "badge"] as const;
type What = (typeof WHAT)[number];
const keyOf = (wallet: Address, what: What) => `award:${wallet}:${what}`;

export const awardEffect: IntentEffect = {
  prefix: "award",
  // The points come back through the index.
  async mined() {},
  async failed(tx, intent, _reason, now) {
    const wallet = attemptedKey(intent.intentKey).split(":")[1] as Address;
    await retryAwards(tx, { wallet, at: new Date(now.getTime() + AWARD_RETRY_MS) });
  },
  async undone() {},
};

/** Whether a registration has bonuses to award. A wallet that a Solana key names did not request the registration. */
export const bringsAwards = (mint: Pick<Mint, "wallet" | "solanaAddress" | "referralCode">): boolean =>
  mint.solanaAddress === null && (mint.referralCode !== null || ogOf(mint.wallet) !== undefined);

/** Queues the awards of a registration, in the caller's transaction; awards that are queued already stay as they are. */
export async function queueAwards(tx: pg.ClientBase, mint: DueMint, traitPriceWei: bigint, now: Date): Promise<void> {
  const free: FreeWrite | null =
    mint.freeFor === null
      ? null
      : {
          ...{ account: mint.freeFor, tokenId: null, networks: null, known: mint.freeKnown, at: now },
          gasBound: kindGasBound("award:"),
        };
  for (const award of await awardsOf(tx, mint, traitPriceWei)) await queueRepeatable(tx, { ...award, free });
  await setAwardsDue(tx, { mintId: mint.mintId, at: null });
}

async function awardsOf(tx: pg.ClientBase, mint: DueMint, traitPriceWei: bigint) {
  const award = (what: Exclude<What, "badge">, tokenId: number) => ({
    intentKey: keyOf(mint.wallet, what),
    to: mint.identity,
    data: encodeFunctionData({
      abi: identityAbi,
      functionName: "awardBonusPoints",
      args: [BigInt(tokenId), BigInt(BONUSES[what].points), BONUSES[what].reason],
    }),
  });
  const awards: Omit<NewIntent, "free">[] = [];
  if (mint.referralCode !== null) {
    const referrer = await referrerOf(tx, mint.referralCode);
    // Since acceptance the registrant may have bought the referrer's token.
    const own = referrer?.wallets.some((wallet) => wallet === mint.wallet || wallet === mint.recipient);
    if (referrer && !own && referrer.tokenId !== mint.tokenId) {
      awards.push(award("minter", mint.tokenId));
      if (referrer.tokenId !== null) {
        await recordReferral(tx, mint.tokenId, mint.referralCode);
        awards.push(award("referrer", referrer.tokenId));
      }
    }
  }
  if (ogOf(mint.wallet)) {
    awards.push(award("og", mint.tokenId));
    awards.push({
      intentKey: keyOf(mint.wallet, "badge"),
      to: mint.identity,
      data: encodeFunctionData({
        abi: identityAbi,
        functionName: "addTrait",
        args: [BigInt(mint.tokenId), OG_TRAIT.name, OG_TRAIT.category],
      }),
      valueWei: traitPriceWei,
    });
  }
  return awards;
}

/** Withdraws awards that are queued and not signed, because their registration was undone. @returns how many */
export const withdrawAwards = (tx: pg.ClientBase, wallet: Address): Promise<number> =>
  withdrawQueued(tx, {
    intentKeys: WHAT.map((what) => keyOf(wallet, what)),
    reason: "the registration was reorganised away",
  });
