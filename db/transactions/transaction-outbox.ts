/** The transaction outbox: intents, each mined exactly once. Their signed transactions are in signed-transactions.ts. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Networks } from "../../core/callers/shares.ts";
import { traceparent } from "../../runtime/tracing.ts";
import {
  array,
  bigint8,
  bool,
  fieldsOf,
  filtered,
  int8,
  narrow,
  nullable,
  numeric,
  pgType,
  type RowOf,
  statement,
  text,
  timestamptz,
  uint256,
} from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

/** Channel of notifications of new intents, for the sender. */
export const INTENT_CHANNEL = "transaction_outbox";
/** Channel of notifications that an intent is decided; the payload is its key. */
export const OUTCOME_CHANNEL = "transaction_outcome";
/** Ends an update that decides intents; its result has the column pg_notify. */
export const ANNOUNCED = `returning pg_notify('${OUTCOME_CHANNEL}', intent_key)`;

/** The type of what pg_notify returns. */
export const VOID = pgType<string>("void");

/** SQL of a free write's class; null of any other intent `i`. */
const FREE_CLASS = "case when i.free_for is not null then case when i.free_known then 'known' else 'newcomer' end end";

/** An intent as it is read. */
export const INTENT_ROW = {
  id: int8,
  /** `<prefix>:<what>`; the prefix names its effect. */
  intentKey: text,
  to: narrow<Address>(text),
  data: narrow<Hex>(text),
  valueWei: uint256,
  waits: bool,
  /** Max gas of a free write; null for any other. */
  gasBound: nullable(bigint8),
  /** Set for free writes: whether their account is known (core/transactions/free-gas.ts). */
  free: nullable(narrow<"known" | "newcomer">(text)),
  state: narrow<"queued" | "signed" | "mined" | "reverted" | "failed">(text),
  /** Set from `signed` on. */
  nonce: nullable(int8),
  gasLimit: nullable(bigint8),
  txHash: nullable(narrow<Hex>(text)),
  block: nullable(int8),
  blockHash: nullable(narrow<Hex>(text)),
  error: nullable(text),
  /** W3C traceparent of the request that caused it. */
  trace: nullable(text),
};
/** SQL of an intent `i`. */
export const INTENT = fieldsOf(INTENT_ROW, { of: "i", as: { to: "i.to_address", free: FREE_CLASS } });

type IntentRow = RowOf<typeof INTENT_ROW>;
export type Intent = Omit<IntentRow, "trace"> & Partial<Pick<IntentRow, "trace">>;

/** What a free write counts for, and the most it may use (core/transactions/free-gas.ts). */
export type FreeWrite = {
  account: string;
  tokenId: number | null;
  networks: Networks | null;
  known: boolean;
  gasBound: bigint;
  at: Date;
};

/** The columns of a free write in an insert, with their values; all are null for any other intent. */
export const FREE_COLUMNS = "free_for, free_token, free_networks, free_known, free_at, gas_bound";
export const FREE_VALUES = "$freeFor, $freeToken, $freeNetworks, $freeKnown, $freeAt, $gasBound";
export const FREE_PARAMS = {
  freeFor: nullable(text),
  freeToken: nullable(int8),
  freeNetworks: nullable(array(text)),
  freeKnown: bool,
  freeAt: nullable(timestamptz),
  gasBound: nullable(int8),
};
export const freeParams = (free: FreeWrite | null) => ({
  freeFor: free?.account ?? null,
  freeToken: free?.tokenId ?? null,
  freeNetworks: free?.networks?.map(({ name }) => name) ?? null,
  freeKnown: free?.known ?? false,
  freeAt: free?.at ?? null,
  gasBound: free?.gasBound ?? null,
});

const QUEUE = statement({
  name: "intent-queue",
  params: {
    ...{ intentKey: text, to: text, data: text, valueWei: numeric, trace: nullable(text), waits: bool },
    ...FREE_PARAMS,
  },
  text: `
    with queued as (
      insert into offchain.transaction_outbox (intent_key, to_address, data, value_wei, trace, waits, ${FREE_COLUMNS})
      values ($intentKey, $to, $data, $valueWei, $trace, $waits, ${FREE_VALUES})
      on conflict (intent_key) do update set state = 'queued', error = null, to_address = $to, data = $data,
        value_wei = $valueWei, trace = $trace, (${FREE_COLUMNS}) = (${FREE_VALUES})
        where transaction_outbox.state = 'failed' returning id)
    select id, pg_notify('${INTENT_CHANNEL}', $intentKey) from queued`,
  columns: { id: int8, pg_notify: VOID },
});
const ID_BY_KEY = statement({
  name: "intent-id-by-key",
  params: { intentKey: text },
  text: "select id from offchain.transaction_outbox where intent_key = $intentKey",
  columns: { id: int8 },
});

/** A transaction to queue. `free` is null where it is paid for, or the service's own. */
export type NewIntent = { intentKey: string; to: Address; data: Hex; valueWei?: bigint; free: FreeWrite | null };

/**
 * Queues a transaction, in the caller's transaction.
 * Check then write: the key is new or its intent failed, then insert or update (`queueRepeatable`: also reverted);
 * another may queue it: unique key and guarded update, so the same key again changes nothing, unless the intent was
 * refused before it had a nonce: then it is tried again.
 * @returns whether this call queued it
 */
