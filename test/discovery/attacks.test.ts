/** What stands in the way of an attacker who wants a place in the search: the ways that `npm run bench -- discover` has prices of. */
import { beforeAll, expect, it } from "vitest";
import type { World } from "../../bench/discover/agents.ts";
import { attackPrices, type Outcome, playAttacks } from "../../bench/discover/attacks.ts";
import { fillSmall } from "../../bench/discover/service.ts";
import { testDatabase } from "../support/database.ts";
import { isDeep } from "../support/share.ts";
import { perFile } from "../support/started.ts";

const world: World = { seed: 18, rows: 2_000, now: Date.UTC(2026, 10, 1) };
const database = perFile(() => testDatabase({ indexed: true }));
let outcomes: Outcome[];

beforeAll(async () => {
  await fillSmall(database.url, database.pool, world);
  outcomes = await playAttacks(database.pool, world, isDeep() ? 12 : 3);
});

/** Of the ways that have nothing to gain, what they gained all the same. */
it.each([
  ["200 ratings by fresh wallets", 0],
  ["the text of the first hit, stolen", 0],
  ["an agent of 900 days takes the text of the first hit", 0],
  ["a famous name, taken (asked by it)", 0],
  ["a famous name, disguised (asked by it)", 0],
  ["60 tags with the question's words beside its text", 0],
  ["20 agents that say the same in turn", 1],
  // A second offer counts for its cred.
  ["a dummy for $0.000001 beside $5 (asked under 5 cents)", 3],
] as const)("buys no place: %s", (name, most) => {
  const { all } = outcomes.find((one) => one.name === name)!;
  const told = attackPrices(outcomes);
  expect(all.length, told).toBeGreaterThan(0);
  for (const { before, after } of all) expect(before - after, told).toBeLessThanOrEqual(most);
});

it("plays attacks that would gain places if no rule stood against them, and leaves nothing behind", async () => {
  const rises = outcomes.filter(({ all }) => all.some(({ after, without }) => without !== null && without < after));
  expect(rises.length, attackPrices(outcomes)).toBeGreaterThanOrEqual(7);
  const { rows } = await database.pool.query("select count(*)::int4 as n from offchain.directory");
  expect(rows).toEqual([{ n: world.rows }]);
});
