/** What tests run on: made before them, and ended after them by its own `drop`, `close` or `stop`, if it has one. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

type Ending = { drop?(): unknown; close?(): unknown; stop?(): unknown };

/** Of all tests of the file, or of the `describe` it is called in. @returns stands for what was started, from then on */
export const perFile = <T extends object>(start: () => T | Promise<T>): T => started(start, beforeAll, afterAll);

/** For each test anew. @returns stands for what was started last */
export const perTest = <T extends object>(start: () => T | Promise<T>): T => started(start, beforeEach, afterEach);

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
    const end = (["drop", "close", "stop"] as const).find((name) => ended && name in ended);
    if (end) await (ended as Ending)[end]!();
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
