/** Clients that get events, and those that read the index: event streams, webhooks, SQL. */
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { privateKeyToAccount } from "viem/accounts";
import { agent as agentTable } from "../../../ponder.schema.ts";
import { newApiKey } from "../../api-key.ts";
import { jsonRequest } from "../../json-request.ts";
import { listen } from "../../listen.ts";
import { tcpProxy } from "../../tcp-proxy.ts";
import { until } from "../../until.ts";
import { by, type Client } from "../client.ts";
import { signIn } from "../pay.ts";
import type { World } from "../world.ts";

type Listener = (event: { data: string; lastEventId: string }) => void;
type Source = { addEventListener(type: string, listener: Listener): void; close(): void };
type EventSources = {
  EventSource: new (url: string, init?: { fetch: typeof fetch }) => Source;
};

/** Follows registrations, goes away, and goes on where it was. */
async function follows(world: World, { EventSource }: EventSources): Promise<string> {
  const url = `${world.apiUrl}/api/v2/events?type=agent.registered`;
  const started = (source: Source) => new Promise<void>((done) => source.addEventListener("start", () => done()));
  /** The ids of events by agent; agents of a client before this one may come first. */
  const eventsFrom = (source: Source) => {
    const ids = new Map<number, string>();
    source.addEventListener("agent.registered", ({ data, lastEventId }) => {
      ids.set((JSON.parse(data) as { tokenId: number }).tokenId, lastEventId);
    });
    return ids;
  };
  const source = new EventSource(url);
  const events = eventsFrom(source);
  await started(source);
  const first = await world.register("Heard first");
  await until("the first event", () => events.has(first));
  source.close();
  const missed = await world.register("Missed");
  const resumed = new EventSource(url, {
    // As the library does by itself when a line breaks.
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, "Last-Event-ID": events.get(first)! } }),
  });
  const caughtUp = eventsFrom(resumed);
  await until("the event that was missed", () => caughtUp.size > 0);
  resumed.close();
  assert.deepEqual([...caughtUp.keys()], [missed]);
  return `got the event of agent ${first}, went away, came back and got that of agent ${missed}`;
}

type Polyfill = { default: { EventSourcePolyfill: new (url: string, init: { heartbeatTimeout: number }) => Source } };

/** Follows registrations by the polyfill of browsers, whose line breaks: it repeats the address with the last id in it. */
async function followsByAddress(world: World, { default: { EventSourcePolyfill } }: Polyfill): Promise<string> {
  const proxy = await tcpProxy({ host: "127.0.0.1", port: Number(new URL(world.apiUrl).port) });
  const source = new EventSourcePolyfill(`http://127.0.0.1:${proxy.port}/api/v2/events?type=agent.registered`, {
    heartbeatTimeout: 600_000,
  });
  try {
    const events: number[] = [];
    let starts = 0;
    source.addEventListener("start", () => starts++);
    source.addEventListener("agent.registered", ({ data }) => {
      events.push((JSON.parse(data) as { tokenId: number }).tokenId);
    });
    await until("the stream", () => starts === 1);
    const first = await world.register("Heard by the polyfill");
    await until("the first event", () => events.includes(first));
    await proxy.cut();
    const missed = await world.register("Missed by the polyfill");
    await proxy.mend();
    await until("the event that was missed", () => events.includes(missed));
    assert.equal(new Set(events).size, events.length, "an event came twice");
    return `got the event of agent ${first}, lost its line, came back by itself and got that of agent ${missed}`;
  } finally {
    source.close();
    await proxy.close();
  }
}

type Webhooks = {
  Webhook: new (secret: string) => { verify(body: string, headers: Record<string, string>): unknown };
};

/** Has a webhook made for itself, is sent a test, and checks its signature. */
async function receives(world: World, { Webhook }: Webhooks): Promise<string> {
  type Delivery = { body: string; headers: Record<string, string> };
  const { promise: delivered, resolve: taken } = Promise.withResolvers<Delivery>();
  const server = await listen(async (request, response) => {
    taken({ body: await text(request), headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  });
  try {
    const account = privateKeyToAccount((await world.wallet("usdc")).privateKey);
    await world.listed(await world.register("Notified", account));
    const headers = { authorization: await signIn(world.apiUrl, account), "content-type": "application/json" };
    const post = (path: string, body?: object) =>
      fetch(`${world.apiUrl}/api/v2/webhooks${path}`, jsonRequest("POST", body, headers));
    const made = await post("", { url: `${server.url}/`, events: ["agent.registered"] });
    assert.equal(made.status, 201, await made.clone().text());
    const { id, secret } = (await made.json()) as { id: string; secret: string };
    const test = await post(`/${id}/test`);
    assert.ok(test.ok, await test.text());
    const { body, headers: got } = await delivered;
    const said = new Webhook(secret).verify(body, got) as { type: string };
    assert.ok(said.type, "the payload has a type");
    assert.throws(() => new Webhook(secret).verify(body.replace("{", "{ "), got));
    return `checked a delivery (${said.type}), and refused it when it was changed`;
  } finally {
    server.close();
  }
}

type Sql = {
  createClient(
    url: string,
    options: { schema: object },
  ): {
    db: {
      select(): { from(table: object): { where(condition: unknown): Promise<{ tokenId: bigint; name: string }[]> } };
    };
  };
  eq(column: unknown, value: unknown): unknown;
};

/** Reads an agent by SQL: from the indexer's own port, and through the API with a key that the program's fetch adds. */
async function queries(world: World, { createClient, eq }: Sql): Promise<string> {
  const read = async (url: string) => {
    const { db } = createClient(url, { schema: { agent: agentTable } });
    const rows = await db
      .select()
      .from(agentTable)
      .where(eq(agentTable.tokenId, BigInt(world.agent)));
    assert.equal(rows[0]?.name, "First");
  };
  await read(`${world.indexUrl}/sql`);
  await assert.rejects(read(`${world.apiUrl}/api/v2/sql`), /API key/);
  const key = await newApiKey(world.databaseUrl, "index:read");
  const send = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    if (request.url.startsWith(`${world.apiUrl}/api/v2/sql/`)) request.headers.set("X-API-Key", key);
    return send(request);
  };
  try {
    await read(`${world.apiUrl}/api/v2/sql`);
  } finally {
    globalThis.fetch = send;
  }
  return `read agent ${world.agent} out of the index by SQL, from its own port and by API key`;
}

export const READING_CLIENTS: Client[] = [
  by({ package: "eventsource" }, follows),
  by({ package: "eventsource", alias: "eventsource-3" }, follows),
  by({ package: "standardwebhooks", quick: true }, receives),
  by({ package: "standardwebhooks", alias: "standardwebhooks-1.0" }, receives),
  by({ package: "event-source-polyfill" }, followsByAddress),
  by({ package: "@ponder/client" }, queries),
];
