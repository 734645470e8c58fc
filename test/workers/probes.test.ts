/** The log of probes: what is appended, what is recomputed from it, and what it weighs. */
import { expect, it } from "vitest";
import type { PublicHttp } from "../../clients/public-http.ts";
import { siteOf } from "../../core/urls.ts";
import { answeredLately, appendProbes, keepProbes, uptimeOf } from "../../db/offers/probes.ts";
import { between, randomOf } from "../../harness/random.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";
import { runOffers } from "./support/offers-job.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = new Date(Date.UTC(2026, 10, 30, 12));
const CARD = JSON.stringify({ name: "A", url: "https://a.example/", skills: [{ id: "s", name: "Sums" }] });
const ENDPOINT = { kind: "mcp" as const, url: "https://a.example/mcp" };

const db = perTest(testDatabase);

type Logged = { at: number; answers: boolean; ms: number | null; found?: string | null };
async function log(probes: readonly Logged[]): Promise<void> {
  for (const { at, found = null, ...probe } of probes)
    await db.pool.connect().then(async (client) => {
      const status = probe.answers ? 200 : 6;
      await appendProbes(client, [{ ...ENDPOINT, ...probe, status, declared: "d", found }], new Date(at));
      client.release();
    });
}

const uptime = async (client: Pick<typeof db.pool, "query"> = db.pool) =>
  (
    await client.query(
      `select ${uptimeOf("s", "$3::timestamptz")} as uptime from (select $1::text as kind, $2::text as url) s`,
      [ENDPOINT.kind, ENDPOINT.url, NOW],
    )
  ).rows[0].uptime;

/** Has the days of the log computed. @returns how many are of an endpoint that was asked often */
async function computeDays(now = NOW): Promise<number> {
  await db.pool.query("update offchain.offer_progress set probes_to = null");
  for (let days = 0; days < 99; days++) await keepProbes(db.pool, now);
  return (await db.rows("select count(*)::int as days from offchain.probe_day"))[0].days;
}

/** The same, minute by minute. */
function naive(probes: readonly Logged[]) {
  const stateAt = (time: number): boolean | null => {
    const i = probes.findLastIndex(({ at }) => at <= time);
    const [last, next] = [probes[i], probes[i + 1]];
    if (last === undefined) return null;
    if (next && !last.answers && !next.answers) return false;
    return time < last.at + 36 * HOUR_MS ? last.answers : null;
  };
  const share = (days: number) => {
    let [up, known] = [0, 0];
    for (let time = NOW.getTime() - days * DAY_MS; time < NOW.getTime(); time += 60_000) {
      const state = stateAt(time);
      if (state !== null) known++;
      if (state) up++;
    }
    return known === 0 ? null : up / known;
  };
  const times = probes.flatMap(({ at, answers, ms }) => (answers && at > NOW.getTime() - 30 * DAY_MS ? [ms!] : []));
  times.sort((a, b) => a - b);
  const percentile = (p: number) => times[Math.ceil(p * times.length) - 1] ?? null;
  const lastUp = probes.findLastIndex(({ answers }) => answers);
  const down = probes[lastUp + 1];
  return {
    ...{ days7: share(7), days30: share(30), days90: share(90), p50Ms: percentile(0.5), p95Ms: percentile(0.95) },
    downSince: down ? new Date(down.at).toISOString() : null,
  };
}

