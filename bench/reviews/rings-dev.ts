/** Kinds of ring that the rules were tuned on. */
import { between, pick } from "../../harness/random.ts";
import { agentOf, anyFunding, honestAgent, operatorOf, puppets, type Ring, say, someDay, timesIn } from "./rings.ts";
import { account, BEGAN, DAY, HOUR, hash, history, MINUTE } from "./world.ts";

/** The owner and the agent's wallet review it themselves, as far as the registry lets them, and so does what they funded. */
const selfReview: Ring = (world, name) => {
  const owner = operatorOf(world, name);
  const agent = agentOf(world, owner, name);
  agent.wallet.ring = name;
  const at = someDay(world.random, 10);
  const times = timesIn(world.random, between(world.random, 2, 6), at, 5 * DAY);
  for (const [i, one] of [agent.wallet, ...puppets(world, owner, times, "one wallet")].entries())
    say(world, agent, one, times[i] ?? at + 6 * DAY, 100);
};

/** Owners who review each other's agents. */
const ringOfK: Ring = (world, name) => {
  const { random } = world;
  const owners = Array.from({ length: between(random, 5, 9) }, () => operatorOf(world, name));
  const agents = owners.map((owner) => agentOf(world, owner, name));
  const from = someDay(random, 40);
  world.accounts.push(...owners);
  for (const [i, owner] of owners.entries())
    for (const agent of agents)
      if (agent.owner !== owner) say(world, agent, owner, from + i * 3 * DAY + random() * DAY, 97);
};

/** Many new accounts within hours. */
const freshFarm: Ring = (world, name) => {
  const { random } = world;
  const owner = operatorOf(world, name);
  const agent = agentOf(world, owner, name);
  const times = timesIn(random, between(random, 10, 60), someDay(random, 2), between(random, 1, 8) * HOUR);
  for (const [i, one] of puppets(world, operatorOf(world, name), times, anyFunding(world)).entries())
    say(world, agent, one, times[i]!, 98);
};

/** Accounts of one funder that also did other things, over days. */
const sharedFunder: Ring = (world, name) => {
  const { random } = world;
  const funder = operatorOf(world, name);
  const agents = [0, 1].map(() => agentOf(world, operatorOf(world, name), name));
  const from = someDay(random, 20);
  for (let i = between(random, 8, 25); i > 0; i--) {
    const born = from - random() * 3 * DAY;
    const one = account({
      funder,
      ring: name,
      history: history(random, born, between(random, 3, 40), from + 15 * DAY),
    });
    world.accounts.push(one);
    for (const agent of agents) say(world, agent, one, from + random() * 10 * DAY, 95);
  }
};

/** Accounts of a contract that speak in few transactions. */
const oneTransaction: Ring = (world, name) => {
  const { random } = world;
  const agents = [0, 1].map(() => agentOf(world, operatorOf(world, name), name));
  const all = Array.from({ length: between(random, 6, 30) }, () => account({ ring: name }));
  world.accounts.push(...all);
  const at = someDay(random, 3);
  for (const [i, agent] of agents.entries()) {
    const txHash = hash();
    for (const one of all) say(world, agent, one, at + i * HOUR, 99, txHash);
  }
};

/** Accounts of others, years old and long asleep, bought and used within days. */
const boughtOld: Ring = (world, name) => {
  const { random, exchanges } = world;
  const agents = [agentOf(world, operatorOf(world, name), name), honestAgent(world)];
  const from = someDay(random, 10);
  const days = between(random, 1, 4);
  for (let i = between(random, 10, 40); i > 0; i--) {
    const born = BEGAN - between(random, 300, 1_200) * DAY;
    const sold = born + between(random, 30, 250) * DAY;
    const past = history(random, born, between(random, 10, 300), sold);
    const funder = random() < 0.5 ? pick(random, exchanges) : null;
    const one = account({ history: past, funder, ring: name });
    world.accounts.push(one);
    for (const [place, agent] of agents.entries())
      say(world, agent, one, from + random() * days * DAY, place === 0 ? 97 : 5);
  }
};

/** One or two reviews a day for weeks, each by an account made for it. */
const slowDrip: Ring = (world, name) => {
  const { random } = world;
  const operator = operatorOf(world, name);
  const agent = agentOf(world, operator, name);
  const days = between(random, 20, 60);
  const times = timesIn(random, Math.round(days * (1 + random())), someDay(random, days), days * DAY);
  for (const [i, one] of puppets(world, operator, times, anyFunding(world)).entries())
    say(world, agent, one, times[i]!, 94);
};

/** Against an honest agent: each account copies the times and agents of an honest reviewer, so that it looks like one. */
const imitators: Ring = (world, name) => {
  const { random } = world;
  const victim = honestAgent(world);
  const models = world.reviews.filter(({ agent, reviewer }) => agent === victim && reviewer.ring === null);
  const operator = operatorOf(world, name);
  for (let i = between(random, 10, 30); i > 0; i--) {
    const model = models.length > 0 ? pick(random, models) : { at: someDay(random, 1), reviewer: null };
    const at = model.at + random() * 20 * MINUTE;
    const [one] = puppets(world, operator, [at], anyFunding(world));
    for (const { agent } of world.reviews.filter(({ reviewer }) => reviewer === model.reviewer).slice(0, 3))
      say(world, agent, one!, at, agent === victim ? 2 : 80);
  }
};

export const RINGS_DEV: Record<string, Ring> = {
  ...{ selfReview, ringOfK, freshFarm, sharedFunder, oneTransaction, boughtOld, slowDrip, imitators },
};
