/** Faults of our own side at random: none of them tells an endpoint dead that lives, and one that is dead is told so. */
import { describe, expect, it } from "vitest";
import { foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import type { ForeignAnswer, ForeignRequest } from "../../clients/ports.ts";
import type { PublicHttp } from "../../clients/public-http.ts";
import type { FailureCause } from "../../core/offers/probe.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import { testLog } from "../../harness/log.ts";
import { between, pick, randomOf } from "../../harness/random.ts";
import type { JobContext } from "../../workers/context.ts";
import { type Result, withoutOwnFaults } from "../../workers/offers/own-faults.ts";
import { readSource } from "../../workers/offers/read-endpoint.ts";

const CARD = JSON.stringify({ name: "A", url: "https://a.example/", skills: [{ id: "s", name: "Sums" }] });
const witness = (host: string, owner: string | null = null) => ({ url: `https://${host}/`, owner });
const LATELY = [witness("witness-1.example"), witness("witness-2.example")];

function endpointOf(host: string, answered: boolean): DueSource {
  const state = { status: answered ? ("read" as const) : ("unreachable" as const), failures: answered ? 0 : 3 };
  const row = { id: 1, ...state, etag: null, lastModified: null, digest: null, method: null };
  return {
    ...{ kind: "agent_card", url: `https://${host}/`, host, isConfirmed: true, owner: null, trust: 0, declared: null },
    rows: [row],
  };
}

type World = {
  sources: readonly DueSource[];
  /** Hosts that answer no more. */
  dead?: ReadonlySet<string>;
  /** What comes of the n-th request by a fault of our side; null: there is none. */
  fault?: (host: string, n: number) => FailureCause | "ours" | null;
  lately?: readonly ReturnType<typeof witness>[];
  /** What else comes of a host's n-th request, from 1; null: nothing else. */
  says?: (host: string, n: number) => ForeignAnswer | null;
};
const SILENCE = { kind: "failed", reason: "The server does not answer.", final: false } as const;
const AWAY = { kind: "failed", reason: "The server answers with status 503.", final: false, status: 503 } as const;

async function probe({ sources, dead = new Set(), fault = () => null, lately = LATELY, says = () => null }: World) {
  let n = 0;
  const asked: string[] = [];
  const probed = new Set<string>();
  const send = async ({ url, isProbe }: ForeignRequest): Promise<ForeignAnswer> => {
    const { host } = new URL(url);
    asked.push(host);
    if (isProbe) probed.add(host);
    const other = says(host, asked.filter((each) => each === host).length);
    if (other !== null) return other;
    const cause = fault(host, n++) ?? (dead.has(host) ? "timeout" : null);
    if (cause !== null) return { ...SILENCE, cause };
    return { kind: "answered", status: 200, headers: {}, text: CARD, url, ms: 5 };
  };
  const db = { query: async () => ({ rows: lately }) };
  const context = { clock: () => new Date(0), log: testLog(), db, endpoints: { send } } as unknown as JobContext;
  const results = await withoutOwnFaults(context, sources, async (some) => {
    const results: Result[] = [];
    for (const source of some) results.push(await readSource(context, source));
    return results;
  });
  return { results, probed: [...probed] };
}

const deathsIn = ({ results }: { results: readonly Result[] }) =>
  results.flatMap((result) => ("answers" in result && !result.answers ? [result.source.host] : []));

it("0 deaths are told in 10,000 faults of our own side, and all deaths without them", {
  timeout: 120_000,
}, async () => {
  const random = randomOf(57);
  let faults = 0;
  const told: string[] = [];
  while (faults < 10_000) {
    const sources = Array.from({ length: between(random, 2, 64) }, (_, i) => endpointOf(`host-${i}.example`, true));
    const cause = pick(random, ["ours", "dns", "timeout", "refused", "closed", "tls", "other"] as const);
    const from = between(random, -10, sources.length);
    const until = from + between(random, 1, 3 * sources.length);
    // A tenth of all, at most, is still reached, as over connections that stay open.
    const reached = new Set(sources.slice(0, random() < 0.5 ? 0 : sources.length / 10).map(({ host }) => host));
    const fault = (host: string, n: number) => {
      if (n < from || n >= until || reached.has(host)) return null;
      faults++;
      return cause;
    };
    told.push(...deathsIn(await probe({ sources, fault })));
  }
  expect(told).toEqual([]);

  for (let round = 0; round < 200; round++) {
    const sources = Array.from({ length: between(random, 1, 64) }, (_, i) =>
      endpointOf(`host-${i}.example`, random() < 0.8),
    );
    const dead = new Set(sources.map(({ host }) => host).filter(() => random() < 0.3));
    if (dead.size > sources.length / 2) continue;
    expect(deathsIn(await probe({ sources, dead }))).toEqual([...dead]);
  }
});

it("where no other host is known, one that falls silent is believed, and several at once are not", async () => {
  const [a, b, c] = [endpointOf("a.example", true), endpointOf("b.example", true), endpointOf("c.example", false)];
  const of = (...sources: DueSource[]) =>
    probe({ sources, dead: new Set(sources.map(({ host }) => host)), lately: [] }).then(deathsIn);
  expect(await of(a)).toEqual(["a.example"]);
  expect(await of(a, b)).toEqual([]);
  expect(await of(c)).toEqual(["c.example"]);
});

it("while this process is held up, what misses its time is asked again later", async () => {
  const hold = () => {
    for (const until = performance.now() + 1_300; performance.now() < until; );
    return "timeout" as const;
  };
  const fault = (host: string) => (host === "a.example" ? hold() : null);
  const sources = [endpointOf("a.example", true), endpointOf("b.example", true)];
  const [first, second] = (await probe({ sources, fault })).results;
  expect(first).toMatchObject({ at: new Date(300_000), checkedAt: new Date(0) });
  expect(second).toMatchObject({ status: "read", answers: true });
});

describe("who has many endpoints hides no failure of another, whatever they do together", () => {
  const mine = Array.from({ length: 20 }, (_, i) => endpointOf(`mine-${i}.example`, true));
  const sources = [...mine, endpointOf("dead.example", true)];
  const isMine = (host: string) => host.startsWith("mine");
  const dead = new Set(["dead.example"]);

  it.each<{ what: string; says: World["says"] }>([
    { what: "all are down, with a trace", says: (host) => (host.startsWith("witness") ? null : AWAY) },
    {
      what: "all come back at once",
      says: (host, n) => (isMine(host) && n < 2 ? { ...SILENCE, cause: "timeout" } : null),
    },
    { what: "all answer, and then no more", says: (host, n) => (isMine(host) && n > 1 ? AWAY : null) },
  ])("$what", async ({ says }) => {
    const told = deathsIn(await probe({ sources, dead, says }));
    expect(told.filter((host) => !isMine(host))).toEqual(["dead.example"]);
  });

  it("among witnesses, which are asked as all are: five, no two of one site or owner, without what may not be asked now", async () => {
    const evil = ["a.evil.example", "b.evil.example", "c.evil.example"].map((host, i) => witness(host, `0x${i}`));
    const others = ["away-a.test", "away-b.test", "a.test", "b.test", "c.test"].map((host) => witness(host, host));
    const says = (host: string): ForeignAnswer | null =>
      host.startsWith("away") ? { kind: "deferred", seconds: 5 } : host.includes("evil") ? AWAY : null;
    const found = await probe({ sources, dead, lately: [...evil, witness("evil.test", "0x0"), ...others], says });
    expect(deathsIn(found)).toEqual(["dead.example"]);
    const witnesses = found.probed.filter((host) => !isMine(host) && host !== "dead.example");
    expect(witnesses).toEqual(["a.evil.example", "away-a.test", "away-b.test", "a.test", "b.test"]);
  });
});

it("after most came back, what is silent is asked once more, also what was silent before", async () => {
  const [a, b, c] = [endpointOf("a.example", true), endpointOf("b.example", true), endpointOf("c.example", false)];
  const says = (_: string, n: number): ForeignAnswer | null => (n < 2 ? { ...SILENCE, cause: "dns" } : null);
  const known = (host: string, n: number) => (host.startsWith("witness") ? null : says(host, n));
  expect(deathsIn(await probe({ sources: [a, b, c], says: known }))).toEqual([]);
});

it("a host of many endpoints that dies is told so, though its first failures keep it from being asked again", async () => {
  let now = 0;
  const http = {
    async request(url: string) {
      if (url.includes("dead")) throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
      return { status: 200, headers: {}, text: CARD };
    },
  } as unknown as PublicHttp;
  const endpoints = foreignEndpoints(http, { now: () => now });
  const db = { query: async () => ({ rows: LATELY }) };
  const context = { clock: () => new Date(now), log: testLog(), db, endpoints } as unknown as JobContext;
  const told = async (sources: readonly DueSource[]) =>
    (
      await withoutOwnFaults(context, sources, (some) => Promise.all(some.map((source) => readSource(context, source))))
    ).flatMap((result) => ("status" in result && result.status === "unreachable" ? [result.source.url] : []));
  const of = (n: number, answered: boolean) => {
    const url = `https://dead.example/${n}`;
    return { ...endpointOf("dead.example", answered), url };
  };
  const numbers = [1, 2, 3, 4, 5, 6];
  const first = await told(numbers.map((n) => of(n, true)));
  expect(first).toEqual(numbers.map((n) => of(n, true).url));
  now += 300_000;
  // Of a host that is down one is asked at a time.
  expect(await told(numbers.map((n) => of(n, false)))).toEqual([first[0]]);
});

it("a reading that nobody waits for any more sends nothing further, and says nothing of the endpoint", async () => {
  const nobody = new AbortController();
  const asked: string[] = [];
  const send = async ({ url, signal }: ForeignRequest): Promise<ForeignAnswer> => {
    asked.push(url);
    expect(signal).toBe(nobody.signal);
    nobody.abort();
    return { kind: "answered", status: 404, headers: {}, text: "", url };
  };
  const context = { clock: () => new Date(0), log: testLog(), endpoints: { send } } as unknown as JobContext;
  const outcome = await readSource(context, endpointOf("a.example", true), nobody.signal);
  expect(asked).toHaveLength(1);
  expect(outcome).toMatchObject({ status: null, answers: false, probe: null });
});
