/** Facts come in the order asked for, from one snapshot; wallets lead to their lowest token. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Address } from "../../core/facts.ts";
import { findTokenId, loadFacts } from "../../db/facts.ts";
import { transaction } from "../../db/transaction.ts";
import { addressOf, randomAgents } from "../support/agents.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { plantAgents } from "../support/plant-agents.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const agents = randomAgents(20, NOW, Date.now() & 0x7fffffff);
let db: TestDatabase;

beforeAll(async () => {
  db = await testDatabase({ indexed: true });
  await plantAgents(db.pool, agents);
});
afterAll(() => db.drop());

const idsOf = async (tokenIds: number[]) => (await loadFacts(db.pool, tokenIds)).map((facts) => facts.tokenId);

it("keeps the order asked for and leaves unknown tokens out", async () => {
  expect(await idsOf([7, 0, 999, 19, 3])).toEqual([7, 0, 19, 3]);
  expect(await idsOf([999, Number.MAX_SAFE_INTEGER])).toEqual([]);
  expect(await idsOf([])).toEqual([]);
});

it("sees what its own transaction wrote", async () => {
  await transaction(db.pool, async (tx) => {
    await tx.query("update onchain.agent set name = 'inside' where token_id = 3");
    expect((await loadFacts(tx, [3]))[0]!.name).toBe("inside");
    await tx.query("update onchain.agent set name = 'outside' where token_id = 3");
  });
});

it("cuts microseconds off instead of rounding them up", async () => {
  await db.pool.query("delete from offchain.profile_field where token_id = 5");
  await db.pool.query(
    `insert into offchain.profile_field (token_id, field, value, written_at)
     values (5, 'narrative.origin', '"x"', '2026-01-01T00:00:00.999999Z')`,
  );
  expect((await loadFacts(db.pool, [5]))[0]!.profile[0]!.writtenAt).toBe("2026-01-01T00:00:00.999Z");
});

it("prefers the score Ethos gives the agent's own wallet", async () => {
  await db.pool.query("delete from offchain.ethos_score");
  const ethos = (wallet: Address, score: number) =>
    db.pool.query("insert into offchain.ethos_score values ($1, $2, now())", [wallet, score]);
  const shown = async () => (await loadFacts(db.pool, [3]))[0]!.ethosScore;
  expect(await shown()).toBeNull();
  await ethos(addressOf(3, 1), 900);
  expect(await shown()).toBe(900);
  await ethos(addressOf(3), 1400);
  expect(await shown()).toBe(1400);
});

it("gives points beyond the integers of JSON as the nearest number", async () => {
  await db.pool.query("update onchain.agent set points = 123456789012345678901234567890 where token_id = 4");
  expect((await loadFacts(db.pool, [4]))[0]!.points).toBe(1.2345678901234568e29);
});

it("finds the lowest token of a wallet, token 0 among them", async () => {
  expect(await findTokenId(db.pool, addressOf(0))).toBe(0);
  expect(await findTokenId(db.pool, addressOf(12))).toBe(12);
  await db.pool.query("update onchain.agent set agent_address = $1 where token_id in (9, 14)", [addressOf(12)]);
  expect(await findTokenId(db.pool, addressOf(12))).toBe(9);
  expect(await findTokenId(db.pool, addressOf(500))).toBeNull();
});

it("reads everything about an agent in one statement", async () => {
  const client = await db.pool.connect();
  try {
    const statements: unknown[] = [];
    const counted = {
      query: (...args: unknown[]) => {
        statements.push(args[0]);
        return (client.query as (...a: unknown[]) => unknown)(...args);
      },
    } as Parameters<typeof loadFacts>[0];
    await loadFacts(counted, [1, 2, 3]);
    expect(statements).toEqual([expect.objectContaining({ name: "facts-load" })]);
  } finally {
    client.release();
  }
});
