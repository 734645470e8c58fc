/** The history of offers and pins, as callers see them: from the endpoints of an agent to the check of a file without the service. */
import { beforeEach, expect, it } from "vitest";
import type { PublicHttp } from "../../clients/public-http.ts";
import { randomOf } from "../../harness/random.ts";
import { until } from "../../harness/until.ts";
import { checkPin, type Pin } from "../../sdk/src/index.ts";
import {
  answerOf,
  type HostDocument,
  type Kind,
  mutated,
  rewritten,
  someDocument,
} from "../support/offer-documents.ts";
import { SEED } from "../support/seed.ts";
import { runOffers } from "../workers/support/offers-job.ts";
import { apiForFile } from "./support/api.ts";

const api = apiForFile();
const random = randomOf(SEED);
const DAY_MS = 86_400_000;
let clock: Date;
const answers = new Map<string, { kind: Kind; text: string }>();
beforeEach(() => {
  clock = new Date();
});
async function readAll(): Promise<void> {
  clock = new Date(clock.getTime() + DAY_MS);
  const endpoints = {
    async send({ url, ...asked }: { url: string }) {
      const { kind, text } = answers.get(url)!;
      return { kind: "answered" as const, url, ...answerOf(kind, text, asked, random) };
    },
  };
  await runOffers({ db: api.pool, clock: () => clock, publicHttp: {} as PublicHttp, over: { endpoints } });
}
const PATHS: Record<Kind, string> = { mcp: "mcp", agent_card: "card.json", x402: "paid", priced: "" };
const PROTOCOLS: Record<Kind, string> = { mcp: "MCP", agent_card: "A2A", x402: "x402", priced: "x402" };
let planted = 0;
/** An agent with an endpoint of a kind, which its host confirms where its registry is the canonical one. @returns its reference and its endpoint */
async function plant(kind: Kind, platform = "erc8004"): Promise<HostDocument & { ref: string; url: string }> {
  const host = someDocument(random, kind);
  const agentId = String(9_000 + ++planted);
  const url = `https://pin${planted}.example/${PATHS[kind]}`;
  answers.set(url, { kind, text: JSON.stringify(host.document) });
  await api.pool.query(
    `with named as (
       insert into offchain.directory (platform, agent_id, name, services, cred_score, address, wallet_proven)
       values ($1, $2, 'A', $3, 20, $4, true))
     insert into offchain.host_file (origin, names, trust, failures, next_try_at)
     values ($5, array[md5($4)::uuid], 0, 9, 'infinity')`,
    [
      platform,
      agentId,
      JSON.stringify([{ name: PROTOCOLS[kind], endpoint: url }]),
      `0x${agentId}`,
      new URL(url).origin,
    ],
  );
  return { ...host, ref: `${platform}-${agentId}`, url };
}
const pinOf = async (ref: string) => (await api.write("POST", "/api/v2/pins", { agent: ref })).body as unknown as Pin;
const get = async (path: string) => (await api.get(path)).body;

it("a change is in the history, page by page, and the pin from before it says so, until it is taken back", async () => {
  const { ref, url, kind, document } = await plant("x402");
  await readAll();
  const pin = await pinOf(ref);
  expect(pin).toMatchObject({ agent: ref, versions: [{ endpoint: null }, { endpoint: { kind: "x402", url } }] });
  expect(await get(`/api/v2/pins/${pin.id}`)).toMatchObject({ agent: ref, status: "same", changes: [] });
  const original = answers.get(url)!;
  const [before, after] = ["a", "b"].map((digit) => `0x${digit.repeat(40)}`);
  for (const payTo of [before, after]) {
    const accepts = document.accepts.map((each: object) => ({ ...each, payTo }));
    answers.set(url, { kind, text: JSON.stringify({ ...document, accepts }) });
    await readAll();
  }
  const path = `/api/v2/agent/${ref}/offers/history?limit=1`;
  const first = await get(path);
  const change = { payTo: [{ from: [before], to: [after] }], prices: [], changed: [] };
  expect(first).toMatchObject({ limit: 1, changes: [{ endpoint: { url }, changes: 1, change }] });
  const second = await get(`${path}&before=${first.nextBefore}`);
  expect(second).toMatchObject({ changes: [{ change: { payTo: [{ to: [before] }] } }], nextBefore: null });
  expect(await get(`/api/v2/pins/${pin.id}`)).toMatchObject({ status: "changed", changes: { length: 2 } });
  answers.set(url, original);
  await readAll();
  expect(await get(`/api/v2/pins/${pin.id}`)).toMatchObject({ status: "same", changes: { length: 3 } });
});

it("a pin is unknown while a confirmed endpoint was not read for three days, and not moved by one that is only named", async () => {
  const [own, named] = [await plant("mcp"), await plant("mcp", "agentverse")];
  await readAll();
  const pins = [await pinOf(own.ref), await pinOf(named.ref)];
  expect(pins.map(({ versions }) => versions.map(({ confirmed }) => confirmed))).toEqual([
    [true, true],
    [true, false],
  ]);
  for (const host of [own, named])
    answers.set(host.url, { kind: "mcp", text: JSON.stringify(mutated(random, host).document) });
  await readAll();
  const states = async () => Promise.all(pins.map(({ id }) => get(`/api/v2/pins/${id}`)));
  // Where nothing is confirmed, what is only named is all there is to know.
  expect(await states()).toMatchObject([{ status: "changed" }, { status: "unknown", changes: { length: 1 } }]);
  for (const host of [own, named]) answers.set(host.url, { kind: "mcp", text: JSON.stringify(host.document) });
  await readAll();
  const readAt = { readAt: clock.toISOString() };
  expect(await states()).toMatchObject([{ status: "same", versions: [{ readAt: null }, readAt] }, { status: "same" }]);
  await api.pool.query("update offchain.offer_source set read_at = now() - interval '73 hours'");
  expect(await states()).toMatchObject([{ status: "unknown" }, { status: "same" }]);
});

