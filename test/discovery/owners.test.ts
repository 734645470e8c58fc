/** What the search makes of who runs an agent: no owner crowds a page out, no years are bought, and nobody is given away. */
import { beforeEach, describe, expect, it } from "vitest";
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import { OWNER_SHARE } from "../../core/discovery/rank.ts";
import { discover } from "../../db/discovery/discover.ts";
import { testDatabase } from "../support/database.ts";
import { plantOffers, searching } from "../support/discovery.ts";
import { perFile } from "../support/started.ts";

const NOW = new Date("2026-11-01T00:00:00Z");
const DAY_MS = 86_400_000;
const REGISTRY = `0x${"8".repeat(40)}`;
const database = perFile(() => testDatabase({ indexed: true }));

beforeEach(() =>
  database.pool.query(
    "truncate offchain.directory, offchain.offer, offchain.discovery_document, onchain.transfer cascade",
  ),
);

const { add, follow, ask, idsOf, change } = searching(database, NOW, { platform: "erc8004", registry: REGISTRY });

/** Moves the token of a row, some days ago; from nobody is its mint. */
async function transfer(id: number, daysAgo: number, from = "0xformer"): Promise<void> {
  await database.pool.query(
    `insert into onchain.transfer (id, contract, token_id, "from", "to", transferred_at, block, tx_hash)
     select gen_random_uuid()::text, registry, token_id, $2, owner_address, $3, 1, '0x' from offchain.directory where id = $1`,
    [id, from, Math.floor(+NOW / 1000) - daysAgo * 86_400],
  );
  await touch([id]);
}

/** Has documents follow what is beside their rows. */
async function touch(ids: readonly number[]): Promise<void> {
  await database.pool.query("update offchain.directory set trait_count = trait_count + 1 where id = any($1)", [ids]);
  await follow();
}

/** Distinct trades, so that no two texts are near. */
const trade = (i: number) => {
  const letters = (n: number) => [...((n + 1) * 0x9e37_79b1).toString(8)].map((digit) => "bdfgklmn"[Number(digit)]);
  return [i, i + 100, i + 200].map((n) => letters(n).join("a")).join(" ");
};

describe("an owner's share", () => {
  it.each([
    ["a price", { q: "", maxPrice: 0.05 }],
    ["words", { q: "estuary" }],
    ["words and a price", { q: "estuary", maxPrice: 0.05 }],
  ])("of a page is bounded where %s is asked for, and none of its agents is lost", async (_, query) => {
    const crowd = Array.from({ length: 50 }, (_, i) => ({
      ...{ name: `Crowd ${trade(i)}`, description: `Dredges the estuary by ${trade(i)}.`, cred: 60 },
      owner: "0xcrowd",
    }));
    const other = (of: string) => ({ name: `Other ${of}`, description: `Maps the estuary of ${of} daily.` });
    const others = Array.from({ length: 14 }, (_, i) => other(trade(i + 60)));
    const all = await add([...crowd, ...others]);
    const offer = (i: number) => ({ kind: "resource" as const, name: `Estuary ${i}`, priceUsd: 0.01 + i / 10_000 });
    await plantOffers(
      database.pool,
      all.map((directoryId, i) => ({ directoryId, endpoint: null, ...offer(i) })),
    );
    await touch(all);
    const own = new Set(all.slice(0, 50));
    const shown: number[] = [];
    const ranks: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await discover(database.pool, { limit: 7, ...query, ...(cursor && { cursor }) }, NOW);
      shown.push(...page.hits.map(({ directoryId }) => directoryId));
      ranks.push(...page.hits.map(({ rank }) => rank));
      cursor = page.nextCursor;
    }
    expect(new Set(shown).size).toBe(all.length);
    expect(shown).toHaveLength(all.length);
    expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
    for (let from = 0; from + OWNER_SHARE.of <= 20; from++) {
      const window = shown.slice(from, from + OWNER_SHARE.of);
      expect(window.filter((id) => own.has(id)).length, String(from)).toBe(OWNER_SHARE.most);
    }
  });

  it("of a namespace of the MCP registry is bounded likewise, and nobody's without a known owner", async () => {
    const named = (platform: string, namespace: string, n: number) =>
      Array.from({ length: n }, (_, i) => ({
        ...{ name: `${platform} ${trade(i)}`, description: `Surveys fjords by ${trade(i)}.`, platform, owner: null },
        ...{ agentId: `${namespace}/${i}`, cred: platform === "mcp-registry" ? 40 : 30 },
      }));
    const all = await add([...named("mcp-registry", "com.crowd", 10), ...named("agentverse", "com.crowd", 10)]);
    const { hits } = await discover(database.pool, { q: "fjords", limit: 10 }, NOW);
    expect(hits.filter(({ directoryId }) => all.indexOf(directoryId) < 10)).toHaveLength(OWNER_SHARE.most);
  });

  it("is not used up by agents that others send to an owner, which hide none of its own either", async () => {
    const text =
      "Repairs tide mills on the coast of the northern sea, and keeps their wheels, gates and ponds in order from spring to autumn.";
    const [own] = await add([{ name: "Mill", description: `${text} Since long ago.`, owner: "0xvictim", cred: 30 }]);
    const gifts = await add(
      Array.from({ length: 4 }, (_, i) => ({
        ...{ name: `Gift ${trade(i)}`, owner: "0xvictim", cred: 60 },
        description: i === 0 ? `${text} Since not so long ago.` : `Repairs tide mills by ${trade(i)}.`,
      })),
    );
    const shown = () => idsOf("repairs tide mills");
    expect(await shown()).not.toContain(own);
    for (const id of gifts) await transfer(id, 0);
    expect((await shown()).toSorted()).toEqual([own, ...gifts].toSorted());
  });
});

