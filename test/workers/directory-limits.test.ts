/** A registry that is slow, fails or is too large at some of its places is read to its end: what cannot be read is skipped and told, the rest is there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openHttp } from "../../clients/http.ts";
import { openRegistries } from "../../clients/registries.ts";
import { REGISTRIES } from "../../core/directory/registries.ts";
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { NEVER } from "../../harness/patience.ts";
import { casesOf, deepIt } from "../support/share.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { type Pull, type Row, registryWorld } from "./support/registries.ts";

const COUNT = 250;
/** A row of the third page of 100 rows, and of the fifth of 50. */
const SLOW = 237;
/** Attempts that end at one place before the pull goes on behind it. */
const ATTEMPTS = 3;
const KEYS = REGISTRY_READERS.map(({ key }) => key);
/** Registries whose next page has a cursor that only the answer before it shows. */
const BY_CURSOR = ["mcp-registry"];
const BY_OFFSET = KEYS.filter((key) => !BY_CURSOR.includes(key));

const world = perFile(() => registryWorld({ registered: COUNT }));
beforeEach(async () => {
  await world.clear();
  for (const key of KEYS) await world.troubles(key, []);
});

const progressOf = async (source: string) => (await pullProgress(world.db.pool)).find(({ key }) => key === source)!;
/** Rows that the registry itself shows; of agents that the index has, those that it enriches. */
const shown = async (source: string) =>
  (await world.rows(source)).filter(({ name }: Row) => !name.startsWith("ERC-8004 agent"));
const quarantined = async (source: string) =>
  (
    await world.db.pool.query<{ place: string; reason: string }>(sql`select source_id as place, reason
      from offchain.directory_quarantine where source = ${source} order by source_id`)
  ).rows;
/** Pulls with connections that know nothing of earlier troubles. @returns how the pull ended */
const ended = (source: string, options: Pull = {}) =>
  world.pull(source, options).then(
    () => "ends",
    (error) => error.code,
  );

describe("a row whose pages are beyond the limit of time", () => {
  it.each(casesOf(BY_OFFSET, ["agentverse"]))(
    "of %s is skipped and told, all others are read, and a later sweep reads it",
    async (source) => {
      await world.plant(source, { generate: COUNT });
      await world.troubles(source, [{ from: SLOW, hangs: true }]);
      expect(await ended(source)).toBe("ends");
      expect(await shown(source)).toHaveLength(COUNT - 1);
      expect(await quarantined(source)).toEqual([
        { place: expect.stringMatching(/^place .*237$/), reason: expect.stringContaining("in time") },
      ]);
      expect(await progressOf(source)).toMatchObject({ error: null, note: expect.stringContaining("too slow") });

      await world.troubles(source, []);
      await world.pull(source, { full: true });
      expect(await shown(source)).toEqual(await world.truth(source));
      expect(await quarantined(source)).toEqual([]);
    },
  );

  it("of a registry that pages by cursors ends the pull as incomplete, and nothing is taken for gone", async () => {
    const [source] = BY_CURSOR as [string];
    await world.plant(source, { generate: COUNT });
    await world.pull(source);
    await world.troubles(source, [{ from: SLOW, hangs: true }]);
    await world.db.pool.query("delete from offchain.directory_page");
    for (let sweep = 0; sweep < 3; sweep++) expect(await ended(source, { full: true })).toBe("ends");
    expect(await shown(source)).toEqual(await world.truth(source));
    expect(await progressOf(source)).toMatchObject({
      error: null,
      note: expect.stringContaining("not answered in time"),
    });
  });

  deepIt("is not gone: its row stays while it is skipped", async () => {
    await world.plant("virtuals", { generate: COUNT });
    await world.pull("virtuals");
    await world.troubles("virtuals", [{ from: SLOW, hangs: true }]);
    await world.db.pool.query("delete from offchain.directory_page");
    for (let sweep = 0; sweep < 2; sweep++) expect(await ended("virtuals", { full: true })).toBe("ends");
    expect(await shown("virtuals")).toEqual(await world.truth("virtuals"));
  });
});

