/** Money that goes round through contracts is nobody's income; who uses the same contract, exchange or bundler loses nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IncomeFacts } from "../../../core/income/facts.ts";
import { LOOP_BLOCKS, loopsOf } from "../../../core/income/loops.ts";
import { computeIncome } from "../../../core/income/stats.ts";
import { forAll } from "../../support/for-all.ts";
import { DAY, factsOf, honest, NOW, none, OWNER, SISTER, type Traffic, WALLET } from "./world.ts";

const SUM = 2_000_000;
const AT = NOW - 20 * DAY;
const [MULTICALL, OTHER, POOL] = ["0xmulticall", "0xother", "0xliquidity"];
type Step = { from: string; to: string; units?: number; at?: number; tx?: string };

/** Transfers and payments in the order given; what goes to the agent's wallet is a payment. Blocks are seconds here. */
function traffic(steps: readonly Step[], accounts: Record<string, number> = {}): Traffic {
  const made = none();
  const contracts = { [MULTICALL!]: null, [OTHER!]: null, [POOL!]: null };
  for (const [address, sent] of Object.entries({ ...contracts, ...accounts })) made.accounts.set(address, sent);
  for (const { from, to, units = SUM, at = AT, tx } of steps) {
    if (to === WALLET) made.payments.push({ payer: from, units, at, tx });
    else made.moves.push({ from, to, units, at, tx });
  }
  return made;
}
/** Two customers with money of their own, so that there is more than one payer. */
const CUSTOMERS = traffic(["0xalice", "0xbob"].map((from) => ({ from, to: WALLET, at: AT - DAY })));
const weighed = (facts: IncomeFacts) => computeIncome(facts, NOW);
const beside = (...some: Traffic[]) => weighed(factsOf(CUSTOMERS, ...some));
const rules = (found: ReturnType<typeof beside>) =>
  found.payments.flatMap(({ payer, removed }) => (/alice|bob/.test(payer) ? [] : [removed?.rule ?? null]));
const organicOf = (found: ReturnType<typeof beside>) => Number(found.figures.windows.at(-1)!.organic.units) - 2 * SUM;
/** From the first account to the second, from there to the third, and so on. */
const way = (tx: string | undefined, ...accounts: string[]): Step[] =>
  accounts.slice(1).map((to, i) => ({ from: accounts[i]!, to, tx }));

/** The ways of one round of money; `at` moves each in time, `tx` puts it into one transaction. */
const WAYS: Record<string, (payer: string, tx?: string) => Step[]> = {
  "through one contract": (payer, tx) => way(tx, OWNER, MULTICALL!, payer, WALLET),
  "through two contracts": (payer, tx) => way(tx, WALLET, MULTICALL!, OTHER!, payer, WALLET),
  "through contracts and accounts": (payer, tx) => way(tx, WALLET, MULTICALL!, "0xe1", "0xe2", payer, WALLET),
  "lent first, and given back by the wallet": (payer, tx) => way(tx, POOL!, payer, WALLET, POOL!),
  "lent first, and given back by another contract": (payer, tx) => way(tx, POOL!, payer, WALLET, OTHER!, POOL!),
  "out of another agent of the owner": (payer, tx) => way(tx, SISTER, MULTICALL!, payer, WALLET),
  "in parts": (payer, tx) => [
    ...[1, 2, 3, 4].map(() => ({ from: OWNER, to: MULTICALL!, units: SUM / 4, tx })),
    ...[1, 2].map(() => ({ from: MULTICALL!, to: payer, units: SUM / 2, tx })),
    { from: payer, to: WALLET, tx },
  ],
  "by way of the payer before": (payer, tx) => way(tx, WALLET, MULTICALL!, `${payer}-first`, payer, WALLET),
};