it("shares of the windows, percentiles and the beginning of silence equal those of a naive reading of random logs", async () => {
  const random = randomOf(30);
  expect(await uptime()).toBeNull();
  for (let round = 0; round < 25; round++) {
    await db.pool.query("truncate offchain.probe, offchain.probe_subject, offchain.probe_day");
    // Every fifth has days of many probes.
    const steps = round % 5 === 0 ? [0.25, 0.25, 0.25, 0.25, 0.5, 40] : [0.25, 1, 24, 24, 30, 96];
    let at = NOW.getTime() - between(random, 1, 97) * DAY_MS;
    let answers = true;
    const probes: Logged[] = [];
    while (at < NOW.getTime() && probes.length < 150) {
      if (random() < 0.3) answers = !answers;
      probes.push({
        at,
        answers,
        ms: answers ? between(random, 1, 900) : null,
        found: answers ? `f${probes.length % 3}` : null,
      });
      at += Math.ceil((steps[between(random, 0, 5)]! * HOUR_MS * (0.5 + random())) / 60_000) * 60_000;
    }
    await log(probes);
    const plain = await uptime();
    if (round % 5 === 0) {
      expect(await computeDays()).toBeGreaterThan(0);
      expect(await uptime()).toEqual(plain);
    }
    const [{ days7, days30, days90, ...found }, expected] = [plain, naive(probes)];
    for (const [is, should] of [
      [days7, expected.days7],
      [days30, expected.days30],
      [days90, expected.days90],
    ]) {
      if (should === null) expect(is).toBeNull();
      else expect(Math.abs(is - should)).toBeLessThan(0.0002);
    }
    expect(found).toEqual({ p50Ms: expected.p50Ms, p95Ms: expected.p95Ms, downSince: expected.downSince });
  }
});

it("a record reads each of its subjects from the log twice at most, however its days lie, and is the same", async () => {
  // What is found differs each time, on every second day often.
  const days = Array.from({ length: 40 }, (_, day) => NOW.getTime() - (60 - day) * DAY_MS);
  await log(
    days.flatMap((begin, day) =>
      Array.from({ length: day % 2 === 0 ? 9 : day % 3 }, (_, i) => {
        const answers = (day + i) % 4 > 0;
        return { at: begin + i * HOUR_MS, answers, ms: answers ? i : null, found: `${day} ${i}` };
      }),
    ),
  );
  const [plain, subjects] = [await uptime(), (await db.rows("select from offchain.probe_subject")).length];
  expect(await computeDays()).toBeGreaterThan(20);
  const scans = `select sum(idx_scan)::int as n from pg_stat_xact_user_tables where relname ~ '^probe_(default|[0-9])'`;
  const client = await db.pool.connect();
  await client.query("begin");
  const before = (await client.query(scans)).rows[0].n;
  expect(await uptime(client)).toEqual(plain);
  expect((await client.query(scans)).rows[0].n - before).toBeLessThan(3 * subjects);
  await client.query("rollback");
  client.release();
});

it("a day is computed once, when what was asked at its end is stored", async () => {
  const begin = Date.UTC(2026, 10, 29);
  await log(Array.from({ length: 9 }, (_, i) => ({ at: begin + DAY_MS - 1 - i, answers: i > 0, ms: i || null })));
  expect(await computeDays(new Date(begin + DAY_MS + HOUR_MS - 1))).toBe(0);
  expect(await computeDays(new Date(begin + DAY_MS + HOUR_MS))).toBe(1);
  const [day] = await db.rows("select up, down_at, ms from offchain.probe_day");
  expect(day).toMatchObject({
    up: { milliseconds: 8 },
    down_at: new Date(begin + DAY_MS - 1),
    ms: [1, 2, 3, 4, 5, 6, 7, 8],
  });
});

it("days are closed and dropped by the database's clock, and computed days are looked through when one is due alone", async () => {
  const now = new Date();
  await keepProbes(db.pool, now);
  await log(Array.from({ length: 9 }, (_, i) => ({ at: now.getTime() - i, answers: true, ms: i })));
  const state = `select (select count(*)::int from offchain.probe) as probes, probes_to < now()::date as open,
    (select count(*)::int from offchain.probe_day) as days from offchain.offer_progress`;
  await runOffers({ db: db.pool, clock: () => new Date("2099-01-01"), publicHttp: {} as PublicHttp });
  expect(await db.rows(state)).toEqual([{ probes: 9, open: true, days: 0 }]);
  await computeDays(now);
  const client = await db.pool.connect();
  await client.query("begin");
  const looks = `select seq_scan + idx_scan as n from pg_stat_xact_user_tables where relname = 'probe_day'`;
  const before = (await client.query(looks)).rows;
  await keepProbes(client, now);
  expect((await client.query(looks)).rows).toEqual(before);
  await client.query("rollback");
  client.release();
});

