/** The history of offers as it is stored: what is told of it, what is not, and how much of it is kept. */
import { beforeEach, expect, it } from "vitest";
import type { PublicHttp } from "../../clients/public-http.ts";
import type { OfferChange } from "../../core/offers/offer-change.ts";
import { versionOf } from "../../core/offers/offer-versions.ts";
import { emitOfferChanges } from "../../db/offers/offer-events.ts";
import { forgetUnnamedVersions } from "../../db/offers/offer-history.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import { pick, randomOf } from "../../harness/random.ts";
import type { JobContext } from "../../workers/context.ts";
import { testDatabase } from "../support/database.ts";
import { answerOf, type HostDocument, mutated, rewritten, someDocument } from "../support/offer-documents.ts";
import { SEED } from "../support/seed.ts";
import { perTest } from "../support/started.ts";
import { runOffers } from "./support/offers-job.ts";

const DAY_MS = 86_400_000;
const random = randomOf(SEED);
const db = perTest(() => testDatabase({ indexed: true }));
let clock: Date;
/** What each URL is answered with: a document, or a status. */
let answers: Map<string, { kind: HostDocument["kind"]; text: string } | number>;
beforeEach(() => {
  clock = new Date(Date.UTC(2026, 10, 21));
  answers = new Map();
});

const send: JobContext["endpoints"]["send"] = async ({ url, ...asked }) => {
  const found = answers.get(url) ?? 404;
  const answer =
    typeof found === "number"
      ? { status: found, headers: {}, text: "" }
      : answerOf(found.kind, found.text, asked, random);
  return { kind: "answered", url, ...answer };
};
async function readAll(laterMs = DAY_MS): Promise<void> {
  clock = new Date(clock.getTime() + laterMs);
  await db.pool.query("update offchain.offer_source set next_try_at = least(next_try_at, $1)", [clock]);
  await runOffers({ db: db.pool, clock: () => clock, publicHttp: {} as PublicHttp, over: { endpoints: { send } } });
}

const PROTOCOLS = { mcp: "MCP", agent_card: "A2A", x402: "x402", priced: "x402" };
type Endpoint = { kind: HostDocument["kind"]; url: string };
let planted = 0;
async function plant(
  endpoints: readonly Endpoint[],
  { platform = "agentverse", owner = `0x${planted + 1}` } = {},
): Promise<number> {
  const services = endpoints.map(({ kind, url }) => ({ name: PROTOCOLS[kind], endpoint: url }));
  const [row] = await db.rows(
    `insert into offchain.directory (platform, agent_id, name, services, cred_score, owner_address)
     values ($1, $2, 'A', $3, 20, $4) returning id`,
    [platform, `${++planted}`, JSON.stringify(services), owner],
  );
  return Number(row.id);
}
const names = (id: number, endpoints: readonly Endpoint[]) =>
  db.pool.query("update offchain.directory set services = $2 where id = $1", [
    id,
    JSON.stringify(endpoints.map(({ kind, url }) => ({ name: PROTOCOLS[kind], endpoint: url }))),
  ]);

type Row = { source: string; at: Date; firstAt: Date; changes: number; change: OfferChange };
const history = (source = "%") =>
  db.rows<Row>(
    `select v.source, c.at, c.first_at as "firstAt", c.changes, c.change
     from offchain.offer_change c join offchain.offer_version v on v.key = c.key where v.source like $1 order by c.id`,
    [source],
  );
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const terms = ({ amount = "1000", payTo = `0x${"1".repeat(40)}`, description = "Sells." }) => ({
  kind: "x402" as const,
  text: JSON.stringify({
    ...{ x402Version: 2, resource: { description } },
    accepts: [{ scheme: "exact", network: "eip155:8453", asset: USDC, amount, payTo }],
  }),
});

