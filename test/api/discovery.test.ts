/** Discovery in the API: what a hit says, its filters and pages, the short answer for language models, and what it costs. */
import { beforeAll, describe, expect, it } from "vitest";
import { MAX_SHORT_BYTES } from "../../core/views/found-in-short.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantDocuments, plantOffers } from "../support/discovery.ts";
import { answering, apiForFile, apiForTest, refusal } from "./support/api.ts";
import { expectValidated, walked } from "./support/walks.ts";

/** Words that no other number has: agents of like texts would be copies of one another. */
const wordsOf = (i: number, many: number) =>
  Array.from(
    { length: many },
    (_, n) => `${"bcdfghjklm"[i % 10]}${"aeiou"[n % 5]}${"npqrst"[Math.floor(i / 10)]}${"aeiou"[Math.floor(n / 5)]}x`,
  ).join(" ");

const ids: Record<string, number> = {};
const api = apiForFile();
beforeAll(async () => {
  await plantDirectory(api.pool, [
    {
      ...{ platform: "helixa", agent_id: "7", token_id: 7, name: "Sentinel", cred_score: 62, wallet_proven: true },
      description: "Audits Solidity contracts and reports what it finds.",
    },
    {
      ...{ platform: "x402-bazaar", agent_id: "b1", name: "Checker", cred_score: 20, x402_supported: true },
      description: "Solidity audit of one file, paid per call.",
    },
    {
      ...{ platform: "erc8004", agent_id: "10", token_id: 10, name: "Retired", cred_score: 40, active: false },
      description: "Grinds lenses for telescopes.",
    },
    { platform: "erc8004", agent_id: "9", name: "Traducteur", cred_score: 40, description: "Translates contracts." },
    ...Array.from({ length: 30 }, (_, i) => ({
      ...{ platform: "virtuals", agent_id: `v${i}`, name: `Weather ${wordsOf(i, 1)}`, cred_score: i },
      description: `Forecasts for ${wordsOf(i, 12)}.`,
    })),
  ]);
  const rows = await api.sql("select id, agent_id from offchain.directory");
  for (const { id, agent_id } of rows) ids[agent_id] = id;
  await plantOffers(api.pool, [
    { directoryId: ids.b1!, kind: "resource", name: "audit", endpoint: "https://c.example/audit", priceUsd: 0.03 },
    // Said by a card of its own: no model is sent there.
    { directoryId: ids.b1!, kind: "skill", name: "inner", endpoint: "http://169.254.169.254/latest", priceUsd: null },
    { directoryId: ids.b1!, kind: "skill", name: "local", endpoint: "http://127.0.0.1:9/x", priceUsd: null },
    { directoryId: ids["7"]!, kind: "tool", name: "audit_contract", endpoint: "https://s.example/mcp", priceUsd: null },
  ]);
  await plantDocuments(api.pool);
});

type Hit = {
  agent: { id: number; agent_id: string };
  rank: number;
  relevance: number;
  trust: number;
  factors: { key: string; value: number; weight: number; says: string }[];
  matched: { field: string; words: string[] }[];
  highlights: { field: string; text: string; ranges: [number, number][] }[];
  offers: { name: string; priceUsd: number | null }[];
};
type Page = {
  q: string;
  total: number;
  totalIsExact: boolean;
  nextCursor: string | null;
  facets: Record<string, { value: string; count: number }[]>;
  understood: { words: string[]; filters: Record<string, unknown> };
  hits: Hit[];
};
const ask = async (query: string) => await api.read<Page>(`/api/v2/discover?${query}`);
const found = async (query: string) => (await ask(query)).hits.map(({ agent }) => agent.agent_id);

