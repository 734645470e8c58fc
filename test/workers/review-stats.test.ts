/** The job that weighs reviews: what is stored equals the pure function over facts that were put together without any SQL, and follows the index back and forth. */
import { beforeEach, expect, it } from "vitest";
import type { ReviewerFacts, ReviewsFacts } from "../../core/reviews/facts.ts";
import { computeReviews } from "../../core/reviews/stats.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { plantRows } from "../../harness/onchain.ts";
import { between, pick, randomOf } from "../../harness/random.ts";
import { SUBSCRIPTIONS } from "../../workers/events/subscriptions.ts";
import { JOBS } from "../../workers/jobs.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { plantAgents } from "../api/support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { ERC8004, feedbackRow, registeredRow } from "../support/reviewed.ts";
import { perTest } from "../support/started.ts";

const SCHEMA = `0x${"f".repeat(64)}` as const;
const HASH = `0x${"ab".repeat(32)}` as const;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const [SECONDS, DAY] = [NOW / 1_000, 86_400];
const wallet = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;

type Said = { agent: number; client: number; index: number; revoked: boolean; at: number; tx: string } & {
  value: number | null;
};
type Known = Pick<ReviewerFacts, "firstAt" | "sent" | "previousAt" | "funder" | "origin">;
/** What stands in the database, as the test knows it. */
type World = {
  /** Owner and wallet of each agent, by its id. */
  agents: { id: number; owner: number; wallet: number | null }[];
  said: Said[];
  humans: Set<number>;
  creds: Map<number, number>;
  histories: Map<number, Known>;
  /** Payments to agents' wallets. */
  paid: { agent: number; client: number; units: number; at: number; rule: string | null }[];
};

const db = perTest(() => testDatabase({ indexed: true }));
let now = NOW;
beforeEach(async () => {
  now = NOW;
});

const config = { attestationSchemas: [SCHEMA], service: { publicUrl: "https://agents.test" } };
const context = () => ({ db: db.pool, clock: () => new Date(now), config }) as never;
const run = () => reviewStats.run(context(), {});

function randomWorld(seed: number): World {
  const random = randomOf(seed);
  const clients = Array.from({ length: 24 }, (_, i) => i + 1);
  const some = <T>(share: number, of: (n: number) => T) =>
    new Map(clients.filter(() => random() < share).map((n) => [n, of(n)] as const));
  const agents = [31, 32, 33, 34].map((id) => ({
    ...{ id, owner: random() < 0.5 ? pick(random, clients) : 100 + id },
    wallet: random() < 0.5 ? 200 + id : null,
  }));
  const said = agents.flatMap(({ id }) =>
    clients
      .filter(() => random() < 0.6)
      .flatMap((client) =>
        Array.from({ length: between(random, 1, 3) }, (_, i) => ({
          ...{ agent: id, client, index: i + 1, value: random() < 0.15 ? null : between(random, -5, 120) },
          ...{ revoked: random() < 0.15, at: SECONDS - 30 * DAY + between(random, 0, 200_000) },
          tx: `0x${between(random, 1, 60).toString(16).padStart(64, "0")}`,
        })),
      ),
  );
  const funders = [{ address: wallet(900), sent: 4 }, { address: wallet(901), sent: 9_000_000 }, null];
  const histories = some(0.8, () => ({
    firstAt: SECONDS - pick(random, [400, 31, 30]) * DAY,
    ...{ sent: between(random, 0, 80), previousAt: random() < 0.5 ? SECONDS - between(random, 30, 300) * DAY : null },
    ...{ funder: pick(random, funders), origin: pick(random, funders) },
  }));
  const paid = agents.flatMap(({ id }) =>
    clients
      .filter(() => random() < 0.4)
      .map((client) => ({
        ...{ agent: id, client, units: pick(random, [900, 99_999, 100_000, 5_000_000]) },
        ...{ at: SECONDS - 30 * DAY + between(random, -100_000, 200_000) },
        rule: pick(random, [null, null, "one_payer", "self_funded", "unread"]),
      })),
  );
  const creds = some(0.3, (n) => n * 4);
  return { agents, said, humans: new Set(some(0.3, () => true).keys()), creds, histories, paid };
}

