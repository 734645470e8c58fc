/** Every simulated registry feeds the directory: each row once, resumable at every page, unchanged pages unread. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Registry } from "../../clients/ports.ts";
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { claimRuns } from "../../db/operations/job-runs.ts";
import { openPool } from "../../db/sql/connect.ts";
import { testLog } from "../../harness/log.ts";
import type { JobContext } from "../../workers/context.ts";
import { directoryPull } from "../../workers/directory/directory-pull.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { bodyOf, pageSizeOf, readerOf, readPage, registryWorld } from "./support/registries.ts";

const COUNT = 230;
const KEYS = REGISTRY_READERS.map(({ key }) => key);

const world = perFile(() => registryWorld({ registered: COUNT }));
beforeEach(() => world.clear());

/** Items that a pull has after each page. */
const pagesOf = (source: string) => {
  const pageSize = pageSizeOf(source);
  const pages = Math.ceil(COUNT / pageSize);
  return Array.from({ length: pages }, (_, page) => Math.min(COUNT, (page + 1) * pageSize));
};
const progressOf = async (source: string) => (await pullProgress(world.db.pool)).find(({ key }) => key === source)!;
const namesById = async (source: string) => (await world.rows(source)).map(({ agentId, name }) => [agentId, name]);

describe.each(KEYS)("%s", (source) => {
  it("feeds the directory, once each, and a second pull changes nothing", async () => {
    await world.plant(source, { generate: COUNT });
    const pages: number[] = [];
    expect(await world.pull(source, { onPage: ({ done }) => pages.push(done) })).toBe(COUNT);
    expect(pages).toEqual(pagesOf(source));
    expect(await world.rows(source)).toEqual(await world.truth(source));
    expect(await world.pull(source, { full: true })).toBe(0);
    expect(await progressOf(source)).toMatchObject({ running: false, error: null, done: COUNT });
  });

  it("goes on from its page, whenever a pull was cut off", async () => {
    await world.plant(source, { generate: COUNT });
    const stop = () => expect.fail("cut off");
    const seen: number[] = [];
    for (const rows of pagesOf(source)) {
      const cut = world.pull(source, { fault: stop, onPage: ({ done }) => seen.push(done) });
      await expect(cut).rejects.toThrow("cut off");
      expect(await world.rows(source)).toHaveLength(rows);
    }
    // What was cut off last is the end itself: no page is asked for again.
    const none = { ...world.registry(source), page: () => Promise.reject(new Error("asked again")) };
    await world.pull(source, { registry: none });
    expect(seen).toEqual(pagesOf(source));
    expect(await world.rows(source)).toEqual(await world.truth(source));
  });

  it("lets go of what two sweeps have not seen, but not when nearly everything is missing", async () => {
    await world.plant(source, { generate: COUNT });
    await world.pull(source);
    await world.plant(source, { generate: COUNT - 30 });
    expect(await world.pull(source, { full: true })).toBe(0);
    expect(await world.pull(source)).toBe(30);
    const left = await world.db.pool.query(sql`select count(*)::int4 as n from offchain.directory_item
      where source = ${source}`);
    expect(left.rows[0].n).toBe(COUNT - 30);
    await world.plant(source, []);
    for (let sweep = 0; sweep < 3; sweep++) expect(await world.pull(source, { full: true })).toBe(0);
    expect((await progressOf(source)).note).toBe("The sweep saw 0 of 200 known items, so nothing is taken for gone.");
  });

  it("keeps apart what cannot be read, and what was known of it", async () => {
    await world.plant(source, { rows: [{ id: {}, nothing: true }], generate: 50 });
    expect(await world.pull(source)).toBe(50);
    const { rows: bad } = await world.db.pool.query("select source, reason, raw from offchain.directory_quarantine");
    expect(bad).toEqual([
      { source, reason: expect.stringMatching(/is not as expected\.$/), raw: { id: {}, nothing: true } },
    ]);
  });
});

