/** Keyed reads share statements: nobody gets another answer for it, and a failure reaches everyone who waited for it. */
import type pg from "pg";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { siteOf } from "../../api/deps.ts";
import { referenceApp } from "../../bench/reads/reference-app.ts";
import { checksum } from "../../core/addresses.ts";
import type { Address, AgentFacts, AgentRef } from "../../core/agents/facts.ts";
import { findFacts } from "../../db/agents/facts.ts";
import { factsReader } from "../../db/agents/facts-reader.ts";
import { openClient, openPool } from "../../db/sql/connect.ts";
import { LONG } from "../../harness/patience.ts";
import { randomAgents } from "../support/agents.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { deepIt } from "../support/share.ts";
import { apiForFile, apiForTest } from "./support/api.ts";
import { raw } from "./support/raw.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const OWN = { identity: `0x${"1d".repeat(20)}` as Address };
const { seed } = inject("fuzz");
const agents = randomAgents(60, NOW, seed);
const ids = agents.map(({ facts }) => facts.tokenId);

const api = apiForFile({ now: () => NOW.getTime() }, { provoked: true });
beforeAll(() => plantAgents(api.pool, agents));

/** Picks as the seed says. */
function picker(start: number) {
  let state = start;
  return <T>(among: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return among[(state >> 8) % among.length]!;
  };
}

const wallets = agents.map(({ facts }) => facts.agentAddress);
const UNKNOWN: AgentRef[] = [
  { tokenId: 1_000_000 },
  { tokenId: Number.MAX_SAFE_INTEGER },
  { address: `0x${"9".repeat(40)}` },
];
const REFS: AgentRef[] = [
  ...ids.map((tokenId) => ({ tokenId })),
  ...wallets.map((address) => ({ address })),
  ...UNKNOWN,
];

/** What a read of its own gives. */
async function alone(ref: AgentRef): Promise<AgentFacts | null> {
  if ("address" in ref) {
    const rows = await api.sql`select token_id from onchain.agent where agent_address = ${ref.address}
      order by token_id limit 1`;
    return rows[0] ? alone({ tokenId: Number(rows[0].token_id) }) : null;
  }
  return (await findFacts(api.pool, [ref], OWN))[0] ?? null;
}

/** The lines of an answer, headers in any order and case: nothing promises either. */
const sorted = (answer: string) => {
  const [head = "", ...body] = answer.split("\r\n\r\n");
  return [...head.toLowerCase().split("\r\n").sort(), ...body];
};

/** A pool whose statements are noted. */
function noted(pool: pg.Pool) {
  const batches: [number[], Address[], Address][] = [];
  const query = (config: { values: [number[], Address[], Address] }) => {
    batches.push(config.values);
    return pool.query(config as never);
  };
  return { batches, pool: { query } as unknown as pg.Pool };
}

describe("the reader", () => {
  it("gives everyone what a read of its own would have given", async () => {
    const pick = picker(seed);
    const expected = new Map(await Promise.all(REFS.map(async (ref) => [ref, await alone(ref)] as const)));
    const read = factsReader(api.pool, OWN);
    for (let round = 0; round < 20; round++) {
      const asked = Array.from({ length: 1 + pick([0, 3, 40, 250]) }, () => pick(REFS));
      const answers = await Promise.all(asked.map(read));
      expect(answers, `seed ${seed}, round ${round}`).toEqual(asked.map((ref) => expected.get(ref)));
    }
  });

  it("puts what is asked for in one turn into one statement, each agent once", async () => {
    const { batches, pool } = noted(api.pool);
    const read = factsReader(pool, OWN);
    const [one, same] = await Promise.all([read({ tokenId: 3 }), read({ tokenId: 3 }), read({ address: wallets[4]! })]);
    expect(same).toBe(one);
    expect(batches).toEqual([[[3], [wallets[4]], OWN.identity]]);
  });

  it("asks anew for whoever comes after a statement has left", async () => {
    const read = factsReader(api.pool, OWN);
    const early = read({ tokenId: 5 });
    await new Promise((done) => setImmediate(() => setImmediate(done)));
    await api.sql("update onchain.agent set name = 'Renamed' where token_id = 5");
    expect((await read({ tokenId: 5 }))!.name).toBe("Renamed");
    expect((await early)!.tokenId).toBe(5);
  });

  it("cuts what is too much for one statement, and has few under way", async () => {
    const { batches, pool } = noted(api.pool);
    const read = factsReader(pool, OWN, { most: 10, atOnce: 2 });
    const facts = await Promise.all(ids.slice(0, 45).map((tokenId) => read({ tokenId })));
    expect(facts.map((f) => f!.tokenId)).toEqual(ids.slice(0, 45));
    expect(batches.map(([tokenIds]) => tokenIds.length)).toEqual([10, 10, 10, 10, 5]);
  });

  it("fails for everyone whose statement failed, and works again afterwards", async () => {
    let away = true;
    const read = factsReader(
      {
        query: (config: never) => (away ? Promise.reject(new Error("connection terminated")) : api.pool.query(config)),
      } as unknown as pg.Pool,
      OWN,
    );
    const asked = [1, 2, 2, 3].map((tokenId) => read({ tokenId }));
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe("rejected");
    away = false;
    expect((await read({ tokenId: 2 }))!.tokenId).toBe(2);
  });

  it("plans its statement once, however many agents are asked for", async () => {
    const client = openClient({ connectionString: api.database.url });
    await client.connect();
    onTestFinished(() => client.end());
    for (let i = 0; i < 12; i++) await findFacts(client, REFS.slice(i, i + 1 + (i % 3)), OWN);
    const { rows } = await client.query(
      "select generic_plans::int as kept, custom_plans::int as made from pg_prepared_statements where name = 'facts-find'",
    );
    // PostgreSQL tries five plans made for the values before it compares.
    expect(rows).toEqual([{ kept: 7, made: 5 }]);
  });
});