describe("a round of money in one transaction", () => {
  it.each(Object.entries(WAYS))("is no income: %s", (_, round) => {
    const payers = ["0xp1", "0xp2", "0xp3"];
    const steps = [1, 2, 3, 4, 5, 6].flatMap((n) => payers.flatMap((payer) => round(payer, `0xtx${n}`)));
    const found = beside(traffic(steps, { "0xe1": 1, "0xe2": 1 }));
    expect(rules(found)).toEqual(Array(18).fill("self_funded"));
    expect(organicOf(found)).toBe(0);
  });

  it.each(Object.entries(WAYS))("is no income where the payer then pays in another transaction: %s", (_, round) => {
    const later = { tx: "0xlater", at: AT + 9 * DAY };
    const steps = round("0xp1", "0xtx").map((step) => (step.to === WALLET ? { ...step, ...later } : step));
    expect(organicOf(beside(traffic(steps)))).toBe(0);
  });

  it("is not known before the transaction is read, where accounts in between are not", () => {
    const facts = factsOf(CUSTOMERS, traffic(WAYS["through two contracts"]!("0xp1", "0xtx")));
    const unread = { ...facts, near: { ...facts.near, routes: new Map() } };
    expect(rules(weighed(unread))).toEqual(["unread"]);
    expect(rules(weighed(facts))).toEqual(["self_funded"]);
    const one = factsOf(CUSTOMERS, traffic(WAYS["through one contract"]!("0xp1", "0xtx")));
    expect(rules(weighed({ ...one, near: { ...one.near, routes: new Map() } }))).toEqual(["self_funded"]);
  });

  it("hides in no crowd: of a payer with more transfers than are read, what is left is not known; of others it is", () => {
    const facts = factsOf(CUSTOMERS, traffic([{ from: "0xp1", to: WALLET }]));
    expect(rules(weighed(facts))).toEqual([null]);
    const found = weighed({ ...facts, near: { ...facts.near, partly: new Set(["0xp1"]) } });
    expect(rules(found)).toEqual(["unread"]);
    expect(organicOf(found)).toBe(0);
  });

  it("removes its payment even where the payer paid more with money of its own", () => {
    const steps = WAYS["through two contracts"]!("0xp1", "0xtx");
    const own = { from: "0xp1", to: WALLET, units: 9 * SUM, at: AT + 60 };
    const found = beside(traffic([...steps, own]));
    expect(rules(found).toSorted()).toEqual([null, "self_funded"].toSorted());
    expect(organicOf(found)).toBe(9 * SUM);
  });
});

describe("a round of money through one account within a minute", () => {
  const through = (blocks: number, source = POOL!) => {
    const given = { from: source, to: "0xp1", at: AT + blocks };
    const steps = [{ from: WALLET, to: source, at: AT }, given, { from: "0xp1", to: WALLET, at: AT + 100 }];
    return traffic(steps, { "0xprivate": 12 });
  };
  it.each([0, 1, LOOP_BLOCKS, -1, -LOOP_BLOCKS])(
    "is no income: the payer had it %i blocks after it was given",
    (blocks) => {
      expect(organicOf(beside(through(blocks)))).toBe(0);
      expect(organicOf(beside(through(blocks, "0xprivate")))).toBe(0);
    },
  );

  it("is not seen in a contract that keeps it longer, nor in an exchange; it is in a private account", () => {
    for (const blocks of [LOOP_BLOCKS + 1, -LOOP_BLOCKS - 1]) expect(organicOf(beside(through(blocks)))).toBe(SUM);
    expect(organicOf(beside(through(LOOP_BLOCKS + 1, "0xprivate")))).toBe(0);
    const exchange = through(5);
    exchange.accounts.set(POOL!, 2_000_000);
    expect(organicOf(beside(exchange))).toBe(SUM);
  });

  it("is not known before the account is read", () => {
    const facts = factsOf(CUSTOMERS, through(5));
    expect(rules(weighed({ ...facts, accounts: new Map() }))).toEqual(["unread"]);
  });

  it("counts as far as the side's money goes", () => {
    const twice = [1, 2].map((n) => ({ from: "0xp1", to: WALLET, at: AT + 100 + n }));
    const given = { from: POOL!, to: "0xp1", units: 2 * SUM, at: AT + 1 };
    const found = beside(traffic([{ from: WALLET, to: POOL!, units: SUM }, given, ...twice]));
    expect(rules(found).toSorted()).toEqual([null, "self_funded"].toSorted());
  });

  it.each(["0xtx", undefined])("is hidden by no other payer through whom money goes as well, and back (%s)", (tx) => {
    const decoy = { from: "0xdecoy", to: WALLET, units: 1_000, at: AT - 60 };
    const lent = WAYS["lent first, and given back by the wallet"]!("0xp1", tx);
    const found = beside(traffic([decoy, ...way(tx, POOL!, "0xdecoy", POOL!), ...lent]));
    expect(organicOf(found)).toBe(0);
  });
});

