/** Whose an endpoint is: naming one is free, so it counts for an agent only when its host, its terms or its registry say so too. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPublicHttp } from "../../clients/public-http.ts";
import { blankEntry } from "../../core/directory/entry.ts";
import { namedAgents } from "../../core/directory/named-agents.ts";
import { sourcesOf } from "../../core/offers/readers.ts";
import { shownOffers, spokenBy } from "../../core/views/discovery.ts";
import { upsertEntries } from "../../db/directory/write.ts";
import { discover } from "../../db/discovery/discover.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { hitBackgrounds } from "../../db/discovery/hit-background.ts";
import { storeListings } from "../../db/offers/offers.ts";
import { listen } from "../../harness/listen.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { runOffers } from "./support/offers-job.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const REGISTRY = `0x${"8".repeat(40)}`;
const OWNER = `0x${"a1".repeat(20)}`;
const WALLET = `0x${"b2".repeat(20)}`;
const STRANGER = `0x${"c3".repeat(20)}`;
const HOST_FILE = "/.well-known/agent-registration.json";

const db = perFile(() => testDatabase({ indexed: true }));
const publicHttp = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, limits: PATIENT }));
let answers: Record<string, [status: number, body?: unknown]>;
let asked: string[];
let clock: Date;
const answer = ({ headers, url = "", method = "" }: IncomingMessage, response: ServerResponse) => {
  const address = `http://${headers.host}${url}`;
  asked.push(`${method} ${address}`);
  const [status, body] = answers[address] ?? [404];
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
};
/** Two hosts; what each answers to a path is the test's. */
const hosts = [perFile(() => listen(answer)), perFile(() => listen(answer))];
let [here, there, card] = ["", "", ""];
beforeAll(() => {
  [here, there] = hosts.map(({ url }) => url) as [string, string];
  card = `${here}/card.json`;
});
const TABLES = ["directory", "offer_source", "offer", "host_file", "registration_file", "discovery_document"];
beforeEach(async () => {
  await db.pool.query(`truncate ${TABLES.map((table) => `offchain.${table}`).join(", ")} cascade`);
  await db.pool.query("update offchain.offer_progress set round_to = 0, new_to = 0");
  asked = [];
  clock = new Date(Date.UTC(2026, 10, 21));
  answers = {};
});

const run = () => runOffers({ db: db.pool, clock: () => clock, publicHttp });
const later = (ms: number) => {
  clock = new Date(clock.getTime() + ms);
};

const CARD = {
  name: "A",
  url: "https://a.example/a2a",
  skills: [{ id: "s", name: "Sums", description: "Adds numbers." }],
};
const file = (more: object) => ({
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
  name: "H",
  ...more,
});
const naming = (agentId: unknown, registry = REGISTRY, chain = 8453) =>
  file({ registrations: [{ agentId, agentRegistry: `eip155:${chain}:${registry}` }] });
const namingWallet = (of: string) => file({ services: [{ name: "agentWallet", endpoint: `eip155:8453:${of}` }] });
const capitals = (address: string) => `0x${address.slice(2).toUpperCase()}`;
const paying = (payTo: string) => {
  const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
  const term = { scheme: "exact", network: "base", maxAmountRequired: "40000", payTo, resource: "r", asset };
  return { x402Version: 1, accepts: [{ ...term, description: "Audits." }] };
};
/** What the host says of itself, beside the card of an agent. */
const says = (said: unknown) => ({ [here + HOST_FILE]: [200, said], [card]: [200, CARD] }) as typeof answers;

type Of = { platform?: string; proven?: boolean; address?: string };
/** @param services names and endpoints; the card of the first host unless given */
async function plant(
  id: string | number,
  services: [string, string][] = [["A2A", card]],
  of: Of = {},
): Promise<number> {
  const { platform = "erc8004", proven = false, address = WALLET } = of;
  const listed = JSON.stringify(services.map(([name, endpoint]) => ({ name, endpoint })));
  const [row] = await db.rows(
    `insert into offchain.directory (platform, agent_id, name, description, services, cred_score, chain_id, registry, owner_address, address, wallet_proven)
     values ($1, $2, 'Agent ' || $2, 'Says nothing.', $3, 20, 8453, $4, $5, $6, $7) returning id`,
    [platform, String(id), listed, REGISTRY, OWNER, address, proven],
  );
  return Number(row.id);
}
const confirmedBy = async (id: number): Promise<(string | null)[]> => {
  const sql = "select confirmed_by as by from offchain.offer_source where directory_id = $1 order by kind, url";
  return (await db.rows(sql, [id])).map(({ by }) => by);
};
const backgroundOf = async (id: number) => (await hitBackgrounds(db.pool, [id], clock)).get(id)!;

