/** The handshakes of one agent, as the index has them. */
import { statement, t } from "../sql/statement.ts";

/** A completed handshake, from the side of the agent that is asked about. */
export type Handshake = {
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
