/** Writes to agents' profiles on chain, slot by slot: which intent is the newest, and who asked for it. */
import { randomUUID } from "node:crypto";
import type { Address, Hex } from "../core/facts.ts";
import type { Queryable } from "./transaction.ts";
import type { Intent } from "./transaction-outbox.ts";

/** A name for what one request writes of an agent's profile; a payment for it says that it has bought this. */
export const newProfileWrite = (tokenId: number): string => `profile:${tokenId}:${randomUUID()}`;
/** The key of one of its intents. */
export const intentKeyOf = (profileWrite: string, place: number): string => `${profileWrite}:${place}`;
/** The write that an intent is a part of. */
export const profileWriteOf = (intentKey: string): string => intentKey.slice(0, intentKey.lastIndexOf(":"));

/** The newest write of a slot with its intent. */
export type ChainWrite = { intentKey: string; data: Hex; state: Intent["state"]; block: number | null };

/** The newest write of each of these slots; slots never written are absent. */
export async function newestChainWrites(
  tx: Queryable,
  tokenId: number,
  slots: readonly string[],
): Promise<Map<string, ChainWrite>> {
  const { rows } = await tx.query<Omit<ChainWrite, "block"> & { slot: string; block: string | null }>(
    `select s.slot, i.intent_key as "intentKey", i.data, i.state, i.block
     from unnest($2::text[]) as s(slot)
     join lateral (select w.intent_key from offchain.chain_write w
                   where w.token_id = $1 and w.slot = s.slot order by w.id desc limit 1) newest on true
     join offchain.transaction_outbox i on i.intent_key = newest.intent_key`,
    [tokenId, slots],
  );
  return new Map(
    rows.map(({ slot, block, ...write }) => [slot, { ...write, block: block === null ? null : Number(block) }]),
  );
}

/** Remembers a write; an intent that is queued again is asked for anew. */
export async function insertChainWrite(
  tx: Queryable,
  write: { tokenId: number; slot: string; intentKey: string; wallet: Address; at: Date },
): Promise<void> {
  await tx.query(
    `insert into offchain.chain_write (token_id, slot, intent_key, wallet, accepted_at) values ($1, $2, $3, $4, $5)
     on conflict (intent_key) do update set wallet = $4, accepted_at = $5`,
    [write.tokenId, write.slot, write.intentKey, write.wallet, write.at],
  );
}

/** How many writes of an agent were accepted since, and when the oldest of them was. */
export async function chainWritesSince(
  tx: Queryable,
  tokenId: number,
  since: Date,
): Promise<{ count: number; oldestAt: Date | null }> {
  const { rows } = await tx.query(
    `select count(*)::int4 as count, min(accepted_at) as "oldestAt" from offchain.chain_write
     where token_id = $1 and accepted_at > $2`,
    [tokenId, since],
  );
  return rows[0];
}

/** What was accepted as this intent; null for an intent that is none of these. */
export async function chainWriteOf(
  tx: Queryable,
  intentKey: string,
): Promise<{ tokenId: number; slot: string; wallet: Address; acceptedAt: Date } | null> {
  const { rows } = await tx.query(
    `select token_id as "tokenId", slot, wallet, accepted_at as "acceptedAt" from offchain.chain_write
     where intent_key = $1`,
    [intentKey],
  );
  return rows[0] ? { ...rows[0], tokenId: Number(rows[0].tokenId) } : null;
}

/** Whether a wallet owns the agent or is its own, by the index. @throws when there are no views yet (`isNoIndex`) */
export async function walletControls(db: Queryable, tokenId: number, wallet: Address): Promise<boolean> {
  const { rows } = await db.query(
    "select exists (select from onchain.agent where token_id = $1 and $2 in (owner, agent_address)) as controls",
    [tokenId, wallet],
  );
  return rows[0].controls;
}

/** The traits the chain holds of an agent, in the order added. */
export async function onchainTraits(db: Queryable, tokenId: number): Promise<{ name: string; category: string }[]> {
  const { rows } = await db.query("select name, category from onchain.trait where token_id = $1 order by position", [
    tokenId,
  ]);
  return rows;
}