describe("a host's own word", () => {
  it.each([
    ["its registration", naming(22)],
    ["its registration, the id as text and the registry in capitals", naming("22", capitals(REGISTRY))],
    ["its proven wallet", namingWallet(capitals(WALLET))],
  ])("counts when it names %s, from the first read on", async (_, said) => {
    answers = says(said);
    const id = await plant(22, undefined, { proven: true });
    await run();
    expect(await confirmedBy(id)).toEqual(["host_file"]);
    const shown = { offerCount: 1, selfDeclaredCount: 0, confirmed: [card], liveness: { value: 1, named: false } };
    expect(await backgroundOf(id)).toMatchObject(shown);
  });

  it.each([
    ["another id", naming(2)],
    ["another registry", naming(22, STRANGER)],
    ["another chain", naming(22, REGISTRY, 1)],
    ["its wallet, which is not proven", namingWallet(WALLET)],
    ["its owner, to whom anybody can send a token", namingWallet(OWNER)],
    ["nobody", "<html>"],
  ])("counts not when it names %s", async (_, said) => {
    answers = says(said);
    const id = await plant(22);
    await run();
    expect(await confirmedBy(id)).toEqual([null]);
  });

  it("counts for its own scheme, host and port alone", async () => {
    const elsewhere = `${there}/card.json`;
    answers = { ...says(naming(22)), [elsewhere]: [200, CARD] };
    const services: [string, string][] = [
      ["A2A", elsewhere],
      ["A2A", card],
    ];
    const id = await plant(22, services);
    await run();
    const rows = await db.rows("select url, confirmed_by as by from offchain.offer_source where directory_id = $1", [
      id,
    ]);
    const confirmed = Object.fromEntries(rows.map(({ url, by }) => [url, by]));
    expect(confirmed).toEqual({ [card]: "host_file", [elsewhere]: null });
  });

  it("that changes is seen within a day, and one that is away for a while stays", async () => {
    answers = says(naming(22));
    const [first, second] = [await plant(22), await plant(23)];
    await run();
    expect([await confirmedBy(first), await confirmedBy(second)]).toEqual([["host_file"], [null]]);
    answers[here + HOST_FILE] = [503];
    later(DAY_MS);
    await run();
    expect(await confirmedBy(first)).toEqual(["host_file"]);
    answers[here + HOST_FILE] = [200, naming(23)];
    later(DAY_MS);
    await run();
    expect([await confirmedBy(first), await confirmedBy(second)]).toEqual([[null], ["host_file"]]);
    // One closed door is none.
    answers[here + HOST_FILE] = [404];
    later(DAY_MS);
    await run();
    expect(await confirmedBy(second)).toEqual(["host_file"]);
    later(10 * MINUTE_MS);
    await run();
    expect([await confirmedBy(first), await confirmedBy(second)]).toEqual([[null], [null]]);
  });

  it("is asked for once for all who name it, again for who names it anew, and less and less where it says nothing", async () => {
    const files = () => asked.filter((one) => one.endsWith(HOST_FILE)).length;
    for (const id of ["1", "2", "3"]) await plant(id, [["A2A", `${here}/${id}.json`]]);
    for (const [minutes, count] of [
      [0, 1],
      [0, 1],
      [5, 2],
      [5, 2],
      [5, 3],
    ] as const) {
      later(minutes * MINUTE_MS);
      await run();
      expect(files()).toBe(count);
    }
    answers[here + HOST_FILE] = [200, naming(4)];
    later(10 * MINUTE_MS);
    const id = await plant(4, [["A2A", `${here}/4.json`]]);
    await run();
    expect(files()).toBe(4);
    expect(await confirmedBy(id)).toEqual(["host_file"]);
  });

  it("gives its agent a place among those that share a read, however many others name the endpoint", async () => {
    answers = says(naming(22));
    for (let i = 100; i < 160; i++) await plant(i);
    await db.pool.query("update offchain.directory set cred_score = 50");
    const id = await plant(22);
    await run();
    expect(asked.filter((one) => one.endsWith("/card.json"))).toHaveLength(1);
    expect(await backgroundOf(id)).toMatchObject({ offerCount: 1, liveness: { named: false } });
  });

  it("is asked for no more, and forgotten, when no agent names the host", async () => {
    await plant(1, [["A2A", `${here}/1.json`]]);
    await run();
    await db.pool.query("update offchain.directory set services = '[]'");
    later(DAY_MS);
    await run();
    later(DAY_MS);
    asked = [];
    await run();
    expect(asked).toEqual([]);
    expect(await db.rows("select from offchain.host_file")).toEqual([]);
  });
});