it("a new pin is of one moment, though a reading is stored while it is made", async () => {
  const { ref, url } = await plant("mcp");
  await readAll();
  const reading = await api.pool.connect();
  await reading.query("begin; lock table offchain.offer_version");
  await reading.query("update offchain.offer_version set hash = 'other' where source = $1", [`mcp ${url}`]);
  const waiting = `select from pg_locks where not granted and relation = 'offchain.offer_version'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  const pin = await api.atOne(async () => {
    const pinning = pinOf(ref);
    await until("the pin waits for the reading", async () => (await reading.query(waiting)).rowCount === 1);
    await reading.query("commit");
    return pinning;
  });
  reading.release();
  for (const { hash } of pin.versions) expect(hash).not.toBe("other");
});

it("300 documents of hosts: a pin's file says without the service which mean the same", async () => {
  const wrong: unknown[] = [];
  for (const kind of ["mcp", "agent_card", "x402"] as const) {
    const host = await plant(kind);
    await readAll();
    const pin = await pinOf(host.ref);
    for (let i = 0; i < 50; i++) {
      const other = mutated(random, host);
      const same = await checkPin(pin, host.url, JSON.parse(rewritten(random, host.document)));
      const changed = await checkPin(pin, host.url, JSON.parse(rewritten(random, other.document)));
      if (same.status !== "same" || same.says.length > 0) wrong.push([kind, same]);
      // Of a 402 the terms are compared, not the words.
      const told = kind === "x402" && other.told === "content" ? "same" : "changed";
      if (changed.status !== told) wrong.push([kind, changed, JSON.stringify(other.document)]);
    }
  }
  expect(wrong).toEqual([]);
});

it("a pin's file is compared with a registration file, and with nothing that it does not have", async () => {
  const { ref, url } = await plant("mcp");
  await readAll();
  const pin = await pinOf(ref);
  const file = (...endpoints: string[]) => ({ services: endpoints.map((endpoint) => ({ name: "MCP", endpoint })) });
  const check = async (document: unknown, of: Pin = pin) => (await checkPin(of, url, document)).status;
  expect(await check(file(url))).toBe("same");
  expect(await check({ services: [...file(url).services, { name: "web", endpoint: "https://a.example/" }] })).toBe(
    "same",
  );
  expect(await check(file(url, "https://other.example/mcp"))).toBe("changed");
  expect(await check(file("https://other.example/mcp"))).toBe("changed");
  for (const other of [null, {}, [], "x", { accepts: [{}] }, { skills: [null] }])
    expect(await check(other)).toBe("unknown");
});

it("a file that was changed anywhere in what it is of is no pin", async () => {
  const { ref, url, document } = await plant("mcp");
  await readAll();
  const pin = await pinOf(ref);
  const nested = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
  const forgeries: ((file: Pin) => unknown)[] = [
    ({ versions }) => (versions[1]!.version.items[0]!.name = "other"),
    ({ versions }) => (versions[1]!.hash = "0".repeat(64)),
    ({ versions }) => versions.pop(),
    ({ versions }) => (versions[1]!.endpoint = { kind: "mcp", url: "https://other.example/" }),
    (file) => (file.id = file.id.replace(/_./, "_x")),
    (file) => Object.assign(file, { versions: null }),
    ({ versions }) => Object.assign(versions[0]!, { version: nested }),
  ];
  for (const forge of forgeries) {
    const file = structuredClone(pin);
    forge(file);
    expect(await checkPin(file, url, document)).toMatchObject({ status: "invalid" });
  }
});

it("ids that are none, and agents that are not there or not read, are refused", async () => {
  const { ref } = await plant("mcp");
  const status = async (method: "GET" | "POST", path: string, body?: object) =>
    (await (method === "GET" ? api.get(path) : api.write(method, path, body!))).status;
  expect(await status("POST", "/api/v2/pins", { agent: ref })).toBe(409);
  expect(await status("POST", "/api/v2/pins", { agent: "erc8004-none" })).toBe(404);
  expect(await status("POST", "/api/v2/pins", { agent: ref, more: 1 })).toBe(400);
  const id = (agent: string) => `pin_${"0".repeat(64)}_1795974988305_${Buffer.from(agent).toString("base64url")}`;
  expect(await status("GET", `/api/v2/pins/${id("erc8004-none")}`)).toBe(404);
  for (const bad of ["pin_1", id("a\0b"), id(""), `${id("a")}!`, id("a".repeat(2_200))])
    expect(await status("GET", `/api/v2/pins/${bad}`)).toBe(400);
  expect(await status("GET", "/api/v2/agent/erc8004-none/offers/history")).toBe(404);
});