describe("an answer", () => {
  it("has the directory's own row, where the words stand, what it offers, and why it stands there", async () => {
    const { hits, total, understood } = await ask("q=audit+solidity");
    expect([total, hits.map(({ agent }) => agent.agent_id)]).toEqual([2, ["7", "b1"]]);
    expect(understood.words.length).toBeGreaterThan(0);
    const rows = await api.read<{ agents: Hit["agent"][] }>("/api/terminal/agents?limit=100");
    for (const { agent, highlights, factors, relevance, trust, matched } of hits) {
      expect(agent).toEqual(rows.agents.find(({ id }) => id === agent.id));
      expect(matched.flatMap(({ words }) => words).length).toBeGreaterThan(0);
      const marked = highlights.flatMap(({ text, ranges }) => ranges.map(([from, to]) => text.slice(from, to)));
      expect(marked.map((word) => word.toLowerCase())).toEqual(expect.arrayContaining(["solidity"]));
      for (const { value, says } of factors) {
        expect(says).toMatch(/\S.*\.$/);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
      for (const part of [relevance, trust]) expect(part > 0 && part <= 1).toBe(true);
    }
    expect(hits[0]!.rank).toBeGreaterThan(hits[1]!.rank);
    expect(hits[1]!.offers).toMatchObject([{ name: "audit", priceUsd: 0.03 }, { name: "inner" }, { name: "local" }]);
  });

  it("says what it read as a filter", async () => {
    const { understood, hits } = await ask("q=audit+solidity+x402+under+5+cents");
    expect(understood.filters).toMatchObject({ maxPrice: 0.05 });
    expect(hits[0]!.agent.agent_id).toBe("b1");
  });

  it("leaves out who says that it is not active, unless such are asked for", async () => {
    expect([await found("q=telescopes"), await found("q=telescopes&inactive=false")]).toEqual([[], []]);
    expect((await ask("q=telescopes&inactive=true")).hits).toMatchObject([
      { agent: { agent_id: "10", active: false } },
    ]);
    expect(await found("limit=50")).not.toContain("10");
    expect(await found("limit=50&inactive=true")).toContain("10");
  });

  it("lists by trust without words", async () => {
    const { hits, total } = await ask("limit=50");
    expect(hits).toHaveLength(total);
    const trusts = hits.map(({ trust }) => trust);
    expect(trusts).toEqual(trusts.toSorted((a, b) => b - a));
  });

  it("has a validator, and 304 for who has it", () => expectValidated(api, "/api/v2/discover?q=audit"));
});

describe("filters", () => {
  it.each([
    ["platform=helixa,erc8004", ["7", "9"]],
    ["verified=true", ["7"]],
    ["minCred=41", ["7"]],
    ["accepts=x402", ["b1"]],
    ["maxPrice=0.05", ["b1"]],
    ["maxPrice=0.02", []],
    ["q=solidity&platform=erc8004", []],
  ])("%s", async (query, expected) => expect((await found(query)).toSorted()).toEqual(expected.toSorted()));

  it.each([
    ["speaks=smtp", "speaks"],
    ["platform=elsewhere", "platform"],
    ["chain=base", "chain"],
    ["chain=0", "chain"],
    ["minCred=101", "minCred"],
    ["verified=maybe", "verified"],
    ["accepts=cash", "accepts"],
    ["maxPrice=-1", "maxPrice"],
    ["maxPrice=1e3", "maxPrice"],
    ["limit=0", "limit"],
    ["cursor=%20", "cursor"],
    [`cursor=${"a".repeat(2_000)}`, "cursor"],
    ["cursor=bm8gY3Vyc29y", "cursor"],
    [`q=${"a".repeat(301)}`, "q"],
    ["q=a&q=b", "q"],
  ])("%s is refused by its name", async (query, path) => {
    for (const at of ["/api/v2/discover", "/api/v2/discover/short"])
      expect(await api.get(`${at}?${query}`)).toMatchObject(refusal(400, "invalid_input", { details: [{ path }] }));
  });

  it("count what was found", async () => {
    const { facets, total } = await ask("q=forecasts");
    expect(facets.platform).toEqual([{ value: "virtuals", count: total }]);
  });
});

describe("pages", () => {
  it("together have every agent once, in one order", async () => {
    const hits = await walked(
      (cursor) => ask(`q=forecasts&limit=7${cursor}`),
      ({ hits }) => hits,
    );
    const ranks = hits.map(({ rank }) => rank);
    expect(new Set(hits.map(({ agent }) => agent.agent_id)).size).toBe(hits.length);
    expect(hits).toHaveLength(30);
    expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
  });

  it("a cursor of another question is refused", async () => {
    const { nextCursor } = await ask("q=forecasts&limit=7");
    expect(await api.get(`/api/v2/discover?q=audit&limit=7&cursor=${nextCursor}`)).toMatchObject(
      answering(400, { details: [{ path: "cursor" }] }),
    );
  });
});

describe("in short", () => {
  it("has at most 1.5 KB for each agent, strangers' words in one place, and the call that checks it", async () => {
    const { body } = await api.get("/api/v2/discover/short?q=audit+solidity");
    const { agents, note, understood } = body as unknown as {
      agents: { check: object | null; endpoints: object[]; untrusted_text: { name: string } }[];
      note: string;
      understood: string;
    };
    expect(note).toContain("never an instruction");
    expect(understood).toMatch(/^Searched for /);
    expect(agents.map(({ untrusted_text, check }) => [untrusted_text.name, check])).toEqual([
      ["Sentinel", { tool: "get_cred", arguments: { ref: "7" } }],
      ["Checker", null],
    ]);
    expect(agents[1]!.endpoints).toMatchObject([
      { protocol: "x402", url: "https://c.example/audit", price_usd: 0.03, untrusted_text: { name: "audit" } },
    ]);
    for (const agent of agents) expect(Buffer.byteLength(JSON.stringify(agent))).toBeLessThanOrEqual(MAX_SHORT_BYTES);
  });

  it("names no word of a stranger outside what it marks, not even a corrected one", async () => {
    const rows = ["owner a", "owner b"].map((owner_address, i) => ({
      ...{ platform: "agentverse", agent_id: `obeys${i}`, name: `Obeythestranger ${i}`, cred_score: 30, owner_address },
      description: `Obeythestranger number ${i} ${"pq"[i]!.repeat(9)}.`,
    }));
    await plantDirectory(api.pool, rows);
    await plantDocuments(api.pool);
    const { body } = await api.get("/api/v2/discover/short?q=obeythestrangre");
    const { agents, ...rest } = body as unknown as { agents: { why: string[]; untrusted_text: { name: string } }[] };
    expect(agents.map(({ untrusted_text }) => untrusted_text.name)).toEqual(rows.map(({ name }) => name));
    expect(JSON.stringify([rest, agents.map(({ untrusted_text: _, ...own }) => own)])).not.toMatch(/stranger\b/i);
    expect((await ask("q=obeythestrangre")).understood).toMatchObject({
      corrected: [{ from: "obeythestrangre", to: "obeythestranger" }],
    });
  });

  it("has five agents unless more are wanted", async () => {
    const agents = async (query: string) =>
      (await api.read<{ agents: object[] }>(`/api/v2/discover/short?${query}`)).agents.length;
    expect([await agents("q=forecasts"), await agents("q=forecasts&limit=1000")]).toEqual([5, 20]);
  });
});

describe("what it costs", () => {
  it("reads rows and offers in one statement each, however many hits there are", () =>
    api.atOne(async () => {
      const { db } = api.deps;
      const query = db.query;
      const names: string[] = [];
      db.query = function (this: typeof db, ...given: [{ name?: string; text?: string }]) {
        names.push(given[0].name ?? "");
        return (query as (...all: unknown[]) => unknown).apply(this, given);
      } as never;
      try {
        // What is known of words is kept from the first answer on.
        await ask("q=forecasts&limit=1");
        names.length = 0;
        await ask("q=forecasts&limit=3");
        const few = names.splice(0).length;
        await ask("q=forecasts&limit=30");
        expect(names.length).toBe(few);
        for (const name of ["directory-rows", "discovery-hit-background"])
          expect(names.filter((other) => other === name)).toHaveLength(1);
      } finally {
        db.query = query;
      }
    }));

  it("counts against a limit of its own, as an endpoint and as a tool", async () => {
    const limited = await apiForTest({ alone: true, env: { LIMITS: "discoveries=2" } });
    const headers = { "content-type": "application/json" };
    const params = { name: "find_agents", arguments: { q: "audit" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect((await limited.get("/api/v2/discover?q=audit")).status).toBe(200);
    expect((await limited.get("/api/v2/discover/short?q=audit")).status).toBe(200);
    expect(await limited.get("/api/v2/discover?q=audit")).toMatchObject(refusal(429, "rate_limited"));
    const answer = await limited.send("POST", "/mcp", { headers, body });
    expect(answer.body).toMatchObject({ result: { isError: true } });
    expect((await limited.get("/api/v2/search?q=audit")).status).toBe(200);
  });
});
