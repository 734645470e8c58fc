/** The column table against a plain array: any rows, any changes, any question, the same answer. */
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import type { Condition } from "../../columns/filter-cache.ts";
import { describeImage, receiveImage } from "../../columns/image-transfer.ts";
import { ColumnTable, type TableQuery } from "../../columns/table.ts";
import { TableBuilder, type TableImage } from "../../columns/table-image.ts";
import { ID, type TableDefinition, type Value, type Values } from "../../columns/values.ts";
import { shareOf } from "../support/share.ts";
import { PlainTable } from "./plain-table.ts";

const DEFINITION = {
  amount: { kind: "number" },
  name: { kind: "text" },
  label: { kind: "text" },
  folded: { kind: "search", of: "name" },
  key: { kind: "bytes", width: 3 },
  open: { kind: "flag" },
} as const satisfies TableDefinition;

const bytes = (text: string) => new TextEncoder().encode(text);
/** As long as a length of one byte can say, so that more are longer. */
const LONG_LABEL = "a rather long label ".padEnd(254, "and longer ");
const word = fc.string({ unit: fc.constantFrom("a", "b", "B", "é", "日", "😀"), maxLength: 12 });
const values: fc.Arbitrary<Values> = fc.tuple(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.double({ noNaN: true }) },
    { weight: 1, arbitrary: fc.constantFrom(2n ** 60n, 2n ** 60n + 1n, -(2n ** 70n), -(2n ** 70n) - 1n) },
  ),
  fc.oneof({ weight: 9, arbitrary: word.map(bytes) }, { weight: 1, arbitrary: fc.constant(null) }),
  fc.constantFrom("", "x", "y", LONG_LABEL, `${LONG_LABEL} that ends in 1`, `${LONG_LABEL} that ends in 2`).map(bytes),
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: word.map(bytes) }),
  fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ minLength: 3, maxLength: 3, max: 4 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  fc.boolean(),
);
const id = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 3000 }) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
);

const bound = <T extends Exclude<Value, boolean>>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const simple: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ column: fc.constant("open"), is: fc.boolean() }),
  fc.record({ column: fc.constant("folded"), contains: word.map((text) => bytes(text.slice(0, 5))) }),
  fc.record({
    column: fc.constant("amount"),
    from: bound(fc.integer({ min: -3, max: 3 })),
    to: bound(fc.integer({ min: -3, max: 3 })),
  }),
  fc.record({ column: fc.constant("name"), from: bound(word.map(bytes)), to: bound(word.map(bytes)) }),
  fc
    .constantFrom("", "x", LONG_LABEL, `${LONG_LABEL} that ends in 2`)
    .map((text) => ({ column: "label", from: bytes(text), to: bytes(text) })),
  fc
    .uint8Array({ minLength: 3, maxLength: 3, max: 4 })
    .map((from) => ({ column: "key", from, to: Uint8Array.of(from[0]!, 255, 255) })),
  id.map((wanted) => ({ column: ID, from: wanted, to: wanted })),
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: fc.array(simple, { maxLength: 3 }).map((anyOf) => ({ anyOf })) },
);

type Question = Omit<TableQuery, "position"> & {
  at: { share: number } | { after: { key: Value; id: number } } | "last";
};
const KEYS: Record<string, fc.Arbitrary<Value>> = {
  [ID]: id,
  amount: fc.constantFrom<Value>(null, 0, 1, 2n ** 60n),
  name: fc.oneof(fc.constant(null), word.map(bytes)),
  label: fc.constant(bytes("y")),
  key: fc.oneof(fc.constant(null), fc.uint8Array({ minLength: 3, maxLength: 3, max: 4 })),
};
const question: fc.Arbitrary<Question> = fc.constantFrom(...Object.keys(KEYS)).chain((sort) =>
  fc.record({
    where: fc.array(condition, { maxLength: 2 }),
    sort: fc.constant(sort),
    descending: fc.boolean(),
    limit: fc.constantFrom(1, 3, 50, 1000),
    at: fc.oneof(
      fc.double({ min: 0, max: 1.1, noNaN: true }).map((share) => ({ share })),
      fc.record({ key: KEYS[sort]!, id }).map((after) => ({ after })),
      fc.constant("last" as const),
    ),
  }),
);

