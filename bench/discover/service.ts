/** The search of the service, as the benchmark and the tests use it: fills a database, builds the documents, asks. */
import type pg from "pg";
import type { Questions } from "../../core/discovery/meaning.ts";
import { discover } from "../../db/discovery/discover.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { withClient } from "../../devnet/with-client.ts";
import { stopwatch } from "../../harness/figures.ts";
import { testLog } from "../../harness/log.ts";
import { plantOnchain } from "../../harness/onchain.ts";
import { onchainTables } from "../../harness/onchain-tables.ts";
import { followDocuments } from "../../workers/discovery/search-documents.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import type { World } from "./agents.ts";
import { PLACES } from "./judge.ts";
import { INDEXES, type Way } from "./plain-ways.ts";
import { ATTESTATION_SCHEMA, plant } from "./plant.ts";

/** @param questions with a provider of embeddings it asks by meanings too */
export const discoverWay = (pool: pg.Pool, world: World, questions: Questions | null = null): Way => {
  const now = new Date(world.now);
  return {
    name: questions ? "discover by meanings too" : "discover",
    ask: async (q) =>
      (await discover(pool, { q, limit: PLACES }, now, questions)).hits.map(({ directoryId }) => directoryId),
  };
};

/** Migrates an empty database, plants a large directory and its index, and builds documents and plain indexes. */
export async function fillDatabase(url: string, pool: pg.Pool, world: World): Promise<void> {
  await migrate(url);
  await plantOnchain(pool, { ddl: onchainTables() });
  await printDuration("rows planted", () => withClient(url, (client) => plant(client, world, { large: true })));
  await printDuration("indexes of the plain ways built", () => plainIndexes(url));
}

/** The same for a small directory in a database that is migrated and has schema `onchain`. */
export async function fillSmall(url: string, pool: pg.Pool, world: World): Promise<void> {
  await withClient(url, (client) => plant(client, world));
  await plainIndexes(url);
  await buildDocuments(pool, world);
}

/**
 * Builds all documents as a new deployment does, once the reviews are weighed; where they are built, nothing is left to do.
 * @returns seconds that the documents took, without the reviews
 */
export async function buildDocuments(pool: pg.Pool, world: World): Promise<number> {
  const config = { attestationSchemas: [ATTESTATION_SCHEMA], service: { publicUrl: "https://agents.test" } };
  await reviewStats.run({ db: pool, clock: () => new Date(world.now), config } as never, {});
  const [ms] = await stopwatch(async () => {
    while ((await followDirectory(pool, new Date(world.now))).more);
  });
  await pool.query("vacuum analyze offchain.discovery_document");
  return ms / 1000;
}

/** After this, `buildDocuments` builds all of them. */
export const FORGET_DOCUMENTS =
  "truncate offchain.discovery_document, offchain.discovery_word, offchain.discovery_progress";

const plainIndexes = (url: string) =>
  withClient(url, async (client) => {
    for (const index of INDEXES) await client.query(index);
  });

/** Does something, and prints how long it took. */
export async function printDuration(what: string, work: () => Promise<void>): Promise<void> {
  const [ms] = await stopwatch(work);
  console.log(`${what} in ${(ms / 1000).toFixed(0)} s`);
}

/** Keeps the documents current, as the workers do, until it is stopped. */
export const follow = (pool: pg.Pool, world: World): { stop(): Promise<void> } =>
  followDocuments({ db: pool, log: testLog(), clock: () => new Date(world.now) });

/** Sizes of tables of `offchain`, indexes included, in a line. */
export async function sizes(pool: pg.Pool, tables: readonly string[]): Promise<string> {
  const { rows } = await pool.query<{ name: string; size: string; indexes: string }>(
    `select c.relname as name, pg_size_pretty(pg_total_relation_size(c.oid)) as size, pg_size_pretty(pg_indexes_size(c.oid)) as indexes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'offchain' and c.relkind = 'r' and c.relname = any($1) order by c.relname`,
    [tables],
  );
  return rows.map(({ name, size, indexes }) => `${name} ${size}, of them indexes ${indexes}`).join("; ");
}
