/** A table sorted by several threads at once is, byte by byte, the one that is sorted on this thread. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SortThreads, shareArrays } from "../../columns/load-process.ts";
import { ImageParts, sortJobs, sortTable, unsortedPart } from "../../columns/sort-jobs.ts";
import { TableBuilder, type UnsortedTable } from "../../columns/table-image.ts";
import type { TableDefinition } from "../../columns/values.ts";
import { DIRECTORY_COLUMNS } from "../../db/lists/directory-source.ts";

const THREAD = join(import.meta.dirname, "../../columns/sort-thread.ts");
const WORDS = ["quantum", "oracle", "bot", "機器人", "łódź", "", "trade"];
const utf8 = (text: string) => new TextEncoder().encode(text);

const DEFINITION = {
  amount: { kind: "number" },
  large: { kind: "number" },
  name: { kind: "text" },
  searched: { kind: "search", of: "name" },
  key: { kind: "bytes", width: 4 },
  open: { kind: "flag" },
  rank: { kind: "number", sorted: false },
  mark: { kind: "text", repeats: true },
} as const satisfies TableDefinition;

/** Enough rows for trigrams that are counted; ids descend, so that slots are not in their order. */
function rows(): UnsortedTable {
  const builder = new TableBuilder(DEFINITION, 10);
  for (let i = 0; i < 4_000; i++) {
    const name = `${WORDS[i % 7]} ${WORDS[(i * 31) % 7]} ${(i * 7919) % 977}`;
    builder.add(100_000 - i, [
      i % 5 === 0 ? null : (i * 37) % 101,
      i % 900 === 0 ? 2n ** 60n + BigInt(i % 7) : i / 3,
      i % 11 === 0 ? null : utf8(name),
      i % 4 === 0 ? utf8(name.toUpperCase()) : null,
      i % 13 === 0 ? null : Uint8Array.of(i & 3, (i * 7) & 255, 0, i & 255),
      i % 2 === 0,
      i % 17,
      utf8(WORDS[i % 7]!),
    ]);
  }
  return builder.finish();
}

test.each([1, 3])("%d threads", async (count) => {
  const expected = sortTable(rows());
  const threads = new SortThreads(THREAD, count);
  onTestFinished(() => threads.close());
  const table = shareArrays(rows());
  const image = new ImageParts();
  image.add(structuredClone(unsortedPart(table)));
  await threads.sort(table, (part) => image.add(part));
  expect(plain(image.whole())).toEqual(plain(expected));
});

/** With arrays as bytes: those of shared memory are of another type. */
const plain = (value: unknown): unknown =>
  ArrayBuffer.isView(value)
    ? [value.constructor.name, Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")]
    : value !== null && typeof value === "object" && !(value instanceof Map)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
      : value;

test("the longest jobs come first, and each column that is sorted or searched has one", () => {
  const table = rows();
  expect(sortJobs(table).slice(0, 2)).toEqual(["searched", "name"]);
  expect(sortJobs(table).toSorted()).toEqual(["amount", "key", "large", "mark", "name", "searched"]);
  expect(sortJobs(new TableBuilder(DIRECTORY_COLUMNS, 0).finish())[0]).toBe("searched");
});

test("an error in a thread, and a thread that does not start, end the load", async () => {
  const threads = new SortThreads(THREAD, 2);
  const table = shareArrays(rows());
  await expect(threads.sort({ ...table, byId: null as never }, () => {})).rejects.toThrow("null");
  await threads.close();
  const none = new SortThreads(join(import.meta.dirname, "no-such-file.ts"), 2);
  await expect(none.sort(shareArrays(rows()), () => {})).rejects.toThrow("no-such-file");
});
