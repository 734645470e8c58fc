/** Events reach the webhooks that want them, signed as the standard's own library checks it, once each, whoever delivers. */
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventView } from "../../core/views/webhooks.ts";
import { eventsAfter } from "../../db/events/events.ts";
import { retireSecrets } from "../../db/webhooks/secrets.ts";
import { disableWebhook, enableWebhook } from "../../db/webhooks/webhooks.ts";
import { until } from "../../harness/until.ts";
import { runWebhooks } from "../../workers/webhooks/deliver.ts";
import { perFile } from "../support/started.ts";
import { deliverDue } from "./support/deliver-due.ts";
import { addSecret, addWebhook, becomeFinal, happen, OWNER, type World, webhookWorld } from "./support/world.ts";

const world = perFile(webhookWorld);
let pool: World["database"]["pool"];
beforeEach(async () => {
  pool = await world.reset();
});

const hook = (subscription: Parameters<typeof addWebhook>[2] = {}, path = "") =>
  addWebhook(pool, world.receiver.url + path, subscription);
const arrived = () => world.receiver.received.map(({ headers }) => headers["webhook-id"]);

describe("a delivery", () => {
  it("is signed, and tells what the stream tells, with its place in the log", async () => {
    const { secret, webhookId } = await hook();
    const [id] = await happen(pool, [{ data: { name: "Ada ✓" } as never }]);
    await deliverDue(world.context);
    const [request] = world.receiver.received;
    const body = new Webhook(secret).verify(request!.body, request!.headers);
    const { events } = await eventsAfter(pool, { after: 0, head: 1e9, limit: 100_000 });
    const event = events.find((one) => one.id === id)!;
    expect(body).toEqual({
      ...{ type: "agent.registered", timestamp: event.at.toISOString(), position: event.position },
      data: eventView(event),
    });
    expect(request!.headers).toMatchObject({ "webhook-id": id, "content-type": "application/json" });
    expect(await world.state(webhookId)).toMatchObject([
      { eventId: id, state: "delivered", attempts: 1, log: [{ status: 204, error: null }] },
    ]);
    expect(world.counted.at(-1)).toBe("delivered");
  });

  it("that was tampered with, or is sent again later, is refused by the receiver's library", async () => {
    const { secret } = await hook();
    await happen(pool, [{}]);
    await deliverDue(world.context);
    const { body, headers } = world.receiver.received[0]!;
    const check = new Webhook(secret);
    expect(() => check.verify(body, headers)).not.toThrow();
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"])
      expect(() => check.verify(body, { ...headers, [name]: `${headers[name]}1` })).toThrow();
    expect(() => check.verify(body.replace("registered", "verified"), headers)).toThrow();
    expect(() => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(body, headers)).toThrow();
    // What was signed six minutes ago is a replay.
    world.now = Date.now() - 360_000;
    await happen(pool, [{}]);
    await deliverDue(world.context);
    const old = world.receiver.received[1]!;
    expect(() => check.verify(old.body, old.headers)).toThrow("too old");
  });

  it("carries the signatures of both secrets until the grace time is over", async () => {
    const { secret: before, webhookId } = await hook();
    await retireSecrets(pool, webhookId, new Date(world.now + 60_000));
    const after = await addSecret(pool, webhookId, new Date(world.now));
    await happen(pool, [{}]);
    await deliverDue(world.context);
    const [both] = world.receiver.received;
    expect(both!.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [before, after]) new Webhook(secret).verify(both!.body, both!.headers);
    world.now += 60_000;
    await happen(pool, [{}]);
    await deliverDue(world.context);
    const [, one] = world.receiver.received;
    new Webhook(after).verify(one!.body, one!.headers);
    expect(() => new Webhook(before).verify(one!.body, one!.headers)).toThrow("No matching signature");
  });
});

