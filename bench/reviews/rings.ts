/** What all kinds of ring have in common: an operator, accounts that it funds, an agent that they speak for or against. */
import { between, pick, weightedName } from "../../harness/random.ts";
import {
  type Account,
  type Agent,
  account,
  BEGAN,
  clampValue,
  DAY,
  ENDS,
  HOUR,
  hash,
  history,
  type World,
} from "./world.ts";

/** Adds one ring to a world. @param name marks its accounts */
export type Ring = (world: World, name: string) => void;

export type Funding = "one wallet" | "chain" | "tree" | "exchange";
/** How operators bring money to their accounts: most take the shortest way. */
export const anyFunding = (world: World): Funding =>
  weightedName(world.random, { "one wallet": 50, chain: 20, tree: 15, exchange: 15 });

/** The account of the operator of a ring; it writes nothing itself. */
export const operatorOf = ({ random, exchanges }: World, name: string): Account =>
  account({
    history: history(random, BEGAN - between(random, 10, 600) * DAY, between(random, 20, 400), ENDS),
    funder: pick(random, exchanges),
    ring: name,
  });

/** Accounts that an operator made, each shortly before a time. */
export function puppets(world: World, operator: Account, times: readonly number[], funding: Funding): Account[] {
  const { random, exchanges } = world;
  const branches = Array.from({ length: 3 }, () =>
    account({ funder: operator, history: history(random, BEGAN, 9, ENDS) }),
  );
  let last = operator;
  return times.map((at) => {
    const firstAt = at - random() * 3 * HOUR - 60;
    const funder = {
      "one wallet": operator,
      chain: last,
      tree: pick(random, branches),
      exchange: pick(random, exchanges),
    }[funding];
    last = account({ history: history(random, firstAt, between(random, 0, 2), at), funder, ring: operator.ring });
    world.accounts.push(last);
    return last;
  });
}

/** A new agent of an operator. */
export function agentOf(world: World, owner: Account, name: string): Agent {
  const agent = {
    id: `${name} ${world.agents.length}`,
    owner,
    wallet: account({ funder: owner }),
    quality: 30,
    ring: name,
    popularity: 0,
  };
  world.agents.push(agent);
  return agent;
}

/** An honest agent that has some reviews. */
export const honestAgent = (world: World): Agent =>
  pick(
    world.random,
    world.agents.filter(({ ring }) => ring === null),
  );

/** Writes what a ring wants to be read. */
export function say(world: World, agent: Agent, reviewer: Account, at: number, wanted: number, txHash = hash()): void {
  const value = clampValue(wanted + (world.random() - 0.5) * 10);
  world.reviews.push({ agent, reviewer, value, at, txHash });
}

/** Times within a span, in order. */
export const timesIn = (random: () => number, number: number, from: number, seconds: number): number[] =>
  Array.from({ length: number }, () => from + random() * seconds).sort((a, b) => a - b);

/** A time with at least `days` days before the end of the world. */
export const someDay = (random: () => number, days: number): number => BEGAN + random() * (DAYS_LEFT - days) * DAY;
const DAYS_LEFT = (ENDS - BEGAN) / DAY;
