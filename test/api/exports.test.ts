/** Exports of the directory: whole and in order, and few at a time, so that other reads go on beside them. */
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { type SliceTimeouts, slicedBody } from "../../api/http/sliced-body.ts";
import type { TurnPool } from "../../db/sql/turn-pool.ts";
import { listen } from "../../harness/listen.ts";
import { testLog } from "../../harness/log.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { apiForFile } from "./support/api.ts";
import { plantApiKey } from "./support/plants.ts";

const ROWS = 10_050;
const MOST = 10_000;

const api = apiForFile({
  alone: true,
  env: { TRUSTED_PROXIES: "127.0.0.1" },
  // As many connections as the service has.
  pool: { max: 10 },
});
beforeAll(async () => {
  await api.sql`insert into offchain.directory (platform, agent_id, name, description, cred_score)
    select 'virtuals', i::text, 'Agent ' || i, repeat('says "hi", ', 40), i % 90 from generate_series(1, ${ROWS}) i`;
});

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const EXPORT = "/api/terminal/agents.json";

/** While statements that read whole rows of the directory wait, `work` runs. */
async function whileRowsWait<T>(work: () => Promise<T>): Promise<T> {
  const client = await api.pool.connect();
  await client.query("begin; lock table offchain.ethos_score in access exclusive mode");
  try {
    return await work();
  } finally {
    await client.query("commit");
    client.release();
  }
}
const statements = async () => {
  const rows = await api.sql(`select count(*)::int4 as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%json_agg(shown)%'`);
  return rows[0].n as number;
};

describe("exports", () => {
  it("of one address at once leave every other address its reads: one runs, the rest are refused at once", async () => {
    const asked = await whileRowsWait(async () => {
      const asked = Array.from({ length: 30 }, () => api.get(EXPORT, from("10.0.0.1")));
      await until("an export reads", async () => (await statements()) > 0);
      // Fewer than the connections: more would wait for one, and be refused where that takes long.
      const reads = Array.from({ length: 8 }, (_, i) => api.get("/api/v2/agents?limit=1", from(`10.0.1.${i}`)));
      expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
      return asked;
    });
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(refused).toHaveLength(29);
    for (const { headers, body } of refused)
      expect([Number(headers.get("retry-after")) > 0, body.code]).toEqual([true, "rate_limited"]);
  });

  it("of many networks run three at a time, and API keys keep a part", async () => {
    const key = await plantApiKey(api.pool, "exportskey", ["read"]);
    const asked = await whileRowsWait(async () => {
      const asked = ["10.0.2", "10.0.3", "10.0.4"].map((network) =>
        Array.from({ length: 20 }, (_, i) => api.get(EXPORT, from(`${network}.${i}`))),
      );
      await until("three of them read", async () => (await statements()) === 3);
      expect((await api.get("/api/v2/agents?limit=1", from("10.0.1.1"))).status).toBe(200);
      await until("the others are refused", async () => (await Promise.race([asked[2]![19], "waits"])) !== "waits");
      expect(await statements()).toBe(3);
      expect((await api.get(EXPORT, from("10.0.5.1"))).status).toBe(503);
      return [...asked, [api.get(EXPORT, { headers: { "x-api-key": key, ...from("10.0.2.1").headers } })]];
    });
    const outcomes = await Promise.all(asked.map((some) => Promise.all(some)));
    const numbers = outcomes.map((some) => some.filter(({ status }) => status === 200).length);
    expect(numbers).toEqual([14, 14, 2, 1]);
    const refused = outcomes.flat().filter(({ status }) => status !== 200);
    for (const { headers, body } of refused)
      expect([Number(headers.get("retry-after")) > 0, /rate_limited|overloaded/.test(String(body.code))]).toEqual([
        true,
        true,
      ]);
  });

  it("hold no connection while their reader takes nothing, and give their place back when it goes", async () => {
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1", () =>
      socket.write(`GET ${EXPORT} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.0.3.1\r\n\r\n`),
    );
    await new Promise((done) => socket.once("readable", done));
    const again = () => api.get(`${EXPORT}?filter=new`, from("10.0.3.1"));
    // The buffers of both sides fill, and then no statement runs though the export has not ended.
    const { db } = api.deps;
    let idle = 0;
    await until("it stands still", () => {
      idle = db.idleCount === db.totalCount ? idle + 1 : 0;
      return idle === 20;
    });
    expect((await again()).status).toBe(429);
    socket.destroy();
    await until("its place is free", async () => (await again()).status === 200);
  });

  it("have every row once, in the order of one moment, while rows move", async () => {
    const read = api.get(`${EXPORT}?sort=cred_score`, from("10.0.4.1"));
    const move = async () => {
      for (let i = 0; i < 5; i++)
        await api.sql("update offchain.directory set cred_score = 89 - cred_score where agent_id::int8 % 100 = $1", i);
    };
    const [{ body, headers }] = await Promise.all([read, move()]);
    const rows = body as never as { id: number; cred_score: number }[];
    expect(rows).toHaveLength(MOST);
    expect(headers.get("x-total-count")).toBe(String(ROWS));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(MOST);
    const { text } = await api.get("/api/terminal/agents.csv?sort=name", from("10.0.4.2"));
    expect(text.split("\r\n")).toHaveLength(1 + MOST + 1);
  });
});

