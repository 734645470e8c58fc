/** Webhooks over the API: made, seen by nobody else, tested, replayed, rotated, ended; secrets shown once and stored sealed. */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createSecretBox } from "../../clients/secret-box.ts";
import { openWebhookReceivers } from "../../clients/webhook-receivers.ts";
import type { Address } from "../../core/agents/facts.ts";
import { CREATOR_MIN_CRED } from "../../core/messages/message-groups.ts";
import { signingSecrets } from "../../db/webhooks/secrets.ts";
import { startProgram } from "../../devnet/start-program.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import type { SendContext } from "../../workers/webhooks/send.ts";
import { webhookUpkeep } from "../../workers/webhooks/webhook-upkeep.ts";
import { plantAgents } from "../api/support/agents.ts";
import { HOST, startApi, WEBHOOK_KEY } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";
import { deliverDue } from "./support/deliver-due.ts";
import { happen, replying, startReceiver } from "./support/world.ts";

const PATH = "/api/v2/webhooks";
type Wallet = ReturnType<typeof agentWallet>;
type Made = { id: string; secret: string };

const api = perFile(() =>
  startApi({
    env: {
      ...{ WEBHOOK_ALLOW_PRIVATE: "true", TRUSTED_PROXIES: "127.0.0.1" },
      LIMITS: "webhook-sends=5,webhooks-of-wallet=3,webhooks-of-network=4,webhooks-in-all=6",
    },
  }),
);
const receiver = perFile(startReceiver);
const receivers = perFile(() => openWebhookReceivers({ userAgent: "test", allowLoopback: true }));
let context: SendContext;
beforeAll(async () => {
  context = {
    ...{ db: api.database.pool, clock: () => new Date(), fault: () => {}, log: api.deps.log as never },
    webhooks: { receivers, secrets: createSecretBox([WEBHOOK_KEY]), random: () => 0.5 },
  };
});
afterEach(async () => {
  expect(api?.errors).toEqual([]);
  // The next test, or this one once more, finds no delivery that is not its own.
  await api?.database.pool.query("delete from offchain.webhook");
});

let agents = 0;
/** A wallet with an agent of its own. */
async function agent(more: { score?: number } = {}): Promise<Wallet> {
  const wallet = agentWallet({ host: HOST });
  const address = wallet.address.toLowerCase() as Address;
  await plantAgents(api.database.pool, [{ tokenId: ++agents, owner: address, agentAddress: address, ...more }]);
  return wallet;
}
/** An agent whose registration was paid for. */
async function payForMint(tokenId: number): Promise<void> {
  await api.database.pool.query(
    `with mint as (
       insert into offchain.mint (mint_id, wallet, recipient, name, framework, soulbound, origin, fingerprint, state, token_id)
       values (gen_random_uuid(), 'paid', 'paid', 'Paid', 'custom', false, 0, 'paid', 'minted', $1) returning mint_id)
     insert into offchain.payment
       (payment_id, method, operation, state, payer, payee, chain_id, asset, amount_units, fingerprint, bought, since_block)
     select gen_random_uuid(), 'x402', 'mint', 'fulfilled', '0x1', '0x2', 8453, 'usdc', 1, 'paid', 'mint:' || mint_id, 1
     from mint`,
    [tokenId],
  );
}
async function as(wallet: Wallet, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = { headers: { authorization: await wallet.siwa(), "content-type": "application/json", ...headers } };
  const answer = await api.send(method, PATH + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: answer.body as never, text: answer.text };
}
const wanted = (more: object = {}) => ({ url: receiver.url, events: ["agent.registered"], ...more });
async function make(wallet: Wallet, more: object = {}): Promise<Made> {
  const { status, body } = await as(wallet, "POST", "", wanted(more));
  expect(status).toBe(201);
  return body;
}

