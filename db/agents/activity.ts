/** What an agent's facts do not have of the chain: its latest transactions, and its handshakes. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { statement, t } from "../sql/statement.ts";

/** A completed handshake, from the side of the agent that is asked about. */
type Handshake = {
  id: string;
  fromTokenId: number;
  toTokenId: number;
  /** Name of the other agent; null when there is no such token. */
  name: string | null;
  /** Unix seconds. */
  completedAt: number;
  block: number;
  txHash: string;
};

/**
 * The handshakes of one agent, as the index has them.
 * A page of an agent's handshakes, the newest first, and how many it has.
 * Both numbers are of one snapshot.
 */
export const handshakesOf = statement({
  name: "handshakes-of-agent",
  params: { tokenId: t.int8, limit: t.int8, offset: t.int8 },
  text: `
    select
      (select count(*) from onchain.handshake h where h.from_token_id = $tokenId or h.to_token_id = $tokenId) as total,
      (select coalesce(json_agg(json_build_object(
          'id', h.id, 'fromTokenId', h.from_token_id, 'toTokenId', h.to_token_id, 'name', a.name,
          'completedAt', h.completed_at, 'block', h.block, 'txHash', h.tx_hash) order by h.block desc, h.id desc), '[]')
       from (select * from onchain.handshake h where h.from_token_id = $tokenId or h.to_token_id = $tokenId
             order by h.block desc, h.id desc limit $limit offset $offset) h
       left join onchain.agent a
         on a.token_id = case when h.from_token_id = $tokenId then h.to_token_id else h.from_token_id end) as page`,
  columns: { total: t.int8, page: t.json<Handshake[]>() },
  prepared: true,
}).one;

const TRANSACTION = {
  hash: t.narrow<Hex>(t.text),
  /** Its sender. */
  from: t.narrow<Address>(t.text),
  /** Null when it created a contract. */
  to: t.nullable(t.narrow<Address>(t.text)),
  valueWei: t.uint256,
  /** Unix seconds. */
  minedAt: t.int8,
  /** First four bytes of its input; null without any. */
  selector: t.nullable(t.narrow<Hex>(t.text)),
};

/** The newest transactions of an agent, newest first. */
export const recentTransactions = statement({
  name: "report-transactions",
  params: { tokenId: t.int8, limit: t.int8 },
  text: `
    select ${t.fieldsOf(TRANSACTION, { of: "t", as: { from: 't."from"', to: 't."to"' } })} from onchain.agent_transaction t
    where t.token_id = $tokenId order by t.block desc, t.transaction_index desc limit $limit`,
  columns: TRANSACTION,
  prepared: true,
}).rows;
