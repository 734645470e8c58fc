/** A seeded world of accounts, agents and reviews as a chain would have them, and what `computeReviews` is given of it. */
import type { Party, ReviewsFacts } from "../../core/reviews/facts.ts";
import { between, pick, randomOf, weighted, weightedName } from "../../harness/random.ts";

export const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];
/** When the registry began, and the last second of the world. */
export const BEGAN = 1_770_000_000;
const DAYS = 150;
export const ENDS = BEGAN + DAYS * DAY;

export type Account = {
  address: string;
  /** Null: nothing of its history can be read, as of the accounts of contracts. */
  history: { firstAt: number /** Times of what it sent, the reviews not among them. */; sentAt: number[] } | null;
  funder: Account | null;
  human: boolean;
  cred: number | null;
  partners: Account[];
  /** Transactions of one that serves the public. */
  serves: number | null;
  /** Its reviews are one operator's: what the benchmark knows and the rules do not. */
  ring: string | null;
};
export type Agent = {
  id: string;
  owner: Account;
  wallet: Account;
  quality: number;
  ring: string | null;
  popularity: number;
};
export type Review = { agent: Agent; reviewer: Account; value: number; at: number; txHash: string };
type Payment = { payer: Account; agent: Agent; units: number; at: number };

export type World = {
  random: () => number;
  accounts: Account[];
  exchanges: Account[];
  agents: Agent[];
  reviews: Review[];
  payments: Payment[];
};

let numbered = 0;
/** An account of which nothing is known but what is given. */
export function account(known: Partial<Account> = {}): Account {
  return {
    address: `0x${(++numbered).toString(16).padStart(8, "0")}${"0".repeat(32)}`,
    ...{ history: null, funder: null, human: false, cred: null, partners: [], serves: null, ring: null },
    ...known,
  };
}
/** A transaction's hash. */
export const hash = (): string => `0x${(++numbered).toString(16).padStart(64, "0")}`;

/** The history of an account that is first seen at `firstAt` and sends `sent` transactions until `until`. */
export function history(random: () => number, firstAt: number, sent: number, until: number): Account["history"] {
  const span = Math.max(1, until - firstAt);
  return { firstAt, sentAt: Array.from({ length: sent }, () => firstAt + random() * span).sort((a, b) => a - b) };
}

export const clampValue = (value: number): number => Math.min(100, Math.max(0, Math.round(value)));

/** Where honest people have their first money from: mostly an exchange, sometimes another person. */
function honestFunder({ random, exchanges, accounts }: World): Account | null {
  const from = weightedName(random, { exchange: 60, unknown: 27, friend: 13 });
  if (from === "unknown" || accounts.length === 0) return null;
  return pick(random, from === "exchange" ? exchanges : accounts);
}

/** People with accounts of all ages, some of whom an exchange has identified, and some of whom have an agent here. */
function person(world: World): Account {
  const { random } = world;
  const firstAt = BEGAN - between(random, 0, 1_000) * DAY - between(random, 0, DAY);
  const sent = Math.floor(3 * 600 ** random());
  const asleep = random() < 0.1;
  return account({
    history: history(random, firstAt, sent, asleep ? firstAt + 60 * DAY : ENDS),
    funder: honestFunder(world),
    human: random() < 0.15,
    cred: random() < 0.15 ? between(random, 20, 95) : null,
  });
}

/** A person with one to five agents that buy and review, each by a wallet that the person funded. */
function operator(world: World): Account[] {
  const { random } = world;
  const owner = person(world);
  const wallets = Array.from({ length: between(random, 1, 5) }, () => {
    const firstAt = BEGAN + random() * (ENDS - BEGAN);
    const readable = random() < 0.5;
    return account({
      history: readable ? history(random, firstAt, between(random, 0, 60), ENDS) : null,
      funder: readable ? owner : null,
      cred: random() < 0.2 ? between(random, 20, 95) : null,
    });
  });
  return [owner, ...wallets];
}

/** A person whose account is as old as the first review. */
function newcomer(world: World): Account {
  const { random } = world;
  const firstAt = BEGAN + random() * (ENDS - BEGAN - DAY);
  return account({
    history: history(random, firstAt, between(random, 0, 4), firstAt + DAY),
    funder: honestFunder(world),
  });
}

