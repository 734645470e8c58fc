/** The effects of intents on the database once the chain has decided: one entry for each key prefix. */
import { decodeFunctionData } from "viem/utils";
import { credOracleAbi } from "../../abis/cred-oracle.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { noteExchangeTransaction } from "../../db/agents/attestations.ts";
import { proofStands, setProofTransaction } from "../../db/agents/social-proofs.ts";
import { storedScores } from "../../db/cred/cred-oracle.ts";
import { epochFailed, epochIsOld, epochPublished, epochReopened } from "../../db/cred/store-cred-epoch.ts";
import { attemptedKey, type Intent } from "../../db/transactions/transaction-outbox.ts";
import { type OracleWrite, oracleChange, readOracle } from "../cred/oracle-reads.ts";
import { awardEffect } from "./intents/award.ts";
import type { EffectContext, IntentEffect } from "./intents/effect.ts";
import { mintEffect } from "./intents/mint.ts";
import { profileEffect, verifyEffect } from "./intents/profile.ts";
import { tokenUriEffect } from "./intents/token-uri.ts";

/**
 * Max age of the scores when they are signed. Contracts measure the age of a root from its block on, so scores that
 * waited for money or for a node are not published as new: the next run of the job builds a new root.
 */
const MAX_WAIT_MS = 3_600_000;

async function ageRefusal({ db }: EffectContext, { intentKey }: Intent): Promise<string | null> {
  return (await epochIsOld(db, { intentKey, ms: MAX_WAIT_MS })) ? "its scores are more than an hour old" : null;
}

/** Intents `root:<epoch>`: the root of all scores, published in CredRoots. */
const rootEffect: IntentEffect = {
  prefix: "root",
  refusal: ageRefusal,
  outdated: ageRefusal,

  async mined(tx, { intentKey }, receipt, now) {
    await epochPublished(tx, { intentKey, txHash: receipt.hash, txBlock: receipt.block, at: now });
  },
  /** Its number is not used again: the next run of the job publishes the scores of that moment. */
  async failed(tx, { intentKey }, reason) {
    await epochFailed(tx, { intentKey, error: reason });
  },
  async undone(tx, { intentKey }) {
    await epochReopened(tx, { intentKey });
  },
};

const proofOf = ({ intentKey }: Intent) => {
  const [, tokenId, platform] = attemptedKey(intentKey).split(":");
  return { tokenId: Number(tokenId), platform: platform as ProofPlatformKey };
};

/**
 * Intents `proof:<tokenId>:<platform>`: the trait that goes with an agent's first proof on a platform.
 * The proof counts since its own record was stored; the effect only adds the transaction to that record.
 */
const proofEffect: IntentEffect = {
  prefix: "proof",

  /**
   * A reorganisation may have given the token's id to another agent; then its proofs are gone too.
   * Check then write: the proof is valid, then the signature; it may lapse before the block. Accepted: one block.
   */
  async refusal({ db }, intent) {
    return (await proofStands(db, proofOf(intent))) ? null : "the proof does not stand any more";
  },

  async mined(tx, intent, receipt) {
    await setProofTransaction(tx, proofOf(intent), receipt.hash);
  },

  async failed() {},

  async undone(tx, intent) {
    await setProofTransaction(tx, proofOf(intent), null);
  },
};

/**
 * Intents `oracle:<n>:<change>`: a batch of scores for the per-token oracle; the change is a hash of what it held and
 * is to hold.
 */
const oracleEffect: IntentEffect = {
  prefix: "oracle",

  /**
   * Check then write: scores and oracle are as when it was queued, then the signature; a score may move, or another
   * write the oracle: both are read right before, and the next run of the job compares again and queues what is to be
   * written then. Accepted: one block.
   */
  async refusal({ db, chain }, { intentKey, to, data }) {
    const { args } = decodeFunctionData({ abi: credOracleAbi, data });
    const [ids, scores] = args as readonly [readonly bigint[], readonly number[]];
    const tokenIds = ids.map(Number);
    const stored = await storedScores(db, tokenIds);
    if (tokenIds.some((tokenId, n) => stored.get(tokenId) !== scores[n])) return "scores have changed since";
    const held = await readOracle(chain, to, tokenIds);
    const writes = tokenIds.flatMap((tokenId, n): OracleWrite[] => {
      const value = held[n] ?? null;
      return value ? [{ tokenId, score: scores[n]!, held: value }] : [];
    });
    return intentKey.endsWith(oracleChange(to, writes)) ? null : "the oracle holds other scores by now";
  },

  // What the oracle holds is read from the chain before every write, so nothing of it is kept that could be wrong.
  async mined() {},
  async failed() {},
  async undone() {},
};

function verificationOf({ intentKey }: Intent): { tokenId: number; owner: string } {
  const [, tokenId, owner] = attemptedKey(intentKey).split(":");
  return { tokenId: Number(tokenId), owner: owner! };
}

/**
 * Intents `exchange:<tokenId>:<owner>`: an exchange verification is written into the identity contract, once for each
 * owner.
 * The verification counts since it was accepted: it depends on attestations, not on the contract's record.
 */
const exchangeEffect: IntentEffect = {
  prefix: "exchange",
  async mined(tx, intent, receipt) {
    await noteExchangeTransaction(tx, { ...verificationOf(intent), txHash: receipt.hash });
  },
  async failed() {},
  async undone(tx, intent) {
    await noteExchangeTransaction(tx, { ...verificationOf(intent), txHash: null });
  },
};

export const INTENT_EFFECTS: readonly IntentEffect[] = [
  mintEffect,
  awardEffect,
  profileEffect,
  verifyEffect,
  proofEffect,
  exchangeEffect,
  tokenUriEffect,
  rootEffect,
  oracleEffect,
];

/** The effect of an intent; undefined for those without one (the fillers of nonce gaps). */
export function effectOf(intentKey: string, effects = INTENT_EFFECTS): IntentEffect | undefined {
  const prefix = intentKey.slice(0, intentKey.indexOf(":"));
  return effects.find((effect) => effect.prefix === prefix);
}