export async function queueIntent(
  tx: Queryable,
  intent: NewIntent & { waits?: boolean },
): Promise<{ id: number; queued: boolean }> {
  const { intentKey, to, data, valueWei = 0n, waits = false, free } = intent;
  const call = { intentKey, to, data, valueWei, trace: traceparent(), waits };
  const queued = await QUEUE.maybeOne(tx, { ...call, ...freeParams(free) });
  if (queued) return { id: queued.id, queued: true };
  return { id: (await ID_BY_KEY.one(tx, { intentKey })).id, queued: false };
}

/**
 * Queues a transaction that may be requested again after its block refused it: as `queueIntent`, but a reverted intent is
 * followed by a new one under the next key (`<key>#2`, `<key>#3`, …), because its own nonce is spent.
 * @returns the key in force: under way, done, or queued by this call
 */
export async function queueRepeatable(
  tx: Queryable,
  intent: NewIntent,
): Promise<{ intentKey: string; queued: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const intentKey = attempt === 1 ? intent.intentKey : `${intent.intentKey}#${attempt}`;
    const { queued } = await queueIntent(tx, { ...intent, intentKey });
    if (queued || (await intentByKey(tx, intentKey))?.state !== "reverted") return { intentKey, queued };
  }
}

/** Ends intents without a nonce whose reason is gone; queueing them again revives them. */
export const withdrawQueued = statement({
  name: "intents-withdraw",
  params: { intentKeys: array(text), reason: text },
  text: `
    update offchain.transaction_outbox set state = 'failed', error = $reason
    where intent_key = any($intentKeys) and state = 'queued' ${ANNOUNCED}`,
  columns: { pg_notify: VOID },
}).run;

/** The key without the number of the attempt. */
export const attemptedKey = (intentKey: string): string => intentKey.replace(/#\d+$/, "");

/** Intents by their keys, in the order asked for; keys that were never queued are left out. */
export const intentsByKey = statement({
  name: "intents-by-key",
  given: (intentKeys: readonly string[]) => ({ intentKeys }),
  params: { intentKeys: array(text) },
  text: `
    select ${INTENT} from unnest($intentKeys::text[]) with ordinality as asked(intent_key, place)
    join offchain.transaction_outbox i using (intent_key) order by asked.place`,
  columns: INTENT_ROW,
  prepared: true,
}).rows;

/** An intent by its key; null when it was never queued. */
export const intentByKey = statement({
  name: "intent-by-key",
  given: (intentKey: string) => ({ intentKey }),
  params: { intentKey: text },
  text: `select ${INTENT} from offchain.transaction_outbox i where i.intent_key = $intentKey`,
  columns: INTENT_ROW,
}).maybeOne;

/**
 * Intents without a nonce: first those that are paid for and the service's own, the oldest first; then free ones, of
 * known accounts before others, by turns of the accounts.
 * @param kinds selects low-priority intents of these prefixes instead of the others
 */
export const queuedIntents = statement({
  name: "intents-queued",
  given: (limit: number, kinds: readonly string[] | null = null) => ({ limit, kinds }),
  params: { kinds: nullable(array(text)), limit: int8 },
  text: `
    select ${INTENT} from offchain.transaction_outbox i
    where i.state = 'queued' and i.waits = ($kinds::text[] is not null)
      and ($kinds is null or split_part(i.intent_key, ':', 1) = any($kinds))
    order by i.free_for is not null, not i.free_known, case when i.free_for is not null
      then row_number() over (partition by i.free_for order by i.id) end, i.id limit $limit`,
  columns: INTENT_ROW,
}).rows;

/**
 * Whether an intent is queued, or awards are due, at any depth of their mints; reads two small indexes.
 * @param work.kinds prefixes of the low-priority intents that count
 */
export const awaitsSender = statement({
  name: "sender-awaited",
  params: { kinds: array(text), now: timestamptz },
  text: `
    select exists (
        select from offchain.transaction_outbox
        where state = 'queued' and (not waits or split_part(intent_key, ':', 1) = any($kinds::text[])))
      or exists (select from offchain.mint where awards_due_at <= $now) as awaits`,
  columns: { awaits: bool },
  prepared: true,
}).onlyValue;

/**
 * Intents whose block may still be reorganised away: mined from `block` on, or with a nonce that is unused on the chain.
 * Oldest first.
 */
export const revocableIntents = statement({
  name: "intents-revocable",
  params: { sender: narrow<Address>(text), block: int8, nonce: int8 },
  text: `
    select ${INTENT} from offchain.transaction_outbox i
    where i.state in ('mined', 'reverted') and i.sender = $sender and (i.block >= $block or i.nonce >= $nonce)
    order by i.nonce`,
  columns: {
    ...INTENT_ROW,
    nonce: filtered(int8),
    txHash: filtered(narrow<Hex>(text)),
    block: filtered(int8),
    blockHash: filtered(narrow<Hex>(text)),
  },
}).rows;

/** The highest block a transaction of `sender` is known to be in; null without any. */
export const highestBlock = statement({
  name: "intents-highest-block",
  params: { sender: narrow<Address>(text) },
  text: "select max(block) as block from offchain.transaction_outbox where sender = $sender and state in ('mined', 'reverted')",
  columns: { block: nullable(int8) },
}).onlyValue;
