/** Where requests are paid for: knows the prices, the ways to pay and whether the token is the one it should be. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Chain, Facilitator, MachinePayments } from "../../clients/ports.ts";
import type { Config } from "../../config/config.ts";
import { fail } from "../../core/errors.ts";
import type { TokenDomain } from "../../core/payments/authorization.ts";
import type { PaidResource, Terms } from "../../core/payments/terms.ts";
import { domainSeparator, usdcDomain } from "../../core/payments/token-domain.ts";
import { type Operation, type PriceList, priceUnits, SOLD, standardPrices } from "../../core/prices.ts";
import { currentPrices, priceLists } from "../../db/price-list.ts";
import type { Fault } from "../../runtime/faults.ts";
import type { SettlementParts } from "../../settlement/settle.ts";
import type { Log } from "../http/error-answer.ts";
import { challengeOffer, type Offer, transferOffer, x402Offer } from "./offers.ts";

export type DeskParts = {
  config: Pick<Config, "chain" | "contracts" | "payments" | "pricing" | "service">;
  db: pg.Pool;
  chain: Chain;
  facilitator: Facilitator | null;
  machinePayments?: MachinePayments | null | undefined;
  fault: Fault;
  log: Log;
  now(): number;
};

export type PaymentDesk = DeskParts & {
  /** Null where MPP is not offered. */
  machinePayments: MachinePayments | null;
  settlement: SettlementParts;
  offers: readonly Offer[];
  /** What an operation costs now and what is taken for it, in USDC units. */
  price(operation: Operation): Promise<{ units: bigint; honoured: bigint[] }>;
  /** The prices in force, at most a few seconds old; never waits. */
  shown(): PriceList;
  termsFor(
    sold: { operation: Operation; path: string; declaration: PaidResource["declaration"] },
    price: { units: bigint; honoured: bigint[] },
  ): Terms;
  /** Asks the chain once whether clients sign over the right domain. @throws Failure upstream_unavailable */
  assertDomain(): Promise<void>;
};

/** How old the prices shown may become before they are looked up again. */
const SHOWN_MS = 2_000;
/** Selector of `DOMAIN_SEPARATOR()`. */
const DOMAIN_SEPARATOR = "0x3644e515";

export function openPaymentDesk(parts: DeskParts): PaymentDesk {
  const { config, db, chain, facilitator, machinePayments = null, fault, log, now } = parts;
  const { payTo, confirmations } = config.payments;
  const domain: TokenDomain = usdcDomain(config.chain.id, config.contracts.usdc.address);
  const base = standardPrices(config.pricing.phase);
  let known = base;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let checked: Promise<void> | undefined;

  async function look(): Promise<void> {
    const current = await currentPrices(db);
    known = current ?? base;
  }

  /** The phase is changed while processes run, so a process without payees may meet a price: it sells nothing then. */
  function requirePayees() {
    if (payTo) return payTo;
    log.error({}, "PAY_TO_DEPLOYER and PAY_TO_TREASURY are not set: nothing can be sold");
    return fail("upstream_unavailable", "Payments are not possible at the moment. Nothing was charged.", {
      retryAfter: 60,
    });
  }

  async function checkDomain(): Promise<void> {
    const answer = await chain.call({ to: domain.verifyingContract, data: DOMAIN_SEPARATOR });
    if (answer.ok && answer.data === domainSeparator(domain)) return;
    log.error({ domain }, "USDC_ADDRESS is not the USDC we know: no payment by signature can be settled");
    fail("upstream_unavailable", "Payments by signature are not possible at the moment. Nothing was charged.", {
      retryAfter: 60,
    });
  }

  const desk: PaymentDesk = {
    ...parts,
    machinePayments,
    settlement: { db, chain, facilitator, machinePayments, domain, confirmations, fault },
    offers: [
      ...(facilitator ? [x402Offer] : []),
      ...(machinePayments ? [challengeOffer({ machinePayments, now, salt: randomUUID })] : []),
      transferOffer,
    ],

    async price(operation) {
      const lists = await priceLists(db, base, config.pricing.quoteMs);
      known = lists[0]!;
      const units = lists.map((list) => priceUnits(operation, list));
      if (units[0]! > 0n) requirePayees();
      return { units: units[0]!, honoured: [...new Set(units.filter((price) => price > 0n))] };
    },

    shown() {
      if (now() - lookedAt > SHOWN_MS) {
        lookedAt = now();
        look().catch(() => {});
      }
      return known;
    },

    termsFor: ({ operation, path, declaration }, { units, honoured }) => ({
      domain,
      payTo: operation === "credReport" ? requirePayees().treasury : requirePayees().deployer,
      amountUnits: units,
      honoured,
      resource: {
        url: config.service.publicUrl + path,
        description: SOLD[operation] ?? operation,
        serviceName: config.service.name.slice(0, 32),
        declaration,
      },
    }),

    assertDomain() {
      checked ??= checkDomain().catch((error) => {
        checked = undefined;
        throw error;
      });
      return checked;
    },
  };
  // Looked up without being asked for, too: the first reader after a quiet night sees what is in force.
  setInterval(() => desk.shown(), SHOWN_MS).unref();
  // Told at the start, in the log; without an answer now it is asked again before the first payment.
  if (facilitator) desk.assertDomain().catch(() => {});
  return desk;
}
