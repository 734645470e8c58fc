/** Rings of those who have read the rules: nothing is shared, everything is grown. They are not meant to be found, but to move nothing. */
import { between, pick } from "../../harness/random.ts";
import { honestAgent, type Ring, say } from "./rings.ts";
import { account, BEGAN, DAY, ENDS, history } from "./world.ts";

/** Accounts that waited for years, each with an exchange's money, a payment that came back in other ways, and a day of its own. */
const grown: Ring = (world, name) => {
  const { random, exchanges } = world;
  const victim = honestAgent(world);
  for (let i = between(random, 20, 120); i > 0; i--) {
    const born = BEGAN - between(random, 200, 900) * DAY - random() * DAY;
    const one = account({
      ...{ history: history(random, born, between(random, 60, 300), ENDS), funder: pick(random, exchanges) },
      ...{ cred: between(random, 51, 70), ring: name },
    });
    world.accounts.push(one);
    const at = BEGAN + random() * (ENDS - BEGAN);
    world.payments.push({ payer: one, agent: victim, units: 100_000, at: at - 60 });
    say(world, victim, one, at, 0);
  }
};

/** Accounts of which nothing can be read. */
const unreadable: Ring = (world, name) => {
  const { random } = world;
  const victim = honestAgent(world);
  for (let i = between(random, 20, 120); i > 0; i--)
    say(world, victim, account({ ring: name }), BEGAN + random() * (ENDS - BEGAN), 0);
};

export const RINGS_OF_READERS: Record<string, Ring> = { grown, unreadable };
