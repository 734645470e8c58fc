/**
 * Kinds of ring that no rule was tuned on: they judge. Their numbers follow from how such a thing is done, not from the
 * rules; whoever changes a rule because of what stands here moves it to rings-dev.ts.
 */
import { between, pick } from "../../harness/random.ts";
import { agentOf, anyFunding, honestAgent, operatorOf, puppets, type Ring, say, someDay, timesIn } from "./rings.ts";
import { account, BEGAN, DAY, HOUR, history, MINUTE } from "./world.ts";

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

/** Against an honest agent, each beside an honest reviewer in time and choice of agents, so that it looks like one. */
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

export const RINGS_HELD_OUT: Record<string, Ring> = {
  ...{ slowDrip, onePayer, rivalBombing, imitators, farmForHire, sweptBack },
};
