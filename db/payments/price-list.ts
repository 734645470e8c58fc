/** Prices set at run time: a list of changes, of which the newest is in force. */
import { type Operation, type Phase, PRICES, type PriceList } from "../../core/payments/prices.ts";
import { priceList } from "../schema/payments.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

type StoredList = { phase: Phase; prices: Record<string, string> };

const toList = ({ phase, prices }: StoredList): PriceList => ({
  phase,
  prices: {
    ...PRICES,
    ...Object.fromEntries(
      Object.entries(prices)
        .filter(([operation]) => operation in PRICES)
        .map(([operation, units]) => [operation, BigInt(units)]),
    ),
  } as Record<Operation, bigint>,
});

const PRICE_LIST = { phase: t.narrow<Phase>(t.text), prices: t.jsonb<Record<string, string>>(), since: t.timestamptz };

const RECENT = statement({
  name: "price-lists",
  params: { windowMs: t.float8 },
  text: `
    with recent as (
      select * from offchain.price_list where since > clock_timestamp() - $windowMs * interval '1 ms')
    select id, phase, prices, since from recent
    union all
    (select id, phase, prices, since from offchain.price_list
     where id < coalesce((select min(id) from recent), 9223372036854775807) order by id desc limit 1)
    order by id desc`,
  columns: { id: t.int8, ...PRICE_LIST },
  prepared: true,
});

const ALL_RECENT = statement({
  name: "price-lists-older",
  params: { windowMs: t.float8 },
  text: `
    select not exists (
      select from offchain.price_list where since <= clock_timestamp() - $windowMs * interval '1 ms') as all`,
  columns: { all: t.bool },
  prepared: true,
});

/**
 * The price lists in force at any time in the last `windowMs`, the present one first.
 * @param base what is in force until the first change: the configuration's
 */
export async function priceLists(db: Queryable, base: PriceList, windowMs: number): Promise<PriceList[]> {
  const rows = await RECENT.rows(db, { windowMs });
  // The oldest one found began within the window: before it the configuration's list was in force.
  const { all } = await ALL_RECENT.one(db, { windowMs });
  return [...rows.map(toList), ...(all ? [base] : [])];
}

/** The list in force; null while the configuration's is. */
export const currentPrices = statement({
  name: "price-list-current",
  text: "select phase, prices, since from offchain.price_list order by id desc limit 1",
  columns: PRICE_LIST,
  row: toList,
  prepared: true,
}).maybeOne;

/** Puts a new list in force. */
export async function setPrices(db: Queryable, { phase, prices }: PriceList): Promise<void> {
  const units = Object.fromEntries(Object.entries(prices).map(([operation, price]) => [operation, String(price)]));
  await orm(db).insert(priceList).values({ phase, prices: units });
}
