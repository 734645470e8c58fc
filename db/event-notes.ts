/** What is noted for the event log, in the transaction that makes it true; and what is taken back or becomes final. */
import type { EventData, EventType } from "../core/events.ts";
import type { Address, Hex } from "../core/facts.ts";
import type { Queryable } from "./transaction.ts";

/** Wakes the sequencer: there are notes without a place. */
export const NOTES_CHANNEL = "event_notes";

/** Where the chain says it, of an event of the chain. */
export type ChainSource = {
  /** Key of its row in `offchain.dispatch`. */
  key: string;
  block: number;
  txHash: Hex;
  final: boolean;
  agentAddress: Address;
  owner: Address;
  formerOwner: Address | null;
};

/** Something that happened to an agent. */
export type EventNote = {
  [T in EventType]: {
    type: T;
    data: EventData<T>;
    /** What makes it this event and no other: the event's id is a hash of it. */
    fact: string;
    tokenId: number;
    at: Date;
    /** Absent for what the chain does not say: such events are final, of the agent as the index knows it. */
    chain?: ChainSource;
  };
}[EventType];

/** Source of what is written off chain about a token: it goes with the token. Messages do not. */
export const offchainOf = (tokenId: number) => `agent:${tokenId}`;

const sourceOf = ({ type, tokenId, chain }: EventNote) =>
  chain?.key ?? (type === "message.sent" ? null : offchainOf(tokenId));

/** SQL of the id of the event that tells of a fact. */
export const eventIdSql = (fact: string) => `'evt_' || left(encode(sha256(convert_to(${fact}, 'UTF8')), 'hex'), 24)`;

/** Notes events, in their order; one that was noted before is left as it is. The index must be there. */
export async function noteEvents(tx: Queryable, notes: readonly EventNote[]): Promise<void> {
  if (notes.length === 0) return;
  const given = notes.map((note) => ({ ...note, ...note.chain, source: sourceOf(note) }));
  await tx.query({
    name: "event-notes",
    text: `
      insert into offchain.event (id, type, token_id, agent_address, owner, former_owner, data, block, tx_hash, at,
        final, source)
      select ${eventIdSql("n.type || ' ' || n.fact")}, n.type, n."tokenId", coalesce(n."agentAddress", a.agent_address),
        coalesce(n.owner, a.owner), n."formerOwner", n.data, n.block, n."txHash", n.at, coalesce(n.final, true), n.source
      from rows from (jsonb_to_recordset($1::jsonb) as (type text, fact text, "tokenId" int8, "agentAddress" text,
          owner text, "formerOwner" text, data jsonb, block int8, "txHash" text, at timestamptz, final boolean, source text))
        with ordinality as n
      left join onchain.agent a on a.token_id = n."tokenId"
      order by n.ordinality
      on conflict (id) do nothing`,
    values: [JSON.stringify(given)],
  });
  await wakeSequencer(tx);
}

const wakeSequencer = (tx: Queryable) => tx.query(`select pg_notify('${NOTES_CHANNEL}', '')`);

/** SQL that takes back the events `e` that meet a condition, each by an event of its own. */
export const retractSql = (condition: string) => `
  with gone as (
    update offchain.event e set retracted = true
    where not e.retracted and e.retracts is null and ${condition}
    returning e.*
  )
  insert into offchain.event (id, type, token_id, agent_address, owner, former_owner, data, at, final, retracts)
  select ${eventIdSql("'event.retracted ' || id")}, 'event.retracted', token_id, agent_address, owner, former_owner,
    jsonb_build_object('id', id, 'type', type), clock_timestamp(), true, id
  from gone order by append_id`;

/** Takes back what was told of these sources: keys of events that the dispatcher has retracted, or `offchainOf`. */
export async function retractSources(tx: Queryable, keys: readonly string[]): Promise<void> {
  const { rowCount } = await tx.query(retractSql("e.type <> 'cred.changed' and e.source = any($1)"), [keys]);
  if (rowCount) await wakeSequencer(tx);
}

/** What the dispatcher has found to be final is so for everybody who was told of it. */
export async function finalizeSources(tx: Queryable, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const { rowCount } = await tx.query(
    `update offchain.event e set final = true
     where e.type <> 'cred.changed' and e.source = any($1) and not e.final and not e.retracted`,
    [keys],
  );
  if (rowCount) await wakeSequencer(tx);
}
