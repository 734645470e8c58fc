/** Raw and organic income: loops count nothing, honest payments stay, and nobody can take from an agent by sending money around. */
import fc from "fast-check";
import { zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import type { Funding, IncomeFacts } from "../../../core/income/facts.ts";
import { MIN_MOVED_UNITS, REMOVED } from "../../../core/income/rules.ts";
import { computeIncome, type IncomeWindow } from "../../../core/income/stats.ts";
import { forAll } from "../../support/for-all.ts";
import { DAY, factsOf, honest, NOW, none, ONE_CLUSTER, OWNER, SISTER, type Traffic, WALLET, WASH } from "./world.ts";

const quarter = (facts: IncomeFacts): IncomeWindow => computeIncome(facts, NOW).figures.windows.at(-1)!;
const units = (of: bigint | number) => Number(of) / 1e6;
const SIZE = 50;

describe("loops", () => {
  it("are at least ten kinds", () => {
    expect(Object.keys({ ...WASH, ...ONE_CLUSTER }).length).toBeGreaterThanOrEqual(10);
  });

  it.each(Object.entries({ ...WASH, ...ONE_CLUSTER }))("count nothing: %s", (_, loop) => {
    const { raw, organic } = quarter(factsOf(loop(SIZE)));
    expect(raw.payments).toBe(SIZE);
    expect(organic).toEqual({ payments: 0, units: 0n, payers: 0, repeatPayers: 0 });
  });

  it.each(Object.entries(WASH))("count nothing beside honest traffic: %s", (_, loop) => {
    const alone = quarter(factsOf(honest(7)));
    const beside = quarter(factsOf(honest(7), loop(SIZE)));
    expect(beside.raw.payments).toBe(alone.raw.payments + SIZE);
    expect(beside.organic).toEqual(alone.organic);
  });

  it.each(Object.entries(ONE_CLUSTER))("are one payer beside honest traffic: %s", (_, loop) => {
    const alone = quarter(factsOf(honest(8)));
    expect(quarter(factsOf(honest(8), loop(SIZE))).organic.payers).toBe(alone.organic.payers + 1);
  });
});

describe("honest payments", () => {
  it.each([1, 2, 3, 4, 5])("stay, apart from those that were given back (world %i)", (seed) => {
    const { raw, organic, removed } = quarter(factsOf(honest(seed)));
    const refunds = removed.find(({ rule }) => rule === "refunded")!;
    expect(raw.refunds).toEqual({ payments: refunds.payments, units: refunds.units });
    expect(refunds.payments).toBeGreaterThan(0);
    const lost = raw.payments - organic.payments - refunds.payments;
    expect(lost / raw.payments).toBeLessThanOrEqual(0.01);
    const kept = computeIncome(factsOf(honest(seed)), NOW).payments.filter((one) => one.removed?.rule !== "refunded");
    expect(organic.payers).toBeGreaterThanOrEqual(0.99 * new Set(kept.map(({ payer }) => payer)).size);
  });

  it("stay where the payers' money was minted, as by a bridge, and the agent had some burnt", () => {
    const minted: Traffic = none();
    minted.accounts.set(zeroAddress, 0);
    minted.moves.push({ from: WALLET, to: zeroAddress, units: 9_000_000, at: NOW - 80 * DAY });
    for (const payer of ["0xone", "0xtwo"]) {
      minted.moves.push({ from: zeroAddress, to: payer, units: 5_000_000, at: NOW - 70 * DAY });
      minted.payments.push({ payer, units: 2_000_000, at: NOW - 9 * DAY });
    }
    expect(quarter(factsOf(minted)).organic).toMatchObject({ payments: 2, payers: 2 });
  });

  it("stay whoever sends their payers a little, and whomever the agent pays", () => {
    const calm = honest(9, 40);
    const noise: Traffic = none();
    noise.accounts.set("0xsupplier", 12);
    noise.moves.push({ from: WALLET, to: "0xsupplier", units: 5_000_000, at: NOW - 89 * DAY });
    for (const payer of new Set(calm.payments.map((one) => one.payer)))
      noise.moves.push({ from: "0xsupplier", to: payer, units: Number(MIN_MOVED_UNITS), at: NOW - 80 * DAY });
    const before = quarter(factsOf(calm));
    const after = quarter(factsOf(calm, noise));
    // Who paid a cent or two in all can be paid back by anybody.
    expect(units(after.organic.units)).toBeGreaterThan(0.99 * units(before.organic.units));
  });

  it("stay whoever sends payers a cent who were given nothing of late", () => {
    const calm: Traffic = none();
    const noise: Traffic = none();
    for (const payer of ["0xone", "0xtwo", "0xthree"]) {
      calm.payments.push({ payer, units: 2_000_000, at: NOW - 9 * DAY });
      noise.moves.push({ from: "0xrival", to: payer, units: Number(MIN_MOVED_UNITS), at: NOW - 8 * DAY });
    }
    noise.payments.push({ payer: "0xrival", units: 1, at: NOW - 8 * DAY });
    expect(quarter(factsOf(calm, noise)).organic).toMatchObject({ payments: 3, payers: 3 });
  });

  it("stay whoever gives the owner an agent, and its payers a cent out of that agent's wallet", () => {
    const calm = honest(11, 40);
    const noise: Traffic = none();
    const payers = new Set(calm.payments.filter((one) => one.units > 50_000).map((one) => one.payer));
    for (const payer of payers) noise.moves.push({ from: SISTER, to: payer, units: 10_001, at: NOW - 89 * DAY });
    expect(payers.size).toBeGreaterThan(10);
    const before = quarter(factsOf(calm)).organic;
    expect(quarter(factsOf(calm, noise)).organic).toMatchObject({ payments: before.payments, units: before.units });
    const one = { payer: "0xp", units: 2_000_000, at: NOW - 9 * DAY };
    const half = { from: SISTER, to: "0xp", units: 1_000_000, at: NOW - 10 * DAY };
    const { payments } = computeIncome(factsOf(calm, { ...none(), payments: [one], moves: [half] }), NOW);
    expect(payments.find(({ payer }) => payer === "0xp")!.removed).toEqual({ rule: "self_funded", through: SISTER });
  });

  it("of payers with one source are of one, however often they were refunded", () => {
    const traffic: Traffic = none();
    for (const payer of ["0xone", "0xtwo"]) {
      traffic.moves.push({ from: "0xhub", to: payer, units: 2_000_000, at: NOW - 80 * DAY });
      for (const days of [70, 60, 50, 40]) {
        traffic.payments.push({ payer, units: 2_000_000, at: NOW - days * DAY });
        if (days > 40) traffic.moves.push({ from: WALLET, to: payer, units: 2_000_000, at: NOW - (days - 5) * DAY });
      }
    }
    const { organic, removed } = quarter(factsOf(traffic));
    expect([organic.payments, removed.map(({ rule }) => rule)]).toEqual([0, ["refunded", "one_payer"]]);
  });

  it("do not count before their payers' money is read, nor before an account in between is looked at", () => {
    const traffic = honest(10, 30);
    const facts = factsOf(traffic);
    const { organic, removed } = quarter({ ...facts, read: new Map() });
    expect(organic.payments).toBe(0);
    expect(removed.map(({ rule }) => rule)).toContain("unread");
    // Followed is not read: nobody knows yet where the money of a payment behind that came from.
    const last = Math.max(...traffic.payments.map(({ at }) => at));
    const half = (read: number) =>
      quarter({ ...facts, read: new Map([...facts.read.keys()].map((one) => [one, read])) });
    expect(half(last).organic).toEqual(quarter(facts).organic);
    expect(half(last - 1).organic.payments).toBe(quarter(facts).organic.payments - 1);
    expect(half(0).organic.payments).toBe(0);
    const loop = factsOf(WASH["payers are funded through one account"]!(5), traffic);
    const of = (some: IncomeFacts, payer: string) =>
      computeIncome(some, NOW).payments.find((one) => one.payer === payer)!.removed;
    expect(of({ ...loop, accounts: new Map() }, "0xhop3")).toEqual({ rule: "unread", through: null });
    expect(of(loop, "0xhop3")).toEqual({ rule: "self_funded", through: "0xbetween" });
    expect(of({ ...loop, accounts: new Map([...loop.accounts, ["0xbetween", null]]) }, "0xhop3")).toBe(null);
    expect(of({ ...loop, accounts: new Map([...loop.accounts, ["0xbetween", 2_000_000]]) }, "0xhop3")).toBe(null);
  });
});

describe("a payment", () => {
  const removedOf = (traffic: Traffic) => computeIncome(factsOf(honest(3, 5), traffic), NOW).payments;
  it("names the first rule that holds, and through whom", () => {
    const traffic = none();
    traffic.payments.push(
      { payer: OWNER, units: 10, at: NOW - 10 },
      { payer: "0xp", units: 40_000, at: NOW - 50 },
      { payer: "0xp", units: 30_000, at: NOW - 40 },
      { payer: "0xp", units: 999, at: NOW - 39 },
      { payer: "0xp", units: 30_000, at: NOW - 20 },
    );
    traffic.moves.push(
      { from: WALLET, to: "0xp", units: 40_000, at: NOW - 45 },
      { from: WALLET, to: "0xp", units: 60_000, at: NOW - 30 },
    );
    const found = removedOf(traffic).filter(({ payer }) => !payer.startsWith("0xhonest"));
    expect(found.map(({ removed }) => removed?.rule)).toEqual(["self", "self_funded", "dust", "circular", "refunded"]);
  });

  it("given back once is given back once: the later of two alike", () => {
    const traffic = none();
    for (const at of [50, 40, 30]) traffic.payments.push({ payer: "0xp", units: 20_000, at: NOW - at });
    traffic.moves.push({ from: WALLET, to: "0xp", units: 20_000, at: NOW - 35 });
    const found = removedOf(traffic).filter(({ payer }) => payer === "0xp");
    expect(found.map(({ removed }) => removed?.rule ?? null)).toEqual([null, "refunded", null]);
  });

  it("stays when another agent of the owner gave back what it had received itself", () => {
    const traffic = none();
    traffic.payments.push({ payer: "0xp", units: 20_000, at: NOW - 50 });
    traffic.moves.push({ from: SISTER, to: "0xp", units: 30_000, at: NOW - 30 });
    const facts = factsOf(honest(3, 5), traffic);
    const of = (elsewhere: IncomeFacts["elsewhere"]) =>
      computeIncome({ ...facts, elsewhere }, NOW).payments.find(({ payer }) => payer === "0xp")!.removed?.rule ?? null;
    expect(of([])).toBe("circular");
    expect(of([{ payer: "0xp", units: 30_000n, at: NOW - 40 }])).toBe(null);
    expect(of([{ payer: "0xp", units: 30_000n, at: NOW - 20 }])).toBe("circular");
  });

  it("is in the windows that its time is in", () => {
    const traffic = none();
    for (const days of [1, 20, 80]) traffic.payments.push({ payer: `0xp${days}`, units: 5_000, at: NOW - days * DAY });
    const { windows } = computeIncome(factsOf(traffic), NOW).figures;
    expect(windows.map(({ days, raw, organic }) => [days, raw.payers, organic.payers])).toEqual([
      [7, 1, 1],
      [30, 2, 2],
      [90, 3, 3],
    ]);
  });
});

it("no order of facts matters, all that is removed names its rule, and raw is organic and removed", () => {
  const address = fc.integer({ min: 0, max: 9 }).map((n) => `0x${n}`);
  const at = fc.oneof(fc.integer({ min: NOW - 100 * DAY, max: NOW }), fc.integer({ min: NOW - 60, max: NOW }));
  const tx = fc.constantFrom("0xa", "0xb", undefined);
  const payment = fc.record({ payer: address, units: fc.integer({ min: 1, max: 60_000 }), at, tx });
  const move = fc.record({
    from: fc.constantFrom(WALLET, OWNER, "0x1", "0x2", "0xa"),
    to: fc.oneof(address, fc.constant("0xa")),
    units: fc.integer({ min: 1, max: 60_000 }),
    ...{ at, tx },
  });
  const accounts = fc.array(fc.tuple(address, fc.constantFrom(3, null, 5_000_000)));
  const keys = REMOVED.map(({ key }) => key);
  forAll(
    [fc.array(payment), fc.array(move), accounts, fc.infiniteStream(fc.nat())],
    (payments, moves, known, order) => {
      const facts = factsOf({ payments, moves, accounts: new Map(known) });
      const weighed = computeIncome(facts, NOW);
      const shuffled = <T>(list: readonly T[]): T[] =>
        list
          .map((one) => [order.next().value, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one);
      // Transfers of one moment have no order of their own here: they are told apart by their time.
      const times = new Set(facts.funding.map((one: Funding) => one.at));
      if (times.size === facts.funding.length)
        expect(
          computeIncome({ ...facts, payments: shuffled(facts.payments), funding: shuffled(facts.funding) }, NOW),
        ).toEqual(weighed);
      for (const { removed } of weighed.payments) if (removed) expect(keys).toContain(removed.rule);
      for (const { raw, organic, removed } of weighed.figures.windows) {
        expect(organic.payments + removed.reduce((sum, one) => sum + one.payments, 0)).toBe(raw.payments);
        expect(organic.units + removed.reduce((sum, one) => sum + one.units, 0n)).toBe(raw.units);
        expect(organic.payers).toBeLessThanOrEqual(raw.payers);
        expect(organic.repeatPayers).toBeLessThanOrEqual(organic.payers);
      }
    },
  );
});
