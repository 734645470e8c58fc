/** The price of a found agent is that of the offers that match what was asked: no cheap offer beside them changes it. */
import { describe, expect, it } from "vitest";
import type { DiscoverQuery } from "../../core/discovery/query.ts";
import { discover } from "../../db/discovery/discover.ts";
import { testDatabase } from "../support/database.ts";
import { plantDocuments, plantOffers } from "../support/discovery.ts";
import { perFile } from "../support/started.ts";

const database = perFile(() => testDatabase({ indexed: true }));

type Agent = {
  name: string;
  description?: string;
  cred?: number;
  /** Price, name and tags of each; null for an unknown price. */
  offers: readonly (readonly [priceUsd: number | null, name: string])[];
};

async function add(agents: readonly Agent[]): Promise<number[]> {
  const { rows } = await database.pool.query(
    `insert into offchain.directory (platform, agent_id, name, description, owner_address, cred_score, x402_supported)
     select 'erc8004', gen_random_uuid()::text, r.name, r.description, gen_random_uuid()::text, r.cred, true
     from jsonb_to_recordset($1) r(name text, description text, cred int2) returning id`,
    [JSON.stringify(agents.map(({ description = "Works.", cred = 30, name }) => ({ name, description, cred })))],
  );
  const ids = rows.map(({ id }) => id as number);
  await plantOffers(
    database.pool,
    agents.flatMap(({ offers }, i) =>
      offers.map(([priceUsd, name]) => ({
        directoryId: ids[i]!,
        kind: "resource" as const,
        name,
        endpoint: null,
        priceUsd,
      })),
    ),
  );
  await plantDocuments(database.pool);
  return ids;
}

const idsOf = async (q: string, more: Partial<DiscoverQuery> = {}) =>
  (await discover(database.pool, { q, limit: 20, ...more }, new Date())).hits.map(({ directoryId }) => directoryId);

describe("a limit of the price", () => {
  it("is about the offers that match most words of the query", async () => {
    const [dear, cheap] = await add([
      {
        name: "Notre",
        cred: 50,
        offers: [
          [5, "Audits of gargoyles"],
          [0.000001, "Ping"],
          [0.000001, "Audits"],
        ],
      },
      {
        name: "Dame",
        cred: 10,
        offers: [
          [0.03, "Gargoyle audit"],
          [9, "Belfries"],
        ],
      },
    ]);
    expect(await idsOf("audit gargoyles", { maxPrice: 0.05 })).toEqual([cheap]);
    expect(await idsOf("audit gargoyles")).toEqual([dear, cheap]);
    expect(await idsOf("audit gargoyles under 5 cents")).toEqual([cheap, dear]);
    expect(await idsOf("belfries", { maxPrice: 1 })).toEqual([]);
    expect(await idsOf("belfries", { maxPrice: 9 })).toEqual([cheap]);
  });

  it("is about the dearest where nothing says which offer is meant", async () => {
    const [mixed, cheap] = await add([
      {
        name: "Mixed",
        description: "Regilds weathervanes.",
        offers: [
          [0.01, "Ping"],
          [2, "Run"],
        ],
      },
      {
        name: "Cheap",
        description: "Paints weathervanes.",
        offers: [
          [0.01, "Run"],
          [0.04, "Walk"],
          [null, "Weathervanes"],
        ],
      },
    ]);
    expect(await idsOf("weathervanes", { maxPrice: 0.05 })).toEqual([cheap]);
    expect((await idsOf("weathervanes", { maxPrice: 2 })).sort()).toEqual([mixed, cheap].sort());
  });

  it("is met by any offer where no words are asked for", async () => {
    const [mixed] = await add([
      {
        name: "Stylite",
        offers: [
          [0.0002, "Ping"],
          [7, "Columns"],
        ],
      },
    ]);
    expect(await idsOf("", { maxPrice: 0.0002 })).toContain(mixed);
    expect(await idsOf("columns", { maxPrice: 0.0002 })).not.toContain(mixed);
  });

  it("takes no agent for free that has something for nothing beside what was asked for", async () => {
    const [paid, free] = await add([
      {
        name: "Paid",
        cred: 50,
        offers: [
          [0, "Greeting"],
          [1, "Sundials"],
        ],
      },
      { name: "Free", cred: 10, offers: [[0, "Sundials and greetings"]] },
    ]);
    expect(await idsOf("free sundials")).toEqual([free, paid]);
  });

  it("counts what passes", async () => {
    await add([
      {
        name: "Ratchet",
        offers: [
          [0.001, "Ping"],
          [3, "Pawls"],
        ],
      },
      {
        name: "Sprocket",
        offers: [
          [0.001, "Pawls"],
          [3, "Chains"],
        ],
      },
      { name: "Cog", offers: [[4, "Pawls"]] },
    ]);
    const page = await discover(database.pool, { q: "pawls", limit: 10, maxPrice: 0.05 }, new Date());
    expect([page.hits.length, page.total, page.totalIsExact]).toEqual([1, 1, true]);
  });

  it("calls the number an estimate where more agents than are read have prices on both sides of it, and leaves no agent out for those that do not", async () => {
    const many = Array.from({ length: 70 }, (_, i) => ({
      name: `Clepsydra ${String.fromCharCode(97 + (i % 26)).repeat(1 + Math.floor(i / 26))}`,
      cred: 60,
      offers: [
        [0.001, "Ping"],
        [3, `Clepsydras ${i}`],
      ] as const,
    }));
    await add(many);
    const [id] = await add([
      { name: "Noria", description: "Builds clepsydras in mills.", cred: 5, offers: [[0.01, "Mills"]] },
    ]);
    const page = await discover(database.pool, { q: "clepsydras mills", limit: 10, maxPrice: 0.05 }, new Date());
    expect([page.hits.map(({ directoryId }) => directoryId), page.totalIsExact]).toEqual([[id], false]);
  });

  it("is met by an agent that is trusted more than others of like trust, however many of these have to be read", async () => {
    const prices = (matching: number) =>
      [
        [0.001, matching < 1 ? "Astrolabes" : "Ping"],
        [3, matching < 1 ? "Ping" : "Astrolabes"],
      ] as const;
    await add(
      [..."bcdfghjklmnpqrstvwxz"].flatMap((a) =>
        [..."aei"].map((b) => ({ name: `Sextant ${a}${b}${a}`, cred: 60, offers: prices(3) })),
      ),
    );
    const [id] = await add([{ name: "Alidade", cred: 62, offers: prices(0.001) }]);
    expect(await idsOf("astrolabes", { maxPrice: 0.05 })).toEqual([id]);
  });
});
