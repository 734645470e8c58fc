/** `npm run payments -- …`: shows the operator what was paid and what is owed, and sets prices while the service runs. */
import type pg from "pg";
import { parseUnits } from "viem/utils";
import { loadConfig } from "../config/config.ts";
import { formatUsdc, type Operation, type Phase, PRICES, standardPrices } from "../core/payments/prices.ts";
import { PAYMENT_STATES, type PaymentState } from "../core/payments/states.ts";
import { refundPayment } from "../db/payments/ledger.ts";
import { type Payment, paymentsInState, unwatchedPayments } from "../db/payments/payments.ts";
import { currentPrices, setPrices } from "../db/payments/price-list.ts";
import { operatorCommand, withDatabase } from "./operator-command.ts";

const USAGE = `Usage: npm run payments -- <command>
  list [state]                     payments, the oldest first (${PAYMENT_STATES.join(", ")})
  refund-due                       what is owed, by payer
  unwatched                        what cannot be looked for: its chain is not configured any more
  refunded <paymentId> <reference> notes that it was sent back, and how (a transaction's hash)
  prices                           what things cost now
  price <operation> <USDC>         changes a price (${Object.keys(PRICES).join(", ")})
  phase free|paid                  asks for money, or for none`;

await operatorCommand(run);

async function run([verb, ...rest]: string[]): Promise<void> {
  const [first, second] = rest;
  if (verb === "list" && rest.length <= 1 && (first === undefined || isState(first)))
    return withDatabase((db) => list(db, first));
  if (verb === "refund-due" && rest.length === 0) return withDatabase(refundDue);
  if (verb === "unwatched" && rest.length === 0) return withDatabase(unwatched);
  if (verb === "refunded" && first && second && rest.length === 2)
    return withDatabase((db) => refunded(db, first, second));
  if (verb === "prices" && rest.length === 0) return withDatabase(prices);
  if (verb === "price" && first && second && rest.length === 2)
    return withDatabase((db) => changePrice(db, first, second));
  if (verb === "phase" && (first === "free" || first === "paid") && rest.length === 1)
    return withDatabase((db) => changePhase(db, first));
  throw new Error(USAGE);
}

// Functions, not constants: the command above runs before a constant down here has its value.
function isState(text: string): text is PaymentState {
  return (PAYMENT_STATES as string[]).includes(text);
}

async function list(db: pg.Client, state?: PaymentState): Promise<void> {
  const rows = await paymentsInState(db, state ?? null);
  if (rows.length === 0) return console.log("There are no such payments.");
  console.table(rows.map(line));
}

async function refundDue(db: pg.Client): Promise<void> {
  const owed = await paymentsInState(db, "refund_due");
  if (owed.length === 0) return console.log("Nothing is owed.");
  console.table(owed.map(line));
  const total = owed.reduce((sum, { amountUnits }) => sum + amountUnits, 0n);
  console.log(`${owed.length} payments, ${formatUsdc(total)} USDC. Each is a credit until its payer asks again.`);
}

async function unwatched(db: pg.Client): Promise<void> {
  const { chain, mpp } = loadConfig();
  const chains = mpp ? [chain.id, mpp.chainId] : [chain.id];
  const rows = await unwatchedPayments(db, { chains });
  if (rows.length === 0) return console.log("Every payment can be looked for.");
  console.table(rows.map(line));
  console.log("Configure their chain again to have them looked for. Transfers are taken for final after 24 hours.");
}

function line(payment: Payment) {
  return {
    id: payment.paymentId,
    at: payment.createdAt.toISOString().slice(0, 16).replace("T", " "),
    state: payment.state,
    method: payment.method,
    operation: payment.operation,
    usdc: formatUsdc(payment.amountUnits),
    payer: payment.payer,
    chain: payment.chainId,
    bought: payment.bought ?? "",
    transaction: payment.txHash ?? "",
    reason: payment.reason ?? "",
  };
}

async function refunded(db: pg.Client, paymentId: string, reference: string): Promise<void> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(paymentId)) throw new Error("This is no payment id.");
  const payment = await refundPayment(db, paymentId, reference);
  if (!payment) throw new Error("There is no payment of this id that is to be refunded.");
  console.log(`${formatUsdc(payment.amountUnits)} USDC to ${payment.payer} are noted as sent back.`);
}

/** What is in force: the newest list, else the configuration's. */
async function inForce(db: pg.Client) {
  return (await currentPrices(db)) ?? standardPrices(loadConfig().pricing.phase);
}

async function prices(db: pg.Client): Promise<void> {
  const { phase, prices } = await inForce(db);
  console.log(`phase ${phase}`);
  console.table(
    Object.entries(prices).map(([operation, units]) => ({
      operation,
      listed: formatUsdc(units),
      asked: phase === "free" ? "0.00" : formatUsdc(units),
    })),
  );
}

async function changePrice(db: pg.Client, operation: string, usdc: string): Promise<void> {
  if (!(operation in PRICES)) throw new Error(`The operations are ${Object.keys(PRICES).join(", ")}.`);
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(usdc))
    throw new Error("The price must be USDC with at most six decimals, like 0.25.");
  const list = await inForce(db);
  await setPrices(db, { ...list, prices: { ...list.prices, [operation as Operation]: parseUnits(usdc, 6) } });
  await prices(db);
}

async function changePhase(db: pg.Client, phase: Phase): Promise<void> {
  if (phase === "paid" && !loadConfig().payments.payTo)
    throw new Error("PAY_TO_DEPLOYER and PAY_TO_TREASURY are not set here: nobody would be paid. Set both of them.");
  await setPrices(db, { ...(await inForce(db)), phase });
  await prices(db);
}
