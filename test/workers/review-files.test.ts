/** The files that reviews name, over real HTTP: held against their hash, bounded in every way, in turns, and never at others' cost. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { keccak256, stringToBytes, zeroHash } from "viem";
import { afterEach, beforeEach, expect, it } from "vitest";
import { foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import { openPublicHttp, type PublicHttp } from "../../clients/public-http.ts";
import { listen } from "../../harness/listen.ts";
import { testLog } from "../../harness/log.ts";
import { plantRows } from "../../harness/onchain.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { JOBS } from "../../workers/jobs.ts";
import { reviewFiles } from "../../workers/reviews/review-files.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { READERS } from "../../workers/run.ts";
import { testDatabase } from "../support/database.ts";
import { feedbackRow, registeredRow } from "../support/reviewed.ts";
import { endedPerTest, perFile, perTest } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

const SCHEMA = `0x${"f".repeat(64)}`;
const TX = `0x${"ab".repeat(32)}` as const;
const DAY_MS = 86_400_000;
const wallet = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;
const FILE = JSON.stringify({ agentId: 31, value: 90, proofOfPayment: { chainId: "8453", txHash: TX } });
const hashOf = (content: string | Uint8Array) =>
  keccak256(typeof content === "string" ? stringToBytes(content) : content);

const db = perTest(() => testDatabase({ indexed: true }));
const ended = endedPerTest();
let publicHttp: PublicHttp;
let answers: Record<string, (response: ServerResponse) => void>;
let asked: string[];
let clock: Date;
const host = perFile(() =>
  listen(({ url = "" }, response) => {
    asked.push(url);
    const answer = answers[url];
    if (answer) answer(response);
    else response.writeHead(404).end();
  }),
);
let here = "";
beforeEach(async () => {
  here = host.url;
  publicHttp = openPublicHttp({ userAgent: "tests", loopback: true, limits: { ...PATIENT, totalMs: LONG } });
  [answers, asked, clock] = [{}, [], new Date(Date.UTC(2026, 10, 21))];
});
afterEach(() => publicHttp?.close());

type Named = { client: number; index?: number; uri: string; hash?: `0x${string}`; agent?: number };
async function plant(named: readonly Named[]): Promise<void> {
  const agents = [...new Set(named.map(({ agent = 31 }) => agent))];
  const countOf = (id: number) => named.filter(({ agent = 31 }) => agent === id).length;
  const registered = (id: number) =>
    registeredRow(id, wallet(900), { agentWallet: wallet(901), feedbackCount: countOf(id) });
  await plantRows(db.pool, "erc8004Agent", agents.map(registered));
  const feedback = named.map(({ client, index = 1, uri, hash = zeroHash, agent = 31 }) =>
    feedbackRow(agent, wallet(client), { feedbackIndex: BigInt(index), feedbackUri: uri, feedbackHash: hash }),
  );
  await plantRows(db.pool, "erc8004Feedback", feedback);
  await recompute();
}
const context = () =>
  ({
    ...{ db: db.pool, clock: () => clock, log: testLog(), fault: () => {} },
    endpoints: foreignEndpoints(publicHttp, { now: () => clock.getTime() }),
    config: {
      attestationSchemas: [SCHEMA],
      service: { publicUrl: "https://agents.test" },
      chain: { id: 8453 },
      upstreams: { gateways: { ipfs: `${here}/gateway`, arweave: `${here}/arweave` } },
    },
  }) as never;
const recompute = () => reviewStats.run(context(), {});
const run = () => reviewFiles.run(context(), {});
const states = async () => {
  const sql = `select client, feedback_index, state, why, proof_state, proof_tx from offchain.review_file
    order by client, feedback_index`;
  return Object.fromEntries((await db.rows(sql)).map((row) => [`${Number(row.client)}.${row.feedback_index}`, row]));
};
const says =
  (text: string | Uint8Array, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(text);
  };

it("holds a file against the hash of its review, wherever it is", async () => {
  expect(JOBS).toContain(reviewFiles);
  expect(READERS).toContain(reviewFiles);
  const bom = `\ufeff${FILE}`;
  answers = {
    "/a": says(FILE),
    "/b": says(FILE),
    "/packed": says(gzipSync(FILE), { "content-encoding": "gzip" }),
    "/gateway/ipfs/QmFile": says(FILE),
    "/bom": says(bom),
    "/text": says("not JSON at all"),
    "/moved": (response) => response.writeHead(302, { location: "/a" }).end(),
  };
  await plant([
    { client: 1, uri: `${here}/a`, hash: hashOf(FILE) },
    { client: 2, uri: `${here}/b`, hash: hashOf("something else") },
    { client: 3, uri: `${here}/packed`, hash: hashOf(FILE) },
    { client: 4, uri: "ipfs://QmFile" },
    { client: 5, uri: `${here}/bom`, hash: hashOf(bom) },
    { client: 6, uri: `${here}/text`, hash: hashOf("not JSON at all") },
    { client: 7, uri: `data:application/json;base64,${Buffer.from(FILE).toString("base64")}`, hash: hashOf(FILE) },
    { client: 8, uri: `data:application/json;base64,${Buffer.from(bom).toString("base64")}`, hash: hashOf(bom) },
    { client: 9, uri: FILE, hash: hashOf(`${FILE} `) },
    { client: 10, uri: `${here}/moved`, hash: hashOf(FILE) },
    { client: 11, uri: "" },
  ]);
  await run();
  const found = await states();
  const state = (n: number) => [found[`${n}.1`]?.state, found[`${n}.1`]?.proof_state];
  for (const n of [1, 3, 5, 7, 8, 10]) expect([n, ...state(n)]).toEqual([n, "matches", "waiting"]);
  // What is not the file of the review says nothing of a payment.
  for (const n of [2, 9]) expect([n, ...state(n)]).toEqual([n, "differs", null]);
  expect([state(4), state(6)]).toEqual([
    ["not_given", "waiting"],
    ["matches", null],
  ]);
  expect(found["11.1"]).toBeUndefined();
  expect(found["1.1"]!.proof_tx).toBe(TX);

  // Nothing that was read is asked for again, and what differs a day later.
  asked = [];
  await run();
  expect(asked).toEqual([]);
  answers["/b"] = says("something else");
  clock = new Date(clock.getTime() + DAY_MS);
  await run();
  expect(asked).toEqual(["/b"]);
  expect((await states())["2.1"]).toMatchObject({ state: "matches" });
});

it("says why a file cannot be had, and reads the others", async () => {
  const huge = "x".repeat(262_145);
  const to = (location: string) => (response: ServerResponse) => void response.writeHead(302, { location }).end();
  answers = {
    "/good": says(FILE),
    "/huge": says(huge),
    "/bomb": says(gzipSync(" ".repeat(5_000_000)), { "content-encoding": "gzip" }),
    "/endless": (response) => {
      response.writeHead(200);
      const more = () => response.write(huge, () => response.destroyed || more());
      more();
    },
    "/inside": to("http://169.254.169.254/latest/meta-data"),
    "/home": to("http://10.0.0.1/"),
    "/loop": to("/loop"),
    "/nested": says(`${'{"a":['.repeat(20_000)}${"]}".repeat(20_000)}`),
    "/busy": (response) => response.writeHead(500).end(),
  };
  const inline = `data:application/json;base64,${"A".repeat(16_384)}`.slice(0, 16_384);
  const expected = {
    ...{ "/good": "not_given", "/huge": "too_large", "/bomb": "too_large", "/endless": "too_large" },
    ...{ "/inside": "unreachable", "/home": "unreachable", "/loop": "unreachable", "/nested": "not_given" },
    ...{
      "/busy": "unreachable",
      "/gone": "unreachable",
      "ftp://files.example/a": "unreachable",
      [inline]: "too_large",
    },
    ...{ "http://10.0.0.1/a": "unreachable", "data:;base64,%%%": "unreachable", " ": "unreachable" },
  };
  const names = Object.keys(expected);
  await plant(names.map((name, i) => ({ client: i + 1, uri: name.startsWith("/") ? here + name : name })));
  await run();
  const found = await states();
  expect(Object.fromEntries(names.map((name, i) => [name, found[`${i + 1}.1`]!.state]))).toEqual(expected);
  expect(found["5.1"]!.why).toBe("The address must be on a public address.");
  expect(found["10.1"]!.why).toBe("The server answers with status 404.");

  // One that comes back is read.
  answers["/busy"] = says(FILE);
  clock = new Date(clock.getTime() + DAY_MS);
  await run();
  expect((await states())["9.1"]).toMatchObject({ state: "not_given", proof_state: "waiting" });
});

it("gives up a host that never answers, and reads it later", async () => {
  await publicHttp.close();
  publicHttp = openPublicHttp({ userAgent: "tests", loopback: true, limits: { headersMs: NEVER, totalMs: NEVER } });
  answers = { "/slow": () => {} };
  await plant([{ client: 1, uri: `${here}/slow` }]);
  await run();
  expect((await states())["1.1"]).toMatchObject({ state: "unreachable", why: "The server does not answer." });
  asked = [];
  await run();
  expect(asked).toEqual([]);
});

it("reads one of each reviewer before a second of any, and of one the files of its twenty newest reviews", async () => {
  const order: string[] = [];
  const noted = (path: string) => (response: ServerResponse) => {
    order.push(path);
    says(FILE)(response);
  };
  answers = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`/${i}`, noted(`/${i}`)]));
  await plant([
    ...Array.from({ length: 30 }, (_, i) => ({ client: 1, index: i + 1, uri: `${here}/${i}` })),
    { client: 2, uri: `${here}/50` },
    { client: 3, uri: `${here}/51` },
  ]);
  // The pace of one host puts some off.
  await run();
  const found = await states();
  expect(Object.keys(found)).toHaveLength(22);
  expect(found["1.10"]).toBeUndefined();
  expect(found["1.11"]).toBeDefined();
  expect(order.slice(0, 3).sort()).toContain("/50");
  expect(order.slice(0, 3)).toContain("/51");
});

it("asks a site for no more than its share of a day, of which a quarter is for reviewers with proof", async () => {
  answers = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`/${i}`, says(FILE)]));
  await plant(Array.from({ length: 4 }, (_, i) => ({ client: i + 1, uri: `${here}/${i}` })));
  await db.pool.query(
    `insert into offchain.review_file (registry, agent_id, client, feedback_index, digest, given_at, site, state, tried_at)
     select 'x', 1, 'x', n, 'x', 1, '127.0.0.1', 'not_given', $1 from generate_series(1, 748) n`,
    [clock],
  );
  await run();
  expect(asked).toHaveLength(2);
  await run();
  expect(asked).toHaveLength(2);
  await db.pool.query("update offchain.review_weight set rank = 0 where client = $1", [wallet(3)]);
  await db.pool.query("update offchain.review_weight set rank = 0 where client = $1", [wallet(4)]);
  await run();
  expect(asked).toHaveLength(4);
  clock = new Date(clock.getTime() + DAY_MS + 1);
  await run();
  expect(asked).toHaveLength(4);
});

it("of hosts that answer slowly, or never did, delay no host that answers", async () => {
  const waiting: ServerResponse[] = [];
  const { port } = ended(await listen((_, response) => void waiting.push(response), { address: "0.0.0.0" }));
  // Names that lead to this machine: each is a site of its own, as every address of a network is.
  const sites = Array.from({ length: 8 }, (_, n) => `127.0.1.${n + 1}`);
  const known = sites.slice(0, 4);
  answers = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`/${i}`, says(FILE)]));
  await plant([
    ...sites.flatMap((site, n) =>
      Array.from({ length: 5 }, (_, i) => ({ client: 100 + n * 5 + i, uri: `http://${site}:${port}/${i}` })),
    ),
    ...Array.from({ length: 12 }, (_, i) => ({ client: 1_000 + i, uri: `${here}/${i}` })),
  ]);
  await db.pool.query(
    `insert into offchain.review_file
       (registry, agent_id, client, feedback_index, digest, given_at, site, state, tried_at, read_at)
     select 'x', 1, 'x', n, 'x', 1, site, 'not_given', $1, $1 from unnest($2::text[]) with ordinality s(site, n)`,
    [new Date(clock.getTime() - 2 * DAY_MS), [...known, "127.0.0.1"]],
  );
  const running = run();
  await until("all files of the host that answers are read", () => asked.length === 12);
  expect(waiting.length).toBeGreaterThan(0);
  clock = new Date(clock.getTime() + 60_000);
  const answering = setInterval(() => waiting.splice(0).map(says(FILE)), 5);
  await running;
  clearInterval(answering);
  expect((await states())["1011.1"]).toMatchObject({ state: "not_given" });
});

it("stores the others where the database refuses what one says", async () => {
  answers = { "/a": says(FILE) };
  await db.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if new.client in ('${wallet(1)}', '${wallet(2)}') and new.state <> 'unreachable' and new.read_at is not null then
        raise exception 'no' using errcode = '22023'; end if;
      return new; end $$;
    create trigger refuse before insert or update on offchain.review_file for each row execute function refuse()`);
  const [inline, at] = [FILE, `${here}/a`];
  await plant([inline, at, inline, at].map((uri, i) => ({ client: i + 1, uri })));
  await run();
  const found = await states();
  const refused = ["unreachable", "unreachable", "not_given", "not_given"];
  expect([1, 2, 3, 4].map((n) => found[`${n}.1`]!.state)).toEqual(refused);
  expect(found["1.1"]!.why).toBe("It cannot be stored.");
});

it("follows a review that names another file, and forgets one that is no more", async () => {
  answers = { "/a": says(FILE), "/b": says("other") };
  const uri = `${here}/a`;
  await plant([
    { client: 1, uri },
    { client: 2, uri },
  ]);
  await run();
  const renamed = [`${here}/b`, wallet(1)];
  await db.pool.query("update onchain.erc8004_feedback set feedback_uri = $1 where client = $2", renamed);
  await db.pool.query("delete from onchain.erc8004_feedback where client = $1", [wallet(2)]);
  await db.pool.query("update onchain.erc8004_agent set updated_block = 2, feedback_count = 1");
  await recompute();
  await run();
  const found = await states();
  expect(Object.keys(found)).toEqual(["1.1"]);
  expect(found["1.1"]).toMatchObject({ state: "not_given", proof_state: null, proof_tx: null });
  // A reorganisation takes the agent back.
  await db.pool.query("delete from onchain.erc8004_feedback; delete from onchain.erc8004_agent");
  await recompute();
  expect(await states()).toEqual({});
});
