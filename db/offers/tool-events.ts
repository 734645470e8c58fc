/** Events of own agents whose endpoints offer other tools, skills or paid resources than before. */
import type pg from "pg";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { MAX_NAMED } from "../../core/events/events.ts";
import type { Offer } from "../../core/offers/offer.ts";
import { appendEvents } from "../events/append-events.ts";
import { statement, t } from "../sql/statement.ts";

/** Endpoints that are only named, and those that offered nothing before, are left out. */
const CHANGED = statement({
  name: "offers-tools-changed",
  params: {
    sources: t.records({ id: t.int8, source: t.text }),
    given: t.records({ id: t.int8, source: t.text, name: t.text }),
  },
  text: `
    with given as (select * from $given)
    select d.token_id as "tokenId", s.source, c.added, c.removed
    from (select * from $sources) s join offchain.directory d on d.id = s.id and d.platform = '${OWN_PLATFORM}' and d.removed_at is null
    join offchain.offer_source f
      on f.directory_id = s.id and f.kind || ' ' || f.url = s.source and f.confirmed_by is not null
    cross join lateral (
      select array(
          select g.name from given g where g.id = s.id and g.source = s.source
          except select o.name from offchain.offer o where o.directory_id = s.id and o.source = s.source) as added,
        array(
          select o.name from offchain.offer o where o.directory_id = s.id and o.source = s.source
          except select g.name from given g where g.id = s.id and g.source = s.source) as removed) c
    where cardinality(c.added) + cardinality(c.removed) > 0
      and exists (select from offchain.offer o where o.directory_id = s.id and o.source = s.source)`,
  columns: { tokenId: t.filtered(t.int8), source: t.text, added: t.array(t.text), removed: t.array(t.text) },
});

/** Appends an event for each of these endpoints that offers something else. Part of the transaction that stores what it offers. */
export async function emitToolChanges(
  tx: pg.ClientBase,
  read: readonly { id: number; source: string; offers: readonly Offer[] }[],
  now: Date,
): Promise<void> {
  if (read.length === 0) return;
  const changed = await CHANGED.rows(tx, {
    sources: read,
    given: read.flatMap(({ id, source, offers }) => offers.map(({ name }) => ({ id, source, name }))),
  });
  await appendEvents(
    tx,
    changed.map(({ tokenId, source, added, removed }) => ({
      type: "agent.updated",
      data: {
        ...{ changed: ["tools"], storage: "offchain" },
        ...(added.length > 0 && { added: added.slice(0, MAX_NAMED) }),
        ...(removed.length > 0 && { removed: removed.slice(0, MAX_NAMED) }),
      },
      fact: `${tokenId} ${now.toISOString()} ${source}`,
      ...{ tokenId, at: now },
    })),
  );
}
