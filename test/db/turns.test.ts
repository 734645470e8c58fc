/** Turns at a scarce thing: a burst waits, a queue that lasts is kept short, and a wait has an end. */
import { describe, expect, it } from "vitest";
import { Turns } from "../../db/sql/turns.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { endedPerTest } from "../support/started.ts";

const PLACES = 10;

const ended = endedPerTest();

function turns({ waitMs = 10_000, places = PLACES } = {}) {
  let now = 0;
  const line = new Turns({ capacity: () => places, waitMs: () => waitMs, clock: () => now });
  const ends: ((counts: boolean) => void)[] = [];
  const take = async (count: number) => {
    const taken = await Promise.all(Array.from({ length: count }, () => line.enter()));
    ends.push(...taken);
  };
  /** @param counts false: none of them says how long the next ones take */
  const endAll = (counts = true) => {
    for (const end of ends.splice(0)) end(counts);
  };
  ended(() => line.refuseWaiting(new Error("the test has ended")));
  return {
    line,
    pass(ms: number) {
      now += ms;
    },
    /** All places are taken, one time after another, and given back after `eachMs`. */
    async used(times: number, eachMs: number) {
      for (let i = 0; i < times; i++) {
        await take(PLACES);
        now += eachMs;
        endAll();
      }
    },
    take,
    endAll,
    /** Further ones wait. @returns their turns */
    wait(count: number) {
      const waiting = Array.from({ length: count }, () => line.enter(LONG));
      for (const turn of waiting) turn.catch(() => {});
      return waiting;
    },
  };
}

describe("a newcomer", () => {
  it("waits in a burst while nothing is known of what a use takes, however long the first ones do", async () => {
    const { line, take, wait, pass } = turns();
    await take(PLACES);
    for (const more of [10, 490]) {
      wait(more);
      pass(2_000);
      expect(line.isTooLong).toBe(false);
    }
  });

  it.each([
    ["is refused in a burst when half of the longest wait would not do", {}, [100, 300], 167],
    [
      "is refused in a burst when two thousand wait, however soon they should have their turns",
      { waitMs: 60_000 },
      [0, 0],
      2_000,
    ],
    ["may wait where as many wait as there are places, however slow", {}, [100, 50_000], 10],
  ] as const)("%s", async (_, options, [times, eachMs], room) => {
    const { line, used, take, wait } = turns(options);
    await used(times, eachMs);
    await take(PLACES);
    wait(room - 1);
    expect(line.isTooLong).toBe(false);
    wait(1);
    expect(line.isTooLong).toBe(true);
  });

  it("is refused for more than half a second when the queue has lasted for five", async () => {
    const { line, used, take, wait, pass } = turns();
    await used(100, 2);
    await take(PLACES);
    wait(11);
    pass(4_000);
    expect(line.isTooLong).toBe(false);
    pass(1_000);
    expect(line.isTooLong).toBe(true);
  });

  it("is taken again once the queue has gone", async () => {
    const { line, take, wait, pass, endAll } = turns();
    await take(PLACES);
    const waiting = wait(50);
    pass(60_000);
    expect(line.isTooLong).toBe(true);
    endAll(false);
    for (const turn of waiting) (await turn)(false);
    await take(PLACES);
    wait(20);
    expect(line.isTooLong).toBe(false);
  });
});

describe("one who waits", () => {
  it("gets its turn in the order of coming", async () => {
    const { wait, take, endAll, line } = turns({ places: 1 });
    await take(1);
    const order: number[] = [];
    const all = wait(3).map((turn, i) =>
      turn.then((end) => {
        order.push(i);
        end();
      }),
    );
    expect(line.waiting).toBe(3);
    endAll();
    await Promise.all(all);
    expect({ order, waiting: line.waiting }).toEqual({ order: [0, 1, 2], waiting: 0 });
  });

  it("is refused after the longest wait, and told when to come back", async () => {
    const { line, take } = turns({ waitMs: NEVER, places: 1 });
    await take(1);
    await expect(line.enter()).rejects.toMatchObject({ code: "overloaded", options: { retryAfter: 1 } });
    expect(line.waiting).toBe(0);
  });

  it("is refused with the others when no turn could be used", async () => {
    const { line, take, wait } = turns();
    await take(PLACES);
    const waiting = wait(3);
    line.refuseWaiting(new Error("away"));
    for (const turn of waiting) await expect(turn).rejects.toThrow("away");
  });
});