it("what is found once is one subject, a repeated append is none, and a week that no window needs goes with its subjects", async () => {
  const old = NOW.getTime() - 120 * DAY_MS;
  await keepProbes(db.pool, new Date(old));
  await log([
    { at: old, answers: true, ms: 1, found: "a" },
    { at: old, answers: true, ms: 1, found: "a" },
    { at: old + 1, answers: true, ms: 1, found: "b" },
    { at: NOW.getTime(), answers: true, ms: 1, found: "a" },
  ]);
  const counts = async () =>
    (
      await db.rows(
        "select (select count(*)::int from offchain.probe) as probes, count(*)::int as subjects from offchain.probe_subject",
      )
    )[0];
  expect(await counts()).toEqual({ probes: 3, subjects: 2 });
  await keepProbes(db.pool, NOW);
  expect(await counts()).toEqual({ probes: 1, subjects: 1 });
});

it("90 days of 100,000 endpoints, 4,000 of them every quarter of an hour, take less than 5 GB", async () => {
  await keepProbes(db.pool, NOW);
  // In the order of time, as they are appended: an index of them grows at all its places.
  await db.pool.query(
    `insert into offchain.probe (at, subject, status, ms, answers)
     select $1::timestamptz + make_interval(secs => n), 1 + n % 4000, 200, 120, true from generate_series(1, 200000) n`,
    [NOW],
  );
  await db.pool.query(
    `insert into offchain.probe_day
     select sha256(n::text::bytea), '2026-11-30', $1, true, $1, true, '1 day', $1, null, array_fill(120::int2, array[96]), array[n]
     from generate_series(1, 4000) n`,
    [NOW],
  );
  const [{ bytes, computed }] = await db.rows(
    `select sum(pg_total_relation_size(relid))::float8 / 200000 as bytes,
       pg_total_relation_size('offchain.probe_day')::float8 as computed from pg_partition_tree('offchain.probe')`,
  );
  expect(bytes * 90 * (4_000 * 96 + 96_000) + computed * 98).toBeLessThan(5e9);
});

it("witnesses are one endpoint of each site and owner that answered lately, by chance", async () => {
  const plantSources = (hosts: string[], owners: string[], trust: number) =>
    db.pool.query(
      `with planted as (
         insert into offchain.directory (platform, agent_id, name, services, cred_score, owner_address)
         select 'virtuals', host || i, 'A', '[]', 20, owner
         from unnest($1::text[], $2::text[]) with ordinality o(host, owner, i) returning id, agent_id, owner_address)
       insert into offchain.offer_source (directory_id, kind, url, host, trust, next_try_at, answered_at, silent_since)
       select p.id, 'mcp', 'https://' || host || '/' || i, host, $3, $4::timestamptz, $4, case owner when '0x39' then $4 end
       from unnest($1::text[], $2::text[]) with ordinality o(host, owner, i) join planted p on p.agent_id = host || i`,
      [hosts, owners, trust, NOW],
    );
  const many = Array.from({ length: 1_500 }, (_, i) => i);
  // Three sites with all the trust, an owner with many sites, and others of whom one is silent.
  await plantSources(
    many.map((i) => `h${i}.evil-${i % 3}.example:8443`),
    many.map((i) => `0xe${i}`),
    90,
  );
  await plantSources(
    many.slice(0, 20).map((i) => `of-one-${i}.example`),
    many.slice(0, 20).map(() => "0xa"),
    30,
  );
  await plantSources(
    many.slice(0, 40).map((i) => `10.0.0.${i}`),
    many.slice(0, 40).map((i) => `0x${i}`),
    20,
  );
  const found = async (since = new Date(NOW.getTime() - 1)) => answeredLately(db.pool, { since });
  const all = await found();
  const hosts = all.map(({ url }) => siteOf(new URL(url))).sort();
  expect(hosts.filter((site) => site.startsWith("evil"))).toEqual([
    "evil-0.example",
    "evil-1.example",
    "evil-2.example",
  ]);
  expect(hosts.filter((site) => site.startsWith("of-one"))).toHaveLength(1);
  expect(hosts.filter((site) => site.startsWith("10."))).toHaveLength(39);
  expect(new Set(hosts).size).toBe(43);
  expect(await found(NOW)).toEqual([]);
  const firsts = new Set<string>();
  for (let times = 0; times < 30; times++) firsts.add((await found())[0]!.url);
  expect(firsts.size).toBeGreaterThan(1);
});

