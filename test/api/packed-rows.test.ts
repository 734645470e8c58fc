/** Packed rows are written out byte for byte as `JSON.stringify` writes the objects that they were made of. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { PackedRows } from "../../api/packed-rows.ts";
import { rowBytes } from "../../columns/row-cache.ts";
import { forAll } from "../support/for-all.ts";

type Row = { id: number; text: string | null; 'a "b" é': boolean; last: number | string };

/** Around the lengths at which a value is packed and copied in another way. */
const long = fc
  .tuple(fc.oneof(fc.integer({ min: 248, max: 260 }), fc.constant(5_000)), fc.constantFrom("a", "é", '"'))
  .map(([length, letter]) => letter.repeat(length));

const value = {
  id: fc.integer(),
  text: fc.option(
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\u001e", "\u007f", "\ud800", "機器", ""), long),
  ),
  'a "b" é': fc.boolean(),
  last: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
};

test("an answer is the JSON of its rows and of its other members", () => {
  const packed = new PackedRows<Row>(["id", "text", 'a "b" é', "last"]);
  forAll([fc.array(fc.record(value), { maxLength: 5 }), fc.nat()], { numRuns: 1_000 }, (rows, total) => {
    const { content } = packed.answer(
      "agents",
      rows.map((row) => rowBytes(packed.pack(row))),
      { total, stats: { rows: "1" } },
    );
    expect(Buffer.from(content as Uint8Array).toString()).toBe(
      JSON.stringify({ agents: rows, total, stats: { rows: "1" } }),
    );
  });
});
