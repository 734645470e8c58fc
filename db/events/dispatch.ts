/**
 * Dispatch of index changes: claims, retractions and finality, each decided by comparing tables. A claimed event is
 * `pending` until the queue has its jobs, then `queued`, at last `final`. It is `retracted` from any of these, and pending
 * again if it returns; what is final is queued again where another index is served. A pass, under `lockDispatcher`, adopts
 * the index, claims, retracts what has vanished, finalizes, and settles when nothing is left to claim.
 */
import { and, eq } from "drizzle-orm";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { ChainFact } from "../../core/events/events.ts";
import type { ChangeKind } from "../../ponder.schema.ts";
import { walletConfirmed } from "../agents/wallets.ts";
import { checkpointBlock } from "../operations/index-state.ts";
import { dispatch, dispatcherState } from "../schema/events.ts";
import { lockText } from "../sql/locks.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";
import { wakeSequencer } from "./append-events.ts";

/** An event of `offchain.dispatch`, in whatever state: its subject and its block. `tokenId` or `wallet` may be absent, depending on the kind. */
export type DispatchedEvent = t.RowOf<typeof EVENT_COLUMNS>;

const EVENT_COLUMNS = {
  key: t.text,
  kind: t.narrow<ChangeKind>(t.text),
  tokenId: t.nullable(t.int8),
  wallet: t.nullable(t.text),
  block: t.int8,
};
const EVENT = t.fieldsOf(EVENT_COLUMNS);

/** One dispatcher at a time among all processes; the lock ends with the transaction. */
export const lockDispatcher = (tx: Queryable): Promise<void> => lockText(tx, "dispatcher");

/** The served index; null while none is published. `checkpoint` is Ponder's text. @throws when there are no views yet (`isNoIndex`) */
export const servedIndex = statement({
  name: "dispatch-served-index",
  text: `
    select s.schema, c.latest_checkpoint::text as checkpoint, ${checkpointBlock("c.latest_checkpoint")} as block,
           ${checkpointBlock("c.finalized_checkpoint")} as "finalizedBlock"
    from onchain.index_state s cross join onchain._ponder_checkpoint c where s.schema is not null limit 1`,
  columns: { schema: t.filtered(t.text), checkpoint: t.text, block: t.int8, finalizedBlock: t.int8 },
}).maybeOne;
type ServedIndex = Row<typeof servedIndex>;

/** SQL of whether the index has the row of a dispatched event `d` on its branch of the chain. */
const IN_INDEX_CHANGES = `exists (select from onchain.index_changes c where c.id = d.event_id and c.block_hash = d.block_hash)`;

const ADOPT_INDEX = statement({
  name: "dispatch-adopt-index",
  params: { schema: t.text },
  text: `
    insert into offchain.dispatcher_state (schema, settled_block) values ($schema, -1)
    on conflict (one) do update set schema = $schema, settled_block = -1`,
});

const RETRACT_FOREIGN = statement({
  name: "dispatch-retract-foreign",
  params: { finalizedBlock: t.int8 },
  text: `
    update offchain.dispatch d set state = 'retracted', retracted_at = clock_timestamp()
    where d.state <> 'retracted' and d.block <= $finalizedBlock and not ${IN_INDEX_CHANGES} returning ${EVENT}`,
  columns: EVENT_COLUMNS,
});

const REOPEN_FINAL = statement({
  name: "dispatch-reopen-final",
  params: { finalizedBlock: t.int8 },
  text: "update offchain.dispatch set state = 'queued' where state = 'final' and block > $finalizedBlock",
});

/**
 * Makes every dispatched event belong to this index: when another one is served (the old one was wrong below its finalized
 * block, or the code changed), all of its events are new, and what it lacks below its finalized block is retracted.
 * @returns the block above which new events can be, and what was retracted
 */
export async function adoptIndex(
  tx: Queryable,
  index: ServedIndex,
): Promise<{ block: number; retracted: DispatchedEvent[] }> {
  const { schema, finalizedBlock } = index;
  const [state] = await orm(tx).select().from(dispatcherState);
  if (state?.schema === schema) return { block: state.settledBlock, retracted: [] };
  await ADOPT_INDEX.run(tx, { schema });
  const retracted = await RETRACT_FOREIGN.rows(tx, { finalizedBlock });
  // Events above the finalized block of the new index may still be retracted, like all that are not final.
  await REOPEN_FINAL.run(tx, { finalizedBlock });
  return { block: -1, retracted };
}

