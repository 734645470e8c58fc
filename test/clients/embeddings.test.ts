/** Embeddings against the simulator: order, bounds, and what a broken answer costs. */
import { expect, it } from "vitest";
import { embeddings, maxAnswerBytes } from "../../clients/embeddings.ts";
import { MAX_TEXT } from "../../core/discovery/meaning.ts";
import { SIMULATED_DIMENSIONS as dimensions } from "../../devnet/simulators/embeddings.ts";
import { ANY_KEY } from "../../devnet/simulators/simulator.ts";
import { NEVER } from "../../harness/patience.ts";
import { perFile } from "../support/started.ts";
import { simulated, unavailable } from "./support/simulated.ts";

const sim = perFile(simulated);

const client = (options = {}, size: number = dimensions) =>
  embeddings(
    sim.upstream("/embeddings/v1/embeddings", {
      headers: { authorization: `Bearer ${ANY_KEY}` },
      maxBytes: maxAnswerBytes(dimensions),
      ...options,
    }),
    { model: "simulated", dimensions: size },
  );
/** The vectors of an answer; the test fails where the texts were refused. */
async function vectorsOf(texts: string[], by = client()) {
  const answer = await by.vectors(texts);
  if (answer.kind === "refused") throw answer.failure;
  return answer.vectors;
}
const product = (a: Float32Array | null, b: Float32Array | null) => a!.reduce((sum, one, i) => sum + one * b![i]!, 0);
const axis = (i: number, value: unknown = 2) => Array.from({ length: dimensions }, (_, at) => (at === i ? value : 0));

it("finds texts of like meaning near each other across languages, others far", async () => {
  const [asked, near, far] = await vectorsOf(["traducir contratos", "translate contracts", "weather in Oslo"]);
  expect(product(asked!, asked!)).toBeCloseTo(1, 5);
  expect(product(asked!, near!)).toBeCloseTo(1, 5);
  expect(product(asked!, far!)).toBeLessThan(0.5);
});

it("gives each text its vector by index, of length 1, and null where an entry cannot be used", async () => {
  const data = [
    { index: 2, embedding: axis(2) },
    { index: 0, embedding: axis(0) },
    { index: 1, embedding: [1] },
    { index: 3, embedding: axis(3, 0) },
    { index: 4, embedding: axis(4, "1") },
    { index: 5, embedding: axis(5, 1e308).map((n) => (n === 0 ? 1e308 : n)) },
    { index: 6, embedding: axis(6) },
    { index: 6, embedding: axis(7) },
    { index: 99, embedding: axis(1) },
    null,
  ];
  await sim.fail("embeddings", { status: 200, body: { data } });
  const vectors = await vectorsOf(["a", "b", "c", "d", "e", "f", "g", "h"]);
  expect(vectors.map((vector) => vector && [...vector].indexOf(1))).toEqual([0, null, 2, null, null, null, null, null]);
});

it("sends texts cut to whole characters, and an empty one as a space", async () => {
  const vectors = await vectorsOf([`${"x".repeat(MAX_TEXT - 1)}😀`, "", "\ud83d"]);
  expect(vectors.every((vector) => vector?.length === dimensions)).toBe(true);
});

it.each([{ status: 500 }, { status: 429 }, { status: 401 }])("says that answer %# bills nothing", async (plan) => {
  await sim.fail("embeddings", plan);
  expect(await client().vectors(["a"])).toMatchObject({
    kind: "refused",
    failure: { code: "upstream_unavailable" },
  });
});

it.each([
  { data: [] },
  { data: "x" },
  { data: [{ index: 0, embedding: [1, 2] }] },
  { data: Array.from({ length: 65 }, () => ({ index: 0, embedding: axis(0) })) },
  { data: [{ index: 0, embedding: axis(0) }], padding: "x".repeat(maxAnswerBytes(dimensions)) },
])("takes answer %# for one that is paid and of no use", async (body) => {
  await sim.fail("embeddings", { status: 200, body });
  expect(await vectorsOf(["a"])).toEqual([null]);
});

it("does not know whether a text is paid when the answer is no JSON, or breaks off", async () => {
  await sim.fail("embeddings", { status: 200, body: "<html></html>" });
  await unavailable(client().vectors(["a"]));
});

it("says that a missing key and a host that is not there bill nothing", async () => {
  expect(await client({ headers: {} }).vectors(["a"])).toMatchObject({ kind: "refused" });
  expect(await client({ baseUrl: "http://127.0.0.1:1" }).vectors(["a"])).toMatchObject({ kind: "refused" });
});

it("has no vector of another dimension", async () => {
  expect(await vectorsOf(["a"], client({}, 3))).toEqual([null]);
});

it("waits no longer than its limit, and asks no more after ten failures", async () => {
  // Of this clock: the circuit stays open.
  const slow = client({ maxMs: NEVER, signal: undefined, now: () => 0 });
  await sim.fail("embeddings", { hangs: true, times: 10 });
  for (let i = 0; i < 10; i++) await unavailable(slow.vectors(["a"]));
  // The simulator answers again; the circuit is open.
  expect(await slow.vectors(["a"])).toMatchObject({ kind: "refused" });
  expect(await vectorsOf(["a"])).toHaveLength(1);
});

it("refuses more texts than a batch before it sends them", async () => {
  await expect(client().vectors([])).rejects.toThrow(RangeError);
  await expect(client().vectors(Array.from({ length: 65 }, () => "a"))).rejects.toThrow(RangeError);
});