describe("the agent's registration file on the host", () => {
  const withFile = (uri: string, agents: string[], status = "parsed") =>
    db.plant("registration_file", { registry: REGISTRY, agent_id: 22, uri, status, content: { agents } });
  const NAME = `eip155:8453:${REGISTRY}/22`;
  type Given = Parameters<typeof withFile>;
  it.each<[what: string, given: () => Given, path?: string]>([
    ["when it names the agent", () => [`${here}/22.json`, [NAME]]],
    ["while it is away for a while", () => [`${here}/22.json`, [NAME], "unreachable"]],
    ["in the endpoint's folder", () => [`${here}/agents/a/22.json`, [NAME]]],
    ["above it", () => [`${here}/agents/.well-known/agent-registration.json`, [NAME]]],
  ])("counts %s", (...of) => counts(of, "registration_file"));
  it.each<[what: string, given: () => Given, path?: string]>([
    ["behind a redirector's parameter", () => [`${here}/login?next=https://evil.example/a.json`, [NAME]]],
    ["behind a slash that a server decodes", () => [`${here}/agents%2Fevil%2F22.json`, [NAME]]],
    ["when it names the owner alone", () => [`${here}/22.json`, [OWNER]]],
    ["in another folder of its host", () => [`${here}/agents/b/22.json`, [NAME]]],
    ["in a folder whose name begins so", () => [`${here}/agents/a1/22.json`, [NAME]]],
    ["where its address turns around", () => [`${here}/agents/a/..\\b\\22.json`, [NAME]]],
    ["on a gateway", () => [`${here}/ipfs/22.json`, [NAME]], "/ipfs/card.json"],
    ["when it is somebody else's", () => [`${here}/7.json`, [`eip155:8453:${REGISTRY}/7`]]],
    ["when it is on another host", () => [`${there}/22.json`, [NAME]]],
    ["when it is another host itself", () => [there, [NAME]]],
    ["when its address ends with another host", () => ["http://.well-known/22.json", [NAME]]],
    ["when the host is in the user part of its address", () => [`${here}@evil.example/22.json`, [NAME]]],
    ["when it cannot be read", () => [`${here}/22.json`, [NAME], "unreadable"]],
  ])("counts not %s", (...of) => counts(of, null));

  async function counts([, given, path = "/agents/a/card.json"]: [string, () => Given, string?], by: string | null) {
    answers = { [here + path]: [200, CARD] };
    await withFile(...given());
    const id = await plant(22, [["A2A", here + path]]);
    await run();
    expect(await confirmedBy(id)).toEqual([by]);
  }
});

describe("the terms of a paid resource", () => {
  it.each([
    ["pay the owner, to whom anybody can send a token", { payTo: OWNER, proven: true }, null],
    ["pay the agent's proven wallet", { payTo: WALLET, proven: true }, "payee"],
    ["pay a wallet that the agent only names", { payTo: WALLET }, null],
    ["pay somebody else", { payTo: STRANGER, proven: true }, null],
    ["pay the recipient that the x402 Bazaar lists it under", { payTo: WALLET, platform: "x402-bazaar" }, "payee"],
  ])("that %s", async (_, { payTo, ...of }: { payTo: string } & Of, expected) => {
    answers = { [`${here}/audit`]: [402, paying(payTo)] };
    const id = await plant(22, [["x402", `${here}/audit`]], of);
    await run();
    expect(await confirmedBy(id)).toEqual([expected]);
    const [offerCount, selfDeclaredCount] = expected ? [1, 0] : [0, 1];
    expect(await backgroundOf(id)).toMatchObject({ offerCount, selfDeclaredCount });
  });
});

