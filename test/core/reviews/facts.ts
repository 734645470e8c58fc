/** Random facts about the reviews of an agent, of few funders, hours and addresses, so that evidence is often shared. */
import fc from "fast-check";
import type { Party, ReviewEntry, ReviewerFacts, ReviewsFacts } from "../../../core/reviews/facts.ts";

export const NOW = 1_800_000_000;
export const HOUR = 3_600;
export const DAY = 86_400;

/** An address by number. */
export const address = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;

/** A reviewer of whom nothing is known. */
export const stranger = (n: number, known: Partial<ReviewerFacts> = {}): ReviewerFacts => ({
  address: address(n),
  ...{
    firstAt: null,
    sent: null,
    previousAt: null,
    funder: null,
    origin: null,
    human: false,
    agentCred: null,
    paid: 0,
  },
  ...{ partners: [], returned: false, rated: [], beganAt: NOW },
  ...known,
});

/** What it wrote, in a transaction of its own. */
export const entry = (n: number, value: number | null, over: Partial<ReviewEntry> = {}): ReviewEntry => ({
  ...{
    reviewer: address(n),
    index: "1",
    value,
    revoked: false,
    at: NOW + n * DAY,
    txHash: `0x${n}`,
    tag: "starred",
    ...over,
  },
});

const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { freq: 2 });
const party: fc.Arbitrary<Party> = fc.record({
  address: fc.integer({ min: 900, max: 905 }).map(address),
  sent: fc.constantFrom(null, 3, 5_000_000),
});
const reviewer = (n: number): fc.Arbitrary<ReviewerFacts> =>
  fc.record({
    address: fc.constant(address(n)),
    firstAt: orNull(fc.constantFrom(NOW - 400 * DAY, NOW - 400 * DAY + 60, NOW - 2 * DAY)),
    sent: orNull(fc.constantFrom(0, 1, 60, 400)),
    previousAt: orNull(fc.constantFrom(NOW - 300 * DAY, NOW - DAY)),
    beganAt: fc.constantFrom(NOW, NOW - DAY),
    funder: orNull(party),
    origin: orNull(party),
    human: fc.boolean(),
    agentCred: orNull(fc.integer({ min: 0, max: 100 })),
    paid: fc.constantFrom(-10, 0, 20_000, 5_000_000),
    partners: fc.array(party, { maxLength: 2 }),
    returned: fc.boolean(),
    rated: fc.array(fc.record({ agent: fc.constantFrom("x", "y"), reviewers: fc.integer({ min: 1, max: 12 }) }), {
      maxLength: 2,
    }),
  });
const entriesOf = (n: number): fc.Arbitrary<ReviewEntry[]> =>
  fc
    .array(
      fc.record({
        value: fc.option(
          fc.integer({ min: 0, max: 1_000 }).map((tenths) => tenths / 10),
          { freq: 9 },
        ),
        revoked: fc.constantFrom(false, false, false, true),
        at: fc.integer({ min: 0, max: 20 }).map((hours) => NOW + hours * HOUR),
        txHash: fc.constantFrom("0xa", "0xb", `0x${n}`),
        tag: fc.constantFrom("starred", "uptime", ""),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((all) => all.map((one, i) => ({ ...one, reviewer: address(n), index: String(i + 1) })));

/** Up to 14 reviewers, and an owner who may be one of them. */
export const anyFacts: fc.Arbitrary<ReviewsFacts> = fc.integer({ min: 1, max: 14 }).chain((number) => {
  const numbers = Array.from({ length: number }, (_, i) => i + 1);
  return fc.record({
    side: fc.array(
      fc.record({
        address: fc.constantFrom(address(1), address(700), address(901)),
        funder: orNull(party),
        partners: fc.array(party, { maxLength: 1 }),
      }),
      { maxLength: 2 },
    ),
    reviewers: fc.tuple(...numbers.map(reviewer)),
    reviews: fc.tuple(...numbers.map(entriesOf)).map((all) => all.flat()),
  });
});
