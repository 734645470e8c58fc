/** The history of offers as it is stored: what is told of it, what is not, and how much of it is kept. */
import { beforeEach, expect, it } from "vitest";
import type { PublicHttp } from "../../clients/public-http.ts";
import type { OfferChange } from "../../core/offers/offer-change.ts";
import { forgetUnnamedVersions } from "../../db/offers/offer-history.ts";
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
async function readAll(): Promise<void> {
  clock = new Date(clock.getTime() + DAY_MS);
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

it("an endpoint that was not named for a while is compared with what it was; after a month it is forgotten", async () => {
  const endpoint = { kind: "x402", url: "https://a.example/paid" } as const;
  const id = await plant([endpoint]);
  answers.set(endpoint.url, terms({}));
  await readAll();
  await names(id, []);
  await readAll();
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
