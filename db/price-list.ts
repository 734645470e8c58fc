/** Prices set at run time: a list of changes, of which the newest is in force. */
import { type Operation, type Phase, PRICES, type PriceList } from "../core/prices.ts";
import type { Queryable } from "./transaction.ts";

type Row = { phase: Phase; prices: Record<string, string>; since: Date };

const toList = ({ phase, prices }: Row): PriceList => ({
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

/**
 * The price lists in force at any time in the last `windowMs`, the present one first.
 * @param base what is in force until the first change: the configuration's
 */
export async function priceLists(db: Queryable, base: PriceList, windowMs: number): Promise<PriceList[]> {
  const { rows } = await db.query<Row>({
    name: "price-lists",
    text: `with recent as (
        select * from offchain.price_list where since > clock_timestamp() - $1 * interval '1 ms')
      select id, phase, prices, since from recent
      union all
      (select id, phase, prices, since from offchain.price_list
       where id < coalesce((select min(id) from recent), 9223372036854775807) order by id desc limit 1)
      order by id desc`,
    values: [windowMs],
  });
  // The oldest one found began within the window: what was in force before it is the configuration's.
  const { rows: older } = await db.query<{ all: boolean }>({
    name: "price-lists-older",
    text: "select not exists (select from offchain.price_list where since <= clock_timestamp() - $1 * interval '1 ms') as all",
    values: [windowMs],
  });
  return [...rows.map(toList), ...(older[0]!.all ? [base] : [])];
}

/** The list in force; null while the configuration's is. */
export async function currentPrices(db: Queryable): Promise<PriceList | null> {
  const { rows } = await db.query<Row>({
    name: "price-list-current",
    text: "select phase, prices, since from offchain.price_list order by id desc limit 1",
  });
  return rows[0] ? toList(rows[0]) : null;
}

/** Puts a new list in force. */
export async function setPrices(db: Queryable, { phase, prices }: PriceList): Promise<void> {
  const units = Object.fromEntries(Object.entries(prices).map(([operation, price]) => [operation, String(price)]));
  await db.query("insert into offchain.price_list (phase, prices) values ($1, $2)", [phase, JSON.stringify(units)]);
}
