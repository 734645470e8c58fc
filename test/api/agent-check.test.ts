/** A check of an agent on demand: what works, what to mend, why it is not found; and that nobody can do harm by it. */
import { expect, it } from "vitest";
import type { ForeignAnswer } from "../../clients/ports.ts";
import { testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import type { JobContext } from "../../workers/context.ts";
import { endpointChecks, offers } from "../../workers/offers/offers.ts";
import { plantDirectory } from "../support/directory.ts";
import { apiForFile } from "./support/api.ts";

const [WALLET, STRANGER] = ["1", "3"].map((digit) => `0x${digit.repeat(40)}`) as [string, string];
const REGISTRY = `0x8004${"a".repeat(36)}`;
const api = apiForFile({ deps: { wait: () => new Promise(() => {}) } });

const CARD = JSON.stringify({ name: "A", url: "https://a.example/", skills: [{ id: "s", name: "Sums" }] });
const TERMS = JSON.stringify({
  x402Version: 1,
  accepts: [
    {
      scheme: "exact",
      network: "base",
      asset: STRANGER,
      maxAmountRequired: "1",
      payTo: STRANGER,
      resource: "https://a.example/paid",
    },
  ],
});
const answered = (status: number, text: string) => ({ kind: "answered" as const, status, headers: {}, text, ms: 5 });
const SILENCE = { kind: "failed", reason: "The server does not answer.", final: false, cause: "timeout" } as const;

/** What a path of all agents' hosts, or of the host before it, answers; what is not here is 404. */
let answers: Record<string, object> = {};
let requests: string[] = [];
const context = () =>
  ({
    ...{ db: api.pool, clock: () => new Date(), log: testLog(), fault: () => {} },
    timeout: () => new AbortController().signal,
    endpoints: {
      async send({ url }: { url: string }) {
        requests.push(url);
        const { host, pathname } = new URL(url);
        return { ...(answers[host + pathname] ?? answers[pathname] ?? answered(404, "")), url } as ForeignAnswer;
      },
    },
  }) as unknown as JobContext;

let agents = 0;
/** An agent with these services, listed and read never. */
async function plant(services: [name: string, path: string][], site = "") {
  const agent_id = String(100 + ++agents);
  const host = `h${agents}.${site}example`;
  await plantDirectory(api.pool, [
    {
      platform: "erc8004",
      agent_id,
      name: "A",
      address: WALLET,
      cred_score: 60,
      registry: REGISTRY,
      chain_id: 8453,
    },
  ]);
  await api.sql(
    "update offchain.directory set services = $2 where agent_id = $1",
    agent_id,
    JSON.stringify(services.map(([name, path]) => ({ name, endpoint: `https://${host}${path}` }))),
  );
  const sources = await api.sql("select id from offchain.directory where agent_id = $1", agent_id);
  const known = answers;
  answers = {};
  await offers.run(context(), {});
  answers = known;
  // As if that were long ago.
  await api.sql(
    "update offchain.offer_source set checked_at = null, next_try_at = now() + interval '1 day', status = 'waiting', why = null, failures = 0, silent_since = null, answered_at = null where directory_id = $1",
    sources[0]!.id,
  );
  requests = [];
  return { agent_id, host, id: sources[0]!.id as number };
}
const path = (agent: string) => `/api/v2/agent/${agent}/check?platform=erc8004`;
const asking = async () => (await api.sql("select 1 from offchain.offer_source where asked_at is not null")).length;

/** A check, and the run of the job that it wakes. */
async function check(agent: string) {
  const answer = api.send("POST", path(agent));
  await Promise.race([until("endpoints are asked for", async () => (await asking()) > 0), answer]);
  await endpointChecks.run(context(), {});
  return (await answer) as unknown as { status: number; body: Check };
}
type Found = { code: string; says: string; mend: string | null };
type Check = {
  works: boolean | null;
  pending: boolean;
  asked: boolean;
  listed: boolean;
  notFound: Found[];
  registration: Found[];
  endpoints: { kind: string; url: string; works: boolean | null; names: string[]; offers: number; mend: Found[] }[];
};
const codes = (found: readonly { code: string }[]) => found.map(({ code }) => code);

it("asks now, and says of each endpoint whether it works, what was found, and what to mend", async () => {
  const { agent_id, id } = await plant([
    ["a2a", "/card.json"],
    ["x402", "/paid"],
    ["mcp", "/mcp"],
  ]);
  await api.sql(
    `insert into offchain.registration_file (registry, agent_id, uri, status, content, fetched_at, warnings)
     values ($1, $2, 'https://f.example', 'parsed', '{"skills": ["sums", "Proofs \\"ignore this\\"", "oasf/a"]}', now(), '{old_services}')`,
    REGISTRY,
    agent_id,
  );
  answers = { "/card.json": answered(200, CARD), "/paid": answered(402, TERMS), "/mcp": SILENCE };
  const { status, body } = await check(agent_id);
  expect([status, body.asked, body.pending, body.works, body.listed]).toEqual([200, true, false, false, true]);
  expect(body.endpoints.map(({ kind, works, names, mend }) => [kind, works, names, codes(mend)])).toEqual([
    ["agent_card", true, ["Sums"], ["not_confirmed"]],
    ["mcp", false, [], ["unreachable", "not_confirmed"]],
    ["x402", true, [expect.any(String)], ["not_confirmed", "pays_another"]],
  ]);
  expect(codes(body.registration)).toEqual([
    "old_services",
    "declared_not_found",
    "found_not_declared",
    "x402_not_declared",
  ]);
  expect(body.registration[1]!.says).toBe(
    `Its registration file lists "Proofs 'ignore this'", which no endpoint offers.`,
  );
  expect(codes(body.notFound)).toEqual(["not_searchable_yet", "no_description"]);
  // It is part of the record, and of what all others see.
  const probes = await api.sql(
    `select p.answers from offchain.probe p join offchain.probe_subject s on s.id = p.subject where s.url like '%' || $1 || '%' and s.found is not null`,
    `h${agents}.`,
  );
  expect(probes).toEqual([{ answers: true }, { answers: true }]);
  expect(
    await api.sql(
      "select silent_since is not null as silent from offchain.offer_source where kind = 'mcp' and directory_id = $1",
      id,
    ),
  ).toEqual([{ silent: true }]);
});

it("asks a URL once a minute, whoever asks and whichever agent names it", async () => {
  answers = { "/card.json": answered(200, CARD) };
  const { agent_id, host } = await plant([["a2a", "/card.json"]]);
  const other = await plant([["a2a", "/card.json"]]);
  await api.sql(
    "update offchain.offer_source set url = $1, host = $2 where directory_id = $3",
    `https://${host}/card.json`,
    host,
    other.id,
  );
  expect((await check(agent_id)).body).toMatchObject({ asked: true, works: true });
  const asked = requests.length;
  for (const agent of [agent_id, other.agent_id]) {
    const { status, body } = await check(agent);
    expect([status, body.asked]).toEqual([200, false]);
  }
  expect(requests.length).toBe(asked);
});

it("asks as many endpoints in a day as the budgets have left: a host has one, and all names of a site, for those that only an agent names", async () => {
  answers = { "/card.json": answered(200, CARD), "/other.json": answered(200, CARD) };
  const [first, second] = [
    await plant([["a2a", "/card.json"]], "shop."),
    await plant(
      [
        ["a2a", "/card.json"],
        ["a2a", "/other.json"],
      ],
      "shop.",
    ),
  ];
  const day = new Date().toISOString().slice(0, 10);
  const names = [
    `checked-named-site:shop.example:${day}`,
    `checked:${second.host}:${day}`,
    `checked-named:${second.host}:${day}`,
  ];
  await api.sql(
    "insert into offchain.allowance (name, level, most, per_second, at) select unnest($1::text[]), unnest('{2,1000,1}'::int[]), unnest('{1000,1000,100}'::int[]), 0, now()",
    names,
  );
  const levelOf = async (name: string | undefined) =>
    (await api.sql("select level from offchain.allowance where name = $1", name))[0]!.level;
  expect((await check(first.agent_id)).body.asked).toBe(true);
  expect(await levelOf(names[0])).toBe(1);
  expect((await check(second.agent_id)).body).toMatchObject({ asked: false, works: null });
  // What is refused takes nothing, from neither of its budgets.
  expect(await levelOf(names[0])).toBe(1);
  await api.sql("update offchain.allowance set level = 10 where name = $1", names[0]);
  expect((await check(second.agent_id)).body).toMatchObject({ asked: false, works: null });
  expect(await levelOf(names[0])).toBe(10);
  await api.sql("update offchain.offer_source set confirmed_by = 'payee' where directory_id = $1", second.id);
  expect((await check(second.agent_id)).body).toMatchObject({ asked: true, works: true });
  expect(await levelOf(names[1])).toBe(998);
});

it("requests at once pay once", async () => {
  answers = { "/card.json": answered(200, CARD) };
  const { agent_id, host } = await plant([["a2a", "/card.json"]]);
  const asks = Array.from({ length: 4 }, () => api.send("POST", path(agent_id)));
  await until("endpoints are asked for", async () => (await asking()) > 0);
  await endpointChecks.run(context(), {});
  await Promise.all(asks);
  expect(
    await api.sql("select level from offchain.allowance where name like $1 order by level", `checked%:${host}:%`),
  ).toEqual([{ level: 99 }, { level: 999 }]);
});

/** An agent's endpoint as it is stored, and how many probes of it there are. */
const stateOf = async (id: number) =>
  (
    await api.sql(
      `select s.status, s.failures, s.silent_since is not null as silent,
         extract(epoch from s.next_try_at - s.checked_at)::float8 as wait, (
           select count(*)::int from offchain.probe p join offchain.probe_subject u on u.id = p.subject
           where u.url = s.url and u.kind = s.kind) as probes
       from offchain.offer_source s where s.directory_id = $1`,
      id,
    )
  )[0] as { status: string; failures: number; silent: boolean; wait: number; probes: number };

it.each([
  { what: "silence", answer: SILENCE, status: "unreachable", failures: 4, silent: true, added: 1 },
  { what: "429", answer: { kind: "limited", seconds: 7_200 }, status: "read", failures: 4, silent: false, added: 0 },
  {
    what: "our own pace",
    answer: { kind: "deferred", seconds: 5 },
    status: "read",
    failures: 4,
    silent: false,
    added: 0,
  },
  { what: "an answer", answer: answered(200, CARD), status: "read", failures: 0, silent: false, added: 1 },
])("puts off no regular read: $what", async ({ what: _, answer, added, ...stored }) => {
  const { agent_id, id, host } = await plant([["a2a", "/card.json"]]);
  await api.sql(
    "update offchain.offer_source set next_try_at = now() + interval '1 minute', failures = 4, status = 'read' where directory_id = $1",
    id,
  );
  const due = () => api.sql("select next_try_at as at from offchain.offer_source where directory_id = $1", id);
  const [before, { probes }] = [await due(), await stateOf(id)];
  answers = { "/card.json": answered(200, CARD), [`${host}/card.json`]: answer };
  expect((await check(agent_id)).body).toMatchObject({ asked: true, pending: false });
  expect(await due()).toEqual(before);
  expect(await stateOf(id)).toMatchObject({ ...stored, probes: probes + added });
});

it("a silence that others look at is no failure, and a frequent endpoint stays frequent", async () => {
  const { agent_id, id, host } = await plant([["a2a", "/card.json"]]);
  const { probes } = await stateOf(id);
  answers = { "/card.json": answered(200, CARD), [`${host}/card.json`]: SILENCE };
  await check(agent_id);
  const silent = await stateOf(id);
  expect(silent).toMatchObject({ status: "unreachable", failures: 0, silent: true, probes: probes + 1 });
  // The turn is counted from when it was asked, which is before that is stored.
  const isAbout = (wait: number, seconds: number) => wait > seconds - 30 && wait <= seconds;
  expect(silent.wait).toSatisfy((wait: number) => isAbout(wait, 300));
  await api.sql("update offchain.host_file set next_try_at = now() + interval '1 day'");
  await api.sql("update offchain.directory set address = $2, wallet_proven = true where id = $1", id, STRANGER);
  answers = { "/card.json": answered(200, CARD) };
  await api.sql(
    "update offchain.offer_source set confirmed_by = 'payee', trust = 60, checked_at = null, next_try_at = now() + interval '1 day' where directory_id = $1",
    id,
  );
  await check(agent_id);
  expect((await stateOf(id)).wait).toSatisfy((wait: number) => isAbout(wait, 900));
});

it("answers an agent whose URL more rows name than share a read", async () => {
  answers = { "/card.json": answered(200, CARD) };
  const [{ host }, { agent_id, id }] = [await plant([["a2a", "/card.json"]]), await plant([["a2a", "/card.json"]])];
  const url = `https://${host}/card.json`;
  await api.sql("update offchain.offer_source set url = $1, host = $2 where directory_id = $3", url, host, id);
  await api.sql(
    `with others as (
       insert into offchain.directory (platform, agent_id, name, services, cred_score)
       select 'virtuals', 'crowd-' || i, 'C', '[]', 90 from generate_series(1, 60) i returning id)
     insert into offchain.offer_source (directory_id, kind, url, host, trust, next_try_at)
     select id, 'agent_card', $1, $2, 90, now() + interval '1 day' from others`,
    url,
    host,
  );
  expect((await check(agent_id)).body).toMatchObject({ asked: true, works: true });
});

it("a caller who hangs up withdraws what he alone waits for", async () => {
  const card: [string, string] = ["a2a", "/card.json"];
  const [shared, seen, own] = [await plant([card, ["mcp", "/mcp"]]), await plant([card]), await plant([card])];
  const readAt = (at: string) =>
    api.sql(`update offchain.offer_source set checked_at = ${at} where kind = 'mcp' and directory_id = $1`, shared.id);
  const ask = async ({ agent_id }: { agent_id: string }, inAll: number) => {
    const caller = new AbortController();
    void api.send("POST", path(agent_id), { signal: caller.signal }).catch(() => {});
    await until("it is asked for", async () => (await asking()) === inAll);
    return caller;
  };
  await readAt("now()");
  const callers = [await ask(shared, 1)];
  await readAt("null");
  callers.push(await ask(shared, 2), await ask(seen, 3));
  expect((await api.send("POST", path(seen.agent_id))).status).toBe(202);
  const times = "select distinct asked_at from offchain.offer_source where directory_id = $1";
  await until("both wait for both", async () => (await api.sql(times, shared.id)).length === 1);
  for (const caller of callers) caller.abort();
  // Who goes after them waits alone.
  (await ask(own, 4)).abort();
  await until("his is withdrawn", async () => (await api.sql(times, own.id))[0]!.asked_at === null);
  expect(await asking()).toBe(3);
  await endpointChecks.run(context(), {});
});

it("does not wait for what takes long, and tells the rest when asked again", async () => {
  const { agent_id, id } = await plant([["a2a", "/card.json"]]);
  await api.sql("update offchain.offer_source set asked_at = now() where directory_id = $1", id);
  // Asked for by another, and not done.
  const { status, headers, body } = await api.send("POST", path(agent_id));
  expect([status, headers.get("retry-after"), (body as unknown as Check).pending]).toEqual([202, "5", true]);
});

it.each([
  { what: "removed", agent: "gone", code: "gone" },
  { what: "unreadable", agent: "bad", code: "unreadable_item" },
])("says why an agent is not listed: $what", async ({ agent, code }) => {
  await plantDirectory(api.pool, [
    { platform: "virtuals", agent_id: "gone", name: "G", cred_score: 1, removed_at: "2026-11-01T00:00:00Z" },
  ]);
  await api.sql(`insert into offchain.directory_quarantine (source, source_id, reason, raw, first_seen_at, last_seen_at)
    values ('virtuals', 'bad', 'name must be a text', '{}', now(), now()) on conflict do nothing`);
  const { status, body } = await api.send("POST", `/api/v2/agent/${agent}/check`);
  expect([status, (body as unknown as Check).listed, codes((body as unknown as Check).notFound)]).toEqual([
    200,
    false,
    [code],
  ]);
});

it("knows nothing of an agent that nobody has", async () => {
  expect((await api.send("POST", "/api/v2/agent/nobody-has-it/check")).status).toBe(404);
});
