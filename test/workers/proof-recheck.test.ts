/** The job that looks at proofs again: what vanished lapses and the score follows, what cannot be asked goes stale and recovers. */
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FoundProof, ProofReader, ProofReaders } from "../../clients/ports.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import { Failure } from "../../core/errors.ts";
import { type ByProofPlatform, byProofPlatform, type ProofPlatformKey } from "../../core/proof-platforms.ts";
import { recordProof } from "../../db/agents/social-proofs.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { testLog } from "../../harness/log.ts";
import { proofGauges } from "../../ops/metrics/scores.ts";
import { proofRecheck } from "../../workers/agents/proof-recheck.ts";
import { JOBS } from "../../workers/jobs.ts";
import { plantAgents } from "../api/support/agents.ts";
import { simulated, simulatedProofs } from "../clients/support/simulated.ts";
import { testDatabase } from "../support/database.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

const DAY_MS = 86_400_000;
const sim = perFile(simulated);
const raw = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, origins: [sim.url], limits: PATIENT }));
const database = perFile(() => testDatabase({ indexed: true }));
let platforms: ProofReaders;
let now: number;
/** How many proofs each platform was asked about, call by call. */
let asked: [ProofPlatformKey, number][] = [];

beforeEach(async () => {
  // Fresh breakers: what one test broke is not the next one's.
  platforms = simulatedProofs(sim, raw);
  asked = [];
  checks = byProofPlatform(() => ({ recheckMs: DAY_MS, readsPerDay: null }));
  now = Date.parse("2026-11-21T12:00:00Z");
  for (const source of ["x", "github", "farcaster"]) await sim.fail(source, { times: 0 });
  const tables = ["proof", "allowance", "cred", "cred_history"].map((table) => `offchain.${table}`);
  await database.pool.query(`truncate ${tables.join(", ")}, onchain.agent cascade`);
  await plantMany(1, 3, { points: 0 });
});
afterEach(() => sim.control("PUT", "x/not-found", { style: "200" }));

/** Agents with ids in a row. */
const plantMany = (first: number, count: number, more = {}) =>
  plantAgents(
    database.pool,
    Array.from({ length: count }, (_, i) => ({ tokenId: first + i, ...more })),
  );
type Show = (id: number, tokenId: number | null) => Promise<unknown>;
const show: Record<ProofPlatformKey, Show> = {
  x: (id, tokenId) => {
    const description = tokenId === null ? "" : `helixa:${tokenId}`;
    return sim.control("PUT", `x/users/user${id}`, { id: String(id), description });
  },
  github: (id, tokenId) => {
    const gist = { id: `a${id}`, public: true, files: { "helixa-verify.txt": String(tokenId) } };
    return sim.control("PUT", `github/users/user${id}`, { id, gists: [gist] });
  },
  farcaster: (id, tokenId) => {
    const cast = { hash: `0xa${id}`, text: `helixa:${tokenId}` };
    return sim.control("PUT", `farcaster/users/user${id}`, { fid: id, casts: [cast] });
  },
};
/** Proves an account for an agent as the endpoint would. */
async function prove(platform: ProofPlatformKey, id: number, tokenId: number): Promise<void> {
  await show[platform](id, tokenId);
  const source = platforms[platform] as ProofReader<object>;
  const name = `user${id}`;
  const found = await source.find({ handle: name, username: name }, { tokenId, prefix: "helixa" });
  if ("reason" in found) throw new Error(found.reason);
  await recordProof(database.pool, { tokenId, platform, ...found }, null, new Date(now));
  await recomputeCred(database.pool, { tokenIds: [tokenId] }, { now: new Date(now), cause: "test" });
}
/** The interval and the budget of each platform, for one test. */
let checks: ByProofPlatform<{ recheckMs: number; readsPerDay: number | null }>;
const run = () => {
  const counted = Object.entries(platforms).map(([platform, source]) => {
    const recheck = (...[proofs, spend]: Parameters<typeof source.recheck>) => {
      asked.push([platform as ProofPlatformKey, proofs.length]);
      return source.recheck(proofs, spend);
    };
    return [platform, { ...source, recheck }];
  });
  const config = { service: { prefix: "helixa" }, upstreams: { proofChecks: checks } };
  const by = { db: database.pool, clock: () => new Date(now), log: testLog(), config };
  return proofRecheck.run({ ...by, proofs: Object.fromEntries(counted) } as never, {});
};
const records = () =>
  database.rows<{ token: number; platform: string; status: string; checked_at: Date }>(
    "select token_id::int4 as token, platform, status, checked_at from offchain.proof order by 1, 2",
  );
