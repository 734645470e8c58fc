/** The transaction outbox: intents, each mined exactly once. Their signed transactions are in signed-transactions.ts. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Networks } from "../../core/callers/shares.ts";
import { traceparent } from "../../runtime/tracing.ts";
import { transactionOutbox } from "../schema/transactions.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** Channel of notifications of new intents, for the sender. */
export const INTENT_CHANNEL = "transaction_outbox";
/** Channel of notifications that an intent is decided; the payload is its key. */
export const OUTCOME_CHANNEL = "transaction_outcome";
/** Ends an update that decides intents; its result has the column pg_notify. */
export const ANNOUNCED = `returning pg_notify('${OUTCOME_CHANNEL}', intent_key)`;

/** The type of what pg_notify returns. */
export const VOID = t.pgType<string>("void");

/** SQL of a free write's class; null of any other intent `i`. */
const FREE_CLASS = "case when i.free_for is not null then case when i.free_known then 'known' else 'newcomer' end end";

export const INTENT_ROW = {
  ...columnsOf(transactionOutbox, {
    without: [
      ...(["freeFor", "freeToken", "freeNetworks", "freeKnown", "freeAt", "gasUsed"] as const),
      ...(["sender", "logs", "createdAt", "signedAt", "minedAt", "costWei"] as const),
    ],
  }),
  ...{ valueWei: t.uint256, gasBound: t.nullable(t.bigint8), gasLimit: t.nullable(t.bigint8) },
  /** Set for free writes: whether their account is known (core/transactions/free-gas.ts). */
  free: t.nullable(t.narrow<"known" | "newcomer">(t.text)),
};
/** SQL of an intent `i`. */
export const INTENT = t.fieldsOf(INTENT_ROW, { of: "i", as: { to: "i.to_address", free: FREE_CLASS } });

type IntentRow = t.RowOf<typeof INTENT_ROW>;
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
export const FREE_PARAMS = columnsOf(transactionOutbox, {
  only: ["freeFor", "freeToken", "freeNetworks", "freeKnown", "freeAt", "gasBound"],
});
export const FREE_COLUMNS = t.namesOf(FREE_PARAMS);
export const FREE_VALUES = t.valuesOf(FREE_PARAMS);
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
    ...{ intentKey: t.text, to: t.text, data: t.text, valueWei: t.numeric, trace: t.nullable(t.text), waits: t.bool },
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
  columns: { id: t.int8, pg_notify: VOID },
});
const ID_BY_KEY = statement({
  name: "intent-id-by-key",
  params: { intentKey: t.text },
  text: "select id from offchain.transaction_outbox where intent_key = $intentKey",
  columns: { id: t.int8 },
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
  params: { intentKeys: t.array(t.text), reason: t.text },
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
  params: { intentKeys: t.array(t.text) },
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
  params: { intentKey: t.text },
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
  params: { kinds: t.nullable(t.array(t.text)), limit: t.int8 },
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
  params: { kinds: t.array(t.text), now: t.timestamptz },
  text: `
    select exists (
        select from offchain.transaction_outbox
        where state = 'queued' and (not waits or split_part(intent_key, ':', 1) = any($kinds::text[])))
      or exists (select from offchain.mint where awards_due_at <= $now) as awaits`,
  columns: { awaits: t.bool },
  prepared: true,
}).onlyValue;

/**
 * Intents whose block may still be reorganised away: mined from `block` on, or with a nonce that is unused on the chain.
 * Oldest first.
 */
export const revocableIntents = statement({
  name: "intents-revocable",
  params: { sender: t.narrow<Address>(t.text), block: t.int8, nonce: t.int8 },
  text: `
    select ${INTENT} from offchain.transaction_outbox i
    where i.state in ('mined', 'reverted') and i.sender = $sender and (i.block >= $block or i.nonce >= $nonce)
    order by i.nonce`,
  columns: {
    ...INTENT_ROW,
    nonce: t.filtered(t.int8),
    txHash: t.filtered(t.narrow<Hex>(t.text)),
    block: t.filtered(t.int8),
    blockHash: t.filtered(t.narrow<Hex>(t.text)),
  },
}).rows;

/** The highest block a transaction of `sender` is known to be in; null without any. */
export const highestBlock = statement({
  name: "intents-highest-block",
  params: { sender: t.narrow<Address>(t.text) },
  text: "select max(block) as block from offchain.transaction_outbox where sender = $sender and state in ('mined', 'reverted')",
  columns: { block: t.nullable(t.int8) },
}).onlyValue;
