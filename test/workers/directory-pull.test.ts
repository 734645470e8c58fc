/** Every simulated registry feeds the directory, and no fault of one loses or doubles a row. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Http, openHttp } from "../../clients/http.ts";
import type { Registry, RegistryPage } from "../../clients/ports.ts";
import {
  agentverseRegistry,
  mcpRegistryPages,
  virtualsRegistry,
  x402BazaarRegistry,
} from "../../clients/registries.ts";
import { SOURCES } from "../../core/terminal/sources.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { type RunningSimulators, startSimulators } from "../../devnet/simulators/server.ts";
import { type PullOptions, pullRegistry } from "../../workers/directory-pull.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { testLog } from "../support/log.ts";
import { plantOnchain } from "../support/onchain.ts";

const SCHEMA = `0x${"f".repeat(64)}`;
const MAKE: Record<string, (url: string, http: Http) => Registry> = {
  virtuals: (url, http) => virtualsRegistry(upstream(http, `${url}/virtuals`)),
  agentverse: (url, http) => agentverseRegistry(upstream(http, `${url}/agentverse`)),
  "mcp-registry": (url, http) => mcpRegistryPages(upstream(http, `${url}/mcp-registry`)),
  "x402-bazaar": (url, http) => x402BazaarRegistry(upstream(http, `${url}/x402-bazaar`)),
};
const upstream = (http: Http, baseUrl: string) =>
  http.upstream({ name: "It", baseUrl, rate: { burst: 10_000, perSecond: 10_000 }, maxBytes: 16_000_000 });

let simulators: RunningSimulators;
let db: TestDatabase;
let http: Http;
beforeAll(async () => {
  simulators = await startSimulators();
});
beforeEach(async () => {
  db = await testDatabase();
  await plantOnchain(db.pool);
  http = openHttp({ userAgent: "tests", patienceMs: 1_000, limits: { headersMs: 500, bodyMs: 500, totalMs: 1_000 } });
});
afterEach(async () => {
  await http?.close();
  await db?.drop();
});
afterAll(() => simulators?.stop());

const control = (method: string, path: string, body: unknown) =>
  fetch(`${simulators.url}/_control/${path}`, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then((answer) => expect(answer.status).toBe(200));
const plant = (source: string, body: unknown) => control("PUT", `registries/${source}/agents`, body);
const fault = (source: string, plan: object) => control("POST", "fail", { source, ...plan });

const readerOf = (source: string) => SOURCES.find(({ key }) => key === source)!;
function pull(source: string, options: PullOptions & { registry?: Registry; fault?: (point: string) => void } = {}) {
  const { registry = MAKE[source]!(simulators.url, http), fault = () => {}, ...rest } = options;
  const context = {
    db: db.pool,
    clock: () => new Date(),
    log: testLog(),
    fault,
    exchangeSchema: SCHEMA,
    chainId: 8453,
    everyMs: 1_000,
  };
  return pullRegistry(context, registry, readerOf(source), rest);
}
async function rows(source: string) {
  const { rows } = await db.pool.query(
    "select agent_id, name, cred_score, uses, trait_count from offchain.directory where platform = $1 and removed_at is null order by id",
    [source],
  );
  return rows as { agent_id: string; name: string; cred_score: number; uses: number; trait_count: number }[];
}

describe.each(SOURCES.map(({ key }) => key))("%s", (source) => {
  const COUNT = 430;

  it("feeds the directory, once each, and a second pull changes nothing", async () => {
    await plant(source, { generate: COUNT });
    const pages: number[] = [];
    expect(await pull(source, { onPage: ({ done }) => pages.push(done) })).toBe(COUNT);
    expect(pages).toEqual([100, 200, 300, 400, 430]);
    expect(await rows(source)).toHaveLength(COUNT);
    expect(new Set((await rows(source)).map((row) => row.agent_id)).size).toBe(COUNT);
    expect(await pull(source, { full: true })).toBe(0);
    expect((await pullProgress(db.pool)).find(({ key }) => key === source)).toMatchObject({
      running: false,
      error: null,
    });
  });

  it.each([
    ["429", { status: 429, times: 1 }],
    ["500", { status: 500, times: 1 }],
    ["HTML", { body: "<html>busy</html>", times: 1 }],
    ["another form", { body: { agents: "none", data: {} }, times: 1 }],
    ["a hang", { delayMs: 5_000, times: 1 }],
  ])("goes on from its page after %s", async (_, plan) => {
    await plant(source, { generate: COUNT });
    let pages = 0;
    const first = pull(source, {
      fault: () => {
        pages++;
      },
      registry: interrupted(MAKE[source]!(simulators.url, http), 3, () => fault(source, plan)),
    });
    await expect(first).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(pages).toBe(3);
    expect(await rows(source)).toHaveLength(300);
    await fault(source, { times: 0 });
    const rest: number[] = [];
    const again = openHttp({ userAgent: "tests", patienceMs: 1_000 });
    await pull(source, { registry: MAKE[source]!(simulators.url, again), onPage: ({ done }) => rest.push(done) });
    await again.close();
    expect(rest).toEqual([400, 430]);
    expect(await rows(source)).toHaveLength(COUNT);
  });

  it("lets go of what is no longer listed, but not when nearly everything is missing", async () => {
    await plant(source, { generate: COUNT });
    await pull(source);
    await plant(source, { generate: COUNT - 30 });
    expect(await pull(source, { full: true })).toBe(30);
    expect(await rows(source)).toHaveLength(COUNT - 30);
    await plant(source, []);
    expect(await pull(source, { full: true })).toBe(0);
    expect(await rows(source)).toHaveLength(COUNT - 30);
  });

  it("keeps apart what cannot be read, and what was known of it", async () => {
    await plant(source, { rows: [{ id: {}, nothing: true }], generate: 50 });
    expect(await pull(source)).toBe(50);
    const { rows: bad } = await db.pool.query("select source, reason, raw from offchain.directory_quarantine");
    expect(bad).toEqual([
      { source, reason: expect.stringMatching(/is not as expected\.$/), raw: { id: {}, nothing: true } },
    ]);
  });
});

/** A registry to which something happens before one of its pages. */
const interrupted = (registry: Registry, after: number, happen: () => Promise<unknown>): Registry => {
  let pages = 0;
  return {
    ...registry,
    async page(cursor, since) {
      if (pages++ === after) await happen();
      return registry.page(cursor, since);
    },
  };
};

