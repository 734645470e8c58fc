/** Payments as a chain would have them: honest traffic of an agent, and loops that make its income look larger. */
import type { Funding, IncomeFacts, NearMoney, ReceivedPayment } from "../../../core/income/facts.ts";
import { between, pick, randomOf } from "../../../harness/random.ts";

export const NOW = 1_790_000_000;
export const DAY = 86_400;
const CENT = 10_000;

export type Traffic = {
  payments: { payer: string; units: number; at: number; tx?: string }[];
  /** All transfers beside the payments. Those of one `tx` are of one transaction. */
  moves: { from: string; to: string; units: number; at: number; tx?: string }[];
  accounts: Map<string, number | null>;
};
export const WALLET = "0xagent";
export const OWNER = "0xowner";
/** Another agent's wallet, of the same owner. */
export const SISTER = "0xsister";
const EXCHANGE = "0xexchange";
const POOL = "0xpool";

export const none = (): Traffic => ({ payments: [], moves: [], accounts: new Map() });

type Move = Traffic["moves"][number];
const place = ({ at, tx }: { at: number; tx?: string }, i: number) => ({ block: at, txHash: tx ?? `0x${at}-${i}` });

/** What the reader of the chain makes of transfers; every transaction is read. */
function nearOf(moves: readonly Move[], payers: ReadonlySet<string>, side: readonly string[]): NearMoney {
  const all = moves.map((one, i) => ({ ...one, ...place(one, i), units: BigInt(one.units) }));
  return {
    given: all.flatMap(({ from, to, ...one }) =>
      payers.has(to) && !side.includes(from) ? [{ payer: to, source: from, ...one }] : [],
    ),
    put: all
      .filter(({ from, to }) => side.includes(from) && !side.includes(to))
      .map(({ to, ...one }) => ({ recipient: to, ...one })),
    partly: new Set<string>(),
    routes: new Map(
      [...Map.groupBy(all, ({ txHash }) => txHash)].map(([tx, of]) => [tx, of.map((one) => [one.from, one.to])]),
    ),
  };
}

/** What the reader of the chain makes of traffic. */
export function factsOf(...traffic: Traffic[]): IncomeFacts {
  const payments = traffic.flatMap((one) => one.payments);
  const moves = traffic.flatMap((one) => one.moves).filter(({ units }) => units >= CENT);
  const payers = new Set(payments.map(({ payer }) => payer));
  const side = [WALLET, OWNER, SISTER];
  const sent = new Map<string, { at: number; units: bigint }>();
  for (const { from, to, at, units } of moves) {
    const before = sent.get(to) ?? { at, units: 0n };
    if (side.includes(from)) sent.set(to, { at: Math.min(at, before.at), units: before.units + BigInt(units) });
  }
  return {
    ...{
      wallet: WALLET,
      owner: OWNER,
      group: [SISTER],
      elsewhere: [],
      former: new Map(),
      near: nearOf(moves, payers, side),
      sent,
      read: new Map([...payers].map((one) => [one, NOW])),
    },
    payments: payments
      .toSorted((a, b) => a.at - b.at)
      .map(
        ({ payer, units, at, tx }, i): ReceivedPayment => ({
          ...{ ...place({ at, tx }, i), logIndex: i, at, payer, units: BigInt(units) },
        }),
      ),
    funding: moves.flatMap(({ from, to, units, at }): Funding[] =>
      payers.has(to) ? [{ payer: to, source: from, units: BigInt(units), at }] : [],
    ),
    accounts: new Map(traffic.flatMap((one) => [...one.accounts])),
  };
}

/** Customers of many kinds, money from everywhere, refunds, an owner who spends and cashes out. */
export function honest(seed: number, customers = 300): Traffic {
  const random = randomOf(seed);
  const found = none();
  const { payments, moves, accounts } = found;
  const time = () => NOW - between(random, 0, 89 * DAY);
  accounts.set(EXCHANGE, 40_000_000).set(POOL, null);
  for (let i = 0; i < customers; i++) {
    const payer = `0xhonest${i}`;
    const came = NOW - 89 * DAY + between(random, 0, 60 * DAY);
    const friend = `0xfriend${i}`;
    accounts.set(friend, between(random, 0, 3_000));
    const sources = [EXCHANGE, EXCHANGE, POOL, friend];
    for (let n = between(random, 0, 3); n > 0; n--)
      moves.push({ from: pick(random, sources), to: payer, units: between(random, 1, 5_000) * CENT, at: came - n });
    for (let n = between(random, 1, 12); n > 0; n--) {
      const payment = {
        payer,
        units: pick(random, [1_000, CENT, 50_000, 1_000_000]),
        at: came + between(random, 0, 28 * DAY),
      };
      payments.push(payment);
      if (payment.units >= CENT && random() < 0.01)
        moves.push({ from: WALLET, to: payer, units: payment.units, at: payment.at + 3_600 });
    }
  }
  // The owner cashes out at the exchange and in the pool, where customers have their money from, and pays others.
  for (let i = 0; i < 40; i++)
    moves.push({
      from: pick(random, [WALLET, OWNER]),
      to: pick(random, [EXCHANGE, POOL, `0xsupplier${i}`]),
      units: 900 * CENT,
      at: time(),
    });
  return found;
}