it("tells each of 100 that mean something else by the next reading, and none of 100 that mean the same", async () => {
  const hosts = Array.from({ length: 200 }, (_, i) => {
    const one = someDocument(random, pick(random, ["mcp", "agent_card", "x402", "priced"]));
    const path = { mcp: "mcp", agent_card: "card.json", x402: "paid", priced: "" }[one.kind];
    return { ...one, url: `https://h${i}.example/${path}`, isOther: i % 2 === 0 };
  });
  for (const { kind, url, document } of hosts) {
    answers.set(url, { kind, text: JSON.stringify(document) });
    await plant([{ kind, url }]);
  }
  await readAll();
  expect(await history()).toEqual([]);
  for (const host of hosts) {
    const document = host.isOther ? mutated(random, host).document : host.document;
    answers.set(host.url, { kind: host.kind, text: rewritten(random, document) });
  }
  await readAll();
  const told = (await history()).map(({ source }) => source.split(" ")[1]);
  expect(told.toSorted()).toEqual(hosts.flatMap(({ url, isOther }) => (isOther ? [url] : [])).toSorted());
  await readAll();
  expect(await history()).toHaveLength(100);
});

it("keeps 50 changes of an endpoint, folds what changes often, and never what stands alone", async () => {
  const url = "https://a.example/paid";
  await plant([{ kind: "x402", url }]);
  answers.set(url, terms({}));
  await readAll();
  answers.set(url, terms({ payTo: `0x${"B".repeat(40)}` }));
  await readAll();
  const at = clock;
  clock = new Date(clock.getTime() + 200 * DAY_MS);
  for (let i = 0; i < 120; i++) {
    answers.set(url, terms({ payTo: `0x${"B".repeat(40)}`, description: `Sells ${i}.`, amount: `${1_000 + i}` }));
    await readAll();
  }
  const kept = await history();
  expect([kept.length, kept.reduce((sum, { changes }) => sum + changes, 0)]).toEqual([50, 121]);
  const payTo = [{ name: "a.example/paid", from: [`0x${"1".repeat(40)}`], to: [`0x${"b".repeat(40)}`] }];
  expect(kept[0]).toMatchObject({ at, firstAt: at, changes: 1, change: { payTo } });
  // The newest are as they were read, and a fold has where it began and what came.
  expect(kept.at(-1)).toMatchObject({ changes: 1, change: { changed: [{ parts: ["description"] }] } });
  for (const { changes, at, firstAt } of kept.slice(1))
    expect(at.getTime() - firstAt.getTime()).toBe((changes - 1) * DAY_MS);
  for (const { change } of kept) expect(JSON.stringify(change).length).toBeLessThan(16_000);
});

it("an account that was paid for a day only stays in the fold", async () => {
  const url = "https://a.example/paid";
  await plant([{ kind: "x402", url }]);
  for (let i = 0; i < 62; i++) {
    answers.set(url, terms({ payTo: `0x${(i % 2 === 0 ? "1" : "2").repeat(40)}` }));
    await readAll();
  }
  const folds = (await history()).filter(({ changes }) => changes > 1);
  expect(folds.length).toBeGreaterThan(0);
  for (const { change } of folds) expect(new Set(change.payTo.flatMap(({ to }) => to)).size).toBe(2);
});

/** An agent with an endpoint that was read and is not named any more. */
async function plantUnnamed() {
  const endpoint = { kind: "x402", url: "https://a.example/paid" } as const;
  const id = await plant([endpoint]);
  answers.set(endpoint.url, terms({}));
  await readAll();
  await names(id, []);
  await readAll();
  return { id, endpoint };
}