it("a page that repeats ends the pull with what was read kept", async () => {
  await plant("virtuals", { generate: 300 });
  const registry = MAKE.virtuals!(simulators.url, http);
  const stuck: Registry = {
    incremental: false,
    page: async (cursor) => ({ ...((await registry.page(null, null)) as RegistryPage), next: Number(cursor ?? 1) + 1 }),
  };
  await expect(pull("virtuals", { registry: stuck })).rejects.toThrow("same page again");
  expect(await rows("virtuals")).toHaveLength(100);
  await pull("virtuals");
  expect(await rows("virtuals")).toHaveLength(300);
});

it("an agent listed twice is one row", async () => {
  const agent = { id: 5, name: "First", walletAddress: null };
  await plant("virtuals", [agent, { ...agent, name: "Second" }]);
  await pull("virtuals");
  expect(await rows("virtuals")).toMatchObject([{ agent_id: "5", name: "Second" }]);
});

it("Agentverse is swept from several sides when it has more than it gives", async () => {
  await plant("agentverse", { generate: 15_000 });
  await pull("agentverse");
  expect(await rows("agentverse")).toHaveLength(15_000);
}, 120_000);

it("paid resources are gathered by who is paid, across pages, and one that goes takes only itself", async () => {
  const payTo = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B";
  const resource = (i: number) => ({
    resource: `https://one.example/${i}`,
    description: `Number ${i}`,
    accepts: [{ network: i % 2 ? "base" : "eip155:8453", payTo }],
    quality: { l30DaysTotalCalls: i },
  });
  await plant(
    "x402-bazaar",
    Array.from({ length: 150 }, (_, i) => resource(i)),
  );
  await pull("x402-bazaar");
  expect(await rows("x402-bazaar")).toMatchObject([{ agent_id: payTo.toLowerCase(), uses: 11_175, trait_count: 150 }]);
  await plant(
    "x402-bazaar",
    Array.from({ length: 149 }, (_, i) => resource(i)),
  );
  await pull("x402-bazaar", { full: true });
  expect(await rows("x402-bazaar")).toMatchObject([{ uses: 11_026, trait_count: 149 }]);
});

it("the MCP registry is asked for what changed between two sweeps", async () => {
  await plant("mcp-registry", { generate: 120 });
  await pull("mcp-registry");
  const asked: (string | null)[] = [];
  const registry = MAKE["mcp-registry"]!(simulators.url, http);
  await pull("mcp-registry", {
    registry: {
      ...registry,
      page(cursor, since) {
        asked.push(since);
        return registry.page(cursor, since);
      },
    },
  });
  expect(asked[0]).toMatch(/^20\d\d-/);
  expect(await rows("mcp-registry")).toHaveLength(120);
});
