/** A database with events, a receiver of webhooks that answers as a test says, and a worker's parts under a clock of the test's own. */
import { randomBytes, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type pg from "pg";
import type { WebhookReceivers } from "../../../clients/ports.ts";
import { createSecretBox } from "../../../clients/secret-box.ts";
import { openWebhookReceivers, type WebhookReceiverOptions } from "../../../clients/webhook-receivers.ts";
import type { Address } from "../../../core/agents/facts.ts";
import type { LoggedEvent } from "../../../core/events/events.ts";
import { secretText } from "../../../core/webhooks/signing.ts";
import type { Delivery, Subscription } from "../../../core/webhooks/webhook.ts";
import { eventLog } from "../../../db/events/events.ts";
import { deliveryPage } from "../../../db/webhooks/delivery-log.ts";
import { insertSecret } from "../../../db/webhooks/secrets.ts";
import { insertWebhook, webhookOf } from "../../../db/webhooks/webhooks.ts";
import { listen } from "../../../harness/listen.ts";
import { LONG, NEVER } from "../../../harness/patience.ts";
import type { SendContext } from "../../../workers/webhooks/send.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

export const KEY = `0x${"7e".repeat(32)}` as const;
export const OWNER = `0x${"a1".repeat(20)}` as Address;

type Received = { path: string; headers: Record<string, string>; body: string };
export type Receiver = {
  url: string;
  port: number;
  /** Complete requests, in the order of arrival. */
  received: Received[];
  connections(): number;
  /** What is done with the next ones; 204 at first. */
  answer(received: Received, outgoing: ServerResponse): void;
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  let connections = 0;
  const server = await listen(async (incoming, outgoing) => {
    const request = {
      path: incoming.url!,
      headers: incoming.headers as Record<string, string>,
      body: await text(incoming),
    };
    receiver.received.push(request);
    receiver.answer(request, outgoing);
  });
  server.server.on("connection", () => connections++);
  const receiver: Receiver = {
    ...{ url: `${server.url}/hook`, port: server.port, received: [], connections: () => connections },
    answer: (_, outgoing) => void outgoing.writeHead(204).end(),
    close: async () => server.close(),
  };
  return receiver;
}

/** Answers every request with a status and headers. */
export const replying =
  (status: number, headers: Record<string, string> = {}, body = ""): Receiver["answer"] =>
  (_, outgoing) =>
    void outgoing.writeHead(status, headers).end(body);

/** An event that happens; a registration of agent 7 that is not final unless it says otherwise. */
export type Happening = Partial<Omit<LoggedEvent, "position">> & { retracts?: string };

/** Adds events to the log, as the sequencer would. @returns their ids */
export async function happen(pool: pg.Pool, happenings: Happening[]): Promise<string[]> {
  const { head } = await eventLog(pool);
  const rows = happenings.map((event, i) => ({
    ...{ id: `evt_${randomBytes(12).toString("hex")}`, type: "agent.registered", token_id: event.tokenId ?? 7 },
    ...{ agent_address: `0x${"b2".repeat(20)}`, owner: `0x${"c3".repeat(20)}`, former_owner: null, final: false },
    ...{ data: {}, block: 1_000, tx_hash: `0x${"1".repeat(64)}`, at: "2026-11-21T11:00:00.000Z" },
    position: head + i + 1,
    ...(event.id && { id: event.id }),
    ...(event.type && { type: event.type }),
    ...(event.owner && { owner: event.owner }),
    ...(event.formerOwner && { former_owner: event.formerOwner }),
    ...(event.agentAddress && { agent_address: event.agentAddress }),
    ...(event.data && { data: event.data }),
    ...(event.retracts && { retracts: event.retracts, final: true }),
    ...(event.final && { final: true }),
  }));
  await pool.query(
    `with moved as (update offchain.event_log set head = $2)
     insert into offchain.event (id, position, final_position, type, token_id, agent_address, owner, former_owner, data, block, tx_hash, at, final, retracts)
     select id, position, case when final then position end, type, token_id, agent_address, owner, former_owner, data, block, tx_hash, at, final, retracts
     from json_populate_recordset(null::offchain.event, $1)`,
    [JSON.stringify(rows), head + rows.length],
  );
  return rows.map(({ id }) => id);
}

/** The event's block has become final. */
export async function becomeFinal(pool: pg.Pool, id: string): Promise<void> {
  await pool.query(
    `with moved as (update offchain.event_log set head = head + 1 returning head)
     update offchain.event set final = true, final_position = moved.head from moved where id = $1`,
    [id],
  );
}

/** A webhook as the API would have made it. */
export async function addWebhook(
  pool: pg.Pool,
  url: string,
  { now = new Date(), owner = OWNER, ...subscription }: Partial<Subscription> & { now?: Date; owner?: Address } = {},
): Promise<{ webhookId: string; secret: string }> {
  const webhookId = `wh_${randomUUID().replaceAll("-", "")}`;
  const all = { events: ["agent.registered" as const], tokenIds: null, addresses: null, owners: null };
  const { head } = await eventLog(pool);
  const none = { network: null, tokenId: null, slowUntil: null };
  const webhook = { webhookId, owner, url, createdAt: now, ...none, finality: "any" as const };
  await insertWebhook(pool, { ...webhook, ...all, ...subscription }, head);
  return { webhookId, secret: await addSecret(pool, webhookId, now) };
}

export async function addSecret(pool: pg.Pool, webhookId: string, createdAt: Date): Promise<string> {
  const [secret, secretId] = [randomBytes(32), randomUUID()];
  const sealed = createSecretBox([KEY]).seal(secret, secretId);
  await insertSecret(pool, { secretId, webhookId, sealed, createdAt, request: null });
  return secretText(secret);
}

export type World = {
  database: TestDatabase;
  receiver: Receiver;
  context: SendContext;
  /** Milliseconds since the epoch; the test moves it. */
  now: number;
  /** URLs of receivers that never answer: what is sent to them is given up soon. */
  silent: Set<string>;
  /** What the worker has counted. */
  counted: string[];
  state(webhookId: string): Promise<Delivery[]>;
  health(webhookId: string): ReturnType<typeof webhookOf>;
  /** As at the start, without webhooks. @returns the pool of the database */
  reset(): Promise<pg.Pool>;
  close(): Promise<void>;
};

/** For the head of an answer, which is what counts: of a body, the rest is left after a while. */
export const FOR_HEADS = { headersMs: LONG, bodyMs: NEVER, totalMs: LONG };

/** @param random jitter of the waits: in the middle unless told */
export async function webhookWorld(
  options: Partial<WebhookReceiverOptions> & { random?: () => number } = {},
): Promise<World> {
  const { random = () => 0.5, limits = FOR_HEADS, ...receiving } = options;
  const [database, receiver] = await Promise.all([testDatabase(), startReceiver()]);
  const open = (limits: WebhookReceiverOptions["limits"]) =>
    openWebhookReceivers({
      ...{ userAgent: "test", allowLoopback: true, now: () => world.now, limits },
      ...receiving,
    });
  const [patient, impatient] = [open(limits), open({ ...limits, totalMs: NEVER })];
  const receivers: WebhookReceivers = {
    post: (url, ...sent) => (world.silent.has(url) ? impatient : patient).post(url, ...sent),
  };
  const silent = () => {};
  const world: World = {
    ...{ database, receiver, now: Date.now(), silent: new Set(), counted: [] },
    context: {
      ...{ db: database.pool, clock: () => new Date(world.now), fault: silent },
      log: { debug: silent, info: silent, warn: silent, error: silent } as never,
      webhooks: {
        ...{ receivers, secrets: createSecretBox([KEY]), random },
        meter: {
          attempted: (outcome) => void world.counted.push(outcome),
          disabled: (reason) => void world.counted.push(reason),
        },
      },
    },
    state: async (webhookId) => (await deliveryPage(database.pool, webhookId, { limit: 10_000 })).toReversed(),
    health: (webhookId) => webhookOf(database.pool, { owner: OWNER, webhookId }),
    async reset() {
      await database.pool.query("truncate offchain.webhook, offchain.webhook_turn cascade");
      receiver.received.length = world.counted.length = 0;
      receiver.answer = replying(204);
      world.silent.clear();
      world.now = Date.now();
      return database.pool;
    },
    async close() {
      await patient.close();
      await impatient.close();
      await receiver.close();
      await database.drop();
    },
  };
  return world;
}