it("an endpoint that was not named for a while is compared with what it was; after a month it is forgotten", async () => {
  const { id, endpoint } = await plantUnnamed();
  await forgetUnnamedVersions(db.pool, clock);
  answers.set(endpoint.url, terms({ payTo: `0x${"2".repeat(40)}` }));
  await names(id, [endpoint]);
  await readAll();
  expect((await history("x402 %")).map(({ change }) => change.payTo)).toHaveLength(1);
  const named = (change: OfferChange) => [change.added, change.removed];
  const listed = (await history("agent %")).map(({ change }) => named(change));
  expect(listed).toEqual([
    [[], [`x402 ${endpoint.url}`]],
    [[`x402 ${endpoint.url}`], []],
  ]);
  await forgetUnnamedVersions(db.pool, clock);
  await names(id, []);
  await readAll();
  await forgetUnnamedVersions(db.pool, clock);
  expect(await forgetUnnamedVersions(db.pool, new Date(clock.getTime() + 29 * DAY_MS))).toBe(0);
  expect(await forgetUnnamedVersions(db.pool, new Date(clock.getTime() + 31 * DAY_MS))).toBe(1);
  expect(await history("x402 %")).toEqual([]);
  expect(await history("agent %")).toHaveLength(3);
});

it("a source that is named again while what nobody names is forgotten stays, and every one is looked at", async () => {
  const { id, endpoint } = await plantUnnamed();
  await db.pool.query(
    `insert into offchain.offer_version (key, source, hash, version, first_at, since)
     select sha256(i::text::bytea), 'mcp https://h' || i || '.example/', '', '{}', $1, $1 from generate_series(1, 4500) i`,
    [clock],
  );
  await forgetUnnamedVersions(db.pool, clock);
  const left = async () => db.rows("select source from offchain.offer_version where unnamed_since is not null");
  expect(await left()).toHaveLength(4_501);
  const late: Queryable = {
    async query(...given: Parameters<typeof db.pool.query>) {
      if (/^delete/.test(String(given[0])))
        await db.pool.query(
          `insert into offchain.offer_source (directory_id, kind, url, host, trust, next_try_at)
           values ($1, 'x402', $2, 'a.example', 0, $3) on conflict do nothing`,
          [id, endpoint.url, clock],
        );
      return db.pool.query(...given);
    },
  } as never;
  expect(await forgetUnnamedVersions(late, new Date(clock.getTime() + 31 * DAY_MS))).toBe(4_500);
  expect(await left()).toEqual([{ source: `x402 ${endpoint.url}` }]);
});

const SELLER = `0x${"5".repeat(40)}`;
/** An agent of the canonical registry whose host names it back. @returns its events of who is paid */
async function plantSeller(...urls: string[]) {
  const wallet = SELLER;
  const id = await plant(x402(urls), { platform: "erc8004" });
  await db.pool.query(
    `with named as (update offchain.directory set address = $2, wallet_proven = true where id = $1)
     insert into offchain.host_file (origin, names, trust, failures, next_try_at)
     values ('https://seller.example', array[md5($2)::uuid], 0, 9, 'infinity')`,
    [id, wallet],
  );
  const events = () =>
    db.rows<{ payTo: OfferChange["payTo"]; isHabit: boolean; url: string; at: Date }>(
      `select data->'payTo' as "payTo", data->'isHabit' as "isHabit", data->'endpoint'->>'url' as url, at
       from offchain.event where type = 'agent.pay_to_changed' order by append_id`,
    );
  return { id, wallet, events };
}
const x402 = (urls: readonly string[]) => urls.map((url): Endpoint => ({ kind: "x402", url }));
const THIEF = `0x${"6".repeat(40)}`;

it("an account that is new for an agent is told at whatever URL it is paid, and once", async () => {
  const [url, other] = ["https://seller.example/paid", "https://seller.example/new"];
  const { id, wallet, events } = await plantSeller(url);
  answers.set(url, terms({ payTo: wallet }));
  answers.set(other, terms({ payTo: THIEF }));
  for (let days = 0; days < 4; days++) await readAll();
  // The old URL goes with what was known of it.
  await names(id, x402([other]));
  for (let days = 0; days < 3; days++) await readAll();
  const payTo = [{ name: "seller.example/new", from: [wallet], to: [THIEF] }];
  expect(await events()).toMatchObject([{ url: other, payTo, isHabit: false }]);
});