const statuses = async () => (await records()).map(({ token, platform, status }) => `${token} ${platform} ${status}`);
const verifyOf = async (tokenId: number) =>
  (await database.rows("select verify from offchain.cred where token_id = $1", [tokenId]))[0].verify;
const nextDay = () => {
  now += DAY_MS + 1;
};

it("runs with the other jobs", () => expect(JOBS).toContain(proofRecheck));

describe("a proof that stands", () => {
  it("is looked at once a day", async () => {
    await prove("x", 1, 1);
    expect(await run()).toBe(0);
    now += DAY_MS - 1;
    expect(await run()).toBe(0);
    expect(asked).toEqual([]);
    now += 2;
    expect(await run()).toBe(1);
    expect((await records())[0]).toMatchObject({ status: "verified", checked_at: new Date(now) });
    expect(await run()).toBe(0);
  });

  it("is looked at in bulk where the platform offers that", async () => {
    await plantMany(100, 120);
    for (let i = 0; i < 120; i++) await prove("x", 500 + i, 100 + i);
    await prove("github", 1, 1);
    await prove("github", 2, 2);
    nextDay();
    expect(await run()).toBe(122);
    expect(asked.map(String).sort()).toEqual(["github,1", "github,1", "x,100", "x,20"]);
  });
});

describe("a platform that bills each read", () => {
  beforeEach(async () => {
    await sim.control("PUT", "x/window", { requests: 300 });
    await plantMany(100, 8);
    for (let i = 0; i < 8; i++) await prove("x", 800 + i, 100 + i);
    await prove("github", 1, 1);
  });
  const billed = async () =>
    ((await (await fetch(`${sim.url}/_control/x/billed`)).json()) as { billed: number }).billed;
  /** Samples of the metrics, by name and labels. */
  const metrics = async () => {
    const registry = new Registry();
    proofGauges(registry, database.pool, checks, { clock: () => new Date(now) });
    const text = await registry.metrics();
    return text.split("\n").filter((line) => /^agents_.*"x"/.test(line));
  };

  it("has an interval of its own", async () => {
    checks = { ...checks, x: { recheckMs: 30 * DAY_MS, readsPerDay: null } };
    nextDay();
    expect([await run(), asked]).toEqual([1, [["github", 1]]]);
    now += 29 * DAY_MS;
    expect(await run()).toBe(9);
  });

  it("is read within the day's budget: what it is not enough for keeps its state, and metrics tell it", async () => {
    checks = { ...checks, x: { recheckMs: DAY_MS, readsPerDay: 10 } };
    nextDay();
    const before = await billed();
    expect([await run(), (await billed()) - before]).toEqual([6, 5]);
    expect([await run(), (await billed()) - before]).toEqual([0, 5]);
    expect(new Set((await records()).map(({ status }) => status))).toEqual(new Set(["verified"]));
    expect(await metrics()).toEqual([
      'agents_proofs_due{platform="x"} 3',
      'agents_proof_reads_left{platform="x",work="new"} 5',
      'agents_proof_reads_left{platform="x",work="checks"} 0',
    ]);
    // A larger budget holds from now on; a new day begins a new one.
    checks = { ...checks, x: { recheckMs: DAY_MS, readsPerDay: 12 } };
    expect([await run(), (await billed()) - before]).toEqual([1, 6]);
    nextDay();
    expect([await run(), (await billed()) - before]).toEqual([7, 12]);
  });

  it("gets back the reads of a request that it refused", async () => {
    checks = { ...checks, x: { recheckMs: DAY_MS, readsPerDay: 10 } };
    nextDay();
    await sim.fail("x", { status: 503, times: 3 });
    for (let i = 0; i < 3; i++) await expect(run()).rejects.toBeInstanceOf(Failure);
    expect(await run()).toBe(5);
  });
});

