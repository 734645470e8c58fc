/** The column table against a plain array: any rows, any changes, any question, the same answer. */
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import type { Condition } from "../../columns/filter-cache.ts";
import { bytesOfPart, END_OF_IMAGE, receiveImage } from "../../columns/image-transfer.ts";
import { sortJobs, TableSorter, unsortedPart } from "../../columns/sort-jobs.ts";
import { ColumnTable, type TableQuery } from "../../columns/table.ts";
import { TableBuilder, type TableImage, type UnsortedTable } from "../../columns/table-image.ts";
import { ID, type TableDefinition, type Value, type Values } from "../../columns/values.ts";
import { forAllLater } from "../support/for-all.ts";
import { shareOf } from "../support/share.ts";
import { PlainTable } from "./plain-table.ts";

const DEFINITION = {
  amount: { kind: "number" },
  score: { kind: "number" },
  name: { kind: "text" },
  label: { kind: "text" },
  folded: { kind: "search", of: "name" },
  key: { kind: "bytes", width: 3 },
  open: { kind: "flag" },
  rank: { kind: "number", sorted: false },
  mark: { kind: "text", repeats: true },
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
  // Of one, two, four or eight bytes.
  fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: -3, max: 3 }) },
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(127, 128, -128, -129, 32_767, 32_768, -32_769, 2 ** 24, 2 ** 24 + 1, 0.5, 0.1),
    },
  ),
  fc.oneof({ weight: 9, arbitrary: word.map(bytes) }, { weight: 1, arbitrary: fc.constant(null) }),
  fc.constantFrom("", "x", "y", LONG_LABEL, `${LONG_LABEL} that ends in 1`, `${LONG_LABEL} that ends in 2`).map(bytes),
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: word.map(bytes) }),
  fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ minLength: 3, maxLength: 3, max: 4 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  fc.boolean(),
  fc.oneof<fc.WeightedArbitrary<Value>[]>(
    { weight: 9, arbitrary: fc.option(fc.integer({ min: -3, max: 3 })) },
    { weight: 1, arbitrary: fc.constantFrom(2n ** 60n, 2n ** 60n + 1n) },
  ),
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(null, bytes(""), bytes("few"), bytes("fewer"), bytes(LONG_LABEL)) },
    // Of more kinds than are stored once.
    { weight: 3, arbitrary: fc.nat(99).map((n) => bytes(`mark ${n}`)) },
  ),
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
  fc.record({
    column: fc.constant("score"),
    from: bound(fc.constantFrom(-129, -1, 0, 2)),
    to: bound(fc.constantFrom(-1, 0, 2, 0.5, 128)),
  }),
  fc.record({
    column: fc.constant("rank"),
    from: bound(fc.constantFrom<number | bigint>(-1, 0, 2, 2n ** 60n + 1n)),
    to: bound(fc.constantFrom<number | bigint>(-1, 0, 2, 2n ** 60n)),
  }),
  fc
    .constantFrom("", "few", "mark 7", LONG_LABEL)
    .map((text) => ({ column: "mark", from: bytes(text), to: bytes(text) })),
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
  score: fc.constantFrom<Value>(null, -129, 0, 1, 127, 32_768),
  name: fc.oneof(fc.constant(null), word.map(bytes)),
  label: fc.constant(bytes("y")),
  mark: fc.constantFrom(null, bytes("few"), bytes("mark 50")),
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
      change(`delete ${rowId}`, ({ real, plain }) => expect(real.delete(rowId)).toBe(plain.rows.delete(rowId))),
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
  await forAllLater(
    [crowd(3000), commands],
    { seed: inject("fuzz").seed, numRuns: shareOf(80), endOnFailure: true },
    async (many, sequence) => {
      const plain = new PlainTable(DEFINITION);
      for (const [rowId, row] of rowsOf(many)) plain.rows.set(rowId, row);
      const builder = new TableBuilder(DEFINITION, many.count >> 1);
      for (const [rowId, row] of plain.rows) builder.add(rowId, row);
      const table = new ColumnTable(DEFINITION, await sent(builder.finish()));
      fc.modelRun(() => ({ model: plain, real: { table } }), sequence);
    },
  );
});

/** As between two processes: parts in any order, as bytes in chunks of whatever size. */
function sent(unsorted: UnsortedTable): Promise<TableImage> {
  const sorter = new TableSorter(unsorted);
  const parts = [unsortedPart(unsorted), ...sortJobs(unsorted).map((name) => sorter.sort(name))].reverse();
  const whole = Buffer.concat([...parts.flatMap((part) => [...bytesOfPart(part)]), END_OF_IMAGE]);
  async function* chunks() {
    for (let at = 0; at < whole.length; at += 9_999) yield whole.subarray(at, at + 9_999);
  }
  return receiveImage(chunks());
}

