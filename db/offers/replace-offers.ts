/** Writes the offers of sources where they differ from the stored ones. */
import type pg from "pg";
import type { Offer } from "../../core/offers/offer.ts";
import { statement, t } from "../sql/statement.ts";

/** Offers of one source of one row. */
type SourceOffers = { id: number; source: string; offers: readonly Offer[] };
type OfferRow = Offer & { id: number; source: string; position: number };

const OFFER_RECORD = `r(id int8, kind text, source text, position int2, name text, description text, tags text[],
  endpoint text, method text, "priceUsd" numeric, price jsonb, "inputSchema" jsonb)`;
const OFFER_VALUES = `r.id, r.kind, r.source, r.position, r.name, r.description, r.tags, r.endpoint, r.method, r."priceUsd",
  nullif(r.price, 'null'), nullif(r."inputSchema", 'null')`;
const OFFER_COLUMNS = `directory_id, kind, source, position, name, description, tags, endpoint, method, price_usd, price, input_schema`;
const SOURCES = t.records({ id: t.int8, named: t.text });
const STORED_OFFERS = `
  select ${OFFER_COLUMNS} from $sources join offchain.offer o on o.directory_id = sources.id and o.source = sources.named`;

const DIFFERENT = statement({
  name: "offers-different",
  params: { sources: SOURCES, offers: t.jsonb<readonly OfferRow[]>() },
  text: `
    with stored as (${STORED_OFFERS}), given as (
      select ${OFFER_VALUES} from jsonb_to_recordset($offers) as ${OFFER_RECORD})
    select distinct directory_id as id, source from (
      (select * from stored except select * from given) union all
      (select ${OFFER_COLUMNS} from (select * from given except select * from stored) as r(${OFFER_COLUMNS}))) as changed
    order by 1, 2`,
  columns: { id: t.int8, source: t.text },
});
const DROP_OFFERS = statement({
  name: "offers-drop",
  params: { sources: SOURCES },
  text: `
    delete from offchain.offer o using $sources where o.directory_id = sources.id and o.source = sources.named`,
});
const ADD_OFFERS = statement({
  name: "offers-add",
  params: { offers: t.jsonb<readonly OfferRow[]>() },
  text: `
    insert into offchain.offer (${OFFER_COLUMNS})
    select ${OFFER_VALUES} from jsonb_to_recordset($offers) as ${OFFER_RECORD}`,
});

/** Writes the offers of sources where they differ from the stored ones. @returns ids of the rows */
export async function replaceOffers(tx: pg.ClientBase, given: readonly SourceOffers[]): Promise<number[]> {
  if (given.length === 0) return [];
  const rowsOf = (some: readonly SourceOffers[]): OfferRow[] =>
    some.flatMap(({ id, source, offers }) => offers.map((offer, position) => ({ ...offer, id, source, position })));
  const named = (some: readonly Pick<SourceOffers, "id" | "source">[]) =>
    some.map(({ id, source }) => ({ id, named: source }));
  const different = await DIFFERENT.rows(tx, { sources: named(given), offers: rowsOf(given) });
  if (different.length === 0) return [];
  const changed = new Set(different.map(({ id, source }) => `${id} ${source}`));
  await DROP_OFFERS.run(tx, { sources: named(different) });
  await ADD_OFFERS.run(tx, { offers: rowsOf(given.filter(({ id, source }) => changed.has(`${id} ${source}`))) });
  return different.map(({ id }) => id);
}