describe("a webhook", () => {
  it("is made with all it was asked for, and shows its secret once", async () => {
    const wallet = await agent();
    const asked = {
      ...{ events: ["agent.registered", "cred.changed", "cred.changed"], finality: "final" },
      ...{ agents: [0, wallet.address.toLowerCase(), 0], owners: [wallet.address] },
    };
    const { status, body } = await as(wallet, "POST", "", wanted({ ...asked, url: `${receiver.url}?a=b#c` }));
    const at = `${receiver.url}?a=b`;
    const off = { disabledReason: null, disabledAt: null, failingSince: null, pausedUntil: null };
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^wh_[0-9a-f]{32}$/),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        ...{ url: at, events: ["agent.registered", "cred.changed"], finality: "final" },
        ...{ agents: [0, wallet.address], owners: [wallet.address], createdAt: expect.any(String) },
        ...{ enabled: true, failures: 0, ...off },
      },
    ]);
    const { id, secret } = body as Made;
    const list = await as(wallet, "GET", "");
    const one = await as(wallet, "GET", `/${id}`);
    expect(list.body).toEqual({ webhooks: [one.body] });
    expect(one.body).toMatchObject({ id, pending: 0, dead: 0 });
    expect(list.text + one.text).not.toContain("whsec_");
    // Neither the database nor what is kept of answers holds it.
    const rows = await api.database.rows(
      `select encode(sealed, 'base64') || encode(sealed, 'hex') as sealed,
         (select coalesce(string_agg(body::text, ''), '') from offchain.idempotency) as kept from offchain.webhook_secret`,
    );
    const raw = Buffer.from(secret.slice(6), "base64");
    for (const { sealed, kept } of rows) {
      expect(sealed).not.toContain(raw.toString("hex"));
      expect(kept).not.toContain(secret);
    }
    expect((await as(wallet, "DELETE", `/${id}`)).body).toEqual({ success: true, deleted: id });
    expect((await as(wallet, "GET", `/${id}`)).status).toBe(404);
    expect((await as(wallet, "DELETE", `/${id}`)).status).toBe(404);
  });

  it("is nobody else's to see or to change", async () => {
    const [wallet, other] = [await agent(), await agent()];
    const { id } = await make(wallet);
    expect((await as(other, "GET", "")).body).toEqual({ webhooks: [] });
    const since = { since: "2026-01-01T00:00:00Z" };
    const paths = ["/enable", "/rotate", "/test", "/deliveries/1/replay"].map(
      (path) => ["POST", `/${id}${path}`] as const,
    );
    for (const [method, path, body] of [
      ...(["GET", "DELETE"].map((method) => [method, `/${id}`]) as [string, string][]),
      ...paths,
      ["GET", `/${id}/deliveries`],
      ["POST", `/${id}/replay`, since],
    ] as [string, string, object?][])
      expect([path, (await as(other, method, path, body)).status]).toEqual([path, 404]);
    expect((await as(wallet, "GET", `/${id}`)).status).toBe(200);
  });

  it.each([
    ["http://example.com/", "must be an https URL"],
    ["https://169.254.169.254/", "must be on a public address"],
    ["https://10.0.0.1/", "must be on a public address"],
    ["https://metadata.google.internal/", "must be on a public host"],
    ["https://example.com:22/", "must use the usual port of http or https"],
    ["nonsense", "must be a URL"],
  ])("cannot lead to %s", async (url, message) => {
    const { status, body } = await as(await agent(), "POST", "", wanted({ url }));
    expect([status, body]).toMatchObject([400, { code: "invalid_input", details: [{ path: "url", message }] }]);
  });

  it.each([
    { events: [] },
    { events: ["agent.exploded"] },
    { agents: [] },
    { owners: ["ada"] },
    { finality: "soon" },
    { else: 1 },
  ])("cannot be asked for with %j", async (more) =>
    expect((await as(await agent(), "POST", "", wanted(more))).status).toBe(400),
  );

  it("is one of a few that a wallet may have, also when it asks for many at once", async () => {
    const wallet = await agent();
    const made = await Promise.all(Array.from({ length: 6 }, () => as(wallet, "POST", "", wanted())));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
  });

  it("is for wallets with an agent of their own", async () => {
    const { status, body } = await as(agentWallet({ host: HOST }), "POST", "", wanted());
    const error = "Webhooks are for agents, and this wallet has none.";
    expect([status, body]).toMatchObject([403, { code: "forbidden", error }]);
    expect(await api.database.rows("select from offchain.webhook")).toEqual([]);
  });

  const from = (address: string) => ({ "x-forwarded-for": address });
  const many = async (address: string, count: number) => {
    const wallets = await Promise.all(Array.from({ length: count }, () => agent()));
    return Promise.all(wallets.map((wallet) => as(wallet, "POST", "", wanted(), from(address))));
  };
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

  it("is one of a few that may be made from one network, and in all, whoever asks, also for many at once", async () => {
    // Two addresses of one IPv6 /48 are one network.
    const first = [...(await many("2001:db8:7:1::1", 3)), ...(await many("2001:db8:7:2::2", 3))];
    expect(statuses(first)).toEqual([201, 201, 201, 201, 409, 409]);
    expect(first.map(({ text }) => text).join()).toContain("from this network");
    // One more; the last of six is kept for agents that were paid for or have cred.
    expect(statuses(await many("198.51.100.7", 4))).toEqual([201, 409, 409, 409]);
    const rows = await api.database.rows("select network from offchain.webhook");
    expect(new Set(rows.map(({ network }) => network)).size).toBe(2);
    for (const { network } of rows) expect(network).toMatch(/^[0-9a-f]{32}$/);
    const paying = await agent();
    await payForMint(agents);
    const kept = [await agent({ score: CREATOR_MIN_CRED }), paying];
    expect((await as(paying, "POST", "", wanted(), from("198.51.100.8"))).status).toBe(201);
    const newest = "webhook_id = (select max(webhook_id) from offchain.webhook)";
    await api.database.pool.query(`delete from offchain.webhook where ${newest}`);
    expect((await as(kept[0]!, "POST", "", wanted(), from("198.51.100.9"))).status).toBe(201);
    expect((await as(kept[1]!, "POST", "", wanted(), from("198.51.100.9"))).status).toBe(409);
  });

  it("takes a place of its agent, which brings it along to the next wallet: one token fills no more", async () => {
    const first = await agent();
    const tokenId = agents;
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await make(first)).id);
    for (let passed = 0; passed < 4; passed++) {
      const next = agentWallet({ host: HOST });
      const address = next.address.toLowerCase();
      const moved = "update onchain.agent set agent_address = $1, owner = $1, minted_to = $1 where token_id = $2";
      await api.database.pool.query(moved, [address, tokenId]);
      expect((await as(next, "POST", "", wanted(), from(`203.0.113.${passed}`))).status).toBe(201);
      expect(await api.database.rows("select from offchain.webhook where token_id = $1", [tokenId])).toHaveLength(3);
    }
    // A wallet without the agent makes no other; those of the longest past are gone.
    expect((await as(first, "POST", "", wanted())).status).toBe(403);
    expect((await as(first, "GET", "")).body).toEqual({ webhooks: [] });
  });

  it("is made once by one Idempotency-Key, and its secret is there for who has lost the answer", async () => {
    const wallet = await agent();
    const key = { "idempotency-key": "make-1" };
    const first = await as(wallet, "POST", "", wanted(), key);
    const again = await as(wallet, "POST", "", wanted(), key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const { id } = first.body as Made;
    const rotated = await as(wallet, "POST", `/${id}/rotate`, undefined, key);
    expect((await as(wallet, "POST", `/${id}/rotate`, undefined, key)).body).toEqual(rotated.body);
    expect((await as(wallet, "GET", "")).body).toMatchObject({ webhooks: [{ id }] });
  });
});

