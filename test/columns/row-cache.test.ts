/** What is kept of rows: never what was made before a change that was told, however the two overlap. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RenderRows, type RowBytes, RowCache } from "../../columns/row-cache.ts";
import { forAllLater } from "../support/for-all.ts";
import { bytesOf } from "../support/row-bytes.ts";

const bytes = (text: string) => Buffer.from(text);
const texts = (rows: RowBytes[]) => rows.map((row) => bytesOf(row).toString());

test("makes once, gives again, and leaves out what is gone", async () => {
  const cache = new RowCache(1_000);
  const asked: number[][] = [];
  const make: RenderRows = async (ids) => {
    asked.push([...ids]);
    return new Map(ids.filter((id) => id !== 4).map((id) => [id, bytes(`row ${id}`)]));
  };
  expect(texts(await cache.get([3, 1, 4], make))).toEqual(["row 3", "row 1"]);
  expect(texts(await cache.get([1, 2, 3, 4], make))).toEqual(["row 1", "row 2", "row 3"]);
  cache.invalidate([1]);
  expect(texts(await cache.get([2, 1], make))).toEqual(["row 2", "row 1"]);
  cache.clear();
  await cache.get([2], make);
  expect(asked).toEqual([[3, 1, 4], [2, 4], [1], [2]]);
});

test("keeps no more bytes than it may, and what is asked for again and again", async () => {
  const cache = new RowCache(400);
  const made: number[] = [];
  const make: RenderRows = async (ids) => {
    made.push(...ids);
    return new Map(ids.map((id) => [id, bytes("0123456789")]));
  };
  for (let id = 1; id <= 60; id++) {
    await cache.get([0, id], make);
    expect(cache.byteLength).toBeLessThanOrEqual(400);
  }
  // The one that everybody asks for was made once, what came before the last few is gone.
  expect(made.filter((id) => id === 0)).toHaveLength(1);
  made.length = 0;
  await cache.get([60, 59, 1], make);
  expect(made).toEqual([1]);
});

test("rows of any length, through many chunks, and one that is too long to be kept", async () => {
  const most = 3 * 2 ** 20;
  const cache = new RowCache(most);
  const row = (id: number) => Buffer.alloc(id % 50 === 49 ? 300_000 : (id * 7_919) % 40_000, id % 251);
  const made: number[] = [];
  const make: RenderRows = async (ids) => {
    made.push(...ids);
    return new Map(ids.map((id) => [id, row(id)]));
  };
  const given: [number, RowBytes][] = [];
  for (let id = 0; id < 400; id++) {
    for (const asked of [id, id >> 1]) given.push([asked, (await cache.get([asked], make))[0]!]);
    if (id % 5 === 0) cache.invalidate([id >> 1]);
    expect(cache.byteLength).toBeLessThanOrEqual(most);
  }
  // Also those that were given before their chunk was dropped.
  for (const [id, kept] of given) expect(row(id).equals(bytesOf(kept))).toBe(true);
  made.length = 0;
  await cache.get([399, 398, 398], make);
  expect(made).toEqual([399]);
});

test("a row that changes while something is made of it is not kept", async () => {
  const rows = 5;
  const step = fc.oneof(
    fc.record({ kind: fc.constant("ask" as const), ids: fc.uniqueArray(fc.nat(rows - 1), { minLength: 1 }) }),
    fc.record({ kind: fc.constant("answer" as const), which: fc.nat() }),
    fc.record({ kind: fc.constant("change" as const), ids: fc.uniqueArray(fc.nat(rows - 1), { minLength: 1 }) }),
    fc.record({ kind: fc.constant("change all" as const) }),
  );
  await forAllLater([fc.array(step, { maxLength: 40 })], { numRuns: 500 }, async (steps) => {
    const cache = new RowCache(1_000);
    const versions = new Array<number>(rows).fill(0);
    const open: (() => void)[] = [];
    const answers: Promise<void>[] = [];
    for (const next of steps) {
      if (next.kind === "ask") {
        const atLeast = [...versions];
        const make: RenderRows = async (ids) => {
          // Read now, given back whenever the test lets it.
          const read = new Map(ids.map((id) => [id, bytes(`${id} ${versions[id]}`)]));
          await new Promise<void>((answer) => open.push(answer));
          return read;
        };
        answers.push(
          cache.get(next.ids, make).then((shown) => {
            for (const text of texts(shown)) {
              const [id, version] = text.split(" ").map(Number) as [number, number];
              expect(version).toBeGreaterThanOrEqual(atLeast[id]!);
            }
          }),
        );
      } else if (next.kind === "answer") open.splice(next.which % Math.max(1, open.length), 1)[0]?.();
      else {
        const ids = next.kind === "change" ? next.ids : versions.keys();
        for (const id of ids) versions[id]!++;
        if (next.kind === "change") cache.invalidate(next.ids);
        else cache.clear();
      }
      // Whoever waits for an answer goes on.
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    }
    for (const answer of open) answer();
    await Promise.all(answers);
    const last = await cache.get(
      [...versions.keys()],
      async (ids) => new Map(ids.map((id) => [id, bytes(`${id} ${versions[id]}`)])),
    );
    expect(texts(last)).toEqual(versions.map((version, id) => `${id} ${version}`));
  });
});