async function plant({ agents, said, humans, creds, histories, paid }: World): Promise<void> {
  const scored = ([n, score]: [number, number]) =>
    ({ tokenId: n, owner: wallet(n), agentAddress: wallet(500 + n), score }) as const;
  await plantAgents(db.pool, [...creds].map(scored));
  await plantRows(
    db.pool,
    "attestation",
    [...humans].map((n) => attested(`0x${n}`, n)),
  );
  for (const [n, { firstAt, sent, previousAt, funder, origin }] of histories)
    await db.pool.query(
      "insert into offchain.reviewer_history (address, first_at, sent, previous_at, funder, funder_sent, origin, origin_sent) values ($1, $2, $3, $4, $5, $6, $7, $8)",
      [wallet(n), firstAt, sent, previousAt, funder?.address, funder?.sent, origin?.address, origin?.sent],
    );
  const countOf = (id: number) => said.filter(({ agent, revoked }) => agent === id && !revoked).length;
  const registered = agents.map(({ id, owner, wallet: own }) =>
    registeredRow(id, wallet(owner), { agentWallet: own && wallet(own), feedbackCount: countOf(id) }),
  );
  await plantRows(db.pool, "erc8004Agent", registered);
  const row = (id: number) => ({ platform: "erc8004", agent_id: String(id), name: `Agent ${id}`, cred_score: 1 });
  await plantDirectory(
    db.pool,
    agents.map(({ id }) => row(id)),
  );
  await db.pool.query("update offchain.directory set registry = $1 where platform = 'erc8004'", [ERC8004]);
  for (const [i, { agent, client, units, at, rule }] of paid.entries())
    await db.pool.query(
      `insert into offchain.income_payment (directory_id, block, log_index, tx_hash, at, payer, units, rule)
       select id, 1, $1, $2, $3, $4, $5, $6 from offchain.directory where platform = 'erc8004' and agent_id = $7`,
      [i, HASH, at, wallet(client), units, rule, String(agent)],
    );
  const feedback = said.map(({ agent, client, index, value, revoked, at, tx }) =>
    feedbackRow(agent, wallet(client), {
      ...{ feedbackIndex: BigInt(index), value: BigInt(value ?? 340) * 10n, valueDecimals: 1, revoked, givenAt: at },
      ...{ tag1: value === null ? "responseTime" : "starred", txHash: tx },
    }),
  );
  await plantRows(db.pool, "erc8004Feedback", feedback);
}
/** The person that a wallet is. */
const attested = (uid: string, n: number) => ({
  ...{ uid, schema: SCHEMA, attester: wallet(999), recipient: wallet(n), data: VERIFIED_ACCOUNT },
  ...{ attestedAt: 1, expiresAt: 0, revokedAt: 0, block: 1, txHash: HASH },
});

/** The facts of one agent, or of one with several registrations, put together from the world. */
function factsOf({ agents, said, humans, creds, histories, paid }: World, ...ids: number[]): ReviewsFacts {
  const isOf = ({ agent }: { agent: number }) => ids.includes(agent);
  const own = agents.filter((agent) => ids.includes(agent.id));
  const side = [...new Set(own.flatMap(({ owner, wallet }) => (wallet === null ? [owner] : [owner, wallet])))];
  const reviewed = (n: number) => new Set(said.filter(({ client }) => client === n).map(({ agent }) => agent));
  const seen = agents.filter((agent) => side.some((n) => reviewed(n).has(agent.id)));
  const met = new Set(seen.flatMap((agent) => [agent.owner, agent.wallet]));
  const entries = said.filter(isOf);
  const paidBy = (n: number) => {
    const began = Math.min(...entries.filter(({ client }) => client === n).map(({ at }) => at));
    return paid
      .filter((one) => isOf(one) && one.client === n && one.at < began)
      .filter(({ rule }) => rule === null || rule === "one_payer")
      .reduce((sum, { units }) => sum + units, 0);
  };
  const funderOf = (n: number) => histories.get(n)?.funder ?? null;
  const ratedBy = (agent: number) => {
    const clients = said.filter((one) => one.agent === agent).map(({ client }) => client);
    return { agent: String(agent), reviewers: new Set(clients).size };
  };
  return {
    side: side.map((n) => ({ address: wallet(n), funder: funderOf(n), partners: [] })),
    reviews: entries.map(({ client, index, value, revoked, at, tx }) => ({
      ...{ reviewer: wallet(client), index: String(index), revoked, at, txHash: tx },
      tag: value === null ? "responseTime" : "starred",
      value: value === null ? null : Math.min(100, Math.max(0, value)),
    })),
    reviewers: [...new Set(entries.map(({ client }) => client))].map((n) => ({
      address: wallet(n),
      ...(histories.get(n) ?? { firstAt: null, sent: null, previousAt: null, funder: null, origin: null }),
      beganAt: Math.min(...said.filter(({ client }) => client === n).map(({ at }) => at)),
      ...{ human: humans.has(n), agentCred: creds.get(n) ?? null, paid: paidBy(n), partners: [], returned: met.has(n) },
      rated: [...reviewed(n)].filter((agent) => !ids.includes(agent)).map((agent) => ratedBy(agent)),
    })),
  };
}

