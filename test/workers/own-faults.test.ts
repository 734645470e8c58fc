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
import { DOCUMENT_MS, withinTime } from "../../workers/within-time.ts";

const CARD = JSON.stringify({ name: "A", url: "https://a.example/", skills: [{ id: "s", name: "Sums" }] });
const witness = (host: string, owner: string | null = null, kind = "agent_card") => ({
  ...{ kind, url: `https://${host}/`, owner },
});
const LATELY = [witness("witness-1.example"), witness("witness-2.example")];

function endpointOf(host: string, answered: boolean): DueSource {
  const state = { status: answered ? ("read" as const) : ("unreachable" as const), failures: answered ? 0 : 3 };
  const row = { id: 1, ...state, etag: null, lastModified: null, digest: null, method: null };
  return {
    ...{ kind: "agent_card", url: `https://${host}/`, host, isConfirmed: true, isNew: false },
    ...{ owner: null, trust: 0, declared: null },
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
  monotonic?: () => number;
};
const SILENCE = { kind: "failed", reason: "The server does not answer.", final: false } as const;
const AWAY = { kind: "failed", reason: "The server answers with status 503.", final: false, status: 503 } as const;

async function probe(world: World) {
  const { sources, dead = new Set(), fault = () => null, lately = LATELY, says = () => null } = world;
  const { monotonic = () => 0 } = world;
  let n = 0;
  const asked: string[] = [];
  const probed = new Set<string>();
  const methods = new Map<string, string>();
  const send = async ({ url, isProbe, method = "GET" }: ForeignRequest): Promise<ForeignAnswer> => {
    const { host } = new URL(url);
    asked.push(host);
    methods.set(host, method);
    if (isProbe) probed.add(host);
    const other = says(host, asked.filter((each) => each === host).length);
    if (other !== null) return other;
    const cause = fault(host, n++) ?? (dead.has(host) ? "timeout" : null);
    if (cause !== null) return { ...SILENCE, cause };
    return { kind: "answered", status: 200, headers: {}, text: CARD, url, ms: 5 };
  };
  const db = { query: async () => ({ rows: lately }) };
  const parts = { clock: () => new Date(0), monotonic, log: testLog(), db, endpoints: { send } };
  const context = parts as unknown as JobContext;
  const results = await withoutOwnFaults(context, sources, async (some) => {
    const results: Result[] = [];
    for (const source of some) results.push(await readSource(context, source));
    return results;
  });
  return { results, probed: [...probed], methods };
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
  // As where none of those that are known may be asked now.
  const later = (...sources: DueSource[]) =>
    probe({
      ...{ sources, dead: new Set(sources.map(({ host }) => host)) },
      says: (host) => (host.startsWith("witness") ? { kind: "deferred", seconds: 5 } : null),
    }).then(deathsIn);
  expect(await later(a)).toEqual(["a.example"]);
  expect(await later(a, b)).toEqual([]);
});

it("witnesses are asked as their kind is read, and two that answer are enough", async () => {
  const lately = ["a", "b", "c", "d", "e"].map((name) => witness(`${name}.test`, null, name === "a" ? "mcp" : "x402"));
  const sources = [endpointOf("dead.example", true)];
  const withheld = (many: number) => (host: string) =>
    lately.slice(0, many).some(({ url }) => url.includes(host)) ? AWAY : null;
  const found = await probe({ sources, dead: new Set(["dead.example"]), lately, says: withheld(3) });
  expect(deathsIn(found)).toEqual(["dead.example"]);
  expect(lately.map(({ url }) => found.methods.get(new URL(url).host))).toEqual(["POST", "GET", "GET", "GET", "GET"]);
  expect(deathsIn(await probe({ sources, dead: new Set(["dead.example"]), lately, says: withheld(4) }))).toEqual([]);
});

describe("while this process is held up", () => {
  const sources = [endpointOf("a.example", true), endpointOf("b.example", true)];

  it("what misses its time is asked again later", async () => {
    let now = 0;
    const fault = (host: string) => {
      if (host !== "a.example") return null;
      now += 1_300;
      return "timeout" as const;
    };
    const [first, second] = (await probe({ sources, fault, monotonic: () => now })).results;
    expect(first).toMatchObject({ at: new Date(300_000), checkedAt: new Date(0) });
    expect(second).toMatchObject({ status: "read", answers: true });
  });

  it("by a document that takes long to read, what is silent is told so", async () => {
    let now = 0;
    const says = (host: string): ForeignAnswer | null => {
      if (host !== "b.example") return null;
      withinTime(DOCUMENT_MS, () => {
        for (const until = performance.now() + 500; performance.now() < until; );
      });
      now += 1_300;
      return null;
    };
    const dead = new Set(["a.example"]);
    expect(deathsIn(await probe({ sources, dead, says, monotonic: () => now }))).toEqual(["a.example"]);
  });
});

it("while witnesses did not answer, they are not asked again for each", async () => {
  let [now, asked] = [0, 0];
  const send = async ({ url }: ForeignRequest): Promise<ForeignAnswer> => {
    if (url.includes("witness")) asked++;
    return { ...SILENCE, cause: "timeout" };
  };
  const db = { query: async () => ({ rows: LATELY }) };
  const parts = { clock: () => new Date(now), monotonic: () => 0, log: testLog(), db, endpoints: { send } };
  const context = parts as unknown as JobContext;
  const counts: number[] = [];
  for (; now <= 10_000; now += 5_000) {
    const [result] = await withoutOwnFaults(context, [endpointOf("a.example", true)], async ([source]) => [
      await readSource(context, source!),
    ]);
    expect(result).toHaveProperty("at");
    counts.push(asked);
  }
  expect(counts).toEqual([2, 2, 4]);
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

it.each([{ code: "ETIMEDOUT" }, { code: "ENETUNREACH" }, { code: "EADDRNOTAVAIL" }, { code: "EACCES" }])(
  "a host of many endpoints that dies is told so, though its first failures keep it from being asked again: $code",
  async ({ code }) => {
    let now = 0;
    const http = {
      async request(url: string) {
        if (url.includes("dead")) throw Object.assign(new Error("no answer"), { code });
        return { status: 200, headers: {}, text: CARD };
      },
    } as unknown as PublicHttp;
    const endpoints = foreignEndpoints(http, { now: () => now });
    const db = { query: async () => ({ rows: LATELY }) };
    const context = { clock: () => new Date(now), log: testLog(), db, endpoints } as unknown as JobContext;
    const told = async (sources: readonly DueSource[]) =>
      (
        await withoutOwnFaults(context, sources, (some) =>
          Promise.all(some.map((source) => readSource(context, source))),
        )
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
  },
);

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