const CLAIM = statement({
  name: "dispatch-claim",
  params: { block: t.int8, limit: t.int8 },
  text: `
    with fresh as materialized (
      select o.* from onchain.index_changes o
      where o.block > $block and not exists (
        select from offchain.dispatch d where d.key = o.block_hash || '-' || o.id and d.state <> 'retracted')
      order by o.id limit $limit
    ), batch as materialized (
      select nextval('offchain.dispatch_batch') as number where exists (select from fresh)
    ), claimed as (
      insert into offchain.dispatch as d (key, event_id, kind, token_id, wallet, agent_id, block, block_hash, tx_hash,
        block_at, state, batch)
      select block_hash || '-' || id, id, kind, token_id, wallet, agent_id, block, block_hash, tx_hash, block_at,
        'pending', batch.number
      from fresh cross join batch
      on conflict (key) do update set state = 'pending', batch = excluded.batch, missing_checkpoint = null,
        retracted_at = null, dispatched_at = clock_timestamp(), returns = d.returns + 1
      returning d.*
    )
    select c.key, c.kind, c.returns, c.wallet, c.block, c.block_at as "blockAt", c.tx_hash as "txHash",
      a.token_id as "tokenId", a.owner,
      json_build_object('name', a.name, 'framework', a.framework, 'agentAddress', a.agent_address,
        'walletConfirmed', ${walletConfirmed("a")}, 'soulbound', a.soulbound) as agent,
      case when t.id is not null then json_build_object('from', t."from", 'to', t."to") end as transfer,
      case when p.id is not null then json_build_object(
        'amount', least(p.amount, ${Number.MAX_SAFE_INTEGER}), 'reason', p.reason) end as points,
      case when c.kind = 'agent.trait_added' then (
        select json_agg(r.name order by r.position) from onchain.trait r
        where r.token_id = c.token_id and r.tx_hash = c.tx_hash) end as traits
    from claimed c
    left join onchain.points_award p on p.id = c.event_id and c.kind = 'agent.points_awarded'
    left join onchain.transfer t on t.id = c.event_id and c.kind = 'agent.transferred'
    left join lateral (
      select * from onchain.agent where token_id = c.token_id
      union all
      select * from onchain.agent where c.token_id is null and owner = c.wallet
      union all
      select * from onchain.agent where c.token_id is null and agent_address = c.wallet and owner <> c.wallet
        and ${walletConfirmed("agent")}) a on true
    order by c.event_id, a.token_id`,
  columns: {
    key: t.text,
    kind: t.narrow<ChangeKind>(t.text),
    returns: t.int4,
    wallet: t.nullable(t.narrow<Address>(t.text)),
    block: t.int8,
    blockAt: t.int8,
    txHash: t.narrow<Hex>(t.text),
    tokenId: t.nullable(t.int8),
    owner: t.nullable(t.narrow<Address>(t.text)),
    agent: t.json<ChainFact["agent"]>(),
    transfer: t.nullable(t.json<{ from: Address; to: Address }>()),
    points: t.nullable(t.json<{ amount: number; reason: string }>()),
    traits: t.nullable(t.json<string[]>()),
  },
});

/** A claimed event with its agent, both from the same snapshot of the index. `blockAt` is Unix seconds. */
export type ClaimedEvent = Omit<Row<typeof CLAIM>, "tokenId" | "owner"> & { tokenId: number; owner: Address };

/**
 * Claims events that were never dispatched on their branch of the chain: an anti-join, not a cursor, because a
 * reorganisation inserts smaller ids. Rows claimed together are a batch.
 * @returns `claimed`: keys of the claimed events; as many as `limit` mean that there may be more; `events`: one entry for each
 *   agent of an event, which may have several agents or none
 */
export async function claimEvents(
  tx: Queryable,
  above: { block: number; limit: number },
): Promise<{ claimed: string[]; events: ClaimedEvent[] }> {
  const rows = await CLAIM.rows(tx, above);
  return {
    claimed: [...new Set(rows.map(({ key }) => key))],
    events: rows.filter((row): row is ClaimedEvent => row.tokenId !== null),
  };
}

const FOUND_AGAIN = statement({
  name: "dispatch-found-again",
  text: `
    update offchain.dispatch d set missing_checkpoint = null
    where d.state in ('pending', 'queued') and d.missing_checkpoint is not null and ${IN_INDEX_CHANGES}`,
});

/** What is pending is looked at only while its block may be removed: final, it is queued next. */
const MARK_MISSING = statement({
  name: "dispatch-mark-missing",
  params: { checkpoint: t.text, finalizedBlock: t.int8 },
  text: `
    update offchain.dispatch d set missing_checkpoint = $checkpoint
    where d.missing_checkpoint is null and (d.state = 'queued' or (d.state = 'pending' and d.block > $finalizedBlock))
      and not ${IN_INDEX_CHANGES}`,
});

