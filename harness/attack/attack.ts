/** What an attack is, and what came of it: each try was refused, was harmless, or succeeded, which fails the run. */
import type { Business } from "./business.ts";
import type { Honest } from "./honest.ts";
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
  /** The one that it is played in. */
  phase: Phase | "both";
  /** Plays it once, bounded in requests and time. @throws Error when the play itself broke: the report lists it, and the run does not fail */
  play(scene: Scene): Promise<void>;
};

/** Ends a play where the chain or the service said no before it had begun. */
export class Refused extends Error {}

/** The attacks of one number, by their names. */
export const attacksOf = (number: number, phase: Attack["phase"], plays: Record<string, Attack["play"]>): Attack[] =>
  Object.entries(plays).map(([name, play]) => ({ number, name, phase, play }));

/** How one attack reports the results of its tries. */
export type Tell = {
  /** The service said no: a 4xx, or a limit. */
  refused(times?: number): void;
  /** Served, or left without an answer, and nothing was got by it: what it did to others is the oracle's question. */
  harmless(times?: number): void;
  /** Keeps what was answered, for who reads the report. */
  answered(replies: readonly { status: number; code?: string }[]): void;
  /** It got what was not paid for, or what is another's. */
  succeeded(what: string): void;
};

export type Score = ReturnType<typeof openScore>;

/** @param say gets each success at once */
export function openScore(names: readonly string[], say: (line: string) => void) {
  const lines = new Map(
    names.map((name) => [
      name,
      /** `answers` by status and code. */
      { tried: 0, refused: 0, succeeded: [] as string[], answers: {} as Record<string, number> },
    ]),
  );
  return {
    lines,
    of(name: string): Tell {
      const line = lines.get(name)!;
      return {
        refused(times = 1) {
          line.tried += times;
          line.refused += times;
        },
        harmless(times = 1) {
          line.tried += times;
        },
        answered(replies) {
          for (const { status, code } of replies) {
            const answer = `${status || "none"}${code && status >= 400 ? ` ${code}` : ""}`;
            line.answers[answer] = (line.answers[answer] ?? 0) + 1;
          }
        },
        succeeded(what) {
          line.tried++;
          line.succeeded.push(what);
          say(`ATTACK SUCCEEDED ${name}: ${what}`);
        },
      };
    },
  };
}

/** Answers counted: everything from 400 on is refused. */
export function count(tell: Tell, replies: readonly { status: number; code?: string }[]): void {
  tell.answered(replies);
  const refused = replies.filter(({ status }) => status >= 400).length;
  tell.refused(refused);
  tell.harmless(replies.length - refused);
}