describe("a row whose pages fail", () => {
  it.each(casesOf(BY_OFFSET, ["virtuals"]))(
    "of %s stops the pull for some attempts, then it goes on behind it",
    async (source) => {
      await world.plant(source, { generate: COUNT });
      await world.troubles(source, [{ from: SLOW, status: 500 }]);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        expect(await ended(source)).toBe("upstream_unavailable");
        expect(await shown(source)).toHaveLength(200);
      }
      expect(await ended(source)).toBe("ends");
      expect(await shown(source)).toHaveLength(COUNT - 1);
      expect(await quarantined(source)).toEqual([
        { place: expect.stringMatching(/^place .*237$/), reason: expect.stringContaining("with an error") },
      ]);
      expect(await progressOf(source)).toMatchObject({ error: null, note: expect.stringContaining("errors") });
    },
  );

  it("is skipped too when it is the first one of its registry", async () => {
    await world.plant("x402-bazaar", { generate: COUNT });
    await world.troubles("x402-bazaar", [{ from: 0, status: 502 }]);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++)
      expect(await ended("x402-bazaar")).toBe("upstream_unavailable");
    expect(await ended("x402-bazaar")).toBe("ends");
    expect(await shown("x402-bazaar")).toHaveLength(COUNT - 1);
  });
});

describe("a registry that is away", () => {
  it.each([
    ["answers nothing but errors", { status: 503, times: 10_000 }, {}],
    ["is silent", { hangs: true, times: 10_000 }, { maxMs: NEVER }],
  ])("as it %s, has no place skipped, however often it is asked", async (_, fault, limits) => {
    await world.plant("virtuals", { generate: COUNT });
    await expect(
      world.pull("virtuals", {
        fault: () => {
          throw new Error("cut off behind the first page");
        },
      }),
    ).rejects.toThrow("cut off");
    await world.fault("virtuals", fault);
    const registry = world.registry("virtuals", limits);
    for (let attempt = 0; attempt < 2 * ATTEMPTS; attempt++)
      expect(await ended("virtuals", { registry })).toBe("upstream_unavailable");
    expect(await quarantined("virtuals")).toEqual([]);
    await world.fault("virtuals", { times: 0 });
    expect(await ended("virtuals")).toBe("ends");
    expect(await shown("virtuals")).toEqual(await world.truth("virtuals"));
    expect(await progressOf("virtuals")).toMatchObject({ error: null, note: null });
  });
});

deepIt(
  "a registry that is slow from some place on ends its sweep as incomplete, in a bounded number of requests",
  async () => {
    await world.plant("x402-bazaar", { generate: 5_000 });
    await world.troubles("x402-bazaar", [{ from: 200, count: 4_800, hangs: true }]);
    let pages = 0;
    expect(await ended("x402-bazaar", { onPage: () => pages++ })).toBe("ends");
    // Two that are read, and 10 places skipped of each size; two tens between the sizes.
    expect(pages).toBeGreaterThan(30);
    expect(pages).toBeLessThan(60);
    expect(await progressOf("x402-bazaar")).toMatchObject({ error: null, note: expect.stringContaining("too slow") });
  },
);

describe("with the limits of the list", () => {
  const opened = (source: string) => {
    const http = openHttp({ userAgent: "tests", maxWaitMs: 1_000 });
    const settings = Object.fromEntries(REGISTRIES.map(({ key }) => [key, { url: `${world.simulators.url}/${key}` }]));
    return { http, registry: openRegistries(settings, { http, chainId: 8453 })[source]! };
  };

  it.each(REGISTRIES.map((row) => [row.key, row] as const))("%s is as documented, in pages that divide", (key, row) => {
    const limits = readFileSync(join(import.meta.dirname, "../../docs/operate/limits.md"), "utf8");
    const cells = limits.split("\n").find((line) => line.startsWith(`| \`${key}\``))!;
    expect(cells.split("|").map((cell) => cell.trim())).toEqual([
      "",
      `\`${key}\``,
      `${row.pageSize}`,
      `${row.maxSeconds} s`,
      `${row.maxBytes / 1e6} MB`,
      `${row.perSecond} a second${"perSecondWithKey" in row ? `, ${row.perSecondWithKey} with a key` : ""}`,
      "",
    ]);
    expect(row.pageSize % 10).toBe(0);
  });

  deepIt("a registry whose third page takes 20 seconds is read to its end", async () => {
    const { http, registry } = opened("virtuals");
    await world.plant("virtuals", { generate: COUNT });
    await world.troubles("virtuals", [{ from: SLOW, delayMs: 20_000 }]);
    const pages: number[] = [];
    expect(await ended("virtuals", { registry, onPage: ({ done }: { done: number }) => pages.push(done) })).toBe(
      "ends",
    );
    expect(pages).toEqual([100, 200, 250]);
    expect(await shown("virtuals")).toEqual(await world.truth("virtuals"));
    expect(await progressOf("virtuals")).toMatchObject({ error: null, note: null, quarantined: 0 });
    await http.close();
  });
});
