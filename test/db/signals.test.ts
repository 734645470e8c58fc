/** A signal added in memory: the set-based SQL stores what the pure function computes, with nothing changed but the table's column. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { credOf, SIGNALS } from "../../core/cred.ts";
import type { Signal } from "../../core/signals/signal.ts";
import { MOVED, recomputeSql, someTokens } from "../../db/cred-statement.ts";
import { plantAgents } from "../../harness/plant-agents.ts";
import { randomAgents } from "../support/agents.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { EXTRA_SIGNAL } from "../support/extra-signal.ts";

const NOW = new Date("2026-11-21T12:00:00.500Z");
const { seed } = inject("fuzz");
const signals: readonly Signal[] = [...SIGNALS, EXTRA_SIGNAL];

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ indexed: true });
});
afterAll(() => db?.drop());

it("is scored alike by SQL and by the pure function", async () => {
  const agents = randomAgents(300, NOW, seed).map(({ facts, ...rest }, i) => ({
    ...rest,
    facts: { ...facts, name: i % 2 === 0 ? `a${i}` : facts.name },
  }));
  await plantAgents(db.pool, agents);
  await db.pool.query(`alter table offchain.cred add column ${EXTRA_SIGNAL.key} smallint not null`);
  const ids = agents.map(({ facts }) => facts.tokenId);
  await db.pool.query(`${recomputeSql(someTokens, signals)} ${MOVED}`, [
    Math.floor(NOW.getTime() / 1000),
    NOW,
    "test",
    ids,
  ]);
  const { rows } = await db.pool.query("select * from offchain.cred order by token_id");
  const stored = rows.map((row) => [Number(row.token_id), row.score, ...signals.map(({ key }) => row[key])]);
  const computed = agents
    .map(({ facts }) => {
      const { score, raw } = credOf(facts, NOW, signals);
      return [facts.tokenId, score, ...signals.map(({ key }) => raw[key as keyof typeof raw])] as number[];
    })
    .sort(([a], [b]) => a! - b!);
  expect(stored, `seed ${seed}`).toEqual(computed);
  expect(new Set(stored.map((row) => row.at(-1)))).toEqual(new Set([0, 100]));
});
