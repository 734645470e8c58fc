/** How many random cases a test checks: a small share in `npm test`, a larger one in `npm run test:deep`, all of them in `npm run trial -- fuzz`. */
import { describe, inject, it } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Requests to every operation, the seed of all random values, and the share of the other random cases (0 to 1). */
    fuzz: { cases: number; seed: number; share: number };
  }
}

/** The part of `cases` that this run checks. @param least the smallest number that still proves something */
export const shareOf = (cases: number, least = 1): number => Math.max(least, Math.ceil(cases * inject("fuzz").share));

/** Whether this run is `npm run test:deep` or `npm run trial -- fuzz`; their shares are 1/4 and 1, that of `npm test` is 1/20. */
export const isDeep = (): boolean => inject("fuzz").share > 1 / 10;

/** Defines a test that runs in `npm run test:deep` only, by way of the `*.deep.test.ts` beside its file. */
export const deepIt = new Proxy(it, deepOnly(it));
/** The same for a group of tests. */
export const deepDescribe = new Proxy(describe, deepOnly(describe));

/** Leaves out what is defined through the function where the run is not a deep one. */
function deepOnly<T extends typeof it | typeof describe>(define: T): ProxyHandler<T> {
  const each = () => () => {};
  return {
    apply: (_, __, parameters) => (isDeep() ? Reflect.apply(define as never, undefined, parameters) : undefined),
    get: (target, name) => (isDeep() || name !== "each" ? Reflect.get(target, name) : each),
  };
}

/** All cases in `npm run test:deep`; in `npm test` the first of them, so many as given, or those that are named. */
export const casesOf = <T>(cases: readonly T[], quick: number | readonly T[]): T[] =>
  isDeep() ? [...cases] : typeof quick === "number" ? cases.slice(0, quick) : [...quick];