describe("the uses of an agent", () => {
  it("that its registry counts weigh less than an endpoint that answers: whoever is used may use itself", async () => {
    const [used, lives] = await add([
      { name: "Tern", description: "Gauges trawl nets.", platform: "agentverse" },
      { name: "Skua", description: "Gauges trawl nets by sonar.", platform: "agentverse" },
    ]);
    await change(used, { uses: 1_000_000, used_at: NOW });
    await database.pool.query(
      `insert into offchain.offer_source (directory_id, kind, url, host, trust, status, failures, answered_at, checked_at, next_try_at, confirmed_by)
       values ($1, 'mcp', 'https://skua.example/mcp', 'skua.example', 20, 'read', 0, $2, $2, $2, 'host_file')`,
      [lives, NOW],
    );
    await touch([used!, lives!]);
    const { hits } = await ask("trawl nets");
    const living = hits.map(({ directoryId, factors }) => [
      directoryId,
      factors.find(({ key }) => key === "liveness")!.value,
    ]);
    expect(Object.fromEntries(living)).toEqual({ [used!]: 0.6, [lives!]: 0.7 });
  });
});

describe("the years of an agent", () => {
  const ageOf = async (id: number) => {
    const { hits } = await ask("ferrets");
    const { factors } = hits.find(({ directoryId }) => directoryId === id)!;
    return factors.find(({ key }) => key === "age")!;
  };

  it.each(["erc8004", "helixa"])("are not sold with it (%s)", async (platform) => {
    const [old] = await add([{ name: "Jill", description: "Trains ferrets.", age: 900, platform }]);
    await transfer(old!, 900, ZERO_ADDRESS);
    expect(await ageOf(old!)).toMatchObject({ value: 1, says: "It was registered 900 days ago." });
    await transfer(old!, 2);
    const says = "It was registered 900 days ago, and came to its present owner 2 days ago.";
    expect(await ageOf(old!)).toMatchObject({ value: 0.02, says });
  });
});

describe("a text", () => {
  const copies = async (ids: readonly number[]) => {
    const sql = "select directory_id as id from offchain.discovery_document where copy and directory_id = any($1)";
    return (await database.rows(sql, [ids])).map(({ id }) => id);
  };

  it("stays that of who had it first, though a registry lost the agent for a while", async () => {
    const text =
      "Weaves sails of flax for small boats and mends what storms have torn, on the quay, within the week that follows, for a price.";
    const later = new Date(+NOW + DAY_MS);
    const [first] = await add([{ name: "Sailmaker", description: "Waits.", platform: "agentverse", age: 9 }]);
    await change(first, { description: text });
    await follow();
    const [thief] = await add([{ name: "Loft", description: text, age: 90 }], later);
    expect(await copies([first!, thief!])).toEqual([thief]);
    await change(first, { removed_at: NOW });
    await follow(later);
    expect(await copies([first!, thief!])).toEqual([]);
    await change(first, { removed_at: null });
    await follow(new Date(+later + DAY_MS));
    expect(await copies([first!, thief!])).toEqual([thief]);
  });
});

describe("a name that is searched for", () => {
  it("is not that of a later agent, though no registry knows the owner of either", async () => {
    const of = { platform: "agentverse", owner: null };
    const [first, same, like] = await add([
      { ...of, name: "Zeppelin", description: "Steers airships over the lakes.", age: 300, cred: 30 },
      { ...of, name: "Zeppelin", description: "Sells tickets for balloon rides.", age: 20, cred: 32 },
      { ...of, name: "Zeppelin Official", description: "Prints posters of engines.", age: 20, cred: 32 },
    ]);
    expect(await idsOf("zeppelin")).toEqual([first]);
    expect([same, like]).toHaveLength(2);
  });
});