describe("those who lose nothing", () => {
  it("customers of an exchange in which the agent trades much more in the same minute, or much less", () => {
    for (const units of [100 * SUM, SUM / 4]) {
      const traded = { from: WALLET, to: POOL!, units };
      const withdrawn = { from: POOL!, to: "0xp1", at: AT + 3 };
      const found = beside(traffic([traded, withdrawn, { from: "0xp1", to: WALLET, at: AT + 60 }]));
      expect(organicOf(found)).toBe(SUM);
    }
  });

  it("a customer whose operation is in one transaction with one of the agent's, as a bundler puts them", () => {
    const tx = "0xbundle";
    const bought = { from: WALLET, to: "0xsupplier", units: 5 * SUM, tx };
    const withdrawn = { from: POOL!, to: "0xp1", units: 5 * SUM, tx };
    expect(organicOf(beside(traffic([bought, withdrawn, { from: "0xp1", to: WALLET, tx }])))).toBe(SUM);
  });

  it("all whose payments a facilitator settles in one transaction, sellers that buy of other sellers among them", () => {
    const tx = "0xbatch";
    const payers = Array.from({ length: 20 }, (_, n) => ({ from: `0xpayer${n}`, to: WALLET, tx }));
    const resold = { from: "0xcustomer", to: "0xreseller", units: 1.2 * SUM, tx };
    const supplied = { from: WALLET, to: "0xsupplier", units: 0.8 * SUM, tx };
    const found = beside(traffic([...payers, resold, { from: "0xreseller", to: WALLET, tx }, supplied]));
    expect(rules(found)).toEqual(Array(21).fill(null));
  });

  it("payers that are given money of the side by others, beyond what they were given", () => {
    // A supplier of the agent gives its sum away to a customer, to remove what the customer paid.
    const supplied = { from: WALLET, to: "0xsupplier", units: 100 * SUM, at: AT - DAY };
    const given = { from: "0xsupplier", to: "0xp1", units: 5 * SUM, at: AT - 60 };
    const payments = Array.from({ length: 10 }, (_, n) => ({ from: "0xp1", to: WALLET, at: AT + n }));
    const found = beside(traffic([supplied, given, ...payments], { "0xsupplier": 40 }));
    expect(rules(found).filter((rule) => rule !== null)).toHaveLength(5);
    expect(organicOf(found)).toBe(5 * SUM);
  });

  it("payers whose treasury, or who themselves, sell the agent something for a cent", () => {
    // A stranger offers the agent a service whose receiver is one of its payers, or the account that funds many of them.
    const customers = ["0xp1", "0xp2", "0xp3"];
    const sold = ["0xtreasury", "0xp1"].map((to) => ({ from: WALLET, to, units: 10_000, at: AT - DAY }));
    const funded = customers.map((to) => ({ from: "0xtreasury", to, units: 100 * SUM, at: AT - 60 }));
    const payments = customers.map((from, n) => ({ from, to: WALLET, units: 100 * SUM, at: AT + n }));
    const found = beside(traffic([...sold, ...funded, ...payments], { "0xtreasury": 40_000 }));
    expect(rules(found)).toEqual([null, null, null]);
    expect(organicOf(found)).toBe(300 * SUM);
  });

  it.each([1, 2, 3])("agents without rounds: rules of loops remove nothing of honest traffic (world %i)", (seed) => {
    const facts = factsOf(honest(seed));
    const without = { ...facts, near: { given: [], put: [], routes: new Map(), partly: new Set<string>() } };
    expect(weighed(facts).figures).toEqual(weighed(without).figures);
  });
});

it("payments that were of the group when they were weighed before stay so, and no later ones", () => {
  const payments = [AT, AT + 60].map((at) => ({ from: "0xmoved", to: WALLET, at }));
  const facts = { ...factsOf(CUSTOMERS, traffic(payments)), former: new Map([["0xmoved", AT]]) };
  expect(rules(weighed(facts)).toSorted()).toEqual([null, "own_group"].toSorted());
});

it("no more comes round to a payer than was sent, and no source gives more than it gave", () => {
  const at = fc.integer({ min: 0, max: 3 * LOOP_BLOCKS });
  const units = fc.bigInt({ min: 1n, max: 50n });
  const account = fc.constantFrom("0xa", "0xb", "0xc");
  const txHash = fc.constantFrom("0x1", "0x2", "0x3", "0x4");
  const place = (block: number, txHash: string) => ({ block, txHash: `${txHash}-${block}`, at: block });
  const given = fc.record({ source: account, payer: fc.constantFrom("0xp", "0xq"), units, at, txHash });
  const put = fc.record({ recipient: account, units, at, txHash });
  forAll([fc.array(given), fc.array(put), fc.boolean()], (given, put, isPublic) => {
    const near = {
      given: given.map(({ at, txHash, ...one }) => ({ ...one, ...place(at, txHash) })),
      put: put.map(({ at, txHash, ...one }) => ({ ...one, ...place(at, txHash) })),
      partly: new Set<string>(),
      routes: new Map([["0x1", [["0xa", "0xb"]] as const]]),
    };
    const read = loopsOf(near, () => isPublic).filter(({ isRead }) => isRead);
    const sum = (some: readonly { units: bigint }[]) => some.reduce((all, one) => all + one.units, 0n);
    for (const payer of ["0xp", "0xq"]) expect(sum(read.filter((one) => one.payer === payer)) <= sum(put)).toBe(true);
    for (const source of ["0xa", "0xb", "0xc"])
      expect(
        sum(read.filter((one) => one.source === source)) <= sum(given.filter((one) => one.source === source)),
      ).toBe(true);
    for (const loop of read) expect(loop.units > 0n).toBe(true);
  });
});