it("whom the terms pay takes x402 in row, search and filter alike, until they pay another", async () => {
  const pays = `${here}/audit`;
  answers = { [pays]: [402, paying(WALLET)] };
  const id = await plant(22, [["x402", pays]], { proven: true });
  const stating = await plant(23, [["Web", here]]);
  await db.pool.query("update offchain.directory set x402_stated = true where id = $1", [stating]);
  /** Ids of the rows that take x402: by the row, by what is shown of it, and by the search. */
  const taking = async () => {
    while ((await followDirectory(db.pool, clock)).more);
    const rows = await db.rows("select id, x402_supported as takes from offchain.directory order by id");
    const shownBy = async (row: { id: number; takes: boolean }) =>
      spokenBy({ x402Supported: row.takes }, await backgroundOf(row.id));
    const shown = await Promise.all(rows.map(shownBy));
    const { hits } = await discover(db.pool, { q: "", limit: 10, accepts: "x402" }, clock);
    return [
      rows.flatMap((row) => (row.takes ? Number(row.id) : [])),
      rows.flatMap((row, i) => (shown[i]!.includes("x402") ? Number(row.id) : [])),
      hits.map(({ directoryId }) => directoryId).toSorted((a, b) => a - b),
    ];
  };
  expect(await taking()).toEqual([[], [], []]);
  await run();
  expect(await taking()).toEqual(Array(3).fill([id, stating]));
  // Its registry, which says nothing of x402, is read again.
  const entry = { platform: "erc8004", agentId: "22", name: "Agent 22", address: WALLET, walletProven: true } as const;
  const client = await db.pool.connect();
  const services = [{ name: "x402", endpoint: pays, version: null }];
  const rules = { now: clock, exchangeSchema: `0x${"0".repeat(64)}` };
  await upsertEntries(client, [blankEntry({ ...entry, registry: REGISTRY, services })], rules);
  client.release();
  expect((await taking())[0]).toEqual([id, stating]);
  answers[pays] = [402, paying(STRANGER)];
  later(DAY_MS);
  await run();
  expect(await taking()).toEqual([[stating], [stating], [stating]]);
});

it("whom the terms pay shares the read of a resource that any number of others have named before", async () => {
  answers = { [`${here}/audit`]: [402, paying(WALLET)] };
  for (let i = 100; i < 160; i++) await plant(i, [["x402", `${here}/audit`]], { address: STRANGER });
  const id = await plant(22, [["x402", `${here}/audit`]], { proven: true });
  await run();
  expect(asked.filter((one) => one.endsWith("/audit"))).toHaveLength(1);
  expect(await confirmedBy(id)).toEqual(["payee"]);
  expect(await backgroundOf(id)).toMatchObject({ offerCount: 1, selfDeclaredCount: 0 });
});

it("a host's own endpoint is asked each day, and soon after a failure, whatever strangers name there", async () => {
  answers = says(naming(22));
  const id = await plant(22);
  for (let i = 0; i < 300; i++)
    await plant(
      1_000 + i,
      Array.from({ length: 8 }, (_, n) => ["A2A", `${here}/${i}/${n}.json`]),
    );
  await db.pool.query("update offchain.directory set cred_score = 60 where id <> $1", [id]);
  const host = new URL(here!).host;
  await run();
  await run();
  // Those of strangers were read this day, as many as a host has in one.
  const read = "update offchain.offer_source set checked_at = $1 where host = $2 and confirmed_by is null";
  await db.pool.query(read, [clock, host]);
  await db.pool.query("update offchain.offer_source set next_try_at = $1 where directory_id = $2", [clock, id]);
  const ofIt = () => asked.filter((one) => one.endsWith("/card.json")).length;
  const before = ofIt();
  answers[card] = [500];
  await run();
  expect(ofIt()).toBe(before + 1);
  const [next] = await db.rows("select next_try_at as at from offchain.offer_source where directory_id = $1", [id]);
  expect(next.at.getTime() - clock.getTime()).toBe(5 * MINUTE_MS);
});

it.each([
  ["com.example/server", "https://example.com/mcp", "namespace"],
  ["com.example/server", "https://mcp.example.com:8443/mcp", "namespace"],
  ["Com.Example/server", "https://EXAMPLE.com/mcp", "namespace"],
  // An account at GitHub, which may have changed hands or its name, is no domain.
  ["io.github.jo/server", "https://jo.github.io/mcp", null],
  ["IO.GitHub.jo/server", "https://jo.github.io/mcp", null],
  ["io.github/server", "https://jo.github.io/mcp", null],
  ["io.githubber/server", "https://githubber.io/mcp", "namespace"],
  ["com.example/server", "https://badexample.com/mcp", null],
  ["com.example/server", "https://example.com.evil.net/mcp", null],
  ["com/server", "https://example.com/mcp", null],
  ["com.%/server", "https://a.example.com/mcp", null],
  ["/server", "https://example.com/mcp", null],
])("%s of the MCP registry and %s: %s", async (id, endpoint, expected) => {
  const row = await plant(id, [["MCP", endpoint]], { platform: "mcp-registry" });
  const client = await db.pool.connect();
  const sources = sourcesOf([{ name: "MCP", endpoint }]);
  await storeListings(client, [{ id: row, trust: 1, sources, offers: [], version: null }], clock);
  client.release();
  expect(await confirmedBy(row)).toEqual([expected]);
});

