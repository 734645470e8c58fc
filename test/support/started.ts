/** What tests run on: made before them, and ended after them by its own `drop`, `close`, `stop` or `end`, if it has one. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

type Ending = { drop?(): unknown; close?(): unknown; stop?(): unknown; end?(): unknown };

/** Of all tests of the file, or of the `describe` it is called in. @returns stands for what was started, from then on */
export const perFile = <T extends object>(start: () => T | Promise<T>): T => started(start, beforeAll, afterAll);

/** For each test anew. @returns stands for what was started last */
export const perTest = <T extends object>(start: () => T | Promise<T>): T => started(start, beforeEach, afterEach);

/** For what tests start themselves: ended after each, the last first, before what was named earlier. @returns notes it, and gives it back */
export function endedPerTest(): <T extends Ending | (() => unknown)>(one: T) => T {
  const running: (Ending | (() => unknown))[] = [];
  afterEach(async () => {
    for (const one of running.splice(0).toReversed()) await (typeof one === "function" ? one() : end(one));
  });
  return (one) => {
    running.push(one);
    return one;
  };
}

async function end(one: Ending): Promise<void> {
  const name = (["drop", "close", "stop", "end"] as const).find((each) => each in one);
  if (name) await one[name]!();
}

function started<T extends object>(
  start: () => T | Promise<T>,
  before: (run: () => Promise<void>) => void,
  after: (run: () => Promise<void>) => void,
): T {
  let current: T | undefined;
  before(async () => {
    current = await start();
  });
  after(async () => {
    const ended = current;
    current = undefined;
    if (ended) await end(ended);
  });
  const there = (): T => {
    if (!current) throw new Error("It is not started yet, or ended already.");
    return current;
  };
  return new Proxy({} as T, {
    get(_, key) {
      const value = Reflect.get(there(), key);
      return typeof value === "function" ? value.bind(current) : value;
    },
    set: (_, key, value) => Reflect.set(there(), key, value),
    has: (_, key) => Reflect.has(there(), key),
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(there(), key),
  });
}
