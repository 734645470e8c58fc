/** Events of agents whose confirmed endpoints offer something else than before, at another price, or paid to another account. */
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { CHANGE_LISTS, type OfferChange } from "../../core/offers/offer-change.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { appendEvents, type NewEvent } from "../events/append-events.ts";
import { statement, t } from "../sql/statement.ts";
import type { RecordedChange } from "./offer-history.ts";

/** Bound: own agents of one endpoint that are told of: they cost their maker a mint each. */
const MOST_AGENTS = 10;

/** Own agents whose endpoint it is shown to be, the first ones; where there is none, the first of the canonical registry. */
const AGENTS = statement({
  name: "offer-events-agents",
  params: { sources: t.array(t.text) },
  text: `
    select source, platform, agent_id as "agentId", case when is_own then token_id end as "tokenId", owner
    from (
      select s.source, d.platform, d.agent_id, d.token_id, d.owner_address as owner, d.platform = '${OWN_PLATFORM}' as is_own,
        row_number() over (partition by s.source order by d.platform <> '${OWN_PLATFORM}', d.id) as place
      from unnest($sources::text[]) as s(source)
      join offchain.offer_source f on hashtextextended(f.url, 0) = hashtextextended(split_part(s.source, ' ', 2), 0)
        and f.kind || ' ' || f.url = s.source and f.confirmed_by is not null
      join offchain.directory d on d.id = f.directory_id and d.removed_at is null
        and d.platform in ('${OWN_PLATFORM}', '${ERC8004}')) a
    where (is_own and place <= ${MOST_AGENTS}) or place = 1 order by source, place`,
  columns: {
    ...{ source: t.text, platform: t.text, agentId: t.text },
    ...{ tokenId: t.nullable(t.int8), owner: t.nullable(t.narrow<Address>(t.text)) },
  },
});

/** The parts of a change that are events: those with an entry. */
function partsOf(change: OfferChange): [type: string, lists: object][] {
  return Object.entries(CHANGE_LISTS).flatMap(([type, shape]): [string, object][] => {
    const lists = (Object.keys(shape) as (keyof OfferChange)[]).map((name) => [name, change[name]] as const);
    return lists.some(([, list]) => (list as unknown[]).length > 0) ? [[type, Object.fromEntries(lists)]] : [];
  });
}

/**
 * Appends the events of changes. Part of the transaction that records them.
 * Bound: one of each type for a reading of an endpoint and each own agent whose endpoint it is shown to be.
 */
export async function emitOfferChanges(tx: pg.ClientBase, changes: readonly RecordedChange[], at: Date): Promise<void> {
  if (changes.length === 0) return;
  const agents = await AGENTS.rows(tx, { sources: changes.map(({ source }) => source) });
  await appendEvents(
    tx,
    agents.flatMap(({ source, tokenId, owner, ...agent }) => {
      const [kind, url] = source.split(" ");
      const { change } = changes.find((one) => one.source === source)!;
      const fact = `${agent.platform} ${agent.agentId} ${at.toISOString()} ${source}`;
      return partsOf(change).map(([type, lists]) => {
        const data = { ...agent, endpoint: { kind, url }, ...lists };
        return { type, data, fact, tokenId, at, ...(tokenId === null && { owner }) } as NewEvent;
      });
    }),
  );
}
