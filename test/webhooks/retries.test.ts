/** What a receiver that fails is spared and offered: waits, dead letters, replays, pauses, and being switched off. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { insertPing, replayDead, replayDelivery } from "../../db/webhooks/delivery-log.ts";
import { enableWebhook } from "../../db/webhooks/webhooks.ts";
import { perFile } from "../support/started.ts";
import { deliverDue } from "./support/deliver-due.ts";
import { addWebhook, happen, OWNER, replying, startReceiver, type World, webhookWorld } from "./support/world.ts";

const DAY = 86_400_000;
const TOO_LATE = "no answer within 10 s";

const world = perFile(webhookWorld);
let pool: World["database"]["pool"];
let webhookId: string;
beforeEach(async () => {
  pool = await world.reset();
  ({ webhookId } = await addWebhook(pool, world.receiver.url));
});

const deliver = () => deliverDue(world.context);
const states = async (webhookId: string) => (await world.state(webhookId)).map(({ state }) => state);
/** Moves the clock to when the only delivery is due, and a pause is over. */
async function untilDue(webhookId: string): Promise<number> {
  const [delivery] = await world.state(webhookId);
  const { pausedUntil } = (await world.health(webhookId))!;
  const waited = delivery!.dueAt.getTime() - world.now;
  world.now = Math.max(delivery!.dueAt.getTime(), pausedUntil?.getTime() ?? 0);
  return waited;
}

describe("a delivery that is not taken", () => {
  it("is tried five times more, each under the same id with a new time, then given up, and sent again by a replay", async () => {
    world.receiver.answer = replying(500);
    const [id] = await happen(pool, [{}]);
    await deliver();
    const waits: number[] = [];
    while ((await states(webhookId))[0] === "pending") {
      expect(await deliver()).toBe(0);
      waits.push(await untilDue(webhookId));
      expect(await deliver()).toBe(1);
    }
    expect(waits).toEqual([5_000, 30_000, 180_000, 1_080_000, 6_480_000]);
    const requests = world.receiver.received;
    expect(requests).toHaveLength(6);
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([id]));
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(6);
    expect(world.counted).toEqual(["failed", "failed", "failed", "failed", "failed", "dead"]);
    const [dead] = await world.state(webhookId);
    expect(dead).toMatchObject({ state: "dead", attempts: 6 });
    expect(dead!.log.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500, 500]);

    world.receiver.answer = replying(200);
    const replay = { webhookId, deliveryId: dead!.deliveryId, now: new Date(world.now) };
    expect(await replayDelivery(pool, replay)).toMatchObject({ state: "pending", attempts: 0 });
    expect(await deliver()).toBe(1);
    expect(await states(webhookId)).toEqual(["delivered"]);
    expect(world.receiver.received.at(-1)!.headers["webhook-id"]).toBe(id);
    expect((await world.health(webhookId))!.failures).toBe(0);
  });

  it("is replayed with all others that were given up since a time", async () => {
    await happen(pool, [{}, {}, {}]);
    await deliver();
    const at = (minutes: number) => new Date(world.now + minutes * 60_000);
    for (const [i, { deliveryId }] of (await world.state(webhookId)).entries())
      await pool.query("update offchain.webhook_delivery set state = 'dead', settled_at = $2 where delivery_id = $1", [
        deliveryId,
        at(i),
      ]);
    const asked = { webhookId, since: at(1), now: at(5) };
    expect(await replayDead(pool, { ...asked, most: 1 })).toBe(1);
    expect(await replayDead(pool, { ...asked, most: 9 })).toBe(1);
    expect(await states(webhookId)).toEqual(["dead", "pending", "pending"]);
  });

  it("waits as long as Retry-After says, and so do the others of its webhook", async () => {
    world.receiver.answer = replying(429, { "retry-after": "120" });
    await happen(pool, [{}]);
    await deliver();
    world.receiver.answer = replying(200);
    await happen(pool, [{}]);
    world.now += 119_000;
    expect(await deliver()).toBe(0);
    world.now += 1_000;
    expect(await deliver()).toBe(2);
    expect(await states(webhookId)).toEqual(["delivered", "delivered"]);
  });

  it.each([
    ["a redirect", replying(302, { location: "http://127.0.0.1:1/" }), 302, null],
    ["a page of errors", replying(404, { "content-type": "text/html" }, "<h1>no</h1>"), 404, null],
    ["nothing at all", () => {}, null, TOO_LATE],
    [
      "a closed connection",
      (_: unknown, outgoing: { destroy(): void }) => outgoing.destroy(),
      null,
      "the connection was closed before an answer",
    ],
  ] as const)("was answered with %s", async (_, answer, status, error) => {
    world.receiver.answer = answer as never;
    if (error === TOO_LATE) world.silent.add(world.receiver.url);
    await happen(pool, [{}]);
    await deliver();
    expect(await world.state(webhookId)).toMatchObject([{ state: "pending", log: [{ status, error }] }]);
    expect(world.receiver.received).toHaveLength(1);
  });
});

