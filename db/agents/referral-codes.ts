/** Referral codes and who referred whom. */
import { createHash } from "node:crypto";
import { eq, inArray } from "drizzle-orm";
import type { Address } from "../../core/agents/facts.ts";
import { ogByCode } from "../../core/agents/og-wallets.ts";
import { lastReferralCode, referralCode, SUFFIXES } from "../../core/agents/referral-codes.ts";
import { referralCode as codes, referral } from "../schema/agents.ts";
import { orm } from "../sql/orm.ts";
import { statement, t } from "../sql/statement.ts";
import { isIndexed, type Queryable } from "../sql/transaction.ts";
import { ownAgents } from "./wallets.ts";

/** Ends of a code that are tried before its token's id ends it; with 36^4 of them, a second try is rare. */
const MAX_TRIES = 8;

const ADD = statement({
  name: "referral-codes-add",
  params: { codes: t.records({ tokenId: t.int8, code: t.text }) },
  text: "insert into offchain.referral_code (token_id, code) select * from $codes on conflict do nothing",
});

const WITHOUT_CODE = statement({
  name: "referral-codes-missing",
  params: { tokenIds: t.array(t.int8) },
  text: `
    select t.token_id from unnest($tokenIds::int8[]) as t(token_id)
    where not exists (select from offchain.referral_code r where r.token_id = t.token_id)`,
  columns: { token_id: t.int8 },
});

/**
 * Gives each of these agents its code, unless it has one. The end of a code follows from the agent's wallet, so that an
 * agent whose registration was reorganised and mined again gets the same code from any process. A stranger can register
 * tokens with the same name and wallet until all these ends are taken: then the code ends with the token's id.
 * Check then write: the agent has no code, then the insert; a request and a worker may give one at once: unique, `on
 * conflict do nothing`, and read again.
 * Resumes: at agents without a code; the last form of a code holds the token id, so it is free.
 * @returns how many codes are new
 */
export async function ensureReferralCodes(
  db: Queryable,
  agents: { tokenId: number; name: string; agentAddress: Address }[],
): Promise<number> {
  let missing = agents;
  let added = 0;
  for (let attempt = 0; attempt <= MAX_TRIES && missing.length > 0; attempt++) {
    const tried = missing.map(({ tokenId, name, agentAddress }) => ({
      tokenId,
      code: attempt < MAX_TRIES ? referralCode(name, suffixOf(agentAddress, attempt)) : lastReferralCode(name, tokenId),
    }));
    const tokenIds = missing.map(({ tokenId }) => tokenId);
    // A clash, in the table or within these rows, skips the row; it is tried again with another end.
    const written = await ADD.run(db, { codes: tried });
    added += written;
    if (written === missing.length) return added;
    const without = new Set((await WITHOUT_CODE.rows(db, { tokenIds })).map((row) => row.token_id));
    missing = missing.filter(({ tokenId }) => without.has(tokenId));
  }
  return added;
}

function suffixOf(agentAddress: Address, attempt: number): number {
  const digest = createHash("sha256").update(`${agentAddress.toLowerCase()}:${attempt}`).digest();
  return digest.readUInt32BE(0) % SUFFIXES;
}

/** Indexed agents that have no code yet, lowest token id first. @throws when there are no views yet (`isNoIndex`) */
export const agentsWithoutCode = statement({
  name: "referral-codes-agents-without",
  params: { limit: t.int8 },
  text: `
    select a.token_id as "tokenId", a.name, a.agent_address as "agentAddress" from onchain.agent a
    where not exists (select from offchain.referral_code r where r.token_id = a.token_id)
    order by a.token_id limit $limit`,
  columns: { tokenId: t.int8, name: t.text, agentAddress: t.narrow<Address>(t.text) },
}).rows;

const NAMED = statement({
  name: "referral-codes-agents",
  params: { tokenIds: t.array(t.int8) },
  text: `
    select token_id as "tokenId", name, agent_address as "agentAddress" from onchain.agent
    where token_id = any($tokenIds)`,
  columns: { tokenId: t.int8, name: t.text, agentAddress: t.narrow<Address>(t.text) },
});

/** Deletes the codes of agents whose registration was retracted, and gives codes to the agents that have these ids now. */
export async function renewReferralCodes(tx: Queryable, tokenIds: number[]): Promise<void> {
  await orm(tx).delete(codes).where(inArray(codes.tokenId, tokenIds));
  await ensureReferralCodes(tx, await NAMED.rows(tx, { tokenIds }));
}

/** The code of a token; null while it has none. */
export async function referralCodeOf(db: Queryable, tokenId: number): Promise<string | null> {
  const [row] = await orm(db).select({ code: codes.code }).from(codes).where(eq(codes.tokenId, tokenId));
  return row?.code ?? null;
}

const RECORD = statement({
  name: "referral-record",
  params: { tokenId: t.int8, code: t.text, ogAgent: t.nullable(t.int8) },
  text: `
    insert into offchain.referral (token_id, referrer_token_id, code)
    select $tokenId, r.token_id, $code
    from (select coalesce((select token_id from offchain.referral_code where code = $code), $ogAgent::int8) as token_id) r
    where r.token_id <> $tokenId
    on conflict do nothing`,
});

/**
 * Records who referred a new agent, by the code it came with; each agent counts once, and none refers itself.
 * Check then write: whose code it is, then the insert; the agent of an OG may change hands: one transaction, and unique
 * by token.
 */
export async function recordReferral(tx: Queryable, tokenId: number, code: string): Promise<void> {
  const og = ogByCode(code);
  // A V1 wallet's code is credited to its agent, once it has one.
  const ogAgent = og && (await isIndexed(tx)) ? (await ownAgents(tx, [og.wallet])).get(og.wallet) : null;
  await RECORD.run(tx, { tokenId, code, ogAgent: ogAgent ?? null });
}

/** Removes code and referral of a token that does not exist (any more). */
export async function deleteReferrals(tx: Queryable, tokenId: number): Promise<void> {
  await orm(tx).delete(codes).where(eq(codes.tokenId, tokenId));
  await orm(tx).delete(referral).where(eq(referral.tokenId, tokenId));
}
