/** The SDK follows the event log of real API processes while they are ended and killed: nothing is lost, nothing comes twice. */
import { beforeAll, expect, it } from "vitest";
import { appendEvents } from "../../db/events/append-events.ts";
import { testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { createClient, type Fetch, type Schemas, type StreamEvent, StreamGap } from "../../sdk/src/index.ts";
import { sequence } from "../../workers/events/event-log.ts";
import { plantAgents } from "../api/support/agents.ts";
import { type ApiProcess, apiProcesses } from "../support/api-processes.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const AGENTS = 3;

const database = perFile(() => testDatabase({ indexed: true }));
const processes = perFile(() => apiProcesses({ DATABASE_URL: database.url }));
/** The process that the one address leads to, as a load balancer has it. */
let current: ApiProcess;
beforeAll(async () => {
  await plantAgents(
    database.pool,
    Array.from({ length: AGENTS }, (_, tokenId) => ({ tokenId })),
  );
  current = await processes.start();
});

const balanced: Fetch = (input, init) => {
  const request = new Request(input, init);
  return fetch(new Request(request.url.replace("http://agents.test", current.url), request));
};
const client = () => createClient({ baseUrl: "http://agents.test", fetch: balanced });

let facts = 0;
/** So many things happen, one to each agent in turn, and have their place in the log. */
async function happen(count: number): Promise<void> {
  const at = new Date();
  const notes = Array.from({ length: count }, () => ({
    type: "agent.updated" as const,
    data: { changed: ["narrative" as const], storage: "offchain" as const },
    fact: `test ${++facts} ${at.toISOString()}`,
    tokenId: facts % AGENTS,
    at,
  }));
  await appendEvents(database.pool, notes);
  const config = { eventRetentionMs: 7 * 86_400_000 };
  await sequence({ db: database.pool, clock: () => new Date(), log: testLog(), fault: () => {}, config });
}

type Told = StreamEvent<Schemas["Event"]>;
/** Follows until it is stopped, and keeps what came. */
function following(...options: Parameters<ReturnType<typeof client>["events"]>) {
  const told: Told[] = [];
  const stop = new AbortController();
  const [filter, more] = options;
  const done = (async () => {
    for await (const event of client().events(filter, { ...more, signal: stop.signal })) told.push(event);
  })();
  const outcome = done.catch((error) => error);
  return { told, stop: () => stop.abort(new Error("enough")), outcome };
}

it("loses no event and gives none twice while processes are ended and killed", async () => {
  await happen(10);
  const everything = following({}, { after: 0 });
  const some = following({ agents: [1], types: ["agent.updated"] }, { after: 5 });
  await until("the beginning was read", () => everything.told.length >= 10);

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const next = await processes.start();
    const last = current;
    await happen(20);
    last.child.kill(signal);
    await happen(20);
    await last.ended;
    await happen(20);
    current = next;
    await happen(20);
    await until(`everything after ${signal}`, () => everything.told.length >= facts);
  }

  const past: Schemas["Event"][] = [];
  for await (const event of client().pastEvents()) past.push(event);
  expect(past).toHaveLength(facts);
  expect(new Set(past.map(({ id }) => id)).size).toBe(facts);
  expect(everything.told.map(({ data }) => data)).toEqual(past);
  expect(everything.told.map(({ id }) => Number(id))).toEqual(past.map((_, i) => i + 1));
  expect(everything.told.every(({ type }) => type === "agent.updated")).toBe(true);

  const ofOne = past.slice(5).filter(({ tokenId }) => tokenId === 1);
  await until("the filtered stream has all", () => some.told.length >= ofOne.length);
  expect(some.told.map(({ data }) => data)).toEqual(ofOne);
  for (const stream of [everything, some]) {
    stream.stop();
    expect(await stream.outcome).toMatchObject({ message: "enough" });
  }

  // What was removed by its age is missing, and is said to be.
  await database.pool.query("delete from offchain.event where position <= 30");
  await database.pool.query("update offchain.event_log set kept_after = 30");
  const late = following({}, { after: 3 });
  expect(await late.outcome).toMatchObject({ name: StreamGap.name, after: 3, resumedAfter: 30 });
  const gaps: object[] = [];
  const knowing = following({}, { after: 3, onGap: (gap) => gaps.push(gap) });
  await until("the rest was read", () => knowing.told.length >= facts - 30);
  expect([knowing.told[0]?.id, gaps]).toMatchObject(["31", [{ after: 3, resumedAfter: 30 }]]);
  knowing.stop();
  await knowing.outcome;
});
