/** Prices of the local stack while its world is made: nobody in it has money yet. */
import pg from "pg";
import { standardPrices } from "../core/prices.ts";
import { setPrices } from "../db/price-list.ts";

/** Runs `work` while every price is 0, whatever the phase is; afterwards the phase of the configuration is in force again. */
export async function freeOfCharge<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    await setPrices(db, standardPrices("free"));
    const done = await work();
    // The world is new, so no operator has set a price: what is here is ours, also of a seeding that was cut off.
    await db.query("delete from offchain.price_list");
    return done;
  } finally {
    await db.end();
  }
}
