/** Widths, the size of names, and how many chips fit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHIP, fitChips, fitName, widthOf } from "../../core/card/measure.ts";
import { forAll } from "../support/for-all.ts";

const SIZES = { max: 108, oneLineMin: 72, min: 46 };

describe("fitName", () => {
  it.each([
    ["x", 108],
    ["Atlas", 108],
    ["W".repeat(64), 46],
  ])("%j gets %d pixels", (name, size) => expect(fitName(name, 856, SIZES)).toBe(size));

  it("never gives a name on one line more than the line", () =>
    forAll([fc.string({ unit: "grapheme", minLength: 1, maxLength: 64 })], (name) => {
      const size = fitName(name, 856, SIZES);
      expect(size).toBeGreaterThanOrEqual(46);
      expect(size).toBeLessThanOrEqual(108);
      if (size > 72) expect(widthOf(name, "display") * size).toBeLessThanOrEqual(856);
      // Below the smallest size a name is cut; above it two lines have to hold it.
      if (size > 46) expect(widthOf(name, "display") * size).toBeLessThanOrEqual(2 * 856);
    }));

  it("shrinks as a name grows", () => {
    const sizes = Array.from({ length: 64 }, (_, length) => fitName("m".repeat(length + 1), 856, SIZES));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  });
});

describe("fitChips", () => {
  it("takes all that fit, and leaves room for the number of those that do not", () => {
    expect(fitChips([], 0, false, 856, 2)).toBe(0);
    expect(fitChips(["a", "b", "c"], 0, true, 856, 1)).toBe(3);
    const long = "a trait of this length";
    const room = widthOf(long, "body") * CHIP.size + 2 * (CHIP.padding + CHIP.border);
    expect(fitChips([long, long], 0, false, 2 * room + CHIP.gap, 1)).toBe(2);
    expect(fitChips([long, long], 0, false, 2 * room + CHIP.gap - 1, 1)).toBe(1);
    expect(fitChips([long, long], 1, false, 2 * room + CHIP.gap, 1)).toBe(1);
    expect(fitChips([long], 0, false, room - 1, 1)).toBe(1);
  });

  it("shows no fewer in more room", () =>
    forAll(
      [fc.array(fc.string({ minLength: 1, maxLength: 24 }), { maxLength: 40 }), fc.nat({ max: 9 }), fc.boolean()],
      (labels, hidden, soulbound) => {
        const narrow = fitChips(labels, hidden, soulbound, 640, 1);
        expect(fitChips(labels, hidden, soulbound, 856, 2)).toBeGreaterThanOrEqual(narrow);
        expect(narrow).toBeLessThanOrEqual(labels.length);
      },
    ));
});
