/** What indexer, workers and operators leave about agents and callers beside the agents themselves, for tests of what reads it. */
import type pg from "pg";
import { onTestFinished } from "vitest";
import { apiKeyHash, apiKeyText } from "../../../core/callers/api-keys.ts";
import { VERIFIED_ACCOUNT } from "../../../db/agents/attestations.ts";
import { ensureReferralCodes } from "../../../db/agents/referral-codes.ts";
import { insertApiKey, type KeyScope } from "../../../db/callers/api-keys.ts";
import { completeMint } from "../../../db/mints/mints.ts";
import { plantCheckpoint, plantRows } from "../../../harness/onchain.ts";
import { IDENTITY } from "../../../harness/stub-chain.ts";
import { until } from "../../../harness/until.ts";
import { type PlantedRow, plantDirectory } from "../../support/directory.ts";
import { sql } from "../../support/sql.ts";
import { plantAgents, plantFollowed } from "./agents.ts";

/** The exchange whose attestations count, and their schema. */
export const ATTESTER = "0x357458739f90461b99789350868cd7cf330dd7ee";
export const SCHEMA = "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9";

/** An attestation of the exchange that an account is verified. */
export const plantAttestation = (pool: pg.Pool, recipient: string, over: object = {}) =>
  plantRows(pool, "attestation", [
    {
      ...{ uid: `0x${recipient.slice(2).padEnd(64, "0")}`, schema: SCHEMA, attester: ATTESTER, recipient },
      ...{ data: VERIFIED_ACCOUNT, attestedAt: 1_790_000_000, expiresAt: 0, revokedAt: 0, block: 900, txHash: "0x1" },
      ...over,
    },
  ]);

/** A transfer of an identity token. */
export const plantTransfer = (pool: pg.Pool, tokenId: number, [from, to]: string[], at: number, over: object = {}) =>
  plantRows(pool, "transfer", [
    {
      ...{ id: `${tokenId}-${at}`, contract: IDENTITY, tokenId, from, to, transferredAt: at, block: 900 },
      ...{ txHash: "0x1", ...over },
    },
  ]);

/** Points that the contract has given. */
export const plantAward = (pool: pg.Pool, tokenId: number, reason: string, over: object = {}) =>
  plantRows(pool, "pointsAward", [
    { ...{ id: reason, tokenId, amount: 75n, reason, awardedAt: 1, block: 1, txHash: "0x00" }, ...over },
  ]);

/** A proven account of a platform. @param at when it was proven and last seen */
export const plantProof = (
  pool: pg.Pool,
  tokenId: number,
  platform: string,
  { accountId = String(tokenId), handle = "ada", status = "verified", at = new Date().toISOString() } = {},
) =>
  pool.query(sql`insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at,
      checked_at)
    values (${tokenId}, ${platform}, ${accountId}, ${handle}, '{}', ${status}, ${at}, ${at})
    on conflict (token_id, platform) do update set verified_at = excluded.verified_at`);

/** Rows of the directory, until the test has ended. */
export async function listForTest(pool: pg.Pool, rows: PlantedRow[]): Promise<void> {
  await plantDirectory(pool, rows);
  onTestFinished(async () => {
    await pool.query(sql`delete
      from offchain.directory d using json_to_recordset(${JSON.stringify(rows)}) as r(platform text, agent_id text)
      where d.platform = r.platform and d.agent_id = r.agent_id`);
  });
}

/** An API key. @param id ten lower-case letters or digits */
export async function plantApiKey(
  pool: pg.Pool,
  id: string,
  scopes?: KeyScope[],
  readsPerMinute: number | null = null,
): Promise<string> {
  const key = apiKeyText(id, "k".repeat(43));
  await insertApiKey(pool, { id, name: id, hash: apiKeyHash(key), readsPerMinute, ...(scopes && { scopes }) });
  return key;
}

let block = 1000;

/** Plays worker and indexer for the next pending registration: mined in the next block, indexed at once unless told otherwise. @returns the block */
export async function mineRegistration(
  pool: pg.Pool,
  { tokenId = 7, indexed = true, agent = {} } = {},
): Promise<number> {
  const row = await until("a pending registration", async () => {
    const { rows } = await pool.query("select * from offchain.mint where state = 'pending' order by created_at");
    return rows[0];
  });
  block++;
  const { name, wallet: agentAddress, framework, soulbound } = row;
  await ensureReferralCodes(pool, [{ tokenId, name, agentAddress }]);
  await completeMint(pool, row.mint_id, { tokenId, txHash: `0x${"c".repeat(64)}`, block, at: new Date() });
  if (!indexed) return block;
  await plantAgents(pool, [
    { tokenId, name, agentAddress, owner: row.recipient, framework, soulbound, updatedBlock: block, ...agent },
  ]);
  await plantFollowed(pool, { tokenId, block });
  await plantCheckpoint(pool, { block, finalized: 900 });
  return block;
}