const RETRACT_MISSING = statement({
  name: "dispatch-retract-missing",
  params: { block: t.int8 },
  text: `
    update offchain.dispatch d set state = 'retracted', retracted_at = clock_timestamp()
    where d.state in ('pending', 'queued') and ${checkpointBlock("d.missing_checkpoint")} < $block and d.block < $block
    returning ${EVENT}`,
  columns: EVENT_COLUMNS,
});

/**
 * Retracts events that have vanished. While the indexer recovers from a crash its newest rows are missing for a moment, so
 * a missing row is only marked at first; it counts as retracted once the index has committed a later block than when
 * it was first missed, and has passed the row's own block.
 */
export async function retractVanished(tx: Queryable, index: ServedIndex): Promise<DispatchedEvent[]> {
  const { block, checkpoint, finalizedBlock } = index;
  await FOUND_AGAIN.run(tx);
  await MARK_MISSING.run(tx, { checkpoint, finalizedBlock });
  return RETRACT_MISSING.rows(tx, { block });
}

/**
 * Marks what can no longer be retracted. Present rows only: a missing one waits for its retraction.
 * @returns keys of what it marked
 */
export const finalizeEvents = statement({
  name: "dispatch-finalize",
  params: { finalizedBlock: t.int8 },
  text: `
    update offchain.dispatch d set state = 'final'
    where d.state = 'queued' and d.block <= $finalizedBlock and d.missing_checkpoint is null and ${IN_INDEX_CHANGES}
    returning key`,
  columns: { key: t.text },
}).values;

const SETTLE = statement({
  name: "dispatch-settle",
  params: { block: t.int8 },
  text: "update offchain.dispatcher_state set settled_block = $block where settled_block < $block",
});

/** Stores that every event up to the finalized block of this index has been claimed; the caller knows that none is left. */
export async function settleUpTo(tx: Queryable, index: ServedIndex): Promise<void> {
  const block = Math.min(index.block, index.finalizedBlock);
  // Score changes up to it are final.
  if ((await SETTLE.run(tx, { block })) > 0) await wakeSequencer(tx);
}

const DUE = statement({
  name: "dispatch-due",
  text: `
    select d.schema is distinct from s.schema
        or exists (select from offchain.dispatch where state in ('pending', 'queued'))
        or exists (select from onchain.index_changes where block > d.settled_block) as due
    from onchain.index_state s left join offchain.dispatcher_state d on true`,
  columns: { due: t.bool },
  prepared: true,
});

/** Whether a pass would find more than blocks without events. @throws when there are no views yet (`isNoIndex`) */
export const isDispatchDue = async (db: Queryable): Promise<boolean> => (await DUE.value(db)) ?? false;

const PENDING = statement({
  name: "dispatch-pending-batch",
  text: `
    select batch, ${EVENT} from offchain.dispatch
    where state = 'pending' and batch = (select min(batch) from offchain.dispatch where state = 'pending')
    order by event_id`,
  columns: { batch: t.int8, ...EVENT_COLUMNS },
});

/** The oldest batch that is not queued; null when there is none. */
export async function pendingBatch(db: Queryable): Promise<{ batch: number; events: DispatchedEvent[] } | null> {
  const rows = await PENDING.rows(db);
  const [first] = rows;
  return first ? { batch: first.batch, events: rows.map(({ batch, ...event }) => event) } : null;
}

/** Marks the events of a batch as queued. */
export async function markQueued(db: Queryable, batch: number): Promise<void> {
  await orm(db)
    .update(dispatch)
    .set({ state: "queued" })
    .where(and(eq(dispatch.batch, batch), eq(dispatch.state, "pending")));
}

/** Makes every queued event pending again, in its batch: the queue has lost its jobs. @returns how many */
export async function queueAgain(db: Queryable): Promise<number> {
  const { rowCount } = await orm(db).update(dispatch).set({ state: "pending" }).where(eq(dispatch.state, "queued"));
  return rowCount ?? 0;
}

const TOKENS_OF_WALLETS = statement({
  name: "dispatch-tokens-of-wallets",
  params: { wallets: t.array(t.text) },
  text: `
    select w.wallet, a.token_id as "tokenId" from unnest($wallets::text[]) as w(wallet)
    join onchain.agent a on a.owner = w.wallet or a.agent_address = w.wallet and ${walletConfirmed("a")}
    order by a.token_id`,
  columns: { wallet: t.text, tokenId: t.int8 },
});

/** The tokens that each of these wallets owns or has verified, without tokens that only name it. */
export async function tokensOfWallets(db: Queryable, wallets: string[]): Promise<Map<string, number[]>> {
  const rows = await TOKENS_OF_WALLETS.rows(db, { wallets });
  const tokens = new Map<string, number[]>();
  for (const { wallet, tokenId } of rows) tokens.set(wallet, [...(tokens.get(wallet) ?? []), tokenId]);
  return tokens;
}
