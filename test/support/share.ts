/** How many random cases a test asks: in every run a share of them, under a seed of the run's own, and all in `npm run fuzz`. */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Requests to every operation, the seed of everything random, and whether the other tests ask all they can. */
    fuzz: { cases: number; seed: number; whole: boolean };
  }
}

const SHARE = 1 / 5;

/** Of a number of cases, those that this run asks. */
export const shareOf = (cases: number): number => (inject("fuzz").whole ? cases : Math.ceil(cases * SHARE));
