/** What has been taken from the log of index changes: claims, retractions and finality, all decided by comparing tables. */

import type { ChainFact } from "../core/events.ts";
import type { Address, Hex } from "../core/facts.ts";
import type { ChangeKind } from "../ponder.schema.ts";
import { checkpointBlock } from "./index-state.ts";
import { lockText } from "./locks.ts";
import type { Queryable } from "./transaction.ts";
import { walletConfirmed } from "./wallets.ts";

/** A dispatched event: what it is about, and where. `tokenId` or `wallet` may be absent, depending on the kind. */
export type DispatchedEvent = {
  key: string;
  kind: ChangeKind;
  tokenId: number | null;
  wallet: string | null;
  block: number;
};

const EVENT = `key, kind, token_id as "tokenId", wallet, block`;
const toEvent = (row: DispatchedEvent): DispatchedEvent => ({
  ...row,
  tokenId: row.tokenId === null ? null : Number(row.tokenId),
  block: Number(row.block),
});

/** The served index as the dispatcher needs to know it. Blocks are numbers; `checkpoint` is Ponder's text. */
type ServedIndex = { schema: string; checkpoint: string; block: number; finalizedBlock: number };

/** One dispatcher at a time, in whichever process; the lock goes with the transaction. */
export const lockDispatcher = (tx: Queryable): Promise<void> => lockText(tx, "dispatcher");

/** @returns null while nothing is published. @throws when there are no views yet (`isNoIndex`) */
export async function servedIndex(tx: Queryable): Promise<ServedIndex | null> {
  const { rows } = await tx.query(
    `select s.schema, c.latest_checkpoint as checkpoint, ${checkpointBlock("c.latest_checkpoint")} as block,
            ${checkpointBlock("c.finalized_checkpoint")} as finalized
     from onchain.index_state s cross join onchain._ponder_checkpoint c limit 1`,
  );
  const row = rows[0];
  if (!row?.schema) return null;
  return {
    schema: row.schema,
    checkpoint: row.checkpoint,
    block: Number(row.block),
    finalizedBlock: Number(row.finalized),
  };
}

/**
 * The block above which new events have to be looked for, after making sure that everything dispatched belongs to this
 * index. When another one is served (the old was wrong somewhere below its finalized block, or the code changed), all of
 * its events are new to us, and whatever it lacks below its finalized block was retracted by the chain.
 */
export async function settledBlock(
  tx: Queryable,
  index: ServedIndex,
): Promise<{ block: number; retracted: DispatchedEvent[] }> {
  const { rows } = await tx.query("select schema, settled_block from offchain.dispatcher_state");
  if (rows[0]?.schema === index.schema) return { block: Number(rows[0].settled_block), retracted: [] };
  await tx.query(
    `insert into offchain.dispatcher_state (schema, settled_block) values ($1, -1)
     on conflict (one) do update set schema = $1, settled_block = -1`,
    [index.schema],
  );
  const lost = await tx.query(
    `update offchain.dispatch d set state = 'retracted', retracted_at = clock_timestamp()
     where d.state <> 'retracted' and d.block <= $1 and not ${IN_INDEX_CHANGES} returning ${EVENT}`,
    [index.finalizedBlock],
  );
  // What the new index has not finalized yet may still be retracted, with the usual care.
  await tx.query("update offchain.dispatch set state = 'queued' where state = 'final' and block > $1", [
    index.finalizedBlock,
  ]);
  return { block: -1, retracted: lost.rows.map(toEvent) };
}

const IN_INDEX_CHANGES = `exists (select from onchain.index_changes c where c.id = d.event_id and c.block_hash = d.block_hash)`;

/** A claimed event with the agent that it is about, as the same moment of the index shows it. */
export type ClaimedEvent = {
  key: string;
  kind: ChangeKind;
  /** How often it has come back after a retraction. */
  returns: number;
  wallet: Address | null;
  block: number;
  /** Unix seconds. */
  blockAt: number;
  txHash: Hex;
  tokenId: number;
  agent: ChainFact["agent"];
  owner: Address;
  transfer: { from: Address; to: Address } | null;
};

/**
 * Claims events that were never dispatched on their branch of the chain: an anti-join, not a cursor, because a
 * reorganisation inserts smaller ids. Rows claimed together are a batch.
 * @returns how many were claimed, `limit` meaning that there may be more; and what they say of agents: an event may be
 *   about several, or about none
 */
