/** Writes to agents' profiles on chain, slot by slot: the newest intent of each slot, and the wallet that requested it. */
import { randomUUID } from "node:crypto";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import type { Intent } from "./transaction-outbox.ts";

/** A name for what one request writes of an agent's profile; a payment for it says that it has bought this. */
export const newProfileWrite = (tokenId: number): string => `profile:${tokenId}:${randomUUID()}`;
/** The key of one of its intents. */
export const intentKeyOf = (profileWrite: string, place: number): string => `${profileWrite}:${place}`;
/** The write that an intent is a part of. */
export const profileWriteOf = (intentKey: string): string => intentKey.slice(0, intentKey.lastIndexOf(":"));

export type ChainWrite = { intentKey: string; data: Hex; state: Intent["state"]; block: number | null };

const NEWEST = statement({
  name: "chain-writes-newest",
  params: { tokenId: t.int8, slots: t.array(t.text) },
  text: `
    select s.slot, i.intent_key as "intentKey", i.data, i.state, i.block
    from unnest($slots::text[]) as s(slot)
    join lateral (select w.intent_key from offchain.chain_write w
                  where w.token_id = $tokenId and w.slot = s.slot order by w.id desc limit 1) newest on true
    join offchain.transaction_outbox i on i.intent_key = newest.intent_key`,
  columns: {
    slot: t.text,
    intentKey: t.text,
    data: t.narrow<Hex>(t.text),
    state: t.narrow<Intent["state"]>(t.text),
    block: t.nullable(t.int8),
  },
});

/** The newest write of each of these slots; slots never written are absent. */
export async function newestChainWrites(
  tx: Queryable,
  tokenId: number,
  slots: readonly string[],
): Promise<Map<string, ChainWrite>> {
  const rows = await NEWEST.rows(tx, { tokenId, slots });
  return new Map(rows.map(({ slot, ...write }) => [slot, write]));
}

/** Stores a write; an intent that is queued again gets a new time of acceptance. */
export const insertChainWrite = statement({
  name: "chain-write-insert",
  params: { tokenId: t.int8, slot: t.text, intentKey: t.text, wallet: t.narrow<Address>(t.text), at: t.timestamptz },
  text: `
    insert into offchain.chain_write (token_id, slot, intent_key, wallet, accepted_at)
    values ($tokenId, $slot, $intentKey, $wallet, $at)
    on conflict (intent_key) do update set wallet = $wallet, accepted_at = $at`,
}).run;

/** The write that was accepted as this intent; null for an intent of another kind. */
export const chainWriteOf = statement({
  name: "chain-write-by-intent",
  params: { intentKey: t.text },
  text: `
    select token_id as "tokenId", slot, wallet, accepted_at as "acceptedAt" from offchain.chain_write
    where intent_key = $intentKey`,
  columns: { tokenId: t.int8, slot: t.text, wallet: t.narrow<Address>(t.text), acceptedAt: t.timestamptz },
}).maybeOne;

/** The newest write of each slot of an agent that was written since. */
export const recentChainWrites = statement({
  name: "chain-writes-of-agent",
  params: { tokenId: t.int8, since: t.timestamptz },
  text: `
    select distinct on (w.slot) w.slot, i.state, i.tx_hash as "txHash", i.block, w.accepted_at as "acceptedAt"
    from offchain.chain_write w join offchain.transaction_outbox i on i.intent_key = w.intent_key
    where w.token_id = $tokenId and w.accepted_at > $since
    order by w.slot, w.id desc`,
  columns: {
    slot: t.text,
    state: t.narrow<Intent["state"]>(t.text),
    txHash: t.nullable(t.narrow<Hex>(t.text)),
    block: t.nullable(t.int8),
    acceptedAt: t.timestamptz,
  },
}).rows;

/** Whether a wallet owns the agent or is its own, by the index. @throws when there are no views yet (`isNoIndex`) */
export const walletControls = statement({
  name: "wallet-controls",
  params: { tokenId: t.int8, wallet: t.narrow<Address>(t.text) },
  text: `
    select exists (
      select from onchain.agent where token_id = $tokenId and $wallet in (owner, agent_address)) as controls`,
  columns: { controls: t.bool },
}).onlyValue;

/** The traits the chain holds of an agent, in the order added. */
export const onchainTraits = statement({
  name: "traits-onchain",
  params: { tokenId: t.int8 },
  text: "select name, category from onchain.trait where token_id = $tokenId order by position",
  columns: { name: t.text, category: t.text },
}).rows;
