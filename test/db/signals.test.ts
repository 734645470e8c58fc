/** Signals added in memory: the set-based SQL stores what the pure function computes, with nothing changed but the table's columns. */
import { expect, inject, it } from "vitest";
import { credOf, SIGNALS } from "../../core/cred/cred.ts";
import type { Signal } from "../../core/signals/signal.ts";
import { inputColumn, MOVED, recomputeSql, refreshSql, someTokens } from "../../db/cred/cred-statement.ts";
import { randomAgents } from "../support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { EXTRA_SIGNAL, TIMED_SIGNAL } from "../support/extra-signal.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { perFile } from "../support/started.ts";

const NOW = new Date("2026-11-21T12:00:00.500Z");
const { seed } = inject("fuzz");
const signals: readonly Signal[] = [...SIGNALS, EXTRA_SIGNAL, TIMED_SIGNAL];

const db = perFile(() => testDatabase({ indexed: true }));

it("are scored alike by SQL and by the pure function, now and later", async () => {
  const agents = randomAgents(300, NOW, seed).map(({ facts, ...rest }, i) => ({
    ...rest,
    facts: { ...facts, name: i % 2 === 0 ? `a${i}` : facts.name, mintedAt: facts.mintedAt + i * 600 },
  }));
  await plantAgents(db.pool, agents);
  await db.pool.query(`alter table offchain.cred add column ${EXTRA_SIGNAL.key} smallint not null,
    add column ${TIMED_SIGNAL.key} smallint not null, add column ${inputColumn(TIMED_SIGNAL)} bigint`);
  const ids = agents.map(({ facts }) => facts.tokenId);
  for (const [sql, now] of [
    [recomputeSql(someTokens, signals), NOW],
    [refreshSql(someTokens, signals), new Date(NOW.getTime() + 5 * 3_600_000)],
  ] as const) {
    await db.pool.query(`${sql} ${MOVED}`, [Math.floor(now.getTime() / 1000), now, "test", ids]);
    const { rows } = await db.pool.query("select * from offchain.cred order by token_id");
    const stored = rows.map((row) => [Number(row.token_id), row.score, ...signals.map(({ key }) => row[key])]);
    const computed = agents
      .map(({ facts }) => {
        const { score, raw } = credOf(facts, now, signals);
        return [facts.tokenId, score, ...signals.map(({ key }) => raw[key as keyof typeof raw])] as number[];
      })
      .sort(([a], [b]) => a! - b!);
    expect(stored, `seed ${seed}`).toEqual(computed);
    expect(new Set(stored.map((row) => row.at(-2)))).toEqual(new Set([0, 100]));
    expect(new Set(stored.map((row) => row.at(-1))).size).toBeGreaterThan(2);
  }
});
