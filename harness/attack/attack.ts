/** What an attack is: a value in the list of attacks.ts; adding one is one entry. */
import type { Business } from "./business.ts";
import type { Honest } from "./honest.ts";
import type { Tell } from "./score.ts";
import type { Phase, World } from "./world.ts";

export type Scene = {
  world: World;
  honest: Honest;
  business: Business;
  /** Draws for this play alone. */
  random: () => number;
  tell: Tell;
  /** A client on one of the attackers' few networks, which all of them share. */
  client(): ReturnType<World["client"]>;
};

export type Attack = {
  /** Of the list in docs/engineering/reliability.md, "What an attacker tried". */
  number: number;
  name: string;
  /** The one that it is played in; both when it is left out. */
  phase?: Phase;
  /** Plays it once, bounded in requests and time. @throws Error when the play itself broke: the report lists it, and the run does not fail */
  play(scene: Scene): Promise<void>;
};
