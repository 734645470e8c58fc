/**
 * Kinds of ring that no rule was tuned on: they judge. Their numbers follow from how such a thing is done, not from the
 * rules; a ring because of which a rule is changed moves to rings-dev.ts.
 */
import { between, pick } from "../../harness/random.ts";
import { agentOf, anyFunding, honestAgent, operatorOf, puppets, type Ring, say, someDay, timesIn } from "./rings.ts";
import { account, BEGAN, DAY, HOUR, history, MINUTE } from "./world.ts";

/** Puppets of whom the first pays the agent well, so that the agent has a customer. */
const onePayer: Ring = (world, name) => {
  const { random } = world;
  const operator = operatorOf(world, name);
  const agent = agentOf(world, operator, name);
  const times = timesIn(random, between(random, 8, 30), someDay(random, 15), between(random, 1, 10) * DAY);
  const all = puppets(world, operatorOf(world, name), times, anyFunding(world));
  world.payments.push({ payer: all[0]!, agent, units: between(random, 1, 50) * 1e6, at: times[0]! - MINUTE });
  for (const [i, one] of all.entries()) say(world, agent, one, times[i]!, 96);
};

/** Against an honest agent, in a night, by accounts that praise the rival's agent too. */
const rivalBombing: Ring = (world, name) => {
  const { random } = world;
  const rival = operatorOf(world, name);
  const [victim, own] = [honestAgent(world), agentOf(world, rival, name)];
  const from = someDay(random, 4);
  const times = timesIn(random, between(random, 15, 50), from, between(random, 2, 12) * HOUR);
  for (const [i, one] of puppets(world, rival, times, anyFunding(world)).entries()) {
    say(world, victim, one, times[i]!, 3);
    if (random() < 0.6) say(world, own, one, times[i]! + random() * DAY, 97);
  }
};

/** A farm for hire: the same accounts speak for the agents of customers who do not know each other, over months. */
const farmForHire: Ring = (world, name) => {
  const { random } = world;
  const times = timesIn(random, between(random, 15, 40), BEGAN, between(random, 3, 40) * DAY);
  const all = puppets(world, operatorOf(world, name), times, anyFunding(world));
  for (let i = between(random, 4, 10); i > 0; i--) {
    const agent = agentOf(world, operatorOf(world, name), name);
    const from = BEGAN + (40 + random() * 80) * DAY;
    for (const one of all) if (random() < 0.6) say(world, agent, one, from + random() * 7 * DAY, 95);
  }
};

/** Accounts that lived for some weeks on the operator's money, and give back what is left. */
const sweptBack: Ring = (world, name) => {
  const { random } = world;
  const operator = operatorOf(world, name);
  const agent = agentOf(world, operatorOf(world, name), name);
  const from = someDay(random, 30);
  for (let i = between(random, 10, 35); i > 0; i--) {
    const born = from - between(random, 20, 90) * DAY;
    const past = history(random, born, between(random, 4, 60), from + 20 * DAY);
    const one = account({ history: past, funder: operator, partners: [operator], ring: name });
    world.accounts.push(one);
    say(world, agent, one, from + random() * 30 * DAY, 93);
  }
};

/** Accounts made in a day, kept for months with a few transactions each, and used one after the other. */
const agedInBatch: Ring = (world, name) => {
  const { random, exchanges } = world;
  const operator = operatorOf(world, name);
  const agent = agentOf(world, operatorOf(world, name), name);
  const from = someDay(random, 40);
  const made = from - between(random, 40, 150) * DAY;
  const hasExchange = anyFunding(world) === "exchange";
  for (let i = between(random, 10, 40); i > 0; i--) {
    const past = history(random, made + random() * DAY, between(random, 2, 30), from);
    const one = account({ history: past, funder: hasExchange ? pick(random, exchanges) : operator, ring: name });
    world.accounts.push(one);
    say(world, agent, one, from + random() * 40 * DAY, 95);
  }
};

/** Puppets that praise their operator's agent in one wave, and weeks later speak against a rival's. */
const twoWaves: Ring = (world, name) => {
  const { random } = world;
  const operator = operatorOf(world, name);
  const [own, victim] = [agentOf(world, operator, name), honestAgent(world)];
  const from = someDay(random, 60);
  const times = timesIn(random, between(random, 12, 40), from, between(random, 2, 10) * DAY);
  for (const [i, one] of puppets(world, operator, times, anyFunding(world)).entries()) {
    say(world, own, one, times[i]!, 96);
    if (random() < 0.7) say(world, victim, one, times[i]! + between(random, 20, 45) * DAY + random() * DAY, 4);
  }
};

export const RINGS_HELD_OUT: Record<string, Ring> = {
  ...{ onePayer, rivalBombing, farmForHire, sweptBack, agedInBatch, twoWaves },
};