describe("an agent that names what is somebody else's", () => {
  const ask = async (q: string, more: object = {}) => {
    while ((await followDirectory(db.pool, clock)).more);
    return (await discover(db.pool, { q, limit: 10, ...more }, clock)).hits;
  };
  it("has no life, offers or price of it, is not found by its words, and is told so", async () => {
    const [audit, mcp] = [`${here}/audit`, `${here}/mcp`];
    answers = { [card]: [200, CARD], [audit]: [402, paying(STRANGER)], [mcp]: [401] };
    const services: [string, string][] = [
      ["A2A", card],
      ["x402", audit],
      ["MCP", mcp],
    ];
    const id = await plant(22, services);
    await run();
    expect(await ask("sums")).toEqual([]);
    expect(await ask("audits", { maxPrice: 1 })).toEqual([]);
    const [hit] = await ask("agent 22");
    expect(hit!.directoryId).toBe(id);
    const living = hit!.factors.find(({ key }) => key === "liveness")!;
    expect(living.value).toBe(0.3);
    expect(living.says).toContain("Nothing shows that they are the agent's: they count for nothing.");
    const background = await backgroundOf(id);
    expect(background).toMatchObject({ offerCount: 0, selfDeclaredCount: 2, confirmed: [], liveness: { named: true } });
    // Somebody answers as A2A there; a door that is closed to everybody, or another's price, is none of its own.
    expect(spokenBy({ x402Supported: false }, background)).toEqual(["A2A"]);
  });

  it("shows its offers as named, but for those of a host that is shown to be another agent's", async () => {
    answers = { [`${here}/a/card.json`]: [200, CARD], [`${there}/card.json`]: [200, { ...CARD, url: `${here}/a2a` }] };
    const [lender, borrower] = [
      await plant(7, [["A2A", `${here}/a/card.json`]]),
      await plant(22, [["A2A", `${here}/a/card.json`]]),
    ];
    // Its own card sends callers to the other's host.
    const other = await plant(23, [["A2A", `${there}/card.json`]]);
    const shown = async (id: number) =>
      shownOffers(await backgroundOf(id), []).map(({ name, named }) => [name, named ? "named" : "counts"]);
    await run();
    for (const id of [lender, borrower, other]) expect(await shown(id)).toEqual([["Sums", "named"]]);
    answers[here + HOST_FILE] = [200, naming(7)];
    later(DAY_MS);
    await run();
    expect(await shown(lender)).toEqual([["Sums", "counts"]]);
    for (const id of [borrower, other]) expect(await shown(id)).toEqual([]);
  });

  it("does not speak what no endpoint of its was ever seen to speak", async () => {
    answers = { [`${here}/health`]: [200, { status: "ok" }] };
    const services: [string, string][] = [
      ["x402", `${here}/health`],
      ["A2A", `${here}/none`],
      ["Web", here],
    ];
    const id = await plant(22, services);
    await run();
    expect(spokenBy({ x402Supported: false }, await backgroundOf(id))).toEqual(["Web"]);
    expect((await ask("", { speaks: ["x402"] })).length).toBe(0);
  });
});

describe("a registration file", () => {
  it("names its agents once, at most 2,000, whatever else is in it", () => {
    const entry = (agentId: unknown, agentRegistry: unknown = `eip155:8453:${REGISTRY}`) => ({
      agentId,
      agentRegistry,
    });
    const odd = [1.5, -1, "0x1", "01", 2 ** 60, "1".repeat(79)].map((id) => entry(id));
    const registrations = [entry(0), entry("0"), entry(22), ...odd, entry(1, "eip155:0:0x"), entry(1, 7), null, "x"];
    expect(namedAgents({ registrations })).toEqual([`eip155:8453:${REGISTRY}/0`, `eip155:8453:${REGISTRY}/22`]);
    const wallet = { name: "AGENTWALLET", endpoint: `eip155:1:${OWNER}` };
    expect(namedAgents({ endpoints: [wallet, { name: "agentWallet", endpoint: 7 }, { name: 7 }] })).toEqual([OWNER]);
    for (const none of [null, 7, "x", [], {}, { registrations: {} }, { services: "x" }])
      expect(namedAgents(none)).toEqual([]);
    expect(namedAgents({ registrations: Array.from({ length: 5_000 }, (_, id) => entry(id)) })).toHaveLength(2_000);
  });
});