describe("a proof that vanished", () => {
  it.each<ProofPlatformKey>(["x", "github", "farcaster"])(
    "lapses, and the score falls by what it gave (%s)",
    async (platform) => {
      await prove(platform, 1, 1);
      await prove(platform, 2, 2);
      expect(await verifyOf(1)).toBe(25);
      await show[platform](1, 3);
      nextDay();
      expect(await run()).toBe(2);
      expect(await statuses()).toEqual([`1 ${platform} lapsed`, `2 ${platform} verified`]);
      expect([await verifyOf(1), await verifyOf(2)]).toEqual([0, 25]);
      const history = await database.rows("select token_id::int4, cause from offchain.cred_history order by id desc");
      expect(history[0]).toEqual({ token_id: 1, cause: "proof.lapsed" });
      // Lapsed is lapsed: it is not asked about again, and its account is free.
      nextDay();
      expect(await run()).toBe(1);
      await prove(platform, 1, 3);
      expect(await verifyOf(3)).toBe(25);
    },
  );

  it.each(["200", "404"])("is told by a deleted account too (style %s)", async (style) => {
    await sim.control("PUT", "x/not-found", { style });
    await prove("x", 1, 1);
    await sim.control("DELETE", "x/users/user1");
    nextDay();
    await run();
    expect(await statuses()).toEqual(["1 x lapsed"]);
  });

  it("is not confused with one that was proven anew meanwhile", async () => {
    await prove("x", 1, 1);
    nextDay();
    await show.x(1, null);
    const [asked, proven] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { x } = platforms;
    platforms.x = {
      ...x,
      async recheck(...of) {
        asked.resolve();
        await proven.promise;
        return x.recheck(...of);
      },
    };
    const running = run();
    // While the job waits for X, the agent proves another account.
    await Promise.race([asked.promise, running]);
    const anew = { tokenId: 1, platform: "x", accountId: "77", handle: "new", username: null, evidence: {} } as const;
    await recordProof(database.pool, anew, null, new Date(now + 1));
    proven.resolve();
    await running;
    expect(await statuses()).toEqual(["1 x verified"]);
  });
});

describe("a platform that cannot be asked", () => {
  it.each([{ status: 500 }, { status: 429 }, { body: "<html></html>" }, { hangs: true as const }])(
    "makes its proofs stale, and takes no score (%j)",
    async (plan) => {
      await prove("x", 1, 1);
      await prove("github", 2, 2);
      const confirmed = new Date(now);
      nextDay();
      await sim.fail("x", plan);
      // The run reports its failure, having written down what it could find out.
      await expect(run()).rejects.toBeInstanceOf(Failure);
      expect(await records()).toMatchObject([
        { token: 1, status: "stale", checked_at: confirmed },
        { token: 2, status: "verified", checked_at: new Date(now) },
      ]);
      expect(await verifyOf(1)).toBe(25);
      await sim.fail("x", { times: 0 });
      expect(await run()).toBe(1);
      expect(await statuses()).toEqual(["1 x verified", "2 github verified"]);
    },
  );

  it("does not keep a vanished proof for ever", async () => {
    await prove("x", 1, 1);
    nextDay();
    await sim.fail("x", { status: 500 });
    await expect(run()).rejects.toBeInstanceOf(Failure);
    await show.x(1, null);
    expect(await run()).toBe(1);
    expect(await statuses()).toEqual(["1 x lapsed"]);
    expect(await verifyOf(1)).toBe(0);
  });
});

describe("one proof among others", () => {
  it("that cannot be stored goes stale, and the others are confirmed and lapse", async () => {
    for (const id of [1, 2, 3]) await prove("x", id, id);
    await show.x(3, null);
    nextDay();
    const unforeseen = "check (token_id <> 2 or checked_at < '2026-11-22' or status = 'stale')";
    await database.pool.query(`alter table offchain.proof add constraint unforeseen ${unforeseen}`);
    try {
      await run();
      expect(await statuses()).toEqual(["1 x verified", "2 x stale", "3 x lapsed"]);
      expect(await verifyOf(3)).toBe(0);
    } finally {
      await database.pool.query("alter table offchain.proof drop constraint unforeseen");
    }
  });

  it("comes after all others once it was asked about in vain: a thousand such hold nobody up", async () => {
    await prove("x", 1, 1);
    const older = new Date(now - 2 * DAY_MS);
    await database.pool.query(sql`insert into offchain.proof (token_id, platform, account_id, handle, evidence,
        status, verified_at, checked_at)
      select 1000 + i, 'x', 'none' || i, 'none', '{}', 'verified', ${older}, ${older} from generate_series(1, 1000) i`);
    nextDay();
    const unanswered: ProofReaders["x"] = {
      ...platforms.x,
      recheck: async (proofs) =>
        proofs.map(({ accountId, handle, username, evidence }) =>
          accountId === "1" ? { accountId, handle, username, evidence: evidence as FoundProof["evidence"] } : null,
        ),
    };
    platforms = { ...platforms, x: unanswered };
    expect(await run()).toBe(0);
    now += 1;
    expect(await run()).toBe(1);
    expect((await records()).find(({ token }) => token === 1)).toMatchObject({ checked_at: new Date(now) });
  });
});