const REGISTRY = `0x8004${"a".repeat(36)}`;
const NAMING = JSON.stringify({
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
  name: "H",
  registrations: [{ agentId: 22, agentRegistry: `eip155:8453:${REGISTRY}` }],
});

/** `confirmed`: the host names the agent. */
type World = { confirmed?: boolean; pool?: typeof db.pool; silent?: boolean; asked?: () => void };
const run = ({ confirmed = false, pool = db.pool, silent = false, asked = () => {} }: World = {}) =>
  runOffers({
    ...{ db: pool, clock: () => NOW, publicHttp: {} as PublicHttp },
    over: {
      endpoints: {
        async send({ url }) {
          const status = confirmed ? 200 : 404;
          if (!url.endsWith("/card.json")) return { kind: "answered", status, headers: {}, text: NAMING, url };
          asked();
          if (silent) return { kind: "failed", reason: "It does not answer.", final: false, cause: "timeout" };
          return { kind: "answered", status: 200, headers: {}, text: CARD, url, ms: 7 };
        },
      },
    },
  });
const plant = (score: number) =>
  db.pool.query(
    `insert into offchain.directory (platform, agent_id, name, services, cred_score, chain_id, registry)
     values ('erc8004', '22', 'A', '[{"name": "a2a", "endpoint": "https://a.example/card.json"}]', $1, 8453, $2)`,
    [score, REGISTRY],
  );
const logged = () =>
  db.rows(
    `select p.status, p.ms, p.answers, s.declared is not null as declared, s.found is not null as found
     from offchain.probe p join offchain.probe_subject s on s.id = p.subject order by p.at`,
  );

it("a crash between the answer and the write loses nothing, and doubles nothing", async () => {
  await plant(20);
  let isAsked = false;
  const pool = new Proxy(db.pool, {
    get(target, key) {
      if (key === "connect" && isAsked) throw new Error("killed");
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await expect(run({ pool, asked: () => (isAsked = true) })).rejects.toThrow("killed");
  expect(await logged()).toEqual([]);
  await run();
  await run();
  expect(await logged()).toEqual([{ status: 200, ms: 7, answers: true, declared: true, found: true }]);
});

it.each([
  { score: 60, confirmed: true, silent: false, minutes: 15 },
  { score: 60, confirmed: true, silent: true, minutes: 15 },
  { score: 60, confirmed: false, silent: false, minutes: 1440 },
  { score: 50, confirmed: true, silent: false, minutes: 1440 },
])("of cred $score, confirmed $confirmed, silent $silent: asked again after $minutes minutes", async (of) => {
  await plant(of.score);
  await run({ confirmed: of.confirmed });
  // The fourth failure in a row would wait for 40 minutes.
  const due = "update offchain.offer_source set next_try_at = $1, failures = $2";
  await db.pool.query(due, [NOW, of.silent ? 3 : 0]);
  await run(of);
  const [{ at }] = await db.rows("select next_try_at as at from offchain.offer_source");
  expect(at).toEqual(new Date(NOW.getTime() + of.minutes * 60_000));
});
