/** Verdicts before payments: none allows a hostile endpoint, none denies an honest one, and each can be replayed. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalBytes } from "../../../core/canonical-json.ts";
import { computeIncome } from "../../../core/income/stats.ts";
import type { PreflightInputs } from "../../../core/preflight/facts.ts";
import { policyOf, type Thresholds } from "../../../core/preflight/policy.ts";
import { type Preflight, preflight } from "../../../core/preflight/preflight.ts";
import { EFFECTS, type Effect } from "../../../core/preflight/reasons.ts";
import { unitsAsText } from "../../../core/units-text.ts";
import { forAll } from "../../support/for-all.ts";
import { factsOf, honest, NOW as INCOME_NOW, WASH } from "../income/world.ts";
import { accept, addressOf, ago, KINDS, type KindName, planted } from "./world.ts";

const kinds = Object.keys(KINDS) as KindName[];
/** Half of the seeds were looked at while rules and numbers were made, half were not. */
const SEEDS = { tuned: [1, 17], held_out: [1_001, 1_017] } as const;
const keysOf = ({ reasons }: Preflight) => reasons.map(({ key }) => key);
const rankOf = ({ verdict }: Preflight) => EFFECTS.indexOf(verdict);
const textOf = (value: object) => Buffer.from(canonicalBytes(value)).toString();

for (const [half, [from, to]] of Object.entries(SEEDS))
  it(`204 planted endpoints, ${half}: no hostile one is allowed, no honest one denied, no unknown one rated`, () => {
    const seeds = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const found = Object.fromEntries(
      kinds.map((kind) => [kind, Object.groupBy(seeds, (seed) => preflight(planted(kind, seed)).verdict)]),
    ) as Record<KindName, Partial<Record<Effect, number[]>>>;
    const of = (effect: Effect, isHostile: boolean) =>
      kinds.flatMap((kind) => (KINDS[kind].isHostile === isHostile ? (found[kind][effect] ?? []) : []));
    expect(of("allow", true)).toEqual([]);
    expect(of("deny", false)).toEqual([]);
    expect(Object.keys(found.unknown)).toEqual(["unrated"]);
    // An answer that is always "review" would pass too.
    expect(Object.keys(found.honest)).toEqual(["allow"]);
    expect(found["payTo switched"].deny?.length).toBeGreaterThan(4);
    expect(Object.keys(found["payTo switched and read again"])).toEqual(["deny"]);
    expect(Object.keys(found.impostor)).toContain("deny");
    expect(Object.keys(found.flapping).toSorted()).toEqual(["allow", "review"]);
  });

it("replayed from what it records, a verdict has the same bytes", () => {
  for (const kind of kinds)
    for (let seed = 1; seed <= 20; seed++) {
      const text = textOf(preflight(planted(kind, seed)));
      expect(textOf(preflight((JSON.parse(text) as Preflight).inputs))).toBe(text);
    }
});

it("allows to pay its proven wallet and nobody else, up to what three independent payers have each paid", () => {
  const inputs = planted("honest", 3);
  const { payTo, maxAmount, verdict, validUntil } = preflight(inputs);
  expect([verdict, payTo?.toLowerCase(), validUntil]).toEqual(["allow", inputs.facts!.wallet, ago(-120_000)]);
  expect(BigInt(Math.round(Number(maxAmount) * 1e6))).toBe(BigInt(inputs.facts!.income!.voices[2]!));
});

