/** Signed transactions of the outbox: stored before they are broadcast, and followed until an intent is decided. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { transactionAttempt } from "../schema/transactions.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { ANNOUNCED, INTENT, INTENT_ROW, type Intent, VOID } from "./transaction-outbox.ts";

const STORED = columnsOf(transactionAttempt, { without: ["createdAt", "broadcastAt", "broadcastBlock"] });
const { filler: _, ...FIRST } = STORED;
const ATTEMPT = {
  ...columnsOf(transactionAttempt, { without: ["intentId", "nonce", "createdAt"] }),
  ...{ maxFeePerGasWei: t.uint256, maxPriorityFeePerGasWei: t.uint256 },
};
/** A signed transaction of an intent. Oldest first, fees rising. */
export type TransactionAttempt = t.RowOf<typeof ATTEMPT> & { nonce: number };

/** An intent under way: `nonce` and `gasLimit` are set, and at least one attempt exists. */
export type SignedIntent = Intent & {
  nonce: number;
  gasLimit: bigint;
  attempts: [TransactionAttempt, ...TransactionAttempt[]];
};

const SIGNED = statement({
  name: "intents-signed",
  params: { sender: t.text },
  text: `
    select ${INTENT}, ${t.fieldsOf(ATTEMPT, { of: "a" })}
    from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
    where i.state = 'signed' and i.sender = $sender order by i.nonce, a.max_fee_per_gas_wei`,
  columns: { ...INTENT_ROW, nonce: t.filtered(t.int8), ...ATTEMPT },
});

/** Intents that are signed and not known to be in a block, by nonce, with the attempts that share that nonce. */
export async function signedIntents(db: Queryable, sender: Address): Promise<SignedIntent[]> {
  const rows = await SIGNED.rows(db, { sender });
  const intents = new Map<number, SignedIntent>();
  for (const row of rows) {
    const { hash, raw, maxFeePerGasWei, maxPriorityFeePerGasWei, broadcastAt, broadcastBlock, filler, ...intent } = row;
    const fees = { maxFeePerGasWei, maxPriorityFeePerGasWei };
    const attempt = { hash, nonce: intent.nonce, raw, ...fees, broadcastAt, broadcastBlock, filler };
    const known = intents.get(row.id);
    if (known) known.attempts.push(attempt);
    else intents.set(row.id, { ...intent, attempts: [attempt] } as SignedIntent);
  }
  return [...intents.values()];
}

/** The first nonce of `sender` that no intent has or has used. */
export const nextOwnNonce = statement({
  name: "intents-next-nonce",
  params: { sender: t.narrow<Address>(t.text) },
  text: `
    select coalesce(max(nonce) + 1, 0) as next from offchain.transaction_outbox
    where sender = $sender and state in ('signed', 'mined', 'reverted')`,
  columns: { next: t.int8 },
}).onlyValue;

export type NewAttempt = Omit<TransactionAttempt, "broadcastAt" | "broadcastBlock">;

export type FirstAttempt = { intentId: number; gasLimit: bigint; attempt: NewAttempt };

const STORE_SIGNED = statement({
  name: "store-signed",
  params: {
    sender: t.text,
    at: t.timestamptz,
    signed: t.records({ ...FIRST, gasLimit: t.int8 }),
  },
  text: `
    with given as (select * from $signed),
    taken as (
      update offchain.transaction_outbox i
      set state = 'signed', sender = $sender, nonce = given.nonce, gas_limit = given.gas_limit, signed_at = $at
      from given where i.id = given.intent_id and i.state = 'queued' returning i.id),
    stored as (
      insert into offchain.transaction_attempt (${t.namesOf(FIRST)})
      select ${t.namesOf(FIRST)} from given order by nonce
      on conflict (hash) do nothing)
    select intent_id::int8 as "intentId" from given where intent_id not in (select id from taken)`,
  columns: { intentId: t.int8 },
  prepared: true,
});

/**
 * Gives queued intents their nonces and first signed transactions, all of them or none, in one statement. Both are stored
 * before anything is broadcast.
 * @throws Error when one of them is no longer queued; the caller then rolls its transaction back
 */
export async function storeSigned(
  tx: Queryable,
  { sender, at, signed }: { sender: Address; at: Date; signed: readonly FirstAttempt[] },
): Promise<void> {
  const firsts = signed.map(({ attempt, ...intent }) => ({ ...intent, ...attempt }));
  const [missed] = await STORE_SIGNED.rows(tx, { sender, at, signed: firsts });
  if (missed) throw new Error(`intent ${missed.intentId} is no longer queued`);
}

/**
 * Stores one more signed transaction of an intent. Signing is deterministic, so the same bytes are one row.
 * @param reason of a filler: why the intent fails once it is mined
 */
export const storeAttempt = statement({
  name: "attempt-store",
  given: (intentId: number, attempt: NewAttempt, reason: string | null = null) => ({ ...attempt, intentId, reason }),
  params: { ...STORED, reason: t.nullable(t.text) },
  text: `
    with reason as (
      update offchain.transaction_outbox set error = $reason where id = $intentId and state = 'signed' and $reason::text is not null)
    insert into offchain.transaction_attempt (${t.namesOf(STORED)}) values (${t.valuesOf(STORED)})
    on conflict (hash) do nothing`,
}).run;