export async function claimEvents(
  tx: Queryable,
  above: { block: number; limit: number },
): Promise<{ claimed: number; events: ClaimedEvent[] }> {
  const { rows } = await tx.query(
    `with fresh as materialized (
       select o.* from onchain.index_changes o
       where o.block > $1 and not exists (
         select from offchain.dispatch d where d.key = o.block_hash || '-' || o.id and d.state <> 'retracted')
       order by o.id limit $2
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
       case when t.id is not null then json_build_object('from', t."from", 'to', t."to") end as transfer
     from claimed c
     left join onchain.transfer t on t.id = c.event_id and c.kind = 'agent.transferred'
     left join lateral (
       select * from onchain.agent where token_id = c.token_id
       union all
       select * from onchain.agent where c.token_id is null and owner = c.wallet
       union all
       select * from onchain.agent where c.token_id is null and agent_address = c.wallet and owner <> c.wallet
         and wallet_rank < 2) a on true
     order by c.event_id, a.token_id`,
    [above.block, above.limit],
  );
  return {
    claimed: new Set(rows.map(({ key }) => key)).size,
    events: rows
      .filter(({ tokenId }) => tokenId !== null)
      .map((row) => ({
        ...row,
        tokenId: Number(row.tokenId),
        block: Number(row.block),
        blockAt: Number(row.blockAt),
      })),
  };
}

/**
 * Retracts events that have vanished. While the indexer recovers from a crash its newest rows are gone for a moment, so
 * a missing row is only remembered at first; it counts as retracted once the index has committed a later block than when
 * it was first missed, and has passed the row's own block.
 */
export async function retractVanished(tx: Queryable, index: ServedIndex): Promise<DispatchedEvent[]> {
  await tx.query(
    `update offchain.dispatch d set missing_checkpoint = null
     where d.state in ('pending', 'queued') and d.missing_checkpoint is not null and ${IN_INDEX_CHANGES}`,
  );
  await tx.query(
    `update offchain.dispatch d set missing_checkpoint = $1
     where d.missing_checkpoint is null and (d.state = 'queued' or (d.state = 'pending' and d.block > $2))
       and not ${IN_INDEX_CHANGES}`,
    [index.checkpoint, index.finalizedBlock],
  );
  const { rows } = await tx.query(
    `update offchain.dispatch d set state = 'retracted', retracted_at = clock_timestamp()
     where d.state in ('pending', 'queued') and ${checkpointBlock("d.missing_checkpoint")} < $1 and d.block < $1
     returning ${EVENT}`,
    [index.block],
  );
  return rows.map(toEvent);
}

/**
 * Marks what can no longer be retracted. Present rows only: a missing one waits for its retraction.
 * @returns keys of what it marked
 */
export async function finalizeEvents(tx: Queryable, index: ServedIndex): Promise<string[]> {
  const { rows } = await tx.query(
    `update offchain.dispatch d set state = 'final'
     where d.state = 'queued' and d.block <= $1 and d.missing_checkpoint is null and ${IN_INDEX_CHANGES} returning key`,
    [index.finalizedBlock],
  );
  return rows.map(({ key }) => key);
}

/** Remembers that no event up to the finalized block is left to be claimed from this index. */
export async function settleUpTo(tx: Queryable, index: ServedIndex): Promise<void> {
  const block = Math.min(index.block, index.finalizedBlock);
  await tx.query("update offchain.dispatcher_state set settled_block = $1 where settled_block < $1", [block]);
}

/** The oldest batch that still has to be queued; null when there is none. */
export async function pendingBatch(db: Queryable): Promise<{ batch: number; events: DispatchedEvent[] } | null> {
  const { rows } = await db.query(
    `select batch, ${EVENT} from offchain.dispatch
     where state = 'pending' and batch = (select min(batch) from offchain.dispatch where state = 'pending')
     order by event_id`,
  );
  if (rows.length === 0) return null;
  return { batch: Number(rows[0].batch), events: rows.map(toEvent) };
}

export async function markQueued(db: Queryable, batch: number): Promise<void> {
  await db.query("update offchain.dispatch set state = 'queued' where batch = $1 and state = 'pending'", [batch]);
}

/** Lets everything that is not final be queued again, under the same batches: the queue has lost its jobs. */
export async function queueAgain(db: Queryable): Promise<number> {
  const { rowCount } = await db.query("update offchain.dispatch set state = 'pending' where state = 'queued'");
  return rowCount ?? 0;
}

/** The tokens that each of these wallets owns or has verified; those that only name it are none of its concern. */
export async function tokensOfWallets(db: Queryable, wallets: string[]): Promise<Map<string, number[]>> {
  const { rows } = await db.query(
    `select w.wallet, a.token_id from unnest($1::text[]) as w(wallet)
     join onchain.agent a on a.owner = w.wallet or a.agent_address = w.wallet and a.wallet_rank < 2 order by a.token_id`,
    [wallets],
  );
  const tokens = new Map<string, number[]>();
  for (const { wallet, token_id } of rows) tokens.set(wallet, [...(tokens.get(wallet) ?? []), Number(token_id)]);
  return tokens;
}