describe.each(KEYS.filter((key) => key !== "agentverse"))("unchanged pages of %s", (source) => {
  /** Pulls everything, counting the items that are read. */
  async function readBy(options: object = {}): Promise<number> {
    const reader = readerOf(source);
    let read = 0;
    const counting = {
      ...reader,
      read(raw: unknown) {
        read++;
        return reader.read(raw);
      },
    };
    await world.pull(source, { full: true, reader: counting, ...options });
    return read;
  }

  it("are neither read nor lost; a page that changed is read alone", async () => {
    await world.plant(source, { generate: COUNT });
    await readBy();
    for (let sweep = 0; sweep < 3; sweep++) expect(await readBy()).toBe(0);
    expect(await progressOf(source)).toMatchObject({ done: COUNT, error: null });
    expect(await world.rows(source)).toEqual(await world.truth(source));
    const pages = [
      await bodyOf(world, source, 0),
      await bodyOf(world, source, 1),
      await bodyOf(world, source, 2),
    ] as const;
    await world.plant(source, [...pages[0].rows, ...pages[1].rows.toReversed(), ...pages[2].rows]);
    expect(await readBy()).toBe(100);
    expect(await world.rows(source)).toEqual(await world.truth(source));
  });

  it("are read when what they hold is not there any more", async () => {
    await world.plant(source, { generate: COUNT });
    await readBy();
    const whole = await world.rows(source);
    // A list that was shorter for a while forgets the pages behind its end: they come back as they were.
    await world.plant(source, { generate: COUNT - 100 });
    for (let sweep = 0; sweep < 2; sweep++) await readBy();
    expect(await world.rows(source)).toHaveLength(readerOf(source).enriches ? COUNT : COUNT - 100);
    await world.plant(source, { generate: COUNT });
    await readBy();
    expect(await world.rows(source)).toEqual(whole);
    await world.db.pool.query(
      "delete from offchain.directory_item where source_id in (select source_id from offchain.directory_item limit 5)",
    );
    expect(await readBy()).toBeGreaterThan(0);
    expect(await namesById(source)).toEqual(whole.map(({ agentId, name }) => [agentId, name]));
  });
});

it("pages that never end are an end of the pull, not of the worker", async () => {
  await world.plant("virtuals", { generate: 300 });
  const registry = world.registry("virtuals");
  let made = 0;
  const endless: Registry = {
    incremental: false,
    page: async (cursor) => ({ ...(await readPage(registry, null)), next: Number(cursor ?? 1) + 1 }),
  };
  const circling: Registry = {
    incremental: false,
    async page(cursor) {
      const at = Number(cursor ?? 0);
      return {
        items: [{ id: 1 + (made++ % 3), name: "Made up" }],
        next: (at + 1) % 3,
        expected: null,
        validators: null,
      };
    },
  };
  await expect(world.pull("virtuals", { registry: endless })).rejects.toThrow("same page again");
  await expect(world.pull("virtuals", { registry: circling })).rejects.toThrow("never end");
  await world.pull("virtuals");
  expect(await world.rows("virtuals")).toHaveLength(300);
});

it("an agent listed twice is one row", async () => {
  const agent = { id: 5, name: "First", walletAddress: null };
  await world.plant("virtuals", [agent, { ...agent, name: "Second" }]);
  await world.pull("virtuals");
  expect(await world.rows("virtuals")).toMatchObject([{ agentId: "5", name: "Second" }]);
});

it("paid resources are gathered by who is paid, across pages, and one that goes takes only itself", async () => {
  const payTo = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B";
  const resource = (i: number) => ({
    resource: `https://one.example/${i}`,
    description: `Number ${i}`,
    accepts: [{ network: i % 2 ? "base" : "eip155:8453", payTo }],
    quality: { l30DaysTotalCalls: i },
  });
  const counts = async () =>
    (await world.db.pool.query("select agent_id, uses, trait_count from offchain.directory where removed_at is null"))
      .rows;
  const list = (n: number) =>
    world.plant(
      "x402-bazaar",
      Array.from({ length: n }, (_, i) => resource(i)),
    );
  await list(150);
  await world.pull("x402-bazaar");
  expect(await counts()).toEqual([{ agent_id: payTo.toLowerCase(), uses: 11_175, trait_count: 150 }]);
  await list(149);
  for (let sweep = 0; sweep < 2; sweep++) await world.pull("x402-bazaar");
  expect(await counts()).toEqual([{ agent_id: payTo.toLowerCase(), uses: 11_026, trait_count: 149 }]);
});

it("the MCP registry is asked for what changed between two sweeps, and tells what is gone", async () => {
  const server = (name: string, status = "active") => ({
    server: { name, version: "1.0.0" },
    _meta: {
      "io.modelcontextprotocol.registry/official": { status, updatedAt: new Date().toISOString(), isLatest: true },
    },
  });
  await world.plant("mcp-registry", [server("a/one"), server("b/two"), server("c/three")]);
  await world.pull("mcp-registry");
  await world.plant("mcp-registry", [server("a/one"), server("b/two", "deleted"), server("d/four")]);
  const asked: (string | null)[] = [];
  const registry = world.registry("mcp-registry");
  await world.pull("mcp-registry", {
    registry: {
      ...registry,
      page(cursor, since) {
        asked.push(since);
        return registry.page(cursor, since);
      },
    },
  });
  expect(asked).toEqual([expect.stringMatching(/^20\d\d-/)]);
  expect((await world.rows("mcp-registry")).map(({ agentId }) => agentId)).toEqual(["a/one", "c/three", "d/four"]);
});

