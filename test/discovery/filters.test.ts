/** Searches by filters alone: what few agents meet, or none, is found without reading all of them. */
import { beforeAll, describe, expect, it } from "vitest";
import type { DiscoverQuery } from "../../core/discovery/query.ts";
import { discover } from "../../db/discovery/discover.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { testDatabase } from "../support/database.ts";
import { plantDocuments } from "../support/discovery.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const NOW = new Date("2026-11-01T00:00:00Z");
/** Documents without rows: they are only passed by. */
const DOCUMENTS = 20_000;
const database = perFile(() => testDatabase({ indexed: true }));
let ids: number[];

beforeAll(async () => {
  const { rows } = await database.pool.query(
    `insert into offchain.directory (platform, agent_id, name, description, cred_score)
     values ('agentverse', 'a', 'Heron', 'Wades.', 97), ('agentverse', 'b', 'Egret', 'Waits.', 96) returning id`,
  );
  ids = rows.map(({ id }) => id);
  await plantDocuments(database.pool);
  await database.pool.query(sql`insert into offchain.discovery_document (directory_id, words, trust, factors,
      platform, cred, verified, speaks, price_usd, copy, written_at)
    select 1000 + n, ${"'!pagentverse' '!v0' '!$' '!s4' 'wade'"}::tsvector, n % 600, '{30,0,30,40,50,100}',
      'agentverse', n % 91, false, 16, 0.01 + n % 7, false, now() from generate_series(1, ${DOCUMENTS}::int) n`);
  await database.pool.query("analyze offchain.discovery_document");
});

/** Ids of the hits with the most pages that one read of candidates needs. */
async function asked(query: Partial<DiscoverQuery>) {
  const sent: { text: string; values?: unknown[] }[] = [];
  const db = {
    query: (given: { text: string; values?: unknown[] }) => {
      if (given.text?.includes("d.trust_range")) sent.push(given);
      return database.pool.query(given);
    },
  } as unknown as Queryable;
  const page = await discover(db, { q: "", limit: 10, ...query }, NOW);
  const pages: number[] = [];
  for (const { text, values } of sent) {
    const { rows } = await database.pool.query(`explain (analyze, buffers, format json) ${text}`, values ?? []);
    const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
    pages.push(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
  }
  const { total, totalIsExact, hits } = page;
  return { total, totalIsExact, hits: hits.map(({ directoryId }) => directoryId), pages: Math.max(...pages) };
}

describe("a search without words", () => {
  const none = { total: 0, totalIsExact: true, hits: [] };
  it.each<Partial<DiscoverQuery>>([
    { minCred: 100 },
    { maxPrice: 0.000001 },
    { minCred: 100, maxPrice: 0.0000001 },
    { minCred: 50, maxPrice: 0.0000001, platform: ["agentverse"] },
    { minCred: 100, accepts: "x402", verified: false },
  ])("that no agent meets reads few pages: %j", async (query) => {
    const { pages, ...found } = await asked(query);
    expect(found).toEqual(none);
    expect(pages).toBeLessThan(150);
  });

  it("finds the few that meet it, and says that these are all", async () => {
    const { pages, ...found } = await asked({ minCred: 96 });
    expect(found).toEqual({ total: 2, totalIsExact: true, hits: ids });
    expect(pages).toBeLessThan(150);
    expect(await asked({ minCred: 97, q: "wades" })).toMatchObject({ total: 1, totalIsExact: true, hits: [ids[0]] });
  });

  it("calls the number an estimate where more meet it than are ranked", async () => {
    expect(await asked({ minCred: 50 })).toMatchObject({ totalIsExact: false });
  });
});