const base = planted("honest", 3);
const facts = base.facts!;
const asks = (asked: Partial<PreflightInputs["asked"]>, more: Partial<PreflightInputs> = {}): PreflightInputs => ({
  ...base,
  asked: { ...{ agent: null, url: facts.endpoints[0]!.url, amount: null, payTo: null, terms: [] }, ...asked },
  ...more,
});
const stale = { ...facts, endpoints: [{ ...facts.endpoints[0]!, answeredAt: ago(73 * 3_600_000) }] };
it.each<[string, PreflightInputs, Effect, string]>([
  [
    "an amount beyond the evidence",
    asks({ url: null, agent: facts.agent, amount: "99000000" }),
    "review",
    "amount_beyond",
  ],
  ["more than the policy lets anybody pay", asks({ amount: "100000001" }), "review", "amount_beyond"],
  ["a receiver by its name alone", asks({ payTo: addressOf(99) }), "deny", "payee_switched"],
  ["its wallet in capitals", asks({ payTo: facts.wallet!.toUpperCase().replace("0X", "0x") }), "allow", "payee_proven"],
  [
    "a price in another token",
    asks({ terms: [{ ...accept(facts.wallet!, 1), asset: addressOf(5) }] }),
    "review",
    "terms_elsewhere",
  ],
  [
    "another network alone",
    asks({ terms: [{ ...accept(facts.wallet!, 1), network: "eip155:1" }] }),
    "review",
    "terms_elsewhere",
  ],
  ["a URL without a listed price", asks({}, { facts: { ...facts, listed: [] } }), "review", "terms_unlisted"],
  ["facts of long ago", asks({}, { facts: stale }), "review", "fact_old"],
  [
    "terms of which one is in another token",
    asks({ terms: [facts.listed[0]!, { ...facts.listed[0]!, asset: addressOf(9) }] }),
    "review",
    "terms_elsewhere",
  ],
  [
    "what an agent sells in a document, where the endpoint is another's",
    asks(
      { agent: facts.agent },
      {
        facts: {
          ...facts,
          endpoints: [{ ...facts.endpoints[0]!, url: "https://host-1.example/openapi.json" }],
          others: ["erc8004-2"],
        },
      },
    ),
    "deny",
    "endpoint_of_another",
  ],
  [
    "a token that was sold last week",
    asks({}, { facts: { ...facts, heldSince: ago(7 * 86_400_000) } }),
    "review",
    "held_shortly",
  ],
  [
    "an endpoint that answers 89 % of the time",
    asks({}, { facts: { ...facts, endpoints: [{ ...facts.endpoints[0]!, uptime: 0.899 }] } }),
    "review",
    "unsteady",
  ],
  [
    "live terms that cannot be read",
    asks({}, { live: { readAt: ago(0), terms: null, why: "Silent." } }),
    "review",
    "live_failed",
  ],
])("%s", (_, inputs, verdict, key) => {
  const found = preflight(inputs);
  expect([found.verdict, keysOf(found)]).toEqual([verdict, expect.arrayContaining([key])]);
});

it("a payTo that left the proven wallet lately is denied by its history, and one that is the wallet is not", () => {
  const left = { ...facts.endpoints[0]!, walletUntil: ago(86_400_000) };
  const switched = { ...facts, endpoints: [left], listed: [accept(addressOf(99), 1_000)] };
  const denied = preflight(asks({}, { facts: switched }));
  expect(denied.reasons[0]).toMatchObject({
    ...{ key: "payee_switched", asOf: left.walletUntil, ageSeconds: 86_400 },
    evidence: `/api/v2/agent/${facts.agent}/offers/history`,
  });
  // Another wallet has become the agent's own, and is paid.
  const own = { ...switched, wallet: addressOf(99) };
  expect(keysOf(preflight(asks({}, { facts: own })))).not.toContain("payee_switched");
});

const tighter = fc.record(
  {
    maxUnits: fc.integer({ min: 1, max: 200_000_000 }),
    minPayers: fc.integer({ min: 0, max: 20 }),
    minHeldDays: fc.integer({ min: 0, max: 500 }),
    switchedDays: fc.integer({ min: 0, max: 500 }),
    maxSilentHours: fc.integer({ min: 0, max: 24 }),
    minUptime: fc.integer({ min: 0, max: 100 }),
    maxFactHours: fc.integer({ min: 1, max: 100 }),
    minCred: fc.integer({ min: 0, max: 100 }),
  },
  { requiredKeys: [] },
);
it("a caller's thresholds never make a verdict lighter or an amount larger, and are told as the caller's", () => {
  forAll([fc.constantFrom(...kinds), fc.integer({ min: 1, max: 500 }), tighter], (kind, seed, thresholds) => {
    const inputs = planted(kind, seed);
    const [plain, own] = [preflight(inputs), preflight({ ...inputs, thresholds: thresholds as Partial<Thresholds> })];
    expect(rankOf(own)).toBeGreaterThanOrEqual(rankOf(plain));
    expect(Number(own.maxAmount)).toBeLessThanOrEqual(Number(plain.maxAmount));
    expect(own.policy.hash === plain.policy.hash).toBe(own.policy.callers.length === 0);
    if (rankOf(own) > rankOf(plain)) expect(own.reasons.some(({ threshold }) => threshold !== null)).toBe(true);
  });
  expect(policyOf({ minPayers: 1, maxUnits: 1e12 })).toEqual(policyOf({}));
});

it("money that goes round moves no amount, whatever stands beside it", () => {
  const voicesOf = (...traffic: Parameters<typeof factsOf>) =>
    unitsAsText(computeIncome(factsOf(...traffic), INCOME_NOW).figures.voices);
  const customers = honest(4, 40);
  const before = voicesOf(customers);
  expect(Number(before[2])).toBeGreaterThan(0);
  for (const [, loop] of Object.entries(WASH)) {
    expect(Number(voicesOf(loop(60))[2] ?? 0)).toBe(0);
    expect(voicesOf(customers, loop(60))).toEqual(before);
  }
});

it("what was paid in the last week supports nothing yet", () => {
  const customers = honest(4, 40);
  const late = { ...customers, payments: customers.payments.map((one) => ({ ...one, at: INCOME_NOW - 6 * 86_400 })) };
  expect(computeIncome(factsOf(late), INCOME_NOW).figures.voices).toEqual([]);
});
