/** The API's view of the payments to an agent's wallet. Amounts are decimal strings of USDC. */
import { formatUnits } from "viem/utils";
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { isoSeconds } from "../times.ts";
import type { UnitsAsText } from "../units-text.ts";
import { INCOME_RULES_VERSION, type RemovedKey, removedSays, WINDOWS } from "./rules.ts";
import type { IncomeFigures, IncomeWindow } from "./weigh.ts";

/** Figures as they are stored: units as decimal strings. */
export type StoredFigures = UnitsAsText<IncomeFigures>;

/** Units as an amount in USDC. */
export const usdc = (units: string): string => formatUnits(BigInt(units), 6);
const inAll = (address: string) => checksum(address as Address);

type Sum = { payments: number; units: string };
const sumView = ({ payments, units }: Sum) => ({ payments, usdc: usdc(units) });
const incomeView = ({ payers, repeatPayers, ...sum }: Sum & { payers: number; repeatPayers: number }) => ({
  ...sumView(sum),
  ...{ payers, repeatPayers },
});

const NONE = { payments: 0, units: "0", payers: 0, repeatPayers: 0 };
const windowOf = (days: number): UnitsAsText<IncomeWindow> => ({
  ...{ days, organic: NONE, removed: [] },
  raw: { ...NONE, refunds: { payments: 0, units: "0" } },
});

/** The figures; of an agent without payments they are zero. */
export const incomeFiguresView = (figures: StoredFigures | null) => ({
  rules: figures?.rules ?? INCOME_RULES_VERSION,
  windows: (figures?.windows ?? WINDOWS.map(windowOf)).map(({ days, raw, organic, removed }) => ({
    days,
    raw: { ...incomeView(raw), refunds: sumView(raw.refunds) },
    organic: incomeView(organic),
    removed: removed.map(({ rule, ...sum }) => ({ rule, says: removedSays(rule), ...sumView(sum) })),
  })),
});

/** One payment. @param through the account that stands between the agent's side and the payer */
export const receivedPaymentView = (payment: {
  block: number;
  logIndex: number;
  txHash: string;
  at: number;
  payer: string;
  units: string;
  rule: RemovedKey | null;
  through: string | null;
}) => ({
  ...{ block: payment.block, logIndex: payment.logIndex, txHash: payment.txHash, paidAt: isoSeconds(payment.at) },
  ...{ payer: inAll(payment.payer), usdc: usdc(payment.units) },
  organic: payment.rule === null,
  removed: payment.rule && {
    ...{ rule: payment.rule, says: removedSays(payment.rule) },
    through: payment.through && inAll(payment.through),
  },
});
