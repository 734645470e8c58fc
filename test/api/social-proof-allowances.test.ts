/** A platform's allowance is shared fairly: failing proofs of many agents keep neither another agent nor the re-checks from it. */
import { beforeEach, expect, it } from "vitest";
import { networksOf } from "../../api/http/client-network.ts";
import { askWithin } from "../../api/services/prove-account.ts";
import type { ProofReader } from "../../clients/ports.ts";
import { xProofs } from "../../clients/proof-platforms/x.ts";
import { unconfiguredProofs } from "../../clients/unavailable.ts";
import { newProofs, readsOfRechecks } from "../../core/agents/social-proof-allowances.ts";
import type { XClaim } from "../../core/proof-platforms/x.ts";
import { byProofPlatform } from "../../core/proof-platforms.ts";
import { recordProof } from "../../db/agents/social-proofs.ts";
import { forgetFullAllowances, takeAll, takeTokens, takeTurn } from "../../db/callers/allowances.ts";
import { testLog } from "../../harness/log.ts";
import { proofRecheck } from "../../workers/agents/proof-recheck.ts";
import { simulated } from "../clients/support/simulated.ts";
import { perFile } from "../support/started.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, apiForFile, refusal } from "./support/api.ts";
import { chainOfAccounts } from "./support/chains.ts";
import { lower, newWallet, type Wallet } from "./support/wallets.ts";

/** What X allows in a window of 15 minutes. */
const RATE = { burst: 300, perSecond: 300 / 900 };
const PER_AGENT = 10;
const DAY_MS = 86_400_000;

const sim = perFile(simulated);
let x: ProofReader<XClaim>;
let now: number;
/** Requests that X was sent. */
let asked = 0;
const api = apiForFile({
  now: () => now,
  env: { MINT_WAIT_MS: "0", LIMITS: `proofs=0,proofs-of-agent=${PER_AGENT}`, TRUSTED_PROXIES: "127.0.0.1" },
  chain: chainOfAccounts(),
  deps: {
    proofs: {
      x: { batch: 100, find: (...claim) => x.find(...claim), recheck: (...proofs) => x.recheck(...proofs) },
      github: unconfiguredProofs("GitHub"),
      farcaster: unconfiguredProofs("Farcaster"),
    },
  },
});
beforeEach(async () => {
  now = Date.now();
  asked = 0;
  const platform = xProofs(sim.upstream("/x", { name: "X", rate: RATE, headers: { authorization: "Bearer key" } }));
  x = {
    ...platform,
    find: (claim, sought, spend) =>
      platform.find(claim, sought, async (rate, reads) => {
        if (reads > 0) asked++;
        return spend!(rate, reads);
      }),
  };
  await api.sql(
    "truncate offchain.proof, offchain.transaction_outbox, offchain.allowance, offchain.cred cascade; truncate onchain.agent",
  );
  await sim.fail("x", { times: 0 });
});

const recheck = () =>
  proofRecheck.run(
    {
      ...{ db: api.pool, clock: () => new Date(now), log: testLog(), proofs: { x } },
      config: {
        service: { prefix: "helixa" },
        upstreams: { proofChecks: byProofPlatform(() => ({ recheckMs: DAY_MS, readsPerDay: null })) },
      },
    } as never,
    {},
  );
const sent = () => asked;

let agents = 0;
type Agent = { tokenId: number; wallet: Wallet; from: string };
async function agent(from: string, wallet = newWallet()): Promise<Agent> {
  const tokenId = ++agents;
  await plantAgents(api.pool, [{ tokenId, owner: lower(wallet), agentAddress: lower(wallet) }]);
  return { tokenId, wallet, from };
}
const prove = async ({ tokenId, wallet, from }: Agent, handle: string): Promise<Answer> =>
  api.postAs(
    { siwa: () => wallet.siwa(now) },
    `/api/v2/agent/${tokenId}/verify/x`,
    { handle },
    { "x-forwarded-for": from },
  );
/** Asks for one account after another that proves nothing. */
async function fail(attacker: Agent, times: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < times; i++) answers.push(await prove(attacker, `none_${attacker.tokenId}_${i}`));
  return answers;
}
const shows = (handle: string, id: number, tokenId: number) =>
  sim.control("PUT", `x/users/${handle}`, { id: String(id), description: `helixa:${tokenId}` });