describe("while the database has more to do than it can", () => {
  const post = (path: string, body: object) =>
    api.write("POST", path, body, { accept: "application/json, text/event-stream" });
  const call = { name: "search_agents", arguments: {} };

  it("calls of tools, events and claims are refused as reads are", async () => {
    const db = api.deps.db as TurnPool;
    const taken = await Promise.all(Array.from({ length: 10 }, () => db.connect()));
    const heldSince = performance.now();
    const waiting = Array.from({ length: 2_000 }, () => db.query("select 1").catch(() => {}));
    try {
      // A connection that is held for 100 ms makes two thousand that wait for one wait for 20 s.
      await until("the connections are held long enough", () => performance.now() - heldSince > 100);
      // Whoever waits already has all the time there is; whoever comes now has less.
      db.options.turnMs = NEVER;
      const refused = await Promise.all([
        post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
        post("/a2a", { jsonrpc: "2.0", id: 1, method: "message/send", params: {} }),
        api.get("/api/v2/events/log"),
        post("/api/terminal/agent/1/token", { token_symbol: "A" }),
      ]);
      expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [503, "overloaded"]));
    } finally {
      db.options.turnMs = LONG;
      for (const client of taken) client.release();
      await Promise.all(waiting);
    }
  });
});

describe("an answer in slices", () => {
  /** A server whose answers are slices without end. */
  async function endless(patience: SliceTimeouts) {
    let read = 0;
    const ended = Promise.withResolvers<void>();
    async function* slices() {
      for (;;) {
        read++;
        yield "x".repeat(100_000);
      }
    }
    const { port, close } = await listen(async (_request, response) => {
      const { stream } = await slicedBody(slices(), testLog(), patience);
      response.once("close", ended.resolve);
      response.writeHead(200);
      stream(response);
    });
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    socket.on("error", () => {});
    return { socket, read: () => read, ended: ended.promise, close };
  }

  it("is read no further than its client takes it, and ended when the client takes nothing for a while", async () => {
    const { socket, read, ended, close } = await endless({ stallMs: NEVER, total: () => AbortSignal.timeout(LONG) });
    await ended;
    // What the kernel keeps for both sides, and no more.
    expect(read()).toBeLessThan(1_000);
    socket.destroy();
    close();
  });

  it("ends after its time however fast its client is", async () => {
    const time = new AbortController();
    const { socket, ended, close } = await endless({ stallMs: LONG, total: () => time.signal });
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    await until("it is being sent", () => bytes > 100_000);
    time.abort();
    await ended;
    close();
  });

  it("is cut where its next slice cannot be read, so that it does not pass for a whole one", async () => {
    async function* slices() {
      yield "[1";
      throw new Error("the database is away");
    }
    const server = await listen(async (_request, response) => {
      const { stream } = await slicedBody(slices(), testLog());
      response.writeHead(200);
      stream(response);
    });
    const answer = await fetch(server.url);
    await expect(answer.text()).rejects.toThrow();
    server.close();
  });
});
