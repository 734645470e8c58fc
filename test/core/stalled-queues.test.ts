/** A queue stands when work is due and nothing moves: not when nothing is due, and not when a run takes long. */
import { expect, it } from "vitest";
import { stalledQueues, stalledSentence } from "../../core/operations/stalled-queues.ts";

const move = (overdueSeconds: number | null, movedSeconds: number | null) => ({
  ...{ name: "score", overdueSeconds, movedSeconds },
});
const queue = (oldestSeconds: number | null) => ({ name: "score", oldestSeconds });

it.each([
  ["late, and moved at its last run only", move(600, 900), queue(null), 600],
  ["late, and moved not long before", move(600, 70), queue(null), 70],
  ["late, and never moved", move(600, null), queue(null), 600],
  ["late and under way for hours", move(6_000, 5), queue(null), null],
  ["a moment late", move(30, 600), queue(null), null],
  ["not due", move(-500, 600), queue(null), null],
  ["without a schedule, with a job that waits", move(null, 300), queue(200), 200],
  ["without a schedule, behind and moving", move(null, 3), queue(900), null],
  ["without a schedule, with nothing to do", move(null, 900), queue(null), null],
  ["never seen by the database, with a job that waits", undefined, queue(90), 90],
  ["late, while the store of the queue is away", move(600, 900), undefined, 600],
])("%s", (_, known, waiting, seconds) => {
  const stalled = stalledQueues(known ? [known] : [], waiting ? [waiting] : []);
  expect(stalled).toEqual(seconds === null ? [] : [{ name: "score", seconds }]);
});

it("is told in one sentence, the longest first, of any number of queues", () => {
  expect(stalledSentence([])).toBeNull();
  const moves = ["a", "b", "c", "d", "e", "f", "g"].map((name, i) => ({
    ...{ name, overdueSeconds: 100 + i, movedSeconds: null },
  }));
  expect(stalledSentence(stalledQueues(moves, []))).toBe(
    "Work is due and nothing has moved for 106 s: g, f, e, d, c and 2 more.",
  );
});