describe("a webhook", () => {
  it("is told of what it wants, from its making on, and of what is taken back of it", async () => {
    await happen(pool, [{}]);
    const [wallet, stranger] = [`0x${"d4".repeat(20)}`, `0x${"e5".repeat(20)}`] as const;
    await hook({ events: ["agent.registered", "agent.transferred"] }, "/types");
    await hook({ tokenIds: [8], addresses: [wallet] }, "/agents");
    await hook({ events: ["agent.transferred"], owners: [wallet] }, "/owners");
    const [registered] = await happen(pool, [{ tokenId: 7 }]);
    const [eight] = await happen(pool, [{ tokenId: 8 }]);
    const [byWallet] = await happen(pool, [{ tokenId: 9, agentAddress: wallet }]);
    const [moved] = await happen(pool, [{ type: "agent.transferred", owner: stranger, formerOwner: wallet }]);
    await happen(pool, [{ type: "cred.changed" }]);
    const data = { id: registered!, type: "agent.registered" };
    const [retracted] = await happen(pool, [{ type: "event.retracted", retracts: registered!, data }]);
    await deliverDue(world.context);
    const told = (path: string) =>
      world.receiver.received
        .filter((request) => request.path === `/hook${path}`)
        .map(({ headers }) => headers["webhook-id"])
        .sort();
    expect(told("/types")).toEqual([registered, eight, byWallet, moved, retracted].sort());
    expect(told("/agents")).toEqual([eight, byWallet].sort());
    expect(told("/owners")).toEqual([moved]);
  });

  it("of what is final hears nothing before, and nothing of what was taken back before", async () => {
    await hook({ finality: "final" });
    const [kept] = await happen(pool, [{}]);
    const [undone] = await happen(pool, [{}]);
    const data = { id: undone!, type: "agent.registered" };
    await happen(pool, [{ type: "event.retracted", retracts: undone!, data }]);
    await deliverDue(world.context);
    expect(arrived()).toEqual([]);
    await becomeFinal(pool, kept!);
    await deliverDue(world.context);
    expect(arrived()).toEqual([kept]);
    expect(JSON.parse(world.receiver.received[0]!.body)).toMatchObject({ data: { final: true } });
  });

  it("that was off hears, when it is on again, what it has missed", async () => {
    const { webhookId } = await hook();
    await deliverDue(world.context);
    await disableWebhook(pool, { webhookId, now: new Date(world.now), reason: "gone" });
    const missed = await happen(pool, [{}, { type: "cred.changed" }, {}]);
    await deliverDue(world.context);
    expect(arrived()).toEqual([]);
    await enableWebhook(pool, OWNER, webhookId, new Date(world.now));
    await deliverDue(world.context);
    expect(arrived().sort()).toEqual([missed[0], missed[2]].sort());
  });

  it("with too much waiting is left behind in the log, and catches up without a gap or a repeat", async () => {
    const { webhookId } = await hook();
    await pool.query("update offchain.webhook set paused_until = 'infinity' where webhook_id = $1", [webhookId]);
    const all: string[] = [];
    for (let i = 0; i < 3; i++) all.push(...(await happen(pool, Array(700).fill({}))));
    await deliverDue(world.context);
    const waiting = (await world.state(webhookId)).length;
    expect(waiting).toBeGreaterThanOrEqual(1_000);
    expect(waiting).toBeLessThan(all.length);
    // As if the receiver had taken them, a part at a time.
    for (let round = 0; round < 5; round++) {
      await pool.query("update offchain.webhook_delivery set state = 'delivered' where webhook_id = $1", [webhookId]);
      await deliverDue(world.context);
    }
    expect((await world.state(webhookId)).map(({ eventId }) => eventId)).toEqual(all);
  });
});

it("two workers deliver each event once", async () => {
  const hooks = [await hook({}, "/a"), await hook({}, "/b"), await hook({}, "/c")];
  const context = { ...world.context, clock: () => new Date() };
  const workers = [1, 2].map(() => runWebhooks(context, { timerMs: 100 }));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(...(await happen(pool, [{}, {}, {}, {}, {}, {}])));
  const counts = async () =>
    (await pool.query("select count(*)::int as n from offchain.webhook_delivery where state = 'delivered'")).rows[0].n;
  await until("everything is delivered", async () => (await counts()) === ids.length * hooks.length);
  for (const path of ["/a", "/b", "/c"])
    expect(
      world.receiver.received
        .filter((request) => request.path === `/hook${path}`)
        .map(({ headers }) => headers["webhook-id"])
        .sort(),
    ).toEqual(ids.toSorted());
});
