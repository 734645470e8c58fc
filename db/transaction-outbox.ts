/** The transaction outbox: what is to happen on chain, each intent exactly once, and every transaction signed for it. */
import type { Address, Hex } from "../core/facts.ts";
import { traceparent } from "../runtime/tracing.ts";
import type { Queryable } from "./transaction.ts";

/** Announces a new intent to the sender. */
export const INTENT_CHANNEL = "transaction_outbox";
/** Announces that an intent is decided; the payload is its key. */
export const OUTCOME_CHANNEL = "transaction_outcome";
const ANNOUNCED = `returning pg_notify('${OUTCOME_CHANNEL}', intent_key)`;

export type Intent = {
  id: number;
  /** `<prefix>:<what>`; the prefix names its effect. */
  intentKey: string;
  to: Address;
  data: Hex;
  valueWei: bigint;
  waits: boolean;
  state: "queued" | "signed" | "mined" | "reverted" | "failed";
  /** Set from `signed` on. */
  nonce: number | null;
  gasLimit: bigint | null;
  txHash: Hex | null;
  block: number | null;
  blockHash: Hex | null;
  error: string | null;
  /** W3C traceparent of the request that asked for it. */
  trace?: string | null;
};

/** A signed transaction of an intent. Oldest first, fees rising. */
export type Attempt = {
  hash: Hex;
  nonce: number;
  raw: Hex;
  maxFeePerGasWei: bigint;
  maxPriorityFeePerGasWei: bigint;
  /** When and at which head a node first took it; null = not known to have been sent. */
  broadcastAt: Date | null;
  broadcastBlock: number | null;
  /** An empty transfer in place of the intent's call: mined, it ends the intent as failed. */
  filler: boolean;
};

/** An intent under way: `nonce` and `gasLimit` are set, and at least one attempt exists. */
export type SignedIntent = Intent & { nonce: number; gasLimit: bigint; attempts: [Attempt, ...Attempt[]] };

const INTENT = `i.id, i.intent_key as "intentKey", i.to_address as "to", i.data, i.value_wei as "valueWei", i.waits, i.state, i.nonce,
  i.gas_limit as "gasLimit", i.tx_hash as "txHash", i.block, i.block_hash as "blockHash", i.error, i.trace`;
const SELECT_INTENT = `select ${INTENT} from offchain.transaction_outbox i`;

const toIntent = (row: Record<string, unknown>): Intent => ({
  ...(row as Intent),
  id: Number(row.id),
  valueWei: BigInt(row.valueWei as string),
  nonce: row.nonce === null ? null : Number(row.nonce),
  gasLimit: row.gasLimit === null ? null : BigInt(row.gasLimit as string),
  block: row.block === null ? null : Number(row.block),
});

/**
 * Queues a transaction, in the caller's transaction. The same key again changes nothing, unless the intent was refused
 * before it ever had a nonce: then it is tried anew.
 * @returns whether this call queued it
 */
export async function queueIntent(
  tx: Queryable,
  intent: { intentKey: string; to: Address; data: Hex; valueWei?: bigint; waits?: boolean },
): Promise<{ id: number; queued: boolean }> {
  const { rows } = await tx.query(
    `with queued as (
       insert into offchain.transaction_outbox (intent_key, to_address, data, value_wei, trace, waits)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (intent_key) do update set state = 'queued', error = null, to_address = $2, data = $3, value_wei = $4,
         trace = $5 where transaction_outbox.state = 'failed' returning id)
     select id, true as queued, pg_notify('${INTENT_CHANNEL}', $1) from queued`,
    [intent.intentKey, intent.to, intent.data, String(intent.valueWei ?? 0n), traceparent(), intent.waits ?? false],
  );
  if (rows[0]) return { id: Number(rows[0].id), queued: true };
  const known = await tx.query("select id from offchain.transaction_outbox where intent_key = $1", [intent.intentKey]);
  return { id: Number(known.rows[0].id), queued: false };
}

/**
 * Queues a transaction that may be asked for again after its block refused it: as `queueIntent`, but a reverted intent is
 * followed by a new one under the next key (`<key>#2`, `<key>#3`, …), for its own nonce is spent.
 * @returns the key that stands: under way, done, or queued by this call
 */
