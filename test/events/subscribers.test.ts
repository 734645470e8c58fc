/** A thousand subscribers at one process: each is told everything that it wants, in order; none is dropped. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Crowd, openCrowd } from "../../bench/events.ts";
import { appendEvents } from "../../db/events/append-events.ts";
import { testLog } from "../../harness/log.ts";
import { sequence } from "../../workers/events/event-log.ts";
import { plantAgents } from "../api/support/agents.ts";
import { startApi } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";

const SUBSCRIBERS = 1_000;
const EVENTS = 20;

const api = perFile(() => startApi({ env: { LIMITS: "streams=0" } }));
const crowds: Crowd[] = [];
beforeAll(() => plantAgents(api.database.pool, [{}, {}, {}, {}]));
afterAll(() => {
  for (const crowd of crowds) crowd.leave();
});

let facts = 0;
async function tell(): Promise<void> {
  const { pool } = api.database;
  const at = new Date();
  const notes = Array.from({ length: EVENTS }, (_, i) => ({
    type: "agent.updated" as const,
    data: { changed: ["social" as const], storage: "offchain" as const },
    fact: `${++facts} ${at.toISOString()}`,
    tokenId: i % 4,
    at,
  }));
  await appendEvents(pool, notes);
  await sequence({
    db: pool,
    clock: () => new Date(),
    log: testLog(),
    fault: () => {},
    config: { eventRetentionMs: 86_400_000 },
  });
}

it("all are told all, or what they asked for", async () => {
  const stream = `${api.url}/api/v2/events`;
  for (const url of [stream, `${stream}?agent=3`]) crowds.push(await openCrowd(url, SUBSCRIBERS / 2));
  await tell();
  await tell();
  for (const [i, expected] of [2 * EVENTS, EVENTS / 2].entries()) {
    const figures = await crowds[i]!.received((SUBSCRIBERS / 2) * expected, 50_000);
    expect(figures).toMatchObject({
      received: (SUBSCRIBERS / 2) * expected,
      fewest: expected,
      most: expected,
      disordered: 0,
    });
  }
});
