/** Intents `oracle:<n>:<change>`: a batch of scores for the per-token oracle; the change is a hash of what it held and is to hold. */
import { decodeFunctionData } from "viem/utils";
import { credOracleAbi } from "../../../abis/cred-oracle.ts";
import { storedScores } from "../../../db/cred/cred-oracle.ts";
import { type OracleWrite, oracleChange, readOracle } from "../../cred/oracle-reads.ts";
import type { IntentEffect } from "./effect.ts";

export const oracleEffect: IntentEffect = {
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