describe("the job", () => {
  const run = (db = world.db.pool) => {
    const registries = Object.fromEntries(KEYS.map((key) => [key, world.registry(key)]));
    const config = {
      attestationSchemas: [`0x${"f".repeat(64)}`],
      chain: { id: 8453 },
      upstreams: { pullMs: 1_000_000 },
    };
    const parts = { db, clock: () => new Date(), log: testLog(), fault: () => {}, config, registries };
    return directoryPull.run(parts as unknown as JobContext, {});
  };

  it("pulls what is due, and one source that is away holds up no other", async () => {
    for (const key of KEYS) await world.plant(key, { generate: 10 });
    await world.fault("agentverse", { status: 500, times: 100 });
    expect(await run()).toBe(40);
    expect(await progressOf("agentverse")).toMatchObject({
      error: "It cannot be asked at the moment. Please try again later.",
    });
    await world.fault("agentverse", { times: 0 });
    expect(await run()).toBe(0);
    await world.db.pool.query("update offchain.directory_pull set next_run_at = now() where source = 'agentverse'");
    expect(await run()).toBe(10);
    for (const key of KEYS) expect(await world.rows(key)).toEqual(await world.truth(key));
  });

  it("pulls the others, where one cannot begin", async () => {
    const { pool } = world.db;
    for (const key of KEYS) await world.plant(key, { generate: 10 });
    await run();
    await pool.query(sql`create function refuse_begin() returns trigger language plpgsql
      as $$ begin raise exception 'refused'; end $$`);
    await pool.query(sql`create trigger refuse_begin before update on offchain.directory_pull for each row
      when (new.source = 'virtuals' and old.mode is null and new.mode is not null) execute function refuse_begin()`);
    onTestFinished(async () => void (await pool.query("drop function refuse_begin cascade")));
    for (const key of KEYS) await world.plant(key, { generate: 20 });
    await pool.query("update offchain.directory_pull set next_run_at = now(), watermark = null");
    expect(await run()).toBe(10 * (KEYS.length - 1));
    expect(await progressOf("virtuals")).toMatchObject({ error: "The pull failed; the log says why." });
  });

  it("pulls with what is due what is due soon, but nothing early that failed, and nothing early alone", async () => {
    await run();
    const due = (source: string, seconds: number, error: string | null = null) =>
      world.db.pool.query(
        "update offchain.directory_pull set next_run_at = now() + $2 * interval '1 s', error = $3 where source = $1",
        [source, seconds, error],
      );
    const pulled = async () => {
      const before = await pullProgress(world.db.pool);
      await run();
      const after = await pullProgress(world.db.pool);
      return after.flatMap(({ key, nextRunAt }, i) => (+nextRunAt! > +before[i]!.nextRunAt! ? [key] : []));
    };
    await due("mcp-registry", 20);
    await due("agentverse", 20, "It did not answer.");
    expect(await pulled()).toEqual([]);
    await due("virtuals", -1);
    expect(await pulled()).toEqual(["mcp-registry", "virtuals"]);
  });

  it("runs again when the first registry is due, but not at once: another process may pull it", async () => {
    const { pool } = world.db;
    await claimRuns(pool, [{ name: directoryPull.name, everyMs: 60_000, earlyMs: 0 }]);
    await run();
    /** @returns 0: it runs when the registry is due; 1: later */
    const whenDueIn = async (seconds: number) => {
      await pool.query(sql`update offchain.directory_pull set next_run_at = now() + ${seconds} * interval '1 s'
        where source = 'agentverse'`);
      await pool.query("update offchain.job_run set next_run_at = now() + interval '1 hour'");
      await run();
      const { rows } = await pool.query(
        "select sign(extract(epoch from j.next_run_at - p.next_run_at))::int as place from offchain.job_run j, offchain.directory_pull p where p.source = 'agentverse'",
      );
      return rows[0].place;
    };
    expect(await whenDueIn(600)).toBe(0);
    expect(await whenDueIn(9)).toBe(1);
  });

  it("waits for the first index, and nothing is wrong until then", async () => {
    await world.plant("virtuals", { generate: 10 });
    // A process that has seen the index never looks for it again.
    const fresh = openPool({ connectionString: world.db.url });
    onTestFinished(() => fresh.end());
    await world.db.pool.query("alter schema onchain rename to hidden");
    expect(await run(fresh)).toBe(0);
    expect(await pullProgress(world.db.pool)).toEqual([]);
    await world.db.pool.query("alter schema hidden rename to onchain");
    await run(fresh);
    expect(await world.rows("virtuals")).toHaveLength(10);
  });
});
