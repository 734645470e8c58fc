/** One receiver's slowness costs only itself, and an event's audience may be of any size: shares of owners, places of lanes, parts of the log. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { POOL_SLOTS } from "../../core/webhooks/pools.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { LOG_SIZE, trimLogs } from "../../db/webhooks/deliveries.ts";
import { insertPing } from "../../db/webhooks/delivery-log.ts";
import { fanOut } from "../../db/webhooks/fan-out.ts";
import { slowUntilOf } from "../../db/webhooks/owner-schedule.ts";
import { listen } from "../../harness/listen.ts";
import { until } from "../../harness/until.ts";
import { runWebhooks } from "../../workers/webhooks/deliver.ts";
import { beginSending } from "../../workers/webhooks/send.ts";
import { perFile } from "../support/started.ts";
import { deliverDue, fanOutEvents } from "./support/deliver-due.ts";
import { addWebhook, happen, type World, webhookWorld } from "./support/world.ts";

/** Longer than any of these tests: what hangs does so until its test ends it. */
const FOREVER = { headersMs: 300_000, bodyMs: 300_000, totalMs: 300_000 };

const world = perFile(() => webhookWorld({ limits: FOREVER }));
let pool: World["database"]["pool"];
beforeEach(async () => {
  pool = await world.reset();
});

const ownerOf = (n: number) => `0x${n.toString(16).padStart(40, "0")}` as Address;

/** A server that takes requests and never answers, on every address of this machine: each is a host of its own. */
async function startTarpit() {
  const taken: string[] = [];
  const { server, port, close } = await listen((incoming) => void taken.push(incoming.headers.host!), {
    address: "0.0.0.0",
  });
  return {
    taken,
    url: (host: number, path = "") => `http://127.0.${1 + (host >> 8)}.${host & 255}:${port}/${path}`,
    open: () => new Promise<number>((done) => server.getConnections((_, count) => done(count))),
    close,
  };
}