/** A world of honest traffic. @param size number of agents */
export function honestWorld(seed: number, size: number): World {
  const random = randomOf(seed);
  const exchanges = [4e7, 9e6, 3e6].map((serves) => account({ serves, history: { firstAt: 0, sentAt: [] } }));
  const world: World = { random, accounts: [], exchanges, agents: [], reviews: [], payments: [] };
  while (world.accounts.length < size * 20) {
    const kind = weightedName(random, { person: 50, operator: 15, newcomer: 35 });
    world.accounts.push(
      ...(kind === "operator" ? operator(world) : [kind === "person" ? person(world) : newcomer(world)]),
    );
  }
  world.agents = Array.from({ length: size }, (_, i) => ({
    id: `agent-${i}`,
    ...{ owner: pick(random, world.accounts), wallet: account(), ring: null },
    quality: between(random, 25, 90),
    popularity: 1 / (1 + i) ** 0.7,
  }));
  for (const reviewer of world.accounts) honestReviews(world, reviewer);
  return world;
}

/** What one honest account writes: about agents that it met, most of which it had paid. */
function honestReviews(world: World, reviewer: Account): void {
  const { random, agents } = world;
  const met = new Set(
    Array.from(
      {
        length: weighted(random, [
          [1, 55],
          [2, 22],
          [3, 12],
          [6, 11],
        ] as const),
      },
      () =>
        weighted(
          random,
          agents.map((agent) => [agent, agent.popularity] as const),
        ),
    ),
  );
  const from = Math.max(BEGAN, reviewer.history?.firstAt ?? BEGAN);
  for (const agent of met) {
    if (agent.owner === reviewer || agent.owner === reviewer.funder) continue;
    // A fifth of them on the day of a launch, newcomers mostly at once.
    const isNew = reviewer.history !== null && reviewer.history.firstAt > BEGAN;
    const launch = BEGAN + (Number(agent.id.slice(6)) % 100) * DAY + 9 * HOUR;
    const at =
      isNew && random() < 0.7
        ? from + random() ** 2 * DAY
        : random() < 0.2 && launch > from
          ? launch + random() * 12 * HOUR
          : from + random() * (ENDS - from);
    if (random() < 0.6) {
      const units = Math.floor(20_000 * 200 ** random());
      world.payments.push({ payer: reviewer, agent, units, at: at - random() * HOUR });
    }
    const mood = random() < 0.08 ? -50 : 0;
    const value = clampValue(agent.quality + mood + (random() + random() - 1) * 25);
    world.reviews.push({ agent, reviewer, value, at, txHash: hash() });
  }
}

/** What the rules are given about each agent that has reviews. @param counted the reviews that are there */
export function factsOf(world: World, counted: readonly Review[] = world.reviews): Map<Agent, ReviewsFacts> {
  const byAgent = Map.groupBy(counted, ({ agent }) => agent);
  const byReviewer = Map.groupBy(counted, ({ reviewer }) => reviewer);
  const reviewersOf = new Map(
    [...byAgent].map(([agent, all]) => [agent, new Set(all.map((one) => one.reviewer)).size]),
  );
  const paid = Map.groupBy(world.payments, ({ payer }) => payer);
  const owned = Map.groupBy(world.agents, ({ owner }) => owner);
  return new Map(
    [...byAgent].map(([agent, reviews]) => {
      const written = Map.groupBy(reviews, ({ reviewer }) => reviewer);
      const reviewers = [...written].map(([one, entries]) => {
        const at = Math.min(...entries.map((entry) => entry.at));
        const beganAt = Math.min(...byReviewer.get(one)!.map((review) => review.at));
        const before = one.history?.sentAt.filter((time) => time < beganAt) ?? [];
        const mine = new Set((owned.get(one) ?? []).map(({ id }) => id));
        const theirs = byReviewer.get(agent.owner) ?? [];
        return {
          address: one.address,
          firstAt: one.history?.firstAt ?? null,
          sent: one.history && before.length,
          previousAt: before.at(-1) ?? null,
          beganAt,
          funder: one.funder && party(one.funder),
          origin: one.funder?.funder ? party(one.funder.funder) : null,
          human: one.human,
          agentCred: one.cred,
          paid: (paid.get(one) ?? []).reduce((sum, p) => sum + (p.agent === agent && p.at < at ? p.units : 0), 0),
          partners: one.partners.map(party),
          returned: theirs.some((review) => mine.has(review.agent.id)),
          rated: [...new Set((byReviewer.get(one) ?? []).map((review) => review.agent))]
            .filter((other) => other !== agent)
            .map((other) => ({ agent: other.id, reviewers: reviewersOf.get(other)! })),
        };
      });
      const entries = reviews.map(({ reviewer, value, at, txHash }, i) => ({
        ...{ reviewer: reviewer.address, index: String(i + 1), value, revoked: false, at, txHash, tag: "starred" },
      }));
      const side = [agent.owner, agent.wallet].map(({ address, funder, partners }) => ({
        ...{ address, funder: funder && party(funder), partners: partners.map(party) },
      }));
      return [agent, { side, reviewers, reviews: entries }];
    }),
  );
}

const party = ({ address, serves, history }: Account): Party => ({
  address,
  sent: serves ?? history?.sentAt.length ?? null,
});