it("what changes within an hour is told after it, together, also where the endpoint is nobody's by then", async () => {
  const url = "https://seller.example/paid";
  const { wallet, events } = await plantSeller(url);
  // Its terms alone show whose it is.
  await db.pool.query("delete from offchain.host_file");
  const pays = async (payTo: string, minutes: number, amount = "1000") => {
    answers.set(url, terms({ payTo, amount }));
    await readAll(minutes * 60_000);
    return (await events()).map(({ payTo }) => payTo.flatMap(({ to }) => to));
  };
  await pays(wallet, 1_440);
  await pays(wallet, 3 * 1_440);
  const prices = () => db.rows("select from offchain.event where type = 'agent.price_changed'");
  await pays(wallet, 1, "2000");
  expect(await prices()).toHaveLength(1);
  expect(await pays(THIEF, 20)).toEqual([]);
  expect(await pays(THIEF, 20)).toEqual([]);
  expect(await pays(THIEF, 21)).toEqual([[THIEF]]);
  expect(await pays(THIEF, 1_440)).toHaveLength(1);
});

it("a crowd of 3,000 that names a URL before its seller costs no reading of it, and hides no event", async () => {
  const url = "https://seller.example/paid";
  await db.pool.query(
    `with crowd as (
       insert into offchain.directory (platform, agent_id, name, services, cred_score, wallet_proven, address)
       select 'erc8004', 'c' || i, 'C', $2, 90, true, 'crowd-' || i from generate_series(1, 3000) i returning id)
     insert into offchain.offer_source (directory_id, kind, url, host, trust, next_try_at)
     select id, 'x402', $1, 'seller.example', 90, 'infinity' from crowd`,
    [url, JSON.stringify([{ name: "x402", endpoint: url }])],
  );
  const { wallet, events } = await plantSeller(url);
  await db.pool.query("delete from offchain.host_file");
  for (const [payTo, hours] of [...[1, 2, 3].map(() => [wallet, 24] as const), [THIEF, 24], [THIEF, 1]] as const) {
    answers.set(url, terms({ payTo }));
    await readAll(hours * 3_600_000);
  }
  expect((await events()).map(({ payTo }) => payTo)).toMatchObject([[{ from: [wallet], to: [THIEF] }]]);
  const source = `x402 ${url}`;
  // However many resources it has been paid for, a wallet is looked up once.
  await db.pool.query(
    `update offchain.offer_version set payees = (
       select jsonb_agg(p || jsonb_build_object('endpoint', i)) from jsonb_array_elements(payees) p, generate_series(1, 100) i)
     where source = $1`,
    [source],
  );
  const rowsRead = await transaction(db.pool, async (tx) => {
    const all = `select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
      where relname in ('offer_source', 'directory')`;
    const before = (await tx.query(all)).rows[0].rows;
    // Nothing shows whose it is any more: all that name it are strangers.
    await emitOfferChanges(tx, [{ source, version: versionOf([]) }], new Date(clock.getTime() + DAY_MS));
    return (await tx.query(all)).rows[0].rows - before;
  });
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThan(10);
});

it("older agents of its wallet, or of other registries, hide no event of a seller", async () => {
  const url = "https://seller.example/paid";
  await db.pool.query(
    `insert into offchain.directory (platform, agent_id, name, services, cred_score, wallet_proven, address)
     select platform, 'o' || i, 'O', '[]', 90, true, $1
     from generate_series(1, 110) i, unnest(array['erc8004', 'virtuals']) platform`,
    [SELLER],
  );
  const { wallet, events } = await plantSeller(url);
  await db.pool.query("delete from offchain.host_file");
  // Its price is told, so the account is within the hour; by then nothing shows any more whose the endpoint is.
  for (const [i, minutes] of [1_440, 1_440, 1_440, 1, 20, 61].entries()) {
    answers.set(url, terms({ payTo: i < 4 ? wallet : THIEF, amount: i < 3 ? "1000" : "2000" }));
    await readAll(minutes * 60_000);
  }
  expect((await events()).map(({ payTo }) => payTo)).toMatchObject([[{ from: [wallet], to: [THIEF] }]]);
});

