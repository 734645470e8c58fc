/** Writes to the event log, in the transaction that makes an event true: append, retract, mark as final. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { EventData, EventType, LoggedEvent } from "../../core/events/events.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { isKeptSql } from "./events.ts";

/** NOTIFY channel that wakes the sequencer: there are events without a position. */
export const NEW_EVENTS_CHANNEL = "event_notes";

type ChainSource = Pick<LoggedEvent, "final" | "agentAddress" | "owner" | "formerOwner"> & {
  /** Key of its row in `offchain.dispatch`, or what else names it with the hash of its block. */
  key: string;
  block: number;
  txHash: Hex;
};

export type NewEvent = {
  [T in EventType]: {
    type: T;
    data: EventData<T>;
    /**
     * Identifies the event among those of its type: the event's id is a hash of both. It determines `at`, for the key of the
     * log is (id, at): a fact of the chain begins with `chain.key`, which names the block by its hash, and any other contains
     * `at` in ISO format. `appendEvents` refuses anything else.
     */
    fact: string;
    /** Null of an agent of another registry. */
    tokenId: number | null;
    at: Date;
    /** Absent for off-chain events: these are final, with wallet and owner of the agent as the index has them. */
    chain?: ChainSource;
    /** Of an agent of another registry, which the index does not have. */
    owner?: Address | null;
  };
}[EventType];

/** Source of off-chain events about a token: they are retracted with the token. Messages are not. */
export const offchainSource = (tokenId: number) => `agent:${tokenId}`;

const sourceOf = ({ type, tokenId, chain }: NewEvent) =>
  chain?.key ?? (type === "message.sent" || tokenId === null ? null : offchainSource(tokenId));

/** SQL of the id of an event. @param fact SQL of a text that identifies it */
export const eventIdSql = (fact: string) => `'evt_' || left(encode(sha256(convert_to(${fact}, 'UTF8')), 'hex'), 24)`;

/** Whether the same fact has the same time whenever it is appended. */
const determinesTime = ({ fact, at, chain }: NewEvent) =>
  chain ? fact.startsWith(`${chain.key} `) : fact.includes(at.toISOString());

/**
 * Appends events in their order; an event that exists is not changed. Needs the index's views.
 * @throws an error for a fact that does not determine its time: appended again, it would be a second event
 */
export async function appendEvents(tx: Queryable, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const loose = events.find((event) => !determinesTime(event));
  if (loose) throw new Error(`The fact of an event ${loose.type} does not determine its time: ${loose.fact}`);
  const rows = events.map((event) => ({ ...event, ...event.chain, source: sourceOf(event) }));
  await APPEND.run(tx, { events: rows });
  await wakeSequencer(tx);
}

const APPEND = statement({
  name: "append-events",
  params: { events: t.jsonb<readonly object[]>() },
  text: `
      insert into offchain.event (id, type, token_id, agent_address, owner, former_owner, data, block, tx_hash, at,
        final, source)
      select ${eventIdSql("n.type || ' ' || n.fact")}, n.type, n."tokenId", coalesce(n."agentAddress", a.agent_address),
        coalesce(n.owner, a.owner), n."formerOwner", n.data, n.block, n."txHash", n.at, coalesce(n.final, true), n.source
      from rows from (jsonb_to_recordset($events::jsonb) as (type text, fact text, "tokenId" int8, "agentAddress" text,
          owner text, "formerOwner" text, data jsonb, block int8, "txHash" text, at timestamptz, final boolean, source text))
        with ordinality as n
      left join onchain.agent a on a.token_id = n."tokenId"
      order by n.ordinality
      on conflict (id, at) do nothing`,
  prepared: true,
});

/** Has the sequencer look for what it can place, when the transaction is committed. */
export const wakeSequencer = statement({
  name: "wake-sequencer",
  text: `select pg_notify('${NEW_EVENTS_CHANNEL}', '')`,
  columns: { pg_notify: t.pgType<string>("void") },
}).run;

/**
 * SQL that retracts the events `e` that meet a condition, each by an event of its own; those that are too old to be read are
 * left as they are. An event is retracted once, for the update finds it once: the time of a retraction is when it was made.
 */
export const retractSql = (condition: string) => `
  with retracted as (
    update offchain.event e set retracted = true
    where not e.retracted and e.retracts is null and (e.position is null or ${isKeptSql("e")}) and ${condition}
    returning e.*
  )
  insert into offchain.event (id, type, token_id, agent_address, owner, former_owner, data, at, final, retracts)
  select ${eventIdSql("'event.retracted ' || id")}, 'event.retracted', token_id, agent_address, owner, former_owner,
    jsonb_build_object('id', id, 'type', type), clock_timestamp(), true, id
  from retracted order by append_id`;

const RETRACT = statement({
  name: "retract-sources",
  params: { keys: t.array(t.text) },
  text: retractSql("e.type <> 'cred.changed' and e.source = any($keys)"),
});

/** Retracts the events of these sources: keys of chain events that a reorganisation removed, or `offchainSource`. */
export async function retractSources(tx: Queryable, keys: readonly string[]): Promise<void> {
  if ((await RETRACT.run(tx, { keys })) > 0) await wakeSequencer(tx);
}

const FINALIZE = statement({
  name: "finalize-sources",
  params: { keys: t.array(t.text) },
  text: `
    update offchain.event e set final = true
    where e.type <> 'cred.changed' and e.source = any($keys) and not e.final and not e.retracted`,
});

/** Marks the events of these sources as final, after the dispatcher has found the chain's events to be final. */
export async function finalizeSources(tx: Queryable, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  if ((await FINALIZE.run(tx, { keys })) > 0) await wakeSequencer(tx);
}