/** What is stored about an agent, in the shape of `computeReviews`. */
async function stored(id: number, registry: string = ERC8004) {
  const of = [registry, id];
  const rows = await db.rows("select * from offchain.review_figures where registry = $1 and agent_id = $2", of);
  const reviewers = await db.rows(
    `select client as address, nothing, standing as "evidenceLevel", share, cluster, entries from offchain.review_weight
     where registry = $1 and agent_id = $2 order by client`,
    of,
  );
  const [{ rules, raw, adjusted, low, high, voices, crowd, clusters, dimensions, inflation }] = rows;
  const figures = { rules, raw, adjusted, interval: [low, high], voices, crowd, clusters, dimensions, inflation };
  return { ...figures, reviewers };
}
function expected(world: World, ...ids: number[]) {
  const { clusters, ...weighed } = computeReviews(factsOf(world, ...ids));
  const shown = clusters.map(({ id, reviewers, shares }) => ({ id, size: reviewers.length, shares }));
  return { ...weighed, clusters: shown };
}

it.each([1, 2, 3])(
  "stores what the pure function makes of the facts, of any number of agents (world %i)",
  async (seed) => {
    const world = randomWorld(seed);
    await plant(world);
    expect(await run()).toBe(world.agents.length);
    let clusters = 0;
    let payers = 0;
    for (const { id } of world.agents) {
      const figures = await stored(id);
      expect(figures).toEqual(expected(world, id));
      clusters += figures.clusters.length;
      payers += figures.reviewers.filter(({ evidenceLevel }) => evidenceLevel === "payer").length;
    }
    expect(clusters).toBeGreaterThan(0);
    expect(payers).toBeGreaterThan(0);
  },
);

