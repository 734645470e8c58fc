/** No fault of a registry loses or doubles a row: while it lasts rows stay, and after it they are what the registry has. */
import { beforeAll, describe, expect, it } from "vitest";
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { perFile } from "../support/started.ts";
import { bodyOf, interrupted, type Row, registryWorld } from "./support/registries.ts";

/** Rows at first, three pages of them, and how many more there are after each fault. */
const COUNT = 210;
const MORE = 3;

const world = perFile(() => registryWorld({ registered: COUNT + 40 * MORE }));

const renamed = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [`${name}_v2`, value]));

/** What may happen to the page with the number `at`, of three; how the pull that meets it ends. */
type Fault = {
  what: string;
  at: number;
  ends: "fails" | "odd" | "ends";
  plan(source: string): Promise<object> | object;
};
const FAULTS: Fault[] = [
  {
    what: "429 with Retry-After",
    at: 1,
    ends: "fails",
    plan: () => ({ status: 429, headers: { "retry-after": "1" } }),
  },
  { what: "500", at: 2, ends: "fails", plan: () => ({ status: 500 }) },
  { what: "HTML", at: 1, ends: "fails", plan: () => ({ body: "<html>busy</html>" }) },
  {
    what: "HTML instead of a page behind the first",
    at: 1,
    ends: "fails",
    plan: () => ({ status: 404, body: "<html>" }),
  },
  // The page is read again in smaller ones.
  { what: "a hang", at: 1, ends: "ends", plan: () => ({ hangs: true }) },
  { what: "another form of the page", at: 0, ends: "fails", plan: () => ({ body: { results: { none: true } } }) },
  {
    what: "another form of the rows",
    at: 1,
    ends: "ends",
    plan: async (source) => {
      const body = await bodyOf(world, source, 1);
      return { body: body.with(body.rows.map(renamed)) };
    },
  },
  {
    what: "a page that repeats",
    at: 1,
    ends: "odd",
    plan: async (source) => {
      const [first, second] = [await bodyOf(world, source, 0), await bodyOf(world, source, 1)];
      return { body: second.with(first.rows) };
    },
  },
  {
    what: "a last page that repeats",
    at: 2,
    ends: "ends",
    plan: async (source) => {
      const [second, last] = [await bodyOf(world, source, 1), await bodyOf(world, source, 2)];
      return { body: last.with(second.rows) };
    },
  },
  {
    what: "ids that come twice, in the place of others",
    at: 1,
    ends: "ends",
    plan: async (source) => {
      const [first, second] = [await bodyOf(world, source, 0), await bodyOf(world, source, 1)];
      const doubled = [...first.rows.slice(0, 10), ...second.rows.slice(10, -1), second.rows[20]!];
      return { body: second.with(doubled) };
    },
  },
  {
    what: "an empty page half-way",
    at: 1,
    ends: "ends",
    plan: async (source) => ({ body: (await bodyOf(world, source, 1)).with([]) }),
  },
  {
    what: "a cap on offsets",
    at: 1,
    ends: "ends",
    plan: () => ({ status: 422, body: { detail: "offset too large" } }),
  },
];
/** Agentverse's pages overlap by design: one that repeats is no sign of a fault. */
const endOf = (source: string, { ends }: Fault) => (source === "agentverse" && ends === "odd" ? "ends" : ends);

describe.each(REGISTRY_READERS.map(({ key }) => key))("%s loses and doubles nothing", (source) => {
  let listed = COUNT;
  beforeAll(async () => {
    await world.plant(source, { generate: listed });
    await world.pull(source);
  });

  it.each(FAULTS.map((fault) => [fault.what, fault] as const))("by %s", async (_, fault) => {
    const before = await world.truth(source);
    // Nothing is known of the pages: the fault has to be met.
    await world.db.pool.query("delete from offchain.directory_page where source = $1", [source]);
    const registry = interrupted(world.registry(source), fault.at, async () =>
      world.fault(source, { ...(await fault.plan(source)), times: 1 }),
    );
    const ended = await world.pull(source, { full: true, registry }).then(
      () => "ends",
      (error) => (error.code === "upstream_unavailable" ? "fails" : "odd"),
    );
    expect(ended).toBe(endOf(source, fault));
    expect(shownOf(await world.rows(source))).toEqual(before);

    listed += MORE;
    await world.plant(source, { generate: listed });
    await world.fault(source, { times: 0 });
    await world.pull(source, { full: true });
    expect(shownOf(await world.rows(source))).toEqual(await world.truth(source));
    const { rows } = await world.db.pool.query("select reason from offchain.directory_quarantine where source = $1", [
      source,
    ]);
    expect(rows).toEqual([]);
    const progress = (await pullProgress(world.db.pool)).find(({ key }) => key === source);
    expect(progress).toMatchObject({ running: false, error: null, note: noteOf(source) });
  });

  /** 8004scan does not list every agent that the index has. */
  const noteOf = (key: string) => (key === "8004scan" ? expect.stringContaining("does not list") : null);
  /** Rows that a source shows; of agents that are there without it, those that it enriches. */
  const shownOf = (rows: Row[]) => rows.filter(({ name }) => !name.startsWith("ERC-8004 agent"));
});
