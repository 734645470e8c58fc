/** What is a change of an offer, and what only looks like one: through the readers, as hosts write their documents. */
import { expect, it } from "vitest";
import { canonicalHash } from "../../core/canonical-json.ts";
import type { OfferChange } from "../../core/offers/offer-change.ts";
import { continued, differences, folded, versionOf } from "../../core/offers/offer-versions.ts";
import { OFFER_READERS } from "../../core/offers/readers.ts";
import { pick, randomOf } from "../../harness/random.ts";
import {
  answerOf,
  type HostDocument,
  type Kind,
  mutated,
  rewritten,
  someDocument,
} from "../support/offer-documents.ts";
import { SEED } from "../support/seed.ts";

const KINDS: readonly Kind[] = ["mcp", "agent_card", "x402", "priced"];
const random = randomOf(SEED);
const URL_OF: Record<Kind, string> = {
  ...{ mcp: "https://a.example/mcp", agent_card: "https://a.example/card.json" },
  ...{ x402: "https://a.example/paid", priced: "https://a.example/" },
};

async function read(kind: Kind, text: string) {
  const url = URL_OF[kind];
  const send = async (request: object, take: (answer: never) => unknown) =>
    take({ url, ...answerOf(kind, text, request, random) } as never);
  const reading = await OFFER_READERS[kind === "priced" ? "x402" : kind].read(url, send as never, {}, null);
  if (reading.kind !== "offers") throw new Error(`${kind}: ${JSON.stringify(reading)} of ${text}`);
  return versionOf(reading.offers);
}
const readOf = ({ kind, document }: HostDocument) => read(kind, JSON.stringify(document));
/** As the database gives it back: keys in another order. */
const stored = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).reverse())
      : each,
  );
const isTold = ({ added, removed, changed, prices, payTo }: OfferChange, told: string) =>
  ({ content: added.length + removed.length + changed.length, prices: prices.length, payTo: payTo.length })[told]! > 0;

it("1,000 documents that mean something else are told, each as what it is", async () => {
  const missed: unknown[] = [];
  for (let i = 0; i < 1_000; i++) {
    const one = someDocument(random, pick(random, KINDS));
    const other = mutated(random, one);
    const [before, after] = [await readOf(one), await read(one.kind, rewritten(random, other.document))];
    const change = differences(stored(before), after);
    if (!change || !isTold(change, other.told) || canonicalHash(before) === canonicalHash(after))
      missed.push([one.kind, other.told, JSON.stringify(one.document), JSON.stringify(other.document)]);
  }
  expect(missed).toEqual([]);
});

it("1,000 documents that mean the same, written another way, are no change", async () => {
  const alarms: unknown[] = [];
  for (let i = 0; i < 1_000; i++) {
    const one = someDocument(random, pick(random, KINDS));
    const text = rewritten(random, one.document);
    const [before, after] = [await readOf(one), await read(one.kind, text)];
    const change = differences(stored(before), after);
    if (change || canonicalHash(before) !== canonicalHash(after))
      alarms.push([change, JSON.stringify(one.document), text]);
  }
  expect(alarms).toEqual([]);
});

it("what was read in part tells what came and what is another, and takes nothing away", async () => {
  const tools = ["a", "b", "c"].map((name) => ({ name, description: name }));
  const readTools = (some: object[]) => read("mcp", JSON.stringify({ tools: some }));
  const before = await readTools(tools);
  const part = await readTools([{ name: "a", description: "another" }, { name: "d" }]);
  const after = continued(before, part, true);
  expect(differences(before, after)).toMatchObject({ added: ["d"], removed: [], changed: [{ name: "a" }] });
  expect(canonicalHash(continued(before, await readTools(tools.slice(1)), true))).toBe(canonicalHash(before));
});

it("what is told is bounded, and what is left out is counted", async () => {
  const card = (say: string, from: number) => ({
    ...{ name: "A", url: "https://a.example/" },
    skills: Array.from({ length: 60 }, (_, i) => ({
      id: "s",
      name: `${"n".repeat(90)} ${from + i}`,
      description: say,
    })),
  });
  const readCard = (say: string, from: number) => read("agent_card", JSON.stringify(card(say, from)));
  const [one, other, third] = [await readCard("one", 0), await readCard("other", 0), await readCard("one", 100)];
  const changes = [differences(one, other)!, differences(other, third)!] as const;
  expect(changes[0]).toMatchObject({ changed: { length: 24 }, more: 36 });
  const fold = folded(...changes);
  expect(fold).toMatchObject({ added: { length: 24 }, removed: { length: 24 }, changed: { length: 24 }, more: 108 });
  expect(JSON.stringify(fold).length).toBeLessThan(12_000);
});