it("twelve failing agents leave enough for another's first proof and for re-checks", async () => {
  const proven = await agent("192.0.2.1");
  await shows("proven", 1, proven.tokenId);
  const found = {
    tokenId: proven.tokenId,
    platform: "x" as const,
    accountId: "1",
    handle: "proven",
    username: "proven",
  };
  await recordProof(api.pool, { ...found, evidence: {} }, null, new Date(now - 2 * DAY_MS));
  const attackers = await Promise.all(Array.from({ length: 12 }, () => agent("198.51.100.7")));
  const answers = (await Promise.all(attackers.map((attacker) => fail(attacker, 26)))).flat();
  // Also from the attackers' own network.
  for (const from of ["203.0.113.9", "198.51.100.7"]) {
    const honest = await agent(from);
    await shows(`honest_${honest.tokenId}`, honest.tokenId + 100, honest.tokenId);
    expect((await prove(honest, `honest_${honest.tokenId}`)).status).toBe(202);
  }
  expect(await recheck()).toBe(1);
  // The others were refused as their own doing, without X being asked.
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422, 429]));
  const refused = answers.filter(({ status }) => status === 429);
  for (const answer of refused) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeLessThan(RATE.burst * 0.35);
});

it("once the share of new proofs is used up, a first proof waits for the next request instead of being refused", async () => {
  const shared = newProofs("x", RATE);
  await takeTokens(api.pool, [shared], shared.most - 0.95, new Date(now));
  const people = await Promise.all(Array.from({ length: 5 }, (_, i) => agent(`192.0.2.${i}`)));
  for (const { tokenId } of people) await shows(`waits_${tokenId}`, tokenId + 100, tokenId);
  const answers = await Promise.all(people.map((each) => prove(each, `waits_${each.tokenId}`)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  const rows = await api.sql("select level from offchain.allowance where name = $1", shared.name);
  // One request for all of them.
  expect(rows[0].level).toBeLessThan(1);
});

it("limits proofs a day for each agent, and five times as many for each wallet", async () => {
  const one = await agent("192.0.2.1");
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
  expect(statuses(await fail(one, PER_AGENT + 1)).at(-1)).toBe(429);
  now += DAY_MS;
  expect(statuses(await fail(one, 1))).toEqual([422]);
  now += DAY_MS;
  const wallet = newWallet();
  const many = await Promise.all(Array.from({ length: 12 }, () => agent("192.0.2.1", wallet)));
  let asked = 0;
  for (const each of many) {
    // In a window of its own, with all of X's allowance there.
    now += 900_000;
    asked += statuses(await fail(each, 5)).filter((status) => status === 422).length;
  }
  expect(asked).toBeGreaterThanOrEqual(5 * PER_AGENT);
  expect(asked).toBeLessThan(60);
});

it("remembers for a minute what was asked for twice and was not there", async () => {
  const honest = await agent("192.0.2.1");
  const first = await prove(honest, "ada");
  const second = await prove(honest, "ada");
  expect([first.status, second.status, sent()]).toEqual([422, 422, 2]);
  await shows("ada", 7, honest.tokenId);
  const remembered = await prove(honest, "@Ada");
  expect(remembered).toMatchObject(refusal(422, "proof_missing", { expected: `helixa:${honest.tokenId}` }));
  expect(sent()).toBe(2);
  // Another account is another question.
  expect((await prove(honest, "eve")).status).toBe(422);
  expect(sent()).toBe(3);
  now += 1000 * Number(remembered.headers.get("retry-after"));
  expect((await prove(honest, "ada")).status).toBe(202);
});

it("an error of the platform is remembered by nothing, and counts for nobody", async () => {
  const honest = await agent("192.0.2.1");
  await sim.fail("x", { status: 500, times: 5 });
  for (let i = 0; i < 5; i++) expect((await prove(honest, "ada")).status).toBe(503);
  await shows("ada", 7, honest.tokenId);
  expect((await prove(honest, "ada")).status).toBe(202);
  const rows = await api.sql("select most - level as used from offchain.allowance where name like '%:agent:%'");
  expect(rows[0].used).toBeCloseTo(1, 2);
});

it("what an agent has asked for outlives the process, and is forgotten when it has all of it again", async () => {
  const one = await agent("192.0.2.1");
  await fail(one, PER_AGENT);
  const rows = await api.sql("select count(*)::int as n from offchain.allowance");
  expect(rows[0].n).toBeGreaterThan(3);
  expect(await forgetFullAllowances(api.pool, new Date(now))).toBe(0);
  expect(await forgetFullAllowances(api.pool, new Date(now + 3 * DAY_MS))).toBe(rows[0].n);
});

it("re-checks stop where their own allowance ends, leave the rest as it is, and go on with it later", async () => {
  const proofs = 4;
  for (let id = 1; id <= proofs; id++) {
    const { tokenId } = await agent("192.0.2.1");
    await shows(`user${id}`, 1_000 + id, tokenId);
    const proof = {
      tokenId,
      platform: "x" as const,
      accountId: String(1_000 + id),
      handle: `user${id}`,
      username: `user${id}`,
    };
    await recordProof(api.pool, { ...proof, evidence: {} }, null, new Date(now - 2 * DAY_MS));
  }
  // One at a time, of a platform that allows four in an hour: none for two re-checks at once, all of it taken by new proofs.
  const scarce = xProofs(
    sim.upstream("/x", {
      name: "X",
      rate: { burst: 4, perSecond: 4 / 3_600 },
      headers: { authorization: "Bearer key" },
    }),
  );
  x = { ...scarce, batch: 1 };
  await takeAll(api.pool, [newProofs("x", { burst: 4, perSecond: 4 / 3_600 })], new Date(now));
  const statuses = async () => (await api.sql("select status from offchain.proof")).map(({ status }) => status);
  expect(await recheck()).toBe(1);
  expect(await statuses()).toEqual(Array(proofs).fill("verified"));
  now += 2 * 3_600_000;
  expect(await recheck()).toBeGreaterThanOrEqual(1);
  expect(await statuses()).toEqual(Array(proofs).fill("verified"));
});

it("callers have their own share of a platform's reads, of which one network cannot take all", async () => {
  const readsPerDay = 20;
  const ask = (address: string, n: number) => {
    const tokenId = 5_000 + n;
    const claim = { handle: `nobody_${n}` };
    const wallet = `0x${String(tokenId).padStart(40, "0")}` as const;
    const asker = { platform: "x" as const, tokenId, wallet, networks: networksOf(address), claim, now: new Date(now) };
    const within = { asker, perDay: PER_AGENT, readsPerDay, expected: "", hint: "" };
    return askWithin(api.pool, within, (spend) => x.find(claim, { tokenId, prefix: "helixa" }, spend)).then(
      () => "asked",
      (error) => error.options.retryAfter,
    );
  };
  now = Date.parse("2026-11-21T22:00:00Z");
  const answers = [];
  // A third of 10, for all the /64s of a /32; the rest waits until midnight.
  for (let n = 0; n < 4; n++) answers.push(await ask(`2001:db8:${n}:${n}::1`, n));
  expect(answers).toEqual([...Array(3).fill("asked"), 7_200]);
  for (let n = 4; n < 10; n++) expect(await ask(`9.9.${n >> 1}.1`, n)).toBe("asked");
  expect([await ask("9.8.1.1", 10), await ask("9.8.2.1", 11)]).toEqual(["asked", 7_200]);
  const [ofChecks] = readsOfRechecks("x", { perDay: readsPerDay, count: 10 }, new Date(now));
  expect(await takeAll(api.pool, [ofChecks!], new Date(now))).toBe(0);
  // The next day begins anew, and the buckets of past days are forgotten.
  now += 2 * 3_600_000;
  expect(await ask("2001:db8::1", 13)).toBe("asked");
  const days = async () =>
    (await api.pool.query("select from offchain.allowance where name like 'proofs:x:reads:%'")).rowCount;
  expect(await days()).toBeGreaterThan(0);
  await forgetFullAllowances(api.pool, new Date(now + 3 * DAY_MS));
  expect(await days()).toBe(0);
});

it("turns of a rate are one after the other for all who take them, and one that is too far away is not taken", async () => {
  const host = (name: string) => ({ name: `pace:${name}.example`, most: 2, perSecond: 2 });
  const turn = (maxWaitMs: number) =>
    takeTurn(api.pool, [host("a"), { name: "pace:example", most: 6, perSecond: 3 }], maxWaitMs, new Date(now));
  const together = await Promise.all(Array.from({ length: 4 }, () => turn(5_000)));
  expect(together.sort((a, b) => a - b)).toEqual([0, 0, 500, 1_000]);
  expect([await turn(1_000), await turn(1_500), await turn(2_000)]).toEqual([1_500, 1_500, 2_000]);
  // Six turns of its site are taken: what is left is that of all its hosts together.
  expect(
    await takeTurn(api.pool, [host("b"), { name: "pace:example", most: 6, perSecond: 3 }], 0, new Date(now)),
  ).toBeGreaterThan(0);
});