/**
 * Gives a queued intent the nonce of a transaction that did its work before, unless another intent has that nonce.
 * @returns false when the intent's state changed meanwhile
 */
export const takeOver = statement({
  name: "intent-take-over",
  params: { intentId: t.int8, sender: t.text, nonce: t.int8 },
  text: `
    update offchain.transaction_outbox set state = 'signed', sender = $sender, nonce = case when exists (
      select from offchain.transaction_outbox other
      where other.sender = $sender and other.nonce = $nonce and other.state in ('signed', 'mined', 'reverted'))
      then null else $nonce end
    where id = $intentId and state = 'queued'`,
}).found;

/** Records when attempts first reached a node; an attempt recorded before keeps its time. */
export const recordBroadcast = statement({
  name: "record-broadcast",
  params: { hashes: t.array(t.narrow<Hex>(t.text)), at: t.timestamptz, block: t.int8 },
  text: `
    update offchain.transaction_attempt set broadcast_at = $at, broadcast_block = $block
    where hash = any($hashes) and broadcast_at is null`,
  prepared: true,
}).run;

/** Settles a signed intent with its receipt. @returns false when it was settled or reopened meanwhile */
export const storeReceipt = statement({
  name: "intent-store-receipt",
  params: {
    ...{
      intentId: t.int8,
      state: t.narrow<"mined" | "reverted">(t.text),
      txHash: t.narrow<Hex>(t.text),
      block: t.int8,
    },
    ...{ blockHash: t.narrow<Hex>(t.text), logs: t.jsonb<unknown>(), error: t.nullable(t.text), at: t.timestamptz },
    costWei: t.numeric,
    /** Null = not known. */
    gasUsed: t.nullable(t.bigint8),
  },
  text: `
    update offchain.transaction_outbox
    set state = $state, tx_hash = $txHash, block = $block, block_hash = $blockHash, logs = $logs, error = $error,
      mined_at = $at, cost_wei = $costWei, gas_used = $gasUsed
    where id = $intentId and state = 'signed' ${ANNOUNCED}`,
  columns: { pg_notify: VOID },
}).found;

/** Ends an intent that is not broadcast (any more). @returns false when its state changed meanwhile */
export const storeFailure = statement({
  name: "intent-store-failure",
  params: { intentId: t.int8, error: t.text },
  text: `
    update offchain.transaction_outbox set state = 'failed', sender = null, nonce = null, error = $error
    where id = $intentId and state in ('queued', 'signed') ${ANNOUNCED}`,
  columns: { pg_notify: VOID },
}).found;

/** Takes the nonce from an intent whose nonce a transaction of another sender's process used: it is signed again. */
export const requeue = statement({
  name: "intent-requeue",
  params: { intentId: t.int8 },
  text: `
    update offchain.transaction_outbox set state = 'queued', sender = null, nonce = null
    where id = $intentId and state = 'signed'`,
}).run;

/**
 * Returns an intent to `signed` because its block is no longer part of the chain; its attempts count as not broadcast. An
 * intent without stored bytes, because an earlier transaction did its work, is queued again.
 */
export const reopen = statement({
  name: "intent-reopen",
  params: { intentId: t.int8 },
  text: `
    with unsent as (
      update offchain.transaction_attempt a set broadcast_at = null, broadcast_block = null
      from offchain.transaction_outbox i where i.id = $intentId and a.intent_id = i.id and a.nonce = i.nonce returning a.hash)
    update offchain.transaction_outbox i set tx_hash = null, block = null, block_hash = null, logs = null, error = null,
      mined_at = null, cost_wei = null, gas_used = null,
      state = case when exists (select from unsent) then 'signed' else 'queued' end,
      sender = case when exists (select from unsent) then sender end,
      nonce = case when exists (select from unsent) then nonce end
    where id = $intentId and state in ('mined', 'reverted')`,
}).found;

const STORE_FILLER = statement({
  name: "intent-store-filler",
  params: { intentKey: t.text, sender: t.text, nonce: t.int8, gasLimit: t.int8, at: t.timestamptz },
  text: `
    insert into offchain.transaction_outbox (intent_key, to_address, data, state, sender, nonce, gas_limit, signed_at)
    select $intentKey, $sender, '0x', 'signed', $sender, $nonce, $gasLimit, $at
    where not exists (select from offchain.transaction_outbox
                      where sender = $sender and nonce = $nonce and state in ('signed', 'mined', 'reverted'))
    on conflict (intent_key) do update set state = 'signed', sender = $sender, nonce = $nonce, signed_at = $at,
      error = null
      where transaction_outbox.state = 'failed'
    returning id`,
  columns: { id: t.int8 },
});

/**
 * An empty transaction to the own account that uses a nonce that no intent will use, signed from the start.
 * @returns false when one of the intents has that nonce after all
 */
export async function storeFiller(
  tx: Queryable,
  { sender, gasLimit, attempt, at }: { sender: Address; gasLimit: bigint; attempt: NewAttempt; at: Date },
): Promise<boolean> {
  const { nonce } = attempt;
  const intentKey = `gap:${sender}:${nonce}`;
  const stored = await STORE_FILLER.maybeOne(tx, { intentKey, sender, nonce, gasLimit, at });
  if (!stored) return false;
  await storeAttempt(tx, stored.id, attempt);
  return true;
}