describe("deliveries", () => {
  it("are tested, logged, replayed and counted", async () => {
    const wallet = await agent();
    const { id, secret } = await make(wallet);
    receiver.received.length = 0;
    receiver.answer = replying(204);
    const test = await as(wallet, "POST", `/${id}/test`);
    const pending = { type: "webhook.ping", state: "pending", position: null };
    expect([test.status, test.body]).toMatchObject([202, { delivery: pending }]);
    await deliverDue(context);
    const [ping] = receiver.received;
    const verified = new Webhook(secret).verify(ping!.body, ping!.headers);
    expect(verified).toMatchObject({ type: "webhook.ping", data: { webhookId: id } });

    const ids = await happen(api.database.pool, [{}, {}, {}]);
    receiver.answer = replying(500);
    await deliverDue(context);
    receiver.answer = replying(204);
    const { deliveries } = (await as(wallet, "GET", `/${id}/deliveries`)).body as { deliveries: Logged[] };
    type Logged = { id: number; eventId: string; state: string };
    expect(deliveries.map(({ eventId, state }) => [eventId, state])).toEqual([
      ...ids.toReversed().map((eventId) => [eventId, "pending"]),
      [ping!.headers["webhook-id"], "delivered"],
    ]);
    const attempts = [{ status: 500, error: null }];
    expect(deliveries[0]).toMatchObject({ attempts, nextAttemptAt: expect.any(String) });
    const page = (await as(wallet, "GET", `/${id}/deliveries?limit=2&state=PENDING`)).body as { nextBefore: number };
    expect(page).toMatchObject({ limit: 2, deliveries: [{ eventId: ids[2] }, { eventId: ids[1] }] });
    const rest = await as(wallet, "GET", `/${id}/deliveries?limit=2&state=pending&before=${page.nextBefore}`);
    expect(rest.body).toMatchObject({ deliveries: [{ eventId: ids[0] }], nextBefore: null });

    const dead = "update offchain.webhook_delivery set state = 'dead', settled_at = now() where event_id = any($1)";
    await api.database.pool.query(dead, [ids]);
    expect((await as(wallet, "GET", `/${id}`)).body).toMatchObject({ pending: 0, dead: 3 });
    const replayed = await as(wallet, "POST", `/${id}/deliveries/${deliveries[0]!.id}/replay`);
    expect([replayed.status, replayed.body]).toMatchObject([202, { delivery: { eventId: ids[2], state: "pending" } }]);
    expect((await as(wallet, "POST", `/${id}/deliveries/9007199254740991/replay`)).status).toBe(404);
    const all = await as(wallet, "POST", `/${id}/replay`, { since: "2026-01-01T00:00:00Z" });
    expect([all.status, all.body]).toEqual([202, { replayed: 2, remaining: 0 }]);
    receiver.received.length = 0;
    await deliverDue(context);
    expect(receiver.received.map(({ headers }) => headers["webhook-id"]).sort()).toEqual(ids.toSorted());
    // Test, three replays: the fifth is the last of this minute.
    expect((await as(wallet, "POST", `/${id}/test`)).status).toBe(202);
    expect((await as(wallet, "POST", `/${id}/test`)).status).toBe(429);
    await deliverDue(context);
  });

  it("of a webhook that is off are not asked for; it is switched on", async () => {
    const wallet = await agent();
    const { id } = await make(wallet);
    await api.database.pool.query(
      `update offchain.webhook set disabled_at = now(), disabled_reason = 'failing', own_position = 0
       where webhook_id = $1`,
      [id],
    );
    expect((await as(wallet, "GET", `/${id}`)).body).toMatchObject({ enabled: false, disabledReason: "failing" });
    const hint = expect.stringContaining("/enable");
    expect((await as(wallet, "POST", `/${id}/test`)).body).toMatchObject({ code: "conflict", hint });
    expect((await as(wallet, "POST", `/${id}/enable`)).body).toMatchObject({ enabled: true, disabledReason: null });
    expect((await as(wallet, "POST", `/${id}/test`)).status).toBe(202);
    await deliverDue(context);
  });
});

