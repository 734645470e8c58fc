/** Agentverse returns 10,000 matches of a search: its directory is read in parts until every agent is there, and what is out of reach is told. */
import { expect, it } from "vitest";
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { deepIt } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { registryWorld } from "./support/registries.ts";

const AGENTVERSE = "agentverse";
const { pageSize } = REGISTRY_READERS.find(({ key }) => key === AGENTVERSE)!;

const world = perFile(registryWorld);

const counts = async () => {
  const { rows } = await world.db.pool.query<{ agents: number; items: number }>(
    `select (select count(*)::int4 from offchain.directory where removed_at is null) as agents,
       (select count(*)::int4 from offchain.directory_item) as items`,
  );
  return rows[0]!;
};
const progress = async () => (await pullProgress(world.db.pool)).find(({ key }) => key === AGENTVERSE)!;
/** Reads the pages that a sweep reads, without storing them. @returns the ids in their order, pages, and reasons why items may be missing */
async function swept() {
  const registry = world.registry(AGENTVERSE);
  const ids: string[] = [];
  const cuts = new Set<string>();
  const expected = new Set<number | null>();
  let pages = 0;
  for (let cursor: unknown = null; pages === 0 || cursor !== null; pages++) {
    const page = await registry.page(cursor, null);
    if (page === "unchanged") throw new Error("a search is never unchanged");
    for (const item of page.items) ids.push((item as { address: string }).address);
    if (page.cut) cuts.add(page.cut);
    expected.add(page.expected);
    // The cursor is stored as JSON between two pages.
    cursor = JSON.parse(JSON.stringify(page.next));
  }
  return { ids, agents: new Set(ids).size, pages, cuts: [...cuts], expected: [...expected] };
}

it("a directory below the limit is one search with its total", async () => {
  await world.plant(AGENTVERSE, { generate: 420 });
  expect(await swept()).toMatchObject({ agents: 420, pages: 9, cuts: [], expected: [420] });
});

it("agents that state a place on earth are listed too, whatever a search leaves out by default", async () => {
  const row = (n: number, more: object) => ({
    address: `agent1q${"q".repeat(57)}${"qpzry9x8"[n]}`,
    name: `A${n}`,
    ...more,
  });
  await world.plant(AGENTVERSE, [
    row(0, {}),
    row(1, { geo_location: { name: "Rome", latitude: 41.9, longitude: 12.5 } }),
  ]);
  expect((await swept()).agents).toBe(2);
});

deepIt("a part beyond twice the limit is told, and read as far as any order and filter reaches", async () => {
  await world.plant(AGENTVERSE, { generate: 45_000 });
  const { agents, cuts } = await swept();
  expect(agents).toBe(45_000);
  expect(cuts).toEqual([expect.stringContaining("more than twice as many")]);
});

it("a directory above the limit is read in parts; a type that no part asks for is told", async () => {
  const robot = { address: `agent1q${"p".repeat(58)}`, name: "New", type: "robot" };
  await world.plant(AGENTVERSE, { rows: [robot], generate: 10_500 });
  expect(await swept()).toMatchObject({
    agents: 10_501,
    cuts: ["Agentverse lists agents of a type or category that this service does not know."],
    expected: [null],
  });
});

deepIt("25,000 agents are stored once each, through a crash in any part, and nothing is taken for gone", async () => {
  await world.plant(AGENTVERSE, { generate: 25_000 });
  const registry = world.registry(AGENTVERSE);
  let [pages, items] = [0, 0];
  const crash = () => {
    if (++pages % 120 === 0) throw new Error("crashed");
  };
  const onPage = ({ done }: { done: number }) => {
    items = done;
  };
  const attempt = () =>
    world.pull(AGENTVERSE, { registry, fault: crash, onPage }).then(
      () => "ends",
      (error) => (error as Error).message,
    );
  const ends: string[] = [];
  while (ends.at(-1) !== "ends" && ends.length < 10) ends.push(await attempt());
  expect(ends).toEqual(["crashed", "crashed", "crashed", "crashed", "ends"]);
  // The largest part is read from both ends until they meet, every other one once: few agents are read twice.
  expect(items).toBeLessThan(26_500);
  expect(pages).toBeLessThan(26_500 / pageSize + 60);
  expect(await counts()).toEqual({ agents: 25_000, items: 25_000 });
  expect(await progress()).toMatchObject({ running: false, error: null, note: null, quarantined: 0 });
});