/** Rows made from a few given ones, so that a thousand cost the generator no more than ten. */
type Crowd = { base: Values[]; count: number; step: number; from: number };
const crowd = (most: number): fc.Arbitrary<Crowd> =>
  fc.record({
    base: fc.array(values, { minLength: 1, maxLength: 12 }),
    count: fc.nat(most),
    step: fc.integer({ min: 1, max: 97 }),
    from: fc.nat(3000),
  });
const rowsOf = ({ base, count, step, from }: Crowd) =>
  Array.from({ length: count }, (_, i): [number, Values] => [
    (from + i * step) % 3001,
    base[(i * 7 + (i >> 3)) % base.length]!,
  ]);

type Both = { real: ColumnTable; plain: PlainTable };
const change = (name: string, apply: (both: Both) => void): fc.Command<PlainTable, { table: ColumnTable }> => ({
  check: () => true,
  run: (plain, real) => {
    apply({ plain, real: real.table });
    expect(real.table.size).toBe(plain.rows.size);
  },
  toString: () => name,
});

const put = ({ real, plain }: Both, rowId: number, row: Values) => {
  real.put(rowId, row);
  plain.rows.set(rowId, row);
};

const commands = fc.commands(
  [
    fc.tuple(id, values).map(([rowId, row]) => change(`put ${rowId}`, (both) => put(both, rowId, row))),
    crowd(1500).map((many) =>
      change(`put ${fc.stringify(many)}`, (both) => {
        for (const [rowId, row] of rowsOf(many)) put(both, rowId, row);
      }),
    ),
    fc
      .array(question, { minLength: 1, maxLength: 6 })
      .map((questions) =>
        change(fc.stringify(questions), ({ real, plain }) => questions.forEach((each) => void ask(real, plain, each))),
      ),
    id.map((rowId) =>
      change(`get ${rowId}`, ({ real, plain }) => expect(real.get(rowId)).toEqual(plain.rows.get(rowId))),
    ),
  ],
  { maxCommands: 60 },
);

function ask(real: ColumnTable, plain: PlainTable, { at, ...question }: Question) {
  const everything = { ...question, position: { offset: 0 }, limit: 1e6 };
  let position: TableQuery["position"];
  if (at === "last") {
    const { last } = plain.page({ ...everything, limit: 1 + plain.rows.size / 3 });
    position = last === null ? { offset: 0 } : { after: last };
  } else if ("share" in at) position = { offset: Math.floor(at.share * plain.page(everything).total) };
  else position = at;
  const query: TableQuery = { ...question, position };
  expect(real.page(query)).toEqual(plain.page(query));
}

test("rows, changes and questions in any order", async () => {
  await fc.assert(
    fc.asyncProperty(crowd(3000), commands, async (many, sequence) => {
      const plain = new PlainTable(DEFINITION);
      for (const [rowId, row] of rowsOf(many)) plain.rows.set(rowId, row);
      const builder = new TableBuilder(DEFINITION, many.count >> 1);
      for (const [rowId, row] of plain.rows) builder.add(rowId, row);
      const table = new ColumnTable(DEFINITION, await sent(builder.finish()));
      fc.modelRun(() => ({ model: plain, real: { table } }), sequence);
    }),
    { seed: inject("fuzz").seed, numRuns: shareOf(80), endOnFailure: true },
  );
});

/** As between two processes: the description in a message, the bytes in chunks of whatever size. */
function sent(image: TableImage): Promise<TableImage> {
  const { description, parts } = describeImage(image);
  const whole = Buffer.concat(parts);
  async function* chunks() {
    for (let at = 0; at < whole.length; at += 9_999) yield whole.subarray(at, at + 9_999);
  }
  return receiveImage(structuredClone(description), chunks());
}