it.each([5, 6])("weighs the reviews of all registrations of an own agent together (world %i)", async (seed) => {
  const world = randomWorld(seed);
  const [first, second, third] = world.agents as [World["agents"][0], World["agents"][0], World["agents"][0]];
  for (const one of [first, second]) one.wallet = 300;
  await plant(world);
  await plantAgents(db.pool, [{ tokenId: 77, owner: wallet(300), agentAddress: wallet(300) }]);
  expect(await run()).toBe(world.agents.length + 1);
  expect(await stored(77, "helixa")).toEqual(expected(world, first.id, second.id));
  expect(await stored(second.id)).toEqual(expected(world, second.id));
  expect(await run()).toBe(0);

  // One more registration, then what is known of a reviewer, of one of them: the agent follows.
  const moved = "update onchain.erc8004_agent set agent_wallet = $1, updated_block = 2 where agent_id = $2";
  await db.pool.query(moved, [wallet(300), third.id]);
  third.wallet = 300;
  expect(await run()).toBe(2);
  expect(await stored(77, "helixa")).toEqual(expected(world, first.id, second.id, third.id));
  await db.pool.query("update offchain.review_figures set seen = null where agent_id = $1", [third.id]);
  expect(await run()).toBe(2);

  // Whoever paid the agent's own wallet is its payer, unless one of its rows says that the money was its side's.
  const payer = world.said.find(({ agent, client }) => agent === third.id && !world.humans.has(client))!.client;
  const evidenceLevel = async () =>
    (await stored(77, "helixa")).reviewers.find(({ address }) => address === wallet(payer)).evidenceLevel;
  world.paid = [];
  await db.pool.query("delete from offchain.income_payment");
  await plantDirectory(db.pool, [{ platform: "helixa", agent_id: "77", name: "Agent 77", cred_score: 1 }]);
  const pay = (of: string, rule: string | null) =>
    db.pool.query(
      `insert into offchain.income_payment (directory_id, block, log_index, tx_hash, at, payer, units, rule)
       select id, 1, 7, $1, 1, $2, 5000000, $3 from offchain.directory where agent_id = $4`,
      [HASH, wallet(payer), rule, of],
    );
  const weighedAgain = async () => {
    now += 3_600_001;
    await run();
    return evidenceLevel();
  };
  expect(await weighedAgain()).not.toBe("payer");
  await pay("77", null);
  expect(await weighedAgain()).toBe("payer");
  await pay(String(first.id), "self_funded");
  expect(await weighedAgain()).not.toBe("payer");

  // With its last registration, which a reorganisation takes back, its figures go.
  await db.pool.query("update onchain.erc8004_agent set agent_wallet = null, updated_block = 3");
  await run();
  expect(await db.rows("select from offchain.review_weight where registry = 'helixa'")).toEqual([]);
});

it("weighs again what changed, in the index or without it, and forgets what a reorganisation took back", async () => {
  expect(JOBS).toContain(reviewStats);
  expect(SUBSCRIPTIONS["erc8004.feedback_given"].map(({ job }) => job)).toContain("review-figures");
  const world = randomWorld(4);
  await plant(world);
  await run();
  expect(await run()).toBe(0);

  // A review is taken back: one agent changes.
  const taken = world.said.find(({ revoked, value }) => !revoked && value !== null)!;
  await db.pool.query(
    "update onchain.erc8004_feedback set revoked = true where agent_id = $1 and client = $2 and feedback_index = $3",
    [taken.agent, wallet(taken.client), taken.index],
  );
  await db.pool.query(
    "update onchain.erc8004_agent set feedback_count = feedback_count - 1, updated_block = 2 where agent_id = $1",
    [taken.agent],
  );
  taken.revoked = true;
  expect(await run()).toBe(1);
  expect(await stored(taken.agent)).toEqual(expected(world, taken.agent));

  // A reviewer is identified: its agents follow within their round.
  const human = world.said.map(({ client }) => client).find((n) => !world.humans.has(n))!;
  await plantRows(db.pool, "attestation", [attested("0xnew", human)]);
  world.humans.add(human);
  now += 3_600_001;
  expect(await run()).toBe(world.agents.length);
  for (const { id } of world.agents) expect(await stored(id)).toEqual(expected(world, id));

  // A reorganisation takes one client's reviews back, and another agent as a whole.
  const [first, gone] = world.agents.map(({ id }) => id) as [number, number];
  const lost = world.said.find(({ agent }) => agent === first)!.client;
  const deleted = "delete from onchain.erc8004_feedback where agent_id = $1 and client = $2 or agent_id = $3";
  await db.pool.query(deleted, [first, wallet(lost), gone]);
  await db.pool.query("delete from onchain.erc8004_agent where agent_id = $1", [gone]);
  world.said = world.said.filter(({ agent, client }) => agent !== gone && !(agent === first && client === lost));
  world.agents = world.agents.filter(({ id }) => id !== gone);
  await db.pool.query("update onchain.erc8004_agent set updated_block = 3 where agent_id = $1", [first]);
  now += 3_600_001;
  await run();
  for (const { id } of world.agents) expect(await stored(id)).toEqual(expected(world, id));
  expect(await db.rows("select from offchain.review_weight where agent_id = $1", [gone])).toEqual([]);
});
