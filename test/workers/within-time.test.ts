/** The limit of time of reading one document: it ends whatever walks the document, and nothing else. */
import { expect, it } from "vitest";
import { parseForeignJson } from "../../core/foreign-json.ts";
import { DOCUMENT_MS, TooSlowToRead, withinTime } from "../../workers/within-time.ts";

const SOON = 50;
const endless = () => {
  for (;;);
};

it.each<[what: string, work: () => unknown]>([
  ["a loop", endless],
  ["an expression that tries again and again", () => /^(a+)+$/.test(`${"a".repeat(40)}b`)],
  ["a text that never ends", () => JSON.parse({ toString: endless } as never)],
  [
    "what catches every error",
    () => {
      for (;;)
        try {
          endless();
        } catch {}
    },
  ],
])("ends %s", (_, work) => {
  expect(() => withinTime(SOON, work)).toThrow(TooSlowToRead);
  expect(withinTime(DOCUMENT_MS, () => 1)).toBe(1);
});

it("gives results and errors as they are", () => {
  const value = { a: [1] };
  expect(withinTime(DOCUMENT_MS, () => value)).toBe(value);
  const error = new TypeError("no");
  expect(() =>
    withinTime(DOCUMENT_MS, () => {
      throw error;
    }),
  ).toThrow(error);
});

it("is not needed for the deepest and the longest document that is taken", () => {
  for (const piece of ["[", "[],", '{"a":', '"\\u0301\\u0316",', "1e999,"]) {
    const text = `[${piece.repeat(2 ** 20 / piece.length)}`;
    expect(() => withinTime(DOCUMENT_MS, () => parseForeignJson(text))).not.toThrow(TooSlowToRead);
  }
});