describe("receivers that hang", () => {
  it("hold up no other owner's deliveries, however many they are and whoever they belong to", async () => {
    const tarpit = await startTarpit();
    const honest = await addWebhook(pool, world.receiver.url, { owner: ownerOf(999) });
    await happen(pool, [{}]);
    await deliverDue(world.context);
    expect(world.receiver.received).toHaveLength(1);
    for (let i = 0; i < 400; i++) await addWebhook(pool, tarpit.url(i), { owner: ownerOf(1 + (i >> 2)) });
    const worker = runWebhooks({ ...world.context, clock: () => new Date() }, { timerMs: 50 });
    try {
      await happen(pool, [{}]);
      // Theirs are handed out and begun first.
      await until("they hang", () => tarpit.taken.length >= 48);
      const [id] = await happen(pool, [{}]);
      await until("the honest one is told", () =>
        world.receiver.received.some(({ headers }) => headers["webhook-id"] === id),
      );
      expect((await world.state(honest.webhookId)).length).toBe(3);
      expect(await tarpit.open()).toBe(tarpit.taken.length);
    } finally {
      await tarpit.close();
      await worker.stop();
    }
  });

  it("are known by it: they share a few places, one of each owner, and a new owner's first delivery has its own", async () => {
    const tarpit = await startTarpit();
    const { context } = world;
    onTestFinished(() => tarpit.close());
    for (let i = 0; i < 60; i++) {
      await addWebhook(pool, tarpit.url(i), { owner: ownerOf(1 + (i >> 1)) });
      world.silent.add(tarpit.url(i));
    }
    await happen(pool, [{}]);
    await deliverDue(context);
    const lanes = async () =>
      (await pool.query("select lane, count(*)::int as n from offchain.webhook group by 1 order by 1")).rows;
    expect(await lanes()).toEqual([{ lane: "slow", n: 60 }]);
    const honest = await addWebhook(pool, world.receiver.url, { owner: ownerOf(999) });
    await happen(pool, [{}]);
    await fanOutEvents(context);
    const attempts = await beginSending(context, POOL_SLOTS);
    expect(attempts.map(({ pool }) => pool).sort()).toEqual(["new", ...Array(POOL_SLOTS.slow).fill("slow")]);
    const { rows } = await pool.query(
      `select max(n)::int as most from (
         select w.owner, count(*) as n from offchain.webhook_delivery d join offchain.webhook w using (webhook_id)
         where d.lease is not null group by 1) held`,
    );
    expect(rows).toEqual([{ most: 1 }]);
    await Promise.all(attempts.map(({ done }) => done));
    expect(await world.state(honest.webhookId)).toMatchObject([{ state: "delivered" }]);
    expect(await lanes()).toEqual([
      { lane: "answering", n: 1 },
      { lane: "slow", n: 60 },
    ]);
    // A new webhook of a slow owner begins where its others are.
    expect(await slowUntilOf(pool, { owner: ownerOf(1), now: new Date(world.now) })).not.toBeNull();
    expect(await slowUntilOf(pool, { owner: ownerOf(999), now: new Date(world.now) })).toBeNull();
  });

  it("are believed again when they answer quickly after their time", async () => {
    const { webhookId } = await addWebhook(pool, world.receiver.url);
    await pool.query("update offchain.webhook set lane = 'slow', slow_until = $2 where webhook_id = $1", [
      webhookId,
      new Date(world.now + 1_000),
    ]);
    const lane = async () => (await pool.query("select lane from offchain.webhook")).rows[0].lane;
    await happen(pool, [{}]);
    await deliverDue(world.context);
    expect(await lane()).toBe("slow");
    world.now += 1_000;
    await happen(pool, [{}]);
    await deliverDue(world.context);
    expect(await lane()).toBe("answering");
    expect((await world.state(webhookId)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });
});

describe("owners", () => {
  it("are served in turn: one with much waiting gives way to the others after its share", async () => {
    const busy = await addWebhook(pool, `${world.receiver.url}/busy`, { owner: ownerOf(1) });
    await happen(pool, Array(50).fill({}));
    await fanOutEvents(world.context);
    const others = [];
    for (let n = 2; n <= 6; n++)
      others.push(await addWebhook(pool, `${world.receiver.url}/${n}`, { owner: ownerOf(n) }));
    await happen(pool, [{}]);
    await fanOutEvents(world.context);
    await pool.query("update offchain.webhook set lane = 'answering'");
    const attempts = await beginSending(world.context, { answering: 7, new: 0, slow: 0 });
    await Promise.all(attempts.map(({ done }) => done));
    expect(attempts).toHaveLength(7);
    const delivered = async (webhookId: string) =>
      (await world.state(webhookId)).filter(({ state }) => state === "delivered").length;
    expect(await Promise.all(others.map(({ webhookId }) => delivered(webhookId)))).toEqual([1, 1, 1, 1, 1]);
    expect(await delivered(busy.webhookId)).toBe(2);
    await deliverDue(world.context);
    expect(await delivered(busy.webhookId)).toBe(51);
  });

  it("fill no log and no queue: the newest deliveries are kept, and tests wait until others were sent", async () => {
    const { webhookId } = await addWebhook(pool, world.receiver.url);
    const rows = (state: string, count: number) =>
      pool.query(
        `insert into offchain.webhook_delivery (webhook_id, event_id, event_type, final, state, created_at, due_at, settled_at)
         select $1, $2 || n, 'webhook.ping', true, $2, now(), now(), case when $2 <> 'pending' then now() end
         from generate_series(1, $3::int) n`,
        [webhookId, state, count],
      );
    await rows("delivered", LOG_SIZE + 30);
    await rows("pending", 999);
    expect(await trimLogs(pool)).toBe(30);
    expect(await trimLogs(pool)).toBe(0);
    const now = new Date(world.now);
    expect(await insertPing(pool, { webhookId, eventId: "ping_1", now })).toMatchObject({ state: "pending" });
    await expect(insertPing(pool, { webhookId, eventId: "ping_2", now })).rejects.toMatchObject({ code: "conflict" });
    const { rows: left } = await pool.query(
      "select count(*)::int as n, min(event_id) filter (where event_id = 'delivered30') as old from offchain.webhook_delivery",
    );
    expect(left).toEqual([{ n: LOG_SIZE + 1_000, old: null }]);
  });
});

describe("an event with a large audience", () => {
  it("is handed out in parts, each a short transaction, and one that fails begins where the last one ended", async () => {
    const audience = 2_500;
    const from = (await pool.query("select head from offchain.event_log")).rows[0].head;
    await pool.query(
      `insert into offchain.webhook (webhook_id, owner, url, events, finality, created_at, from_position)
       select 'wh_' || lpad(n::text, 32, '0'), '0x' || lpad(to_hex(n), 40, '0'), $1, '{agent.registered}', 'any', now(), $2
       from generate_series(1, ${audience}) n`,
      [world.receiver.url, from],
    );
    const ids = await happen(pool, [{}, {}]);
    const made = async () =>
      (await pool.query("select count(*)::int as n from offchain.webhook_delivery")).rows[0].n as number;
    const handOut = () => transaction(pool, (tx) => fanOut(tx, new Date(world.now)));
    const first = await handOut();
    expect(first).toMatchObject({ more: true });
    const afterOne = await made();
    expect(afterOne).toBe(first.deliveries);
    expect(afterOne).toBeLessThanOrEqual(5_000 / 2);
    // A worker that dies in the middle of the next part leaves nothing of it behind.
    await expect(
      transaction(pool, async (tx) => {
        await fanOut(tx, new Date(world.now));
        throw new Error("killed");
      }),
    ).rejects.toThrow("killed");
    expect(await made()).toBe(afterOne);
    for (let rounds = 0; (await handOut()).more; rounds++) expect(rounds).toBeLessThan(20);
    expect(await made()).toBe(audience * ids.length);
    const { rows } = await pool.query(
      "select count(distinct webhook_id)::int as hooks, max(n)::int as most from (select webhook_id, count(*) as n from offchain.webhook_delivery group by 1) t",
    );
    expect(rows).toEqual([{ hooks: audience, most: ids.length }]);
  });
});
