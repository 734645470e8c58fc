/** Events of payments to agents' wallets: appended, retracted and made final in the transaction that stores what was read of the chain. */
import { checksum } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { MAX_PER_DAY } from "../../core/events/events.ts";
import { DUST_UNITS } from "../../core/income/rules.ts";
import { usdcText } from "../../core/units-text.ts";
import { appendEvents, finalizeSources, type NewEvent, retractSources } from "../events/append-events.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { PAID_AGENTS } from "./followed.ts";

/** What events of payments depend on in addition to the payments. */
export type PaymentEvents = {
  /** Payments before this time are too old for an event. */
  since: Date;
  /** The last block that was final before the chain was read: nothing takes back what was found up to it. */
  finalBlock: number;
};

type Place = { blockHash: string; logIndex: number };

const keyOf = ({ blockHash, logIndex }: Place): string => `usdc:${blockHash}-${logIndex}`;
const key = (m: string): string => `'usdc:' || ${m}.block_hash || '-' || ${m}.log_index`;

const UNTOLD = statement({
  name: "income-untold",
  params: { places: t.records({ blockHash: t.text, logIndex: t.int4 }), since: t.int8 },
  // A payment is one event, even if several agents have the wallet. A wallet has a maximum of events for each day and number
  // of digits of the amount, so that a stranger's many small payments do not suppress the event of a larger one; by turns, the
  // first payment of each payer before a second, so that one payer does not suppress the events of others.
  text: `
    with stored as materialized (
      select m.recipient, m.block_hash, m.log_index, m.at
      from $places join offchain.income_move m on m.block_hash = places.block_hash and m.log_index = places.log_index
      where m.at >= $since
    ), placed as materialized (
      select t.*, row_number() over (
        partition by t.recipient, t.day, t.digits order by t.turn, t.block, t.log_index) as place
      from (
        select m.*, d.day, d.digits, row_number() over (
          partition by m.recipient, d.day, d.digits, m.sender order by m.block, m.log_index) as turn
        from (select s.recipient, min(s.at) / 86400 * 86400 as since from stored s group by s.recipient) s
        join offchain.income_move m on m.recipient = s.recipient and m.at >= s.since
        cross join lateral (select m.at / 86400 as day, length(trunc(m.units)::text) as digits) d
        where m.nonce is not null and m.units >= ${DUST_UNITS}) t
    )
    select m.block_hash as "blockHash", m.log_index as "logIndex", m.block, m.at, m.tx_hash as "txHash", m.sender,
      m.recipient, m.units, d.platform, d.agent_id as "agentId", d.token_id as "tokenId", d.owner_address as owner,
      (select count(*) from offchain.event e
       where e.type <> 'cred.changed' and e.source = ${key("m")} and e.retracted) as returns
    from stored s join placed m on m.block_hash = s.block_hash and m.log_index = s.log_index and m.place <= ${MAX_PER_DAY}
    join offchain.income_followed f on f.address = m.recipient and f.kind = 'wallet' and f.known_from < m.block
    cross join lateral (
      select d.platform, d.agent_id, d.owner_address, case when d.platform = '${OWN_PLATFORM}' then d.token_id end as token_id
      from ${PAID_AGENTS} a
      join offchain.directory d on d.id = a.id
      where a.wallet collate "C" = m.recipient
      order by d.platform <> '${OWN_PLATFORM}', d.id limit 1) d
    order by m.block, m.log_index`,
  columns: {
    blockHash: t.narrow<Hex>(t.text),
    logIndex: t.int4,
    block: t.int8,
    at: t.int8,
    txHash: t.narrow<Hex>(t.text),
    sender: t.narrow<Address>(t.text),
    recipient: t.narrow<Address>(t.text),
    units: t.numeric,
    platform: t.text,
    agentId: t.text,
    tokenId: t.nullable(t.int8),
    owner: t.nullable(t.narrow<Address>(t.text)),
    returns: t.int8,
  },
});

const SETTLED = statement({
  name: "income-settled",
  params: { cohort: t.int8, block: t.int8 },
  text: `
    select coalesce(e.source, '') as source from offchain.event e
    where not e.final and not e.retracted and e.block <= $block and e.type = 'agent.paid'
      and e.agent_address in (
        select f.address from offchain.income_followed f where f.cohort = $cohort and f.kind = 'wallet')`,
  columns: { source: t.text },
});

/**
 * Retracts the events of payments that are gone, appends those of payments that are new, and marks as final what a final block
 * has. The same payments stored again change nothing; one that comes back after it was retracted is a new event.
 * Bound: no event of dust, of the past of a wallet that was followed later, or of what is older than the log; one for each payment.
 * Of an agent, a day and a number of digits the first hundred by turns of payers: by a hundred payers, about 500 at most.
 * @param of what a read took away, and what it stored
 */
export async function recordPaymentEvents(
  tx: Queryable,
  cohort: number,
  { taken, stored }: { taken: readonly Place[]; stored: readonly Place[] },
  { since, finalBlock }: PaymentEvents,
): Promise<void> {
  const there = new Set(stored.map(keyOf));
  const gone = taken.map(keyOf).filter((one) => !there.has(one));
  if (gone.length > 0) await retractSources(tx, gone);
  if (stored.length > 0) {
    const rows = await UNTOLD.rows(tx, { places: stored, since: Math.ceil(since.getTime() / 1_000) });
    await appendEvents(
      tx,
      rows.map(({ returns, tokenId, at, block, txHash, recipient, owner, ...of }): NewEvent => {
        const { platform, agentId } = of;
        const name = keyOf(of);
        return {
          type: "agent.paid",
          data: {
            platform,
            agentId,
            wallet: checksum(recipient),
            payer: checksum(of.sender),
            usdc: usdcText(of.units),
          },
          fact: `${name} ${returns}`,
          tokenId,
          at: new Date(at * 1_000),
          chain: {
            key: name,
            block,
            txHash,
            final: block <= finalBlock,
            agentAddress: recipient,
            owner,
            formerOwner: null,
          },
        };
      }),
    );
  }
  const settled = await SETTLED.rows(tx, { cohort, block: finalBlock });
  await finalizeSources(
    tx,
    settled.map(({ source }) => source),
  );
}
