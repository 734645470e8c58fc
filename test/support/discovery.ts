/** Documents and offers of the directory for tests of discovery. */
import type pg from "pg";
import { followDirectory } from "../../db/discovery/follow.ts";

/** Writes the documents of all rows, as the workers do. */
export async function plantDocuments(pool: pg.Pool): Promise<void> {
  let more = true;
  while (more) ({ more } = await followDirectory(pool, new Date()));
}

export type PlantedOffer = {
  directoryId: number;
  kind: "skill" | "tool" | "resource";
  name: string;
  description?: string;
  endpoint: string | null;
  priceUsd: number | null;
};

/** Writes offers as a registry gives them. */
export async function plantOffers(pool: pg.Pool, offers: readonly PlantedOffer[]): Promise<void> {
  for (const [position, { directoryId, kind, name, description = null, endpoint, priceUsd }] of offers.entries())
    await pool.query(
      `insert into offchain.offer (directory_id, kind, source, position, name, description, endpoint, price_usd)
       values ($1, $2, 'registry', $3, $4, $5, $6, $7)`,
      [directoryId, kind, position, name, description, endpoint, priceUsd],
    );
}