test("more sets of rows than are kept, asked for again after rows changed and went", () => {
  const real = new ColumnTable(DEFINITION);
  const plain = new PlainTable(DEFINITION);
  const text = bytes("ab");
  const row = (i: number, amount: number): Values => [
    amount,
    null,
    text,
    bytes("x"),
    null,
    null,
    i % 3 === 0,
    null,
    null,
  ];
  for (let i = 0; i < 400; i++) put({ real, plain }, i, row(i, i % 100));
  const wheres = Array.from({ length: 100 }, (_, bound): Condition[][] => {
    const least: Condition = { column: "amount", from: bound };
    return [[least], [least, { column: "open", is: true }], [least, { column: "folded", contains: text }]];
  }).flat();
  const page = { sort: "amount", descending: true, position: { offset: 0 }, limit: 5 };
  // Forwards the sets that were asked for last are kept; backwards those of the round before are found, then made anew.
  for (const round of [wheres, wheres.toReversed(), wheres]) {
    for (const where of round) expect(real.page({ where, ...page })).toEqual(plain.page({ where, ...page }));
    for (let i = 0; i < 400; i += 7) put({ real, plain }, i, row(i + 1, (i * 13) % 100));
    for (let i = round === wheres ? 3 : 5; i < 400; i += 50) {
      real.delete(i);
      plain.rows.delete(i);
    }
  }
});

test("numbers take as few bytes as hold all of them exactly; values, nulls and order stay", () => {
  const table = new ColumnTable({ amount: { kind: "number" } });
  const given: (number | null)[] = [5, null, 12, -7, 0, 7];
  for (const [id, amount] of given.entries()) table.put(id, [amount]);
  const { byteLength } = table;
  const order = (descending: boolean) =>
    table.page({ where: [], sort: "amount", descending, position: { offset: 0 }, limit: 9 }).ids;
  expect(order(false)).toEqual([3, 4, 0, 5, 2, 1]);
  for (const amount of [-128, 300, 2 ** 15, 1.5, 2 ** 24 + 1, 0.1, 1_790_000_000_123.456, 2n ** 60n + 1n, 1e300]) {
    table.set(4, { amount });
    expect(table.get(4)).toEqual([amount]);
    expect(given.map((_, id) => (id === 4 ? given[4] : table.get(id)![0]))).toEqual(given);
    expect(order(true).at(-1)).toBe(1);
  }
  expect(order(true)).toEqual([4, 2, 5, 0, 3, 1]);
  expect(table.byteLength).toBeGreaterThan(byteLength);
  table.put(2 ** 53 - 1, [3]);
  expect(table.get(2 ** 53 - 1)).toEqual([3]);
  expect(table.has(2 ** 53 - 2)).toBe(false);
});

test("texts that repeat are stored once, up to a number of them, while rows change between all kinds", () => {
  const table = new ColumnTable({ kind: { kind: "text", repeats: true }, plain: { kind: "text" } });
  const kinds = Array.from({ length: 150 }, (_, i) => bytes(`${"kind of ".repeat(1 + (i % 9))}${i}`));
  const kindOf = (id: number, round: number) => kinds[(id * 7 + round * 31) % (id % 2 === 0 ? 5 : kinds.length)]!;
  for (let round = 0; round < 20; round++) {
    for (let id = 0; id < 1_000; id++) table.put(id, [kindOf(id, round), kindOf(id, round)]);
    for (let id = 0; id < 1_000; id++) expect(table.get(id)).toEqual([kindOf(id, round), kindOf(id, round)]);
    const page = { where: [], descending: false, position: { offset: 0 }, limit: 1_000 };
    expect(table.page({ ...page, sort: "kind" }).ids).toEqual(table.page({ ...page, sort: "plain" }).ids);
  }
});

test("rows are found by ids near each other, far apart, and of which there is an array only later", () => {
  const table = new ColumnTable({ amount: { kind: "number" } });
  const plain = new Map<number, number>();
  const put = (id: number) => {
    const amount = plain.size;
    expect(table.put(id, [amount])).toBe(true);
    plain.set(id, amount);
  };
  for (const id of [-3, 9_000, 2 ** 40]) put(id);
  for (let id = 0; id < 4_000; id += 2) put(id);
  const { byteLength } = table;
  put(9_300);
  // The array has grown over 9,000, which came when there were too few rows for it.
  expect(table.byteLength).toBeGreaterThan(byteLength + 4 * 4_000);
  for (const id of [9_000, 2, -3]) {
    expect(table.delete(id)).toBe(true);
    plain.delete(id);
  }
  put(2);
  for (const id of [...plain.keys(), -3, 1, 1.5, 9_000, 9_001, 2 ** 40 - 1])
    expect(table.get(id)).toEqual(plain.has(id) ? [plain.get(id)] : undefined);
  expect(table.size).toBe(plain.size);
});
