/** Messages over several processes of the API on one database: one order everywhere, whoever sends, drops, is killed or ends. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../harness/until.ts";
import { type ApiProcess, apiProcesses } from "../support/api-processes.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";
import { HOST } from "./support/api.ts";
import { type EventReader, readEvents } from "./support/event-reader.ts";
import { plantSpeaker, type Speaker } from "./support/speakers.ts";

const GROUP = "/api/v2/messages/groups/trading";
const SENDERS = 200;

const database = perFile(() => testDatabase({ indexed: true }));
const processes = perFile(() =>
  apiProcesses({
    ...{ DATABASE_URL: database.url, SERVICE_HOST: HOST, PUBLIC_URL: `https://${HOST}`, LIST_MEMORY_MB: "0" },
  }),
);
let first: ApiProcess;
let second: ApiProcess;
let senders: Speaker[];

beforeAll(async () => {
  const started = Promise.all([processes.start(), processes.start()]);
  senders = await Promise.all(Array.from({ length: SENDERS }, () => plantSpeaker(database.pool, HOST, 26)));
  [first, second] = await started;
});
afterAll(() => {
  for (const reader of open) reader.close();
});

type Message = { id: number; content: string; senderAddress: string };
/** @throws when the process is gone before it answers */
async function send(to: ApiProcess, by: Speaker, content: string, key: string) {
  const response = await fetch(`${to.url}${GROUP}/send`, {
    method: "POST",
    headers: { authorization: by.authorization, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ content }),
  });
  const { message, code } = (await response.json()) as { message?: Message; code?: string };
  return { status: response.status, code, message };
}

/** Codes of what was not accepted at once. */
const refusals = new Set<string | undefined>();
/** Too much at once, too long for a statement, or the claim of a dead process that has to run out first: nothing else may refuse a good message. */
const PASSING = new Set(["upstream_unavailable", "overloaded", "timeout", "request_in_progress"]);
afterEach(() => expect([...refusals].filter((code) => !PASSING.has(code ?? ""))).toEqual([]));

/** What a client does: it comes back with the same key when it is told to. */
const sendUntilAccepted = (to: ApiProcess, by: Speaker, content: string, key: string): Promise<Message> =>
  until(
    "the message is accepted",
    async () => {
      const { status, code, message } = await send(to, by, content, key);
      if (status === 200) return message;
      refusals.add(code);
    },
    { everyMs: 500 },
  );

/** Every message, page by page. */
async function everything(at: ApiProcess): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const page = await fetch(`${at.url}${GROUP}/messages?limit=33&after=${all.at(-1)?.id ?? 0}`);
    const { messages } = (await page.json()) as { messages: Message[] };
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}

const open: EventReader[] = [];
async function follow(at: ApiProcess, headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await readEvents(`${at.url}${GROUP}/stream`, headers);
  open.push(reader);
  await until("the stream has begun", () => reader.events.length > 0);
  return reader;
}
const idsOf = (reader: EventReader) => reader.messages().map(({ id }) => id);

/** A reader whose line breaks after every few events, and who goes on at the other process. */
async function breakingReader(from: number, every: number, wanted: number): Promise<{ got: Message[]; lines: number }> {
  const got: Message[] = [];
  let lines = 0;
  for (; got.length < wanted; lines++) {
    const lastId = String(got.at(-1)?.id ?? from);
    const reader = await readEvents(`${[first, second][lines % 2]!.url}${GROUP}/stream`, { "last-event-id": lastId });
    const more = Math.min(every, wanted - got.length);
    await until("a few more", () => reader.messages().length >= more, { everyMs: 2 });
    // What arrived beyond them counts as lost with the line.
    got.push(...(reader.messages() as unknown as Message[]).slice(0, more));
    reader.close();
  }
  return { got, lines };
}

describe("two processes", () => {
  it("give 200 concurrent senders one order, the same in GET and in every stream of both", async () => {
    const from = (await everything(first)).length;
    const storm = randomUUID();
    const watching = await Promise.all([first, first, first, second, second, second].map((at) => follow(at)));
    const breaking = breakingReader(from, 7, SENDERS);
    const sent = await Promise.all(
      senders.map((by, i) => sendUntilAccepted(i % 2 === 0 ? first : second, by, `${storm} ${i}`, `${storm} ${i}`)),
    );

    const all = (await everything(first)).slice(from);
    expect((await everything(second)).slice(from)).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: SENDERS }, (_, i) => from + i + 1));
    expect(new Set(all.map(({ content }) => content)).size).toBe(SENDERS);
    // What each was told is what everybody reads.
    expect(sent.toSorted((a, b) => a.id - b.id)).toEqual(all);

    for (const reader of watching) {
      await until("the stream has all", () => reader.messages().length >= SENDERS);
      expect(reader.messages()).toEqual(all);
    }
    expect(await breaking).toEqual({ got: all, lines: Math.ceil(SENDERS / 7) });

    const { rows } = await database.pool.query(
      "select member_count, (select count(*)::int from offchain.group_member m where m.group_id = g.group_id) as members from offchain.message_group g where group_id = 'trading'",
    );
    expect(rows[0]).toEqual({ member_count: SENDERS, members: SENDERS });
  });

  it("write a message once, though the process that wrote it dies before it answers", async () => {
    const crash = randomUUID();
    const doomed = await processes.start({ FAULT_POINT: "messages.after-commit" });
    const watching = await follow(first);
    const from = (await everything(first)).length;
    const some = senders.slice(0, 12);
    const told = await Promise.all(
      some.map(async (by, i) => {
        const said = `${crash} ${i}`;
        await expect(send(doomed, by, said, said)).rejects.toThrow();
        return sendUntilAccepted(first, by, said, said);
      }),
    );
    expect(await doomed.ended).toBeNull();
    const all = (await everything(second)).slice(from);
    expect(all.map(({ id }) => id)).toEqual(some.map((_, i) => from + 1 + i));
    expect(all.map(({ content }) => content).toSorted()).toEqual(some.map((_, i) => `${crash} ${i}`).toSorted());
    expect(told.toSorted((a, b) => a.id - b.id)).toEqual(all);
    await until("the stream has them", () => watching.messages().length >= some.length);
    expect(watching.messages()).toEqual(all);
  });

  it("hand their readers over when one of them ends", async () => {
    const readers = await Promise.all([follow(second), follow(second)]);
    const [before, after] = [senders[0]!, senders[1]!];
    const message = await sendUntilAccepted(second, before, "before the end", randomUUID());
    for (const reader of readers) await until("it has it", () => idsOf(reader).at(-1) === message.id);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    for (const reader of readers) {
      await until("it has ended", () => reader.ended());
      expect(reader.ending()).toMatchObject({ reason: "restarting" });
      expect(reader.retry()).toBeGreaterThanOrEqual(1000);
    }
    await sendUntilAccepted(first, after, "meanwhile", randomUUID());
    const resumed = await Promise.all(readers.map((reader) => follow(first, { "last-event-id": reader.lastId()! })));
    for (const reader of resumed) {
      await until("it has what came meanwhile", () => reader.messages().length === 1);
      expect(idsOf(reader)).toEqual([message.id + 1]);
    }
    expect(first.output() + second.output()).not.toMatch(/unexpected error|unhandled/i);
  });
});