describe("a secret", () => {
  it("is changed with a time of grace, or without", async () => {
    const wallet = await agent();
    const { id, secret } = await make(wallet);
    const signed = async () => {
      receiver.received.length = 0;
      await as(wallet, "POST", `/${id}/test`);
      await deliverDue(context);
      const { body, headers } = receiver.received[0]!;
      return (one: string) => {
        try {
          return Boolean(new Webhook(one).verify(body, headers));
        } catch {
          return false;
        }
      };
    };
    const { body: second } = (await as(wallet, "POST", `/${id}/rotate`)) as { body: Made };
    expect(second).toMatchObject({ id, previousSecretExpiresAt: expect.any(String) });
    const both = await signed();
    expect([secret, second.secret].map(both)).toEqual([true, true]);
    const { body: third } = (await as(wallet, "POST", `/${id}/rotate`, { graceSeconds: 0 })) as { body: Made };
    expect(third).toMatchObject({ previousSecretExpiresAt: null });
    const last = await signed();
    expect([secret, second.secret, third.secret].map(last)).toEqual([false, false, true]);
  });

  it("moves to the configuration's new key, and opens with no other", async () => {
    const wallet = await agent();
    const { id, secret } = await make(wallet);
    const fresh = `0x${"9c".repeat(32)}` as const;
    const upkeep = { db: api.database.pool, config: { eventRetentionMs: 1e12 } };
    const webhooks = { ...context.webhooks, secrets: createSecretBox([fresh, WEBHOOK_KEY]) };
    expect(await webhookUpkeep.run({ ...upkeep, webhooks } as never, {})).toBeGreaterThan(0);
    expect(await webhookUpkeep.run({ ...upkeep, webhooks } as never, {})).toBe(0);
    const [sealed] = (await signingSecrets(api.database.pool, [id], new Date())).get(id)!;
    const opened = createSecretBox([fresh]).open(sealed!.sealed, sealed!.secretId);
    expect(Buffer.from(opened).toString("base64")).toBe(secret.slice(6));
    expect(() => createSecretBox([WEBHOOK_KEY]).open(sealed!.sealed, sealed!.secretId)).toThrow("not configured");
    expect(() => createSecretBox([fresh]).open(sealed!.sealed, "another")).toThrow();
    // Back again, for the tests beside this one.
    const back = { ...context.webhooks, secrets: createSecretBox([WEBHOOK_KEY, fresh]) };
    await webhookUpkeep.run({ ...upkeep, webhooks: back } as never, {});
  });

  it("moves to the new key whatever becomes of other secrets and steps, and the log names those that cannot be read", async () => {
    const { pool } = api.database;
    for (let n = 0; n < 2; n++) await make(await agent());
    const ids = await api.database.rows("select secret_id as id from offchain.webhook_secret order by secret_id");
    const [unreadable, other] = ids.map(({ id }) => id) as [string, string];
    await pool.query("update offchain.webhook_secret set sealed = '\\x00' where secret_id = $1", [unreadable]);
    const told: unknown[] = [];
    const secrets = createSecretBox([`0x${"9d".repeat(32)}`, WEBHOOK_KEY]);
    const upkeep = {
      ...{ db: pool, config: { eventRetentionMs: 1e12 } },
      ...{ log: { error: (what: unknown) => told.push(what) }, webhooks: { ...context.webhooks, secrets } },
    };
    await pool.query("alter table offchain.webhook_turn rename to away");
    await expect(webhookUpkeep.run(upkeep as never, {}))
      .rejects.toThrow("failed: turns")
      .finally(() => pool.query("alter table offchain.away rename to webhook_turn"));
    const sql = "select sealed from offchain.webhook_secret where secret_id = $1";
    expect(secrets.isCurrent((await api.database.rows(sql, [other]))[0].sealed)).toBe(true);
    expect(told).toEqual([expect.objectContaining({ secretIds: [unreadable], count: 1 })]);
  });
});

it("the example believes what the service sends, once, and nothing else", async () => {
  const wallet = await agent();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await make(wallet, { url });
  const child = startProgram(process.execPath, ["examples/webhook-receiver.ts", String(port)], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...CHILD_ENV, WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines: string[] = [];
    createInterface(child.stdout!).on("line", (line) => lines.push(line));
    await until("the example listens", () => lines.includes("listening"));
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    await as(wallet, "POST", `/${id}/test`);
    await deliverDue(context);
    await until("the ping is there", () => lines.length === 2);
    expect(lines[1]).toContain(`webhook.ping {"webhookId":"${id}"}`);
    const { deliveries } = (await as(wallet, "GET", `/${id}/deliveries`)).body as { deliveries: { id: number }[] };
    await as(wallet, "POST", `/${id}/deliveries/${deliveries[0]!.id}/replay`);
    await deliverDue(context);
    const delivered = { state: "delivered", attempts: [{ status: 204 }, { status: 204 }] };
    expect((await as(wallet, "GET", `/${id}/deliveries`)).body).toMatchObject({ deliveries: [delivered] });
    expect(lines).toHaveLength(2);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
