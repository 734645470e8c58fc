/** Agents with a stored score and their wallets, for tests of what cred opens. */
import type pg from "pg";
import { agentWallet } from "../../../harness/agent-wallet.ts";
import { plantAgents } from "./agents.ts";

export type Speaker = { tokenId: number; name: string; address: `0x${string}`; authorization: string };

let tokens = 10_000;

/** A wallet whose agent has this score, signed in. */
export async function plantSpeaker(pool: pg.Pool, host: string, score: number): Promise<Speaker> {
  const wallet = agentWallet({ host });
  const tokenId = tokens++;
  const name = `Speaker ${tokenId}`;
  await plantAgents(pool, [{ tokenId, name, agentAddress: wallet.address.toLowerCase() as `0x${string}`, score }]);
  return { tokenId, name, address: wallet.address, authorization: await wallet.siwa() };
}

/** Moves a stored score, as a recomputation would. */
export const setScore = (pool: pg.Pool, tokenId: number, score: number) =>
  pool.query("update offchain.cred set score = $2 where token_id = $1", [tokenId, score]);
