/** Verdicts on what was read from hosts, from their documents to the answer. */
import { beforeEach, expect, it } from "vitest";
import type { PublicHttp } from "../../clients/public-http.ts";
import type { Preflight } from "../../core/preflight/preflight.ts";
import type { PreflightView } from "../../core/preflight/view.ts";
import { accept, addressOf } from "../core/preflight/world.ts";
import { plantDirectory } from "../support/directory.ts";
import { runOffers } from "../workers/support/offers-job.ts";
import { apiForFile } from "./support/api.ts";

const DAY_MS = 86_400_000;
let now = Date.UTC(2026, 10, 30);
const api = apiForFile({ now: () => now });
/** What each URL is answered with. */
const shown = new Map<string, { status: number; body: object }>();
const paid = (...accepts: object[]) => ({ status: 402, body: { x402Version: 2, accepts } });
/** A document of a host that sells what is at some of its paths, each for terms that pay an account. */
const sells = (origin: string, paths: Record<string, string>) => {
  const operation = (path: string, payTo: string) => ({
    get: { summary: path, "x-payment-info": { protocols: [{ x402: accept(payTo, 1_000) }] } },
  });
  const operations = Object.entries(paths).map(([path, payTo]) => [path, operation(path, payTo)]);
  return { status: 200, body: { openapi: "3.1.0", servers: [{ url: origin }], paths: Object.fromEntries(operations) } };
};

async function readAll(): Promise<void> {
  now += DAY_MS;
  const endpoints = {
    async send({ url }: { url: string }) {
      const { status, body } = shown.get(url) ?? { status: 404, body: {} };
      return { kind: "answered" as const, status, headers: {}, text: JSON.stringify(body), url };
    },
  };
  await runOffers({ db: api.pool, clock: () => new Date(now), publicHttp: {} as PublicHttp, over: { endpoints } });
}

beforeEach(async () => {
  await api.sql`delete from offchain.directory`;
  shown.clear();
});
/** An agent of the canonical registry whose proven wallet three independent payers have paid. @returns the wallet */
async function plant(agentId: number, ...urls: string[]): Promise<string> {
  const wallet = addressOf(agentId);
  const row = { platform: "erc8004", agent_id: `${agentId}`, name: "A", cred_score: 20, chain_id: 8453 };
  const owned = { address: wallet, wallet_proven: true, owner_address: addressOf(agentId + 500) };
  await plantDirectory(api.pool, [{ ...row, ...owned, created_at: "2026-01-01T00:00:00Z" }]);
  const services = JSON.stringify(urls.map((endpoint) => ({ name: "x402", endpoint })));
  const figures = JSON.stringify({ rules: 4, windows: [], voices: ["9000000", "9000000", "9000000"] });
  await api.sql`with agent as (update offchain.directory set services = ${services} where agent_id = ${String(agentId)} returning id)
    insert into offchain.income_figures (directory_id, wallet, seen, figures, computed_at)
    select id, ${wallet}, '', ${figures}, ${new Date(now + DAY_MS).toISOString()} from agent`;
  return wallet;
}
const ask = async (given: object) => {
  const answer = (await api.write("POST", "/api/v2/preflight", given)).body as unknown as PreflightView;
  const { reasons, agent } = JSON.parse(answer.payload) as Preflight;
  return { verdict: answer.verdict, agent, keys: reasons.map(({ key }) => key) };
};

it("a tenant of a shared host gets no allow for a neighbour's URL that its document names, with its own wallet", async () => {
  const [theirs, nobodys] = ["https://shared.example/victim/paid", "https://shared.example/other/paid"];
  const document = "https://shared.example/tenant/openapi.json";
  const victim = await plant(71, theirs);
  const tenant = await plant(72, document);
  shown.set(theirs, paid(accept(victim, 1_000)));
  shown.set(nobodys, paid(accept(tenant, 1_000)));
  const paths = { "/victim/paid": tenant, "/other/paid": tenant, "/tenant/own": tenant };
  shown.set(document, sells("https://shared.example", paths));
  await readAll();
  // Its terms pay the tenant: the document is shown to be the tenant's, and the victim's URL the victim's.
  expect(await ask({ url: theirs, terms: [accept(victim, 1_000)] })).toMatchObject({
    verdict: "allow",
    agent: "erc8004-71",
  });
  const forged = [accept(tenant, 1_000)];
  for (const terms of [forged, undefined])
    expect(await ask({ url: theirs, agent: "erc8004-72", terms })).toMatchObject({
      ...{ verdict: "deny", keys: expect.arrayContaining(["endpoint_of_another"]) },
    });
  expect(await ask({ url: theirs, terms: forged })).toMatchObject({ verdict: "deny", agent: "erc8004-71" });
  expect(await ask({ url: nobodys, agent: "erc8004-72", terms: forged })).toMatchObject({
    ...{ verdict: "review", keys: expect.arrayContaining(["endpoint_unconfirmed"]) },
  });
  expect(await ask({ url: nobodys, terms: forged })).toMatchObject({ verdict: "unrated", agent: null });
});