describe("a delivery is taken", () => {
  it.each([
    ["HTML", replying(200, { "content-type": "text/html" }, "<p>hello</p>")],
    [
      "an endless body",
      (_: unknown, outgoing: NodeJS.WritableStream & { destroyed: boolean }) => {
        const write = () => void (outgoing.destroyed || outgoing.write("x".repeat(65_536), () => setImmediate(write)));
        write();
      },
    ],
    [
      "a body that never comes",
      (_: unknown, outgoing: { writeHead(s: number): void; flushHeaders(): void }) => {
        outgoing.writeHead(200);
        outgoing.flushHeaders();
      },
    ],
  ] as const)("by a status of success, with %s behind it", async (_, answer) => {
    world.receiver.answer = answer as never;
    await happen(pool, [{}]);
    await deliver();
    expect(await states(webhookId)).toEqual(["delivered"]);
    const { rows } = await pool.query("select log::text from offchain.webhook_delivery");
    expect(rows[0].log).not.toMatch(/hello|xxx/);
  });
});

describe("a webhook", () => {
  it("whose receiver hangs holds up no other", async () => {
    const other = await startReceiver();
    onTestFinished(() => other.close());
    const quick = await addWebhook(pool, other.url);
    world.receiver.answer = () => {};
    world.silent.add(world.receiver.url);
    await happen(pool, Array(20).fill({}));
    const round = deliver();
    await round;
    expect(await states(quick.webhookId)).toEqual(Array(20).fill("delivered"));
    // After five failures nothing more was tried.
    expect(await states(webhookId)).toEqual(Array(20).fill("pending"));
    expect(world.receiver.received.length).toBeLessThanOrEqual(8);
    expect((await world.health(webhookId))!.pausedUntil!.getTime()).toBeGreaterThan(world.now);
    // Then by one delivery at a time, until one is taken.
    world.now = (await world.health(webhookId))!.pausedUntil!.getTime();
    const before = world.receiver.received.length;
    await deliver();
    expect(world.receiver.received.length).toBe(before + 1);
    world.now = (await world.health(webhookId))!.pausedUntil!.getTime() + DAY;
    world.receiver.answer = replying(204);
    world.silent.clear();
    await deliver();
    expect(await states(webhookId)).toEqual(Array(20).fill("delivered"));
  });

  it("that is gone (410) is switched off at once, and goes on where it stopped when it is on again", async () => {
    world.receiver.answer = replying(410);
    await happen(pool, [{}]);
    await deliver();
    expect(await world.health(webhookId)).toMatchObject({ disabledReason: "gone", disabledAt: new Date(world.now) });
    expect(world.counted).toEqual(["gone", "dead"]);
    await happen(pool, [{}, {}]);
    world.now += DAY;
    expect(await deliver()).toBe(0);
    world.receiver.answer = replying(200);
    await enableWebhook(pool, OWNER, webhookId, new Date(world.now));
    expect(await deliver()).toBe(2);
    expect(await states(webhookId)).toEqual(["dead", "delivered", "delivered"]);
  });

  it("that takes nothing for days is switched off, one that answers now and then is not", async () => {
    const startedAt = world.now;
    world.receiver.answer = replying(503);
    while ((await world.health(webhookId))!.disabledAt === null) {
      if (world.now > startedAt + 10 * DAY) throw new Error("it is never switched off");
      await happen(pool, [{}]);
      world.now += 4 * 3_600_000;
      await deliver();
    }
    const { disabledReason, failures } = (await world.health(webhookId))!;
    expect(disabledReason).toBe("failing");
    expect(failures).toBeGreaterThanOrEqual(20);
    expect(world.now - startedAt).toBeGreaterThanOrEqual(3 * DAY);
    // On again it has a clean slate, and what is taken now and then keeps it so.
    await enableWebhook(pool, OWNER, webhookId, new Date(world.now));
    for (let i = 0; i < 24; i++) {
      world.receiver.answer = replying(i % 6 === 0 ? 200 : 503);
      await insertPing(pool, { webhookId, eventId: `ping_${i}`, now: new Date(world.now) });
      world.now += 4 * 3_600_000;
      await deliver();
    }
    expect((await world.health(webhookId))!.disabledAt).toBeNull();
  });
});

it("what the log no longer keeps is given up, and the receiver is not blamed", async () => {
  world.receiver.answer = replying(500);
  const [id] = await happen(pool, [{}]);
  await deliver();
  // Its row goes later, with those of its day.
  await pool.query("update offchain.event_log set kept_after = (select position from offchain.event where id = $1)", [
    id,
  ]);
  await untilDue(webhookId);
  await deliver();
  const [dead] = await world.state(webhookId);
  expect(dead).toMatchObject({
    state: "dead",
    log: [{ status: 500 }, { error: "not sent: the event is no longer kept" }],
  });
  expect((await world.health(webhookId))!.failures).toBe(1);
  const replay = { webhookId, deliveryId: dead!.deliveryId, now: new Date(world.now) };
  await expect(replayDelivery(pool, replay)).rejects.toMatchObject({ code: "gone" });
});