/** A loop around the agent: what it pays, and whence the money comes or whither it goes. @param size number of payments */
export type Loop = (size: number) => Traffic;

const each = (size: number, of: (i: number, at: number, traffic: Traffic) => void): Traffic => {
  const traffic = none();
  for (let i = 0; i < size; i++) of(i, NOW - 40 * DAY + i * 600, traffic);
  return traffic;
};
const UNITS = 500_000;
const pays = (payer: string, at: number, units = UNITS) => ({ payer, at, units });

/** Loops whose money is of the agent's side, or goes back to it: nothing of them counts, whatever stands beside. */
export const WASH: Record<string, Loop> = {
  "the owner pays": (size) => each(size, (_, at, { payments }) => payments.push(pays(OWNER, at))),
  "the wallet pays itself": (size) => each(size, (_, at, { payments }) => payments.push(pays(WALLET, at))),
  "the owner's other agent pays": (size) => each(size, (_, at, { payments }) => payments.push(pays(SISTER, at))),
  "the owner funds fresh payers": (size) =>
    each(size, (i, at, { payments, moves }) => {
      moves.push({ from: OWNER, to: `0xfresh${i}`, units: UNITS, at: at - 60 });
      payments.push(pays(`0xfresh${i}`, at));
    }),
  "the sister funds fresh payers": (size) =>
    each(size, (i, at, { payments, moves }) => {
      moves.push({ from: SISTER, to: `0xfresh${i}`, units: UNITS, at: at - 60 });
      payments.push(pays(`0xfresh${i}`, at));
    }),
  "money goes back afterwards, less a share": (size) =>
    each(size, (i, at, { payments, moves }) => {
      payments.push(pays(`0xback${i}`, at));
      moves.push({ from: WALLET, to: `0xback${i}`, units: UNITS - 20_000, at: at + 60 });
    }),
  "money goes back in full": (size) =>
    each(size, (i, at, { payments, moves }) => {
      payments.push(pays(`0xback${i}`, at));
      moves.push({ from: WALLET, to: `0xback${i}`, units: UNITS, at: at + 60 });
    }),
  "one dollar goes round and round": (size) =>
    each(size, (_, at, { payments, moves }) => {
      payments.push(pays("0xround", at));
      moves.push({ from: OWNER, to: "0xround", units: UNITS, at: at + 60 });
    }),
  "payers are funded through one account": (size) =>
    each(size, (i, at, { payments, moves, accounts }) => {
      accounts.set("0xbetween", 40);
      moves.push({ from: OWNER, to: "0xbetween", units: 9 * UNITS, at: at - 120 });
      moves.push({ from: "0xbetween", to: `0xhop${i}`, units: UNITS, at: at - 60 });
      payments.push(pays(`0xhop${i}`, at));
    }),
  "money goes back through accounts of its own": (size) =>
    each(size, (i, at, { payments, moves, accounts }) => {
      payments.push(pays(`0xhop${i}`, at));
      for (const half of [1, 2]) {
        accounts.set(`0xvia${i}-${half}`, 3);
        moves.push({ from: WALLET, to: `0xvia${i}-${half}`, units: UNITS / 2, at: at + 60 });
        moves.push({ from: `0xvia${i}-${half}`, to: `0xhop${i}`, units: UNITS / 2, at: at + 120 });
      }
    }),
  "three agents pay in a ring": (size) =>
    each(size, (_, at, { payments, moves, accounts }) => {
      accounts.set("0xsecond", 9);
      payments.push(pays("0xthird", at));
      moves.push({ from: WALLET, to: "0xsecond", units: UNITS, at: at + 60 });
      moves.push({ from: "0xsecond", to: "0xthird", units: UNITS, at: at + 120 });
    }),
  "a thousand payers of dust": (size) =>
    each(size, (i, at, { payments }) => payments.push(pays(`0xdust${i}`, at, 900))),
};

/** Loops whose money is not of the agent's side, as far as one can see: all of it is one payer. */
export const ONE_CLUSTER: Record<string, Loop> = {
  "one payer pays again and again": (size) => each(size, (_, at, { payments }) => payments.push(pays("0xalone", at))),
  "a treasury funds payers": (size) =>
    each(size, (i, at, { payments, moves, accounts }) => {
      accounts.set("0xtreasury", 700);
      moves.push({ from: "0xtreasury", to: `0xfarm${i}`, units: UNITS, at: at - 60 });
      payments.push(pays(`0xfarm${i}`, at));
    }),
  "a treasury funds payers that a stranger gave a cent before": (size) =>
    each(size, (i, at, { payments, moves, accounts }) => {
      accounts.set("0xtreasury", 700);
      moves.push({ from: `0xstranger${i}`, to: `0xfarm${i}`, units: CENT, at: at - 90 });
      moves.push({ from: "0xtreasury", to: `0xfarm${i}`, units: UNITS, at: at - 60 });
      payments.push(pays(`0xfarm${i}`, at));
    }),
  "each payer funds the next": (size) =>
    each(size, (i, at, { payments, moves }) => {
      payments.push(pays(`0xlink${i}`, at));
      moves.push({ from: `0xlink${i}`, to: `0xlink${i + 1}`, units: UNITS, at: at + 60 });
    }),
};