describe("over HTTP", () => {
  deepIt("a crowd asking at once gets the answers it would get one by one", async () => {
    const paths = [...ids, ...wallets.map(checksum), 1_000_000, `0x${"9".repeat(40)}`].flatMap((ref) =>
      ["", "/cred", "/verifications"].map((rest) => `/api/v2/agent/${ref}${rest}`),
    );
    const single = new Map<string, { status: number; text: string }>();
    for (const path of paths) {
      const { status, text } = await api.get(path);
      single.set(path, { status, text });
    }
    const pick = picker(seed + 1);
    const asked = Array.from({ length: 300 }, () => pick(paths));
    const answers = await Promise.all(asked.map((path) => api.get(path)));
    for (const [i, { status, text }] of answers.entries()) {
      const expected = single.get(asked[i]!)!;
      expect(status, `seed ${seed} ${asked[i]}`).toBe(expected.status);
      if (status === 200) expect(text).toBe(expected.text);
    }
    expect(answers.some(({ status }) => status === 404)).toBe(true);
  });

  it("a database that is away is 503 for everyone", async () => {
    const db = openPool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: LONG });
    const test = await apiForTest({ deps: { db } });
    const answers = await Promise.all([0, 1, 1, 2, 3].map((id) => test.get(`/api/v2/agent/${id}`)));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 5 }, () => [503, "upstream_unavailable"]),
    );
    await db.end();
  });

  it("paths that take the long way are answered alike", async () => {
    const short = await api.get("/api/v2/agent/3");
    const head = (answer: string) => answer.replace(/^(?:x-request-id|ratelimit|date): .*\r\n/gim, "");
    const ask = async (target: string, host = "agents.test") =>
      head(await raw(api.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
    const expected = await ask("/api/v2/agent/3");
    expect(Buffer.from(expected, "latin1").toString()).toContain(short.text);
    for (const target of [
      "/api/v2/agent/%33",
      "/api/v2/x/../agent/3",
      "/api/v2/./agent/3",
      "http://agents.test/api/v2/agent/3",
    ])
      expect([target, sorted(await ask(target))]).toEqual([target, sorted(expected)]);
    expect(sorted(await ask("/api/v2/agent/3", "[::1]:80"))).toEqual(sorted(expected));
    expect((await api.get("/api/v2/agent/3/")).status).toBe(200);
    expect((await api.get("//api/v2/agent/3")).status).toBe(404);
  });
});

deepIt("the reference that is measured beside the service answers the same", async () => {
  const db = openPool({ connectionString: api.database.url, options: "-c search_path=onchain,offchain,public" });
  const app = referenceApp(db, siteOf(api.deps.config), api.deps.index.block, () => NOW);
  for (const id of ids) {
    const answer = await app.request(`/api/v2/agent/${id}`);
    expect(await answer.json(), `seed ${seed}`).toEqual((await api.get(`/api/v2/agent/${id}`)).body);
  }
  await db.end();
});
