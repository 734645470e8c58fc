/** Properties of reciprocal rank fusion. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { fused } from "../../core/discovery/fusion.ts";
import { forAll } from "../support/for-all.ts";

const list = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
const orders = (lists: number[][]) => lists.map((one) => ({ ids: one, weight: 1 }));
const ids = (lists: number[][]) => fused(orders(lists)).map(({ id }) => id);

it("has each id of any list once, and no other", () =>
  forAll([fc.array(fc.array(fc.integer({ min: 1, max: 40 })), { maxLength: 4 })], (lists) => {
    expect(ids(lists).toSorted((a, b) => a - b)).toEqual([...new Set(lists.flat())].sort((a, b) => a - b));
  }));

it("counts an id that a list repeats at its better place only", () => {
  expect(fused(orders([[1, 2, 2, 2]]))).toEqual(fused(orders([[1, 2]])));
});

it("keeps the order of one list, also beside an empty one", () =>
  forAll([list], (one) => {
    expect(ids([one])).toEqual(one);
    expect(ids([one, []])).toEqual(one);
  }));

it("puts an id that stands before another in every list before it", () =>
  forAll([list, list], (a, b) => {
    const order = ids([a, b]);
    const place = (of: number[], id: number) => (of.includes(id) ? of.indexOf(id) : Number.POSITIVE_INFINITY);
    for (const x of order)
      for (const y of order)
        if (place(a, x) < place(a, y) && place(b, x) < place(b, y))
          expect(order.indexOf(x)).toBeLessThan(order.indexOf(y));
  }));

it("gives no id a lower place for a better place in one list", () =>
  forAll([list, list, fc.nat()], (a, b, pick) => {
    if (a.length < 2) return;
    const at = 1 + (pick % (a.length - 1));
    const better = a.with(at - 1, a[at]!).with(at, a[at - 1]!);
    expect(ids([better, b]).indexOf(a[at]!)).toBeLessThanOrEqual(ids([a, b]).indexOf(a[at]!));
  }));

it("lets agreement of two lists count more than the first place of one", () => {
  expect(
    ids([
      [1, 3],
      [2, 3],
    ]),
  ).toEqual([3, 1, 2]);
});

it("lets an order of little weight break ties only, and gives the first of all the whole share", () => {
  const all = fused([
    { ids: [1, 2, 3], weight: 1 },
    { ids: [3, 2, 4], weight: 0.01 },
  ]);
  expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  const first = fused([
    { ids: [1, 2], weight: 1 },
    { ids: [1, 3], weight: 0.3 },
  ]);
  expect([first[0]!.id, first[0]!.share]).toEqual([1, expect.closeTo(1, 9)]);
});
