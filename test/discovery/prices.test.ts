/** The price of a found agent is that of the offers that match what was asked: no cheap offer beside them changes it. */
import { describe, expect, it } from "vitest";
import type { DiscoverQuery } from "../../core/discovery/query.ts";
import { testDatabase } from "../support/database.ts";
import { plantOffers, type SearchedAgent, searching } from "../support/discovery.ts";
import { perFile } from "../support/started.ts";

const database = perFile(() => testDatabase({ indexed: true }));

/** Price and name of each; null for an unknown price. */
type Offer = readonly [priceUsd: number | null, name: string];
const search = searching(database, new Date(), { platform: "erc8004", x402: true, age: null });
const idsOf = (q: string, more: Partial<DiscoverQuery> = {}) => search.idsOf(q, { limit: 20, ...more });

/** Agents, each with its offers. */
async function add(...agents: [agent: SearchedAgent, ...offers: Offer[]][]): Promise<number[]> {
  const ids = await search.add(agents.map(([agent]) => agent));
  const offers = agents.flatMap(([, ...own], i) =>
    own.map(([priceUsd, name]) => ({
      directoryId: ids[i]!,
      kind: "resource" as const,
      name,
      endpoint: null,
      priceUsd,
    })),
  );
  await plantOffers(database.pool, offers);
  for (const id of ids) await search.change(id, { trait_count: 1 });
  await search.follow();
  return ids;
}

describe("a limit of the price", () => {
  it("is about the offers that match most words of the query", async () => {
    const [dear, cheap] = await add(
      [{ name: "Notre", cred: 50 }, [5, "Audits of gargoyles"], [0.000001, "Ping"], [0.000001, "Audits"]],
      [{ name: "Dame", cred: 10 }, [0.03, "Gargoyle audit"], [9, "Belfries"]],
    );
    expect(await idsOf("audit gargoyles", { maxPrice: 0.05 })).toEqual([cheap]);
    expect(await idsOf("audit gargoyles")).toEqual([dear, cheap]);
    expect(await idsOf("audit gargoyles under 5 cents")).toEqual([cheap, dear]);
    expect(await idsOf("belfries", { maxPrice: 1 })).toEqual([]);
    expect(await idsOf("belfries", { maxPrice: 9 })).toEqual([cheap]);
  });

  it("is about the dearest where nothing says which offer is meant", async () => {
    const [mixed, cheap] = await add(
      [{ name: "Mixed", description: "Regilds weathervanes." }, [0.01, "Ping"], [2, "Run"]],
      [{ name: "Cheap", description: "Paints weathervanes." }, [0.01, "Run"], [0.04, "Walk"], [null, "Weathervanes"]],
    );
    expect(await idsOf("weathervanes", { maxPrice: 0.05 })).toEqual([cheap]);
    expect((await idsOf("weathervanes", { maxPrice: 2 })).sort()).toEqual([mixed, cheap].sort());
  });

  it("is met by any offer where no words are asked for", async () => {
    const [mixed] = await add([{ name: "Stylite" }, [0.0002, "Ping"], [7, "Columns"]]);
    expect(await idsOf("", { maxPrice: 0.0002 })).toContain(mixed);
    expect(await idsOf("columns", { maxPrice: 0.0002 })).not.toContain(mixed);
  });

  it("takes no agent for free that has something for nothing beside what was asked for", async () => {
    const [paid, free] = await add(
      [{ name: "Paid", cred: 50 }, [0, "Greeting"], [1, "Sundials"]],
      [{ name: "Free", cred: 10 }, [0, "Sundials and greetings"]],
    );
    expect(await idsOf("free sundials")).toEqual([free, paid]);
  });

  it("counts what passes", async () => {
    await add(
      [{ name: "Ratchet" }, [0.001, "Ping"], [3, "Pawls"]],
      [{ name: "Sprocket" }, [0.001, "Pawls"], [3, "Chains"]],
      [{ name: "Cog" }, [4, "Pawls"]],
    );
    const page = await search.ask("pawls", { maxPrice: 0.05 });
    expect([page.hits.length, page.total, page.totalIsExact]).toEqual([1, 1, true]);
  });

  it("calls the number an estimate where more agents than are read have prices on both sides of it, and leaves none out", async () => {
    const name = (i: number) => `Clepsydra ${String.fromCharCode(97 + (i % 26)).repeat(1 + Math.floor(i / 26))}`;
    const named = Array.from({ length: 70 }, (_, i) => ({ name: name(i), cred: 60 }));
    await add(...named.map((one, i): Parameters<typeof add>[0] => [one, [0.001, "Ping"], [3, `Clepsydras ${i}`]]));
    const [id] = await add([{ name: "Noria", description: "Builds clepsydras in mills.", cred: 5 }, [0.01, "Mills"]]);
    const page = await search.ask("clepsydras mills", { maxPrice: 0.05 });
    expect([page.hits.map(({ directoryId }) => directoryId), page.totalIsExact]).toEqual([[id], false]);
  });

  it("is met by an agent that is trusted more than others of like trust, however many of these have to be read", async () => {
    const names = [..."bcdfghjklmnpqrstvwxz"].flatMap((a) => [..."aei"].map((b) => `Sextant ${a}${b}${a}`));
    await add(
      ...names.map((name): Parameters<typeof add>[0] => [{ name, cred: 60 }, [0.001, "Ping"], [3, "Astrolabes"]]),
    );
    const [id] = await add([{ name: "Alidade", cred: 62 }, [0.001, "Astrolabes"], [3, "Ping"]]);
    expect(await idsOf("astrolabes", { maxPrice: 0.05 })).toEqual([id]);
  });
});