it("a seller whose payTo has left its proven wallet is denied for thirty days, and one who pays a new wallet of its own is not", async () => {
  const [url, origin] = ["https://seller.example/paid", "https://many.example"];
  const [seller, many] = [await plant(81, url), await plant(82, `${origin}/openapi.json`)];
  const hosts = [seller, many].map((wallet) => `{${wallet}}`);
  for (const [i, host] of ["https://seller.example", origin].entries())
    await api.sql`insert into offchain.host_file (origin, names, trust, failures, next_try_at)
      values (${host}, array(select md5(name)::uuid from unnest(${hosts[i]!}::text[]) name), 0, 9, 'infinity')`;
  const read = async (payTo: string) => {
    shown.set(url, paid(accept(payTo, 1_000)));
    shown.set(`${origin}/openapi.json`, sells(origin, { "/a": payTo === seller ? many : payTo, "/b": many }));
    await readAll();
  };
  await read(seller);
  expect(await ask({ url })).toMatchObject({ verdict: "allow" });
  const thief = addressOf(666);
  await read(thief);
  const denied = { verdict: "deny", keys: expect.arrayContaining(["payee_switched"]) };
  const another = { url: `${origin}/a` };
  for (const given of [{ url }, { url, agent: "erc8004-81" }, { agent: "erc8004-81" }, { url, payTo: thief }, another])
    expect(await ask(given)).toMatchObject(denied);
  expect(await ask({ url: `${origin}/b` })).toMatchObject({ verdict: "allow", agent: "erc8004-82" });
  now += 31 * DAY_MS;
  await api.sql`update offchain.income_figures set computed_at = ${new Date(now).toISOString()}`;
  await read(thief);
  expect((await ask({ url })).verdict).toBe("review");
  await api.sql`update offchain.directory set address = ${thief} where agent_id = '81'`;
  expect((await ask({ url })).keys).not.toContain("payee_switched");
});

it("a seller that moves to another URL with another account is denied there, and one that sells more elsewhere is not", async () => {
  const [url, other] = ["https://mover.example/paid", "https://mover.example/new"];
  const seller = await plant(101, url);
  await api.sql`insert into offchain.host_file (origin, names, trust, failures, next_try_at)
    values ('https://mover.example', array[md5(${seller})::uuid], 0, 9, 'infinity')`;
  shown.set(url, paid(accept(seller, 1_000)));
  shown.set(other, paid(accept(addressOf(668), 1_000)));
  const names = async (...urls: string[]) => {
    const services = JSON.stringify(urls.map((endpoint) => ({ name: "x402", endpoint })));
    await api.sql`update offchain.directory set services = ${services} where agent_id = '101'`;
    for (let days = 0; days < 2; days++) await readAll();
  };
  await names(url);
  await names(url, other);
  expect((await ask({ url: other })).verdict).toBe("review");
  await names(other);
  const denied = { verdict: "deny", agent: "erc8004-101", keys: expect.arrayContaining(["payee_switched"]) };
  for (const given of [{ url: other }, { url: other, agent: "erc8004-101" }, { agent: "erc8004-101" }])
    expect(await ask(given)).toMatchObject(denied);
  shown.set(other, paid(accept(seller, 1_000)));
  await names(other);
  expect((await ask({ url: other })).keys).not.toContain("payee_switched");
});

it("who has moved its own wallet away brings no denial upon a stranger's URL that it names alone", async () => {
  const [own, theirs] = ["https://leaver.example/paid", "https://stranger.example/paid"];
  const leaver = await plant(111, own);
  shown.set(own, paid(accept(leaver, 1_000)));
  shown.set(theirs, paid(accept(addressOf(669), 1_000)));
  await readAll();
  const services = JSON.stringify([{ name: "x402", endpoint: theirs }]);
  await api.sql`update offchain.directory set services = ${services} where agent_id = '111'`;
  for (let days = 0; days < 2; days++) await readAll();
  const denied = { verdict: "deny", agent: "erc8004-111", keys: expect.arrayContaining(["payee_switched"]) };
  expect(await ask({ url: theirs, agent: "erc8004-111" })).toMatchObject(denied);
  const found = await ask({ url: theirs });
  expect(found).toMatchObject({ verdict: "review", keys: expect.arrayContaining(["endpoint_unconfirmed"]) });
  expect(found.keys).not.toContain("payee_switched");
});

it("a seller that shows no terms for a while, or sells one of its resources no more, is not denied for it", async () => {
  const [url, other] = ["https://closed.example/paid", "https://closed.example/other"];
  const seller = await plant(91, url, other);
  await api.sql`insert into offchain.host_file (origin, names, trust, failures, next_try_at)
    values ('https://closed.example', array[md5(${seller})::uuid], 0, 9, 'infinity')`;
  for (const one of [url, other]) shown.set(one, paid(accept(seller, 1_000)));
  await readAll();
  const thief = addressOf(667);
  for (const status of [200, 422]) {
    shown.set(url, { status, body: {} });
    await readAll();
    for (const given of [{ url }, { url, agent: "erc8004-91" }, { agent: "erc8004-91" }])
      expect((await ask(given)).keys).not.toContain("payee_switched");
  }
  // What is sold again for another account is a switch of this resource, and not of all that the agent sells.
  shown.set(url, paid(accept(thief, 1_000)));
  await readAll();
  expect(await ask({ url })).toMatchObject({ verdict: "deny", keys: expect.arrayContaining(["payee_switched"]) });
  expect((await ask({ agent: "erc8004-91" })).verdict).not.toBe("deny");
  expect(await ask({ url: other })).toMatchObject({ verdict: "allow" });
});