it("no noise hides a new account: not other changes before and after, nor others that are paid elsewhere at once", async () => {
  const url = "https://seller.example/";
  const { wallet, events } = await plantSeller(url);
  const [second, count] = [`0x${"7".repeat(40)}`, 20];
  const operation = (payTo: string, i: number) => ({
    get: {
      summary: `Operation ${i}`,
      "x-payment-info": { protocols: [{ x402: JSON.parse(terms({ payTo }).text).accepts[0] }] },
    },
  });
  const shows = async (payTo: (i: number) => string, say = "") => {
    const paths = Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${i}${say}`, operation(payTo(i), i)]));
    answers.set(url, { kind: "priced", text: JSON.stringify({ openapi: "3.1.0", paths }) });
    await readAll();
  };
  const [odd, even] = [0, 1].map((rest) => (i: number) => (i % 2 === rest ? wallet : second));
  for (let days = 0; days < 60; days++) await shows(days % 2 === 0 ? odd! : even!, `?${days}`);
  await shows((i) => (i === count - 1 ? THIEF : odd!(i)), "?60");
  expect((await events()).flatMap(({ payTo }) => payTo.flatMap(({ to }) => to))).toContain(THIEF);
  for (let days = 61; days < 130; days++) await shows(days % 2 === 0 ? odd! : even!, `?${days}`);
  const [kept] = await db.rows("select payees from offchain.offer_version where source like 'agent %'");
  expect(kept.payees.map(({ payTo }: { payTo: string }) => payTo).toSorted()).toEqual([wallet, THIEF, second]);
});

it("a seller with another account at each reading is told of once as such, and anew when that is over", async () => {
  const url = "https://seller.example/paid";
  const { wallet, events } = await plantSeller(url);
  const pays = async (payTo: string) => {
    answers.set(url, terms({ payTo }));
    await readAll();
  };
  for (let days = 0; days < 4; days++) await pays(wallet);
  for (let i = 0; i < 30; i++) await pays(`0x${String(i).padStart(40, "a")}`);
  expect((await events()).map(({ isHabit }) => isHabit)).toEqual([false, false, false, true]);
  for (let days = 0; days < 8; days++) await pays(wallet);
  await pays(THIEF);
  expect((await events()).slice(4)).toMatchObject([{ payTo: [{ from: [wallet], to: [THIEF] }], isHabit: false }]);
});

it("another owner is a change of what an agent lists; one that is not known for a while is none", async () => {
  const endpoint = { kind: "mcp", url: "https://a.example/mcp" } as const;
  const id = await plant([endpoint], { owner: "0xAA" });
  const owned = async (owner: string | null) => {
    await db.pool.query("update offchain.directory set owner_address = $2 where id = $1", [id, owner]);
    await readAll();
    return (await history("agent %")).map(({ change }) => change.owner);
  };
  expect(await owned("0xaa")).toEqual([]);
  expect(await owned(null)).toEqual([]);
  expect(await owned("0xbb")).toEqual([{ from: "0xaa", to: "0xbb" }]);
});

it.each([
  ["asks for a credential", 401],
  ["is away", 503],
  ["has moved", 404],
])("an endpoint that %s offers what it did", async (_, status) => {
  const endpoint = { kind: "mcp", url: "https://a.example/mcp" } as const;
  await plant([endpoint]);
  const { document } = someDocument(random, "mcp");
  answers.set(endpoint.url, { kind: "mcp", text: JSON.stringify(document) });
  await readAll();
  answers.set(endpoint.url, status);
  await readAll();
  answers.set(endpoint.url, { kind: "mcp", text: JSON.stringify(document) });
  await readAll();
  expect(await history("mcp %")).toEqual([]);
});
