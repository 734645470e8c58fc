/** Referral codes and who referred whom. */
import { createHash } from "node:crypto";
import type { Address } from "../core/facts.ts";
import { ogByCode } from "../core/og-wallets.ts";
import { lastReferralCode, referralCode, SUFFIXES } from "../core/referral-codes.ts";
import { isIndexed, type Queryable } from "./transaction.ts";
import { ownAgents } from "./wallets.ts";

/** Ends of a code that are tried before its token's id ends it; with 36^4 of them, a second try is rare. */
const TRIES = 8;

/**
 * Gives each of these agents its code, unless it has one. The end of a code follows from the agent's wallet, so that an
 * agent whose registration was reorganised and mined again gets the same code, whoever writes it. Anybody can register
 * tokens of that name which name that wallet too, until all its ends are taken: then the code ends with the token's id.
 * @returns how many codes are new
 */
export async function ensureReferralCodes(
  db: Queryable,
  agents: { tokenId: number; name: string; agentAddress: Address }[],
): Promise<number> {
  let missing = agents;
  let added = 0;
  for (let attempt = 0; attempt <= TRIES && missing.length > 0; attempt++) {
    const codes = missing.map(({ tokenId, name, agentAddress }) =>
      attempt < TRIES ? referralCode(name, suffixOf(agentAddress, attempt)) : lastReferralCode(name, tokenId),
    );
    const tokenIds = missing.map(({ tokenId }) => tokenId);
    // A clash, in the table or within these rows, skips the row; it is tried again with another end.
    const { rowCount } = await db.query(
      `insert into offchain.referral_code (token_id, code)
       select * from unnest($1::bigint[], $2::text[]) on conflict do nothing`,
      [tokenIds, codes],
    );
    added += rowCount ?? 0;
    if (rowCount === missing.length) return added;
    const { rows } = await db.query(
      `select t.token_id from unnest($1::bigint[]) as t(token_id)
       where not exists (select from offchain.referral_code r where r.token_id = t.token_id)`,
      [tokenIds],
    );
    const without = new Set(rows.map((row) => Number(row.token_id)));
    missing = missing.filter(({ tokenId }) => without.has(tokenId));
  }
  return added;
}

function suffixOf(agentAddress: Address, attempt: number): number {
  const digest = createHash("sha256").update(`${agentAddress.toLowerCase()}:${attempt}`).digest();
  return digest.readUInt32BE(0) % SUFFIXES;
}

/** Indexed agents that have no code yet, lowest token id first. @throws when there are no views yet (`isNoIndex`) */
export async function agentsWithoutCode(
  db: Queryable,
  limit: number,
): Promise<{ tokenId: number; name: string; agentAddress: Address }[]> {
  const { rows } = await db.query(
    `select a.token_id, a.name, a.agent_address from onchain.agent a
     where not exists (select from offchain.referral_code r where r.token_id = a.token_id)
     order by a.token_id limit $1`,
    [limit],
  );
  return rows.map(toNamed);
}

const toNamed = (row: { token_id: string; name: string; agent_address: Address }) => ({
  tokenId: Number(row.token_id),
  name: row.name,
  agentAddress: row.agent_address,
});

/** Takes back the codes of agents whose registration was retracted, and gives those registered anew under these ids theirs. */
export async function renewReferralCodes(tx: Queryable, tokenIds: number[]): Promise<void> {
  await tx.query("delete from offchain.referral_code where token_id = any($1)", [tokenIds]);
  const { rows } = await tx.query("select token_id, name, agent_address from onchain.agent where token_id = any($1)", [
    tokenIds,
  ]);
  await ensureReferralCodes(tx, rows.map(toNamed));
}

/** The code of a token; null while it has none. */
export async function referralCodeOf(db: Queryable, tokenId: number): Promise<string | null> {
  const { rows } = await db.query("select code from offchain.referral_code where token_id = $1", [tokenId]);
  return rows[0]?.code ?? null;
}

/** Records who referred a new agent, by the code it came with; each agent counts once, and none refers itself. */
export async function recordReferral(tx: Queryable, tokenId: number, code: string): Promise<void> {
  const og = ogByCode(code);
  // A V1 wallet's code is credited to its agent, once it has one.
  const ogAgent = og && (await isIndexed(tx)) ? (await ownAgents(tx, [og.wallet])).get(og.wallet) : null;
  await tx.query(
    `insert into offchain.referral (token_id, referrer_token_id, code)
     select $1, r.token_id, $2
     from (select coalesce((select token_id from offchain.referral_code where code = $2), $3::int8) as token_id) r
     where r.token_id <> $1
     on conflict do nothing`,
    [tokenId, code, ogAgent ?? null],
  );
}

/** Removes code and referral of a token that does not exist (any more). */
export async function deleteReferrals(tx: Queryable, tokenId: number): Promise<void> {
  await tx.query("delete from offchain.referral_code where token_id = $1", [tokenId]);
  await tx.query("delete from offchain.referral where token_id = $1", [tokenId]);
}