export async function queueRepeatable(
  tx: Queryable,
  intent: { intentKey: string; to: Address; data: Hex; valueWei?: bigint },
): Promise<{ intentKey: string; queued: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const intentKey = attempt === 1 ? intent.intentKey : `${intent.intentKey}#${attempt}`;
    const { queued } = await queueIntent(tx, { ...intent, intentKey });
    if (queued || (await intentByKey(tx, intentKey))?.state !== "reverted") return { intentKey, queued };
  }
}

/** Ends intents that have no nonce yet, because what they were about is no longer so; queueing them again revives them. */
export async function withdrawQueued(tx: Queryable, intentKeys: readonly string[], reason: string): Promise<void> {
  await tx.query(
    `update offchain.transaction_outbox set state = 'failed', error = $2
     where intent_key = any($1) and state = 'queued' ${ANNOUNCED}`,
    [intentKeys, reason],
  );
}

/** The key of what an intent is about: without the number of its attempt. */
export const attemptedKey = (intentKey: string): string => intentKey.replace(/#\d+$/, "");

/** Intents by their keys, in the order asked for; keys that were never queued are left out. */
export async function intentsByKey(db: Queryable, intentKeys: readonly string[]): Promise<Intent[]> {
  const { rows } = await db.query({
    name: "intents-by-key",
    text: `select ${INTENT} from unnest($1::text[]) with ordinality as asked(intent_key, place)
           join offchain.transaction_outbox i using (intent_key) order by asked.place`,
    values: [intentKeys],
  });
  return rows.map(toIntent);
}

/** An intent by its key; null when it was never queued. */
export async function intentByKey(db: Queryable, intentKey: string): Promise<Intent | null> {
  const { rows } = await db.query(`${SELECT_INTENT} where i.intent_key = $1`, [intentKey]);
  return rows[0] ? toIntent(rows[0]) : null;
}

/** The oldest intents without a nonce. @param waits of those that let all others go first, instead of the others */
export async function queuedIntents(db: Queryable, limit: number, waits = false): Promise<Intent[]> {
  const oldest = `${SELECT_INTENT} where i.state = 'queued' and i.waits = $2 order by i.id limit $1`;
  const { rows } = await db.query(oldest, [limit, waits]);
  return rows.map(toIntent);
}

/** Everything signed and not yet known to be in a block, by nonce, with the attempts that share that nonce. */
export async function signedIntents(db: Queryable, sender: Address): Promise<SignedIntent[]> {
  const { rows } = await db.query(
    `select ${INTENT}, a.hash, a.raw, a.max_fee_per_gas_wei as fee, a.max_priority_fee_per_gas_wei as tip,
            a.broadcast_at, a.broadcast_block, a.filler
     from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
     where i.state = 'signed' and i.sender = $1 order by i.nonce, a.max_fee_per_gas_wei`,
    [sender],
  );
  const intents = new Map<number, SignedIntent>();
  for (const { hash, raw, fee, tip, broadcast_at, broadcast_block, filler, ...row } of rows) {
    const attempt: Attempt = {
      hash,
      nonce: Number(row.nonce),
      raw,
      maxFeePerGasWei: BigInt(fee),
      maxPriorityFeePerGasWei: BigInt(tip),
      broadcastAt: broadcast_at,
      broadcastBlock: broadcast_block === null ? null : Number(broadcast_block),
      filler,
    };
    const known = intents.get(Number(row.id));
    if (known) known.attempts.push(attempt);
    else intents.set(Number(row.id), { ...toIntent(row), attempts: [attempt] } as SignedIntent);
  }
  return [...intents.values()];
}

/** The first nonce of `sender` that no intent of ours holds or has used. */
export async function nextOwnNonce(db: Queryable, sender: Address): Promise<number> {
  const { rows } = await db.query(
    `select coalesce(max(nonce) + 1, 0) as next from offchain.transaction_outbox
     where sender = $1 and state in ('signed', 'mined', 'reverted')`,
    [sender],
  );
  return Number(rows[0].next);
}

export type NewAttempt = Omit<Attempt, "broadcastAt" | "broadcastBlock">;

export type FirstSigned = { intentId: number; gasLimit: bigint; attempt: NewAttempt };

/**
 * Gives queued intents their nonces and first signed transactions, all of them or none, in one statement. Both are stored
 * before anything is broadcast.
 * @throws Error when one of them is no longer queued; the caller's transaction is to be rolled back
 */
export async function storeSigned(
  tx: Queryable,
  { sender, at, signed }: { sender: Address; at: Date; signed: readonly FirstSigned[] },
): Promise<void> {
  const { rows } = await tx.query({
    name: "store-signed",
    text: `
      with given as (
        select * from unnest($3::int8[], $4::int8[], $5::int8[], $6::text[], $7::text[], $8::numeric[], $9::numeric[])
          as given(intent_id, nonce, gas_limit, hash, raw, fee, tip)),
      taken as (
        update offchain.transaction_outbox i
        set state = 'signed', sender = $1, nonce = given.nonce, gas_limit = given.gas_limit, signed_at = $2
        from given where i.id = given.intent_id and i.state = 'queued' returning i.id),
      stored as (
        insert into offchain.transaction_attempt (hash, intent_id, nonce, raw, max_fee_per_gas_wei, max_priority_fee_per_gas_wei)
        select hash, intent_id, nonce, raw, fee, tip from given order by nonce
        on conflict (hash) do nothing)
      select intent_id::int8 as "intentId" from given where intent_id not in (select id from taken)`,
    values: [
      sender,
      at,
      signed.map(({ intentId }) => intentId),
      signed.map(({ attempt }) => attempt.nonce),
      signed.map(({ gasLimit }) => String(gasLimit)),
      signed.map(({ attempt }) => attempt.hash),
      signed.map(({ attempt }) => attempt.raw),
      signed.map(({ attempt }) => String(attempt.maxFeePerGasWei)),
      signed.map(({ attempt }) => String(attempt.maxPriorityFeePerGasWei)),
    ],
  });
  if (rows[0]) throw new Error(`intent ${rows[0].intentId} is no longer queued`);
}

/**
 * Remembers one more signed transaction of an intent. Signing is deterministic, so the same bytes are one row.
 * @param reason of a filler: why the intent fails once it is mined
 */
export async function storeAttempt(
  tx: Queryable,
  intentId: number,
  attempt: NewAttempt,
  reason: string | null = null,
): Promise<void> {
  await tx.query(
    `with reason as (
       update offchain.transaction_outbox set error = $8 where id = $2 and state = 'signed' and $8::text is not null)
     insert into offchain.transaction_attempt
       (hash, intent_id, nonce, raw, max_fee_per_gas_wei, max_priority_fee_per_gas_wei, filler)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (hash) do nothing`,
    [
      attempt.hash,
      intentId,
      attempt.nonce,
      attempt.raw,
      String(attempt.maxFeePerGasWei),
      String(attempt.maxPriorityFeePerGasWei),
      attempt.filler,
      reason,
    ],
  );
}

/**
 * Gives a queued intent the nonce of a transaction that did its work before, unless another intent has that nonce.
 * @returns false when the intent moved on meanwhile
 */
export async function takeOver(
  tx: Queryable,
  intentId: number,
  { sender, nonce }: { sender: Address; nonce: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update offchain.transaction_outbox set state = 'signed', sender = $2, nonce = case when exists (
       select from offchain.transaction_outbox other
       where other.sender = $2 and other.nonce = $3 and other.state in ('signed', 'mined', 'reverted')) then null else $3 end
     where id = $1 and state = 'queued'`,
    [intentId, sender, nonce],
  );
  return rowCount === 1;
}

/** Notes when attempts first reached a node; one noted before keeps its time. */
export async function noteBroadcast(
  db: Queryable,
  { hashes, block, at }: { hashes: readonly Hex[]; block: number; at: Date },
): Promise<void> {
  await db.query({
    name: "note-broadcast",
    text: `update offchain.transaction_attempt set broadcast_at = $2, broadcast_block = $3
           where hash = any($1) and broadcast_at is null`,
    values: [hashes, at, block],
  });
}

/** Settles a signed intent with its receipt. @returns false when it was settled or reopened meanwhile. */
export async function storeReceipt(
  tx: Queryable,
  intentId: number,
  mined: {
    state: "mined" | "reverted";
    txHash: Hex;
    block: number;
    blockHash: Hex;
    logs: unknown;
    error: string | null;
    costWei: bigint;
    at: Date;
  },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update offchain.transaction_outbox
     set state = $2, tx_hash = $3, block = $4, block_hash = $5, logs = $6, error = $7, mined_at = $8, cost_wei = $9
     where id = $1 and state = 'signed' ${ANNOUNCED}`,
    [
      intentId,
      mined.state,
      mined.txHash,
      mined.block,
      mined.blockHash,
      JSON.stringify(mined.logs),
      mined.error,
      mined.at,
      String(mined.costWei),
    ],
  );
  return rowCount === 1;
}

/** Ends an intent that will never be sent (any more). @returns false when it moved on meanwhile. */
export async function storeFailure(tx: Queryable, intentId: number, error: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update offchain.transaction_outbox set state = 'failed', sender = null, nonce = null, error = $2
     where id = $1 and state in ('queued', 'signed') ${ANNOUNCED}`,
    [intentId, error],
  );
  return rowCount === 1;
}

/** Takes the nonce from an intent whose nonce somebody else used: it is signed anew with another. */
export async function requeue(tx: Queryable, intentId: number): Promise<void> {
  await tx.query(
    "update offchain.transaction_outbox set state = 'queued', sender = null, nonce = null where id = $1 and state = 'signed'",
    [intentId],
  );
}

/**
 * Intents whose block may still be reorganised away: mined from `block` on, or with a nonce the chain says is unused.
 * Oldest first.
 */
export async function revocableIntents(
  db: Queryable,
  from: { sender: Address; block: number; nonce: number },
): Promise<(Intent & { nonce: number; txHash: Hex; block: number; blockHash: Hex })[]> {
  const { rows } = await db.query(
    `${SELECT_INTENT}
     where i.state in ('mined', 'reverted') and i.sender = $1 and (i.block >= $2 or i.nonce >= $3) order by i.nonce`,
    [from.sender, from.block, from.nonce],
  );
  return rows.map((row) => toIntent(row) as Intent & { nonce: number; txHash: Hex; block: number; blockHash: Hex });
}

/** The highest block a transaction of `sender` is known to be in; null without any. */
export async function highestBlock(db: Queryable, sender: Address): Promise<number | null> {
  const { rows } = await db.query(
    `select max(block) as block from offchain.transaction_outbox where sender = $1 and state in ('mined', 'reverted')`,
    [sender],
  );
  return rows[0].block === null ? null : Number(rows[0].block);
}

/**
 * Takes an intent back to signed because its block is no longer part of the chain; its attempts count as unsent. One
 * whose bytes are not here, because an earlier transaction did its work, is queued again.
 */
export async function reopen(tx: Queryable, intentId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with unsent as (
       update offchain.transaction_attempt a set broadcast_at = null, broadcast_block = null
       from offchain.transaction_outbox i where i.id = $1 and a.intent_id = i.id and a.nonce = i.nonce returning a.hash)
     update offchain.transaction_outbox i set tx_hash = null, block = null, block_hash = null, logs = null, error = null,
       mined_at = null, cost_wei = null,
       state = case when exists (select from unsent) then 'signed' else 'queued' end,
       sender = case when exists (select from unsent) then sender end,
       nonce = case when exists (select from unsent) then nonce end
     where id = $1 and state in ('mined', 'reverted')`,
    [intentId],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * A transaction to oneself that uses up a nonce nothing else will use, signed from the start.
 * @returns false when an intent of ours has that nonce after all
 */
export async function storeFiller(
  tx: Queryable,
  filler: { sender: Address; gasLimit: bigint; attempt: NewAttempt; at: Date },
): Promise<boolean> {
  const { sender, gasLimit, attempt, at } = filler;
  const { rows } = await tx.query(
    `insert into offchain.transaction_outbox (intent_key, to_address, data, state, sender, nonce, gas_limit, signed_at)
     select $1, $2, '0x', 'signed', $2, $3, $4, $5
     where not exists (select from offchain.transaction_outbox
                       where sender = $2 and nonce = $3 and state in ('signed', 'mined', 'reverted'))
     on conflict (intent_key) do update set state = 'signed', sender = $2, nonce = $3, signed_at = $5, error = null
       where transaction_outbox.state = 'failed'
     returning id`,
    [`gap:${sender}:${attempt.nonce}`, sender, attempt.nonce, String(gasLimit), at],
  );
  if (!rows[0]) return false;
  await storeAttempt(tx, Number(rows[0].id), attempt);
  return true;
}
