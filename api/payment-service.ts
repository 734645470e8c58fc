/** The payment service of the API: prices, payment methods, and the check that the token is the expected USDC. */
import { randomUUID } from "node:crypto";
import { isErc6492Signature } from "viem/utils";
import type { Chain } from "../clients/ports.ts";
import type { Hex } from "../core/agents/facts.ts";
import { fail } from "../core/errors.ts";
import {
  authorizationDigest,
  domainSeparator,
  type SignedPayment,
  type TokenDomain,
  usdcDomain,
} from "../core/payments/authorization.ts";
import { type PriceList, priceUnits, SOLD, standardPrices } from "../core/payments/prices.ts";
import type { Refusal } from "../core/payments/refusals.ts";
import { currentPrices, priceLists } from "../db/payments/price-list.ts";
import type { Sales } from "../payments/checkout.ts";
import type { SalesParts } from "../payments/methods/method.ts";
import { PAYMENT_METHODS } from "../payments/methods.ts";
import { untilItSucceeds } from "../runtime/once.ts";
import type { ApiDeps } from "./deps.ts";
import { recoverSigner, wholeForm } from "./guards/signature.ts";
import type { Log } from "./http/error-answer.ts";

type PaymentServiceParts = Pick<
  ApiDeps,
  "config" | "db" | "chain" | "facilitator" | "mpp" | "paymentMethods" | "fault" | "log" | "now"
> & {
  /** The contract's own mint. */
  directMint(): Record<string, unknown>;
};

/** Max age of the prices shown, in milliseconds. */
const SHOWN_MS = 2_000;
/** Milliseconds between two reads of the prices without a request. */
const UNASKED_MS = 60_000;
/** Selector of `DOMAIN_SEPARATOR()`. */
const DOMAIN_SEPARATOR = "0x3644e515";

export function openPaymentService(parts: PaymentServiceParts): Sales {
  const { config, db, chain, facilitator, mpp = null, fault, log, now } = parts;
  const { payTo, confirmations, earlyUnits, since } = config.payments;
  const domain: TokenDomain = usdcDomain(config.chain.id, config.contracts.usdc.address);
  const prices = shownPrices(parts);

  /** The phase is changed while processes run, so a process without payees may meet a price: it sells nothing then. */
  function requirePayees() {
    if (payTo) return payTo;
    log.error({}, "PAY_TO_DEPLOYER and PAY_TO_TREASURY are not set: nothing can be sold");
    return fail("upstream_unavailable", "Payments are not possible at the moment. Nothing was charged.", {
      retryAfter: 60,
    });
  }

  /** What the payment methods work with, these among them. */
  const settlement: SalesParts = {
    db,
    chain,
    facilitator,
    mpp,
    domain,
    confirmations,
    earlyUnits,
    fault,
    since,
    now,
    methods: parts.paymentMethods ?? PAYMENT_METHODS,
    salt: randomUUID,
    assertDomain: domainCheck(chain, domain, log),
    wholeSignature: (signed) => wholeSignature(signed, domain),
    refusalOfSignature: (signed) => refusalOfSignature(chain, signed, domain),
  };
  // A wrong token is logged at the start; without an answer now the check is made again before the first payment.
  if (facilitator) settlement.assertDomain().catch(() => {});
  return {
    settlement,
    config,
    log,
    shown: prices.shown,

    /**
     * Check then write: the price in force, then the 402 and the accepted amount (`termsFor`); the price may change:
     * former prices are accepted for PRICE_QUOTE_SECONDS.
     */
    async price(operation) {
      const lists = await priceLists(db, prices.base, config.pricing.quoteMs);
      prices.update(lists[0]!);
      const units = lists.map((list) => priceUnits(operation, list));
      if (units[0]! > 0n) requirePayees();
      return { units: units[0]!, honoured: [...new Set(units.filter((price) => price > 0n))] };
    },

    termsFor: ({ operation, method, path, declaration }, { units, honoured }) => ({
      domain,
      payTo: operation === "credReport" ? requirePayees().treasury : requirePayees().deployer,
      amountUnits: units,
      honoured,
      resource: {
        url: config.service.publicUrl + path,
        method,
        description: SOLD[operation] ?? operation,
        serviceName: config.service.name.slice(0, 32),
        declaration,
        ...(operation === "agentMint" && { otherwise: { directMint: parts.directMint() } }),
      },
    }),
  };
}

/** The prices that are shown without waiting for the database; read again after 2 seconds. */
function shownPrices({ config, db, now }: Pick<PaymentServiceParts, "config" | "db" | "now">) {
  const base = standardPrices(config.pricing.phase);
  let known = base;
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    known = (await currentPrices(db)) ?? base;
  }

  function shown(): PriceList {
    if (now() - readAt > SHOWN_MS) {
      readAt = now();
      read().catch(() => {});
    }
    return known;
  }

  // Read without a request as well: the first reader after a quiet night sees the prices in force.
  setInterval(shown, UNASKED_MS).unref();
  return {
    base,
    shown,
    update(list: PriceList) {
      known = list;
    },
  };
}

/** Compares the token's domain separator with the expected one, once; a failed check is made again. */
function domainCheck(chain: Chain, domain: TokenDomain, log: Log): () => Promise<void> {
  return untilItSucceeds(async () => {
    const answer = await chain.call({ to: domain.verifyingContract, data: DOMAIN_SEPARATOR });
    if (answer.ok && answer.data === domainSeparator(domain)) return;
    log.error({ domain }, "usdc of CONTRACTS is not the USDC we know: no payment by signature can be settled");
    fail("upstream_unavailable", "Payments by signature are not possible at the moment. Nothing was charged.", {
      retryAfter: 60,
    });
  });
}

const isByKey = ({ authorization, signature }: SignedPayment, digest: Hex): boolean =>
  recoverSigner(Buffer.from(digest.slice(2), "hex"), signature) === authorization.from;

/** A signature of the payer's own key in the form that tokens take; any other one, which a contract may take, as it is. */
function wholeSignature(signed: SignedPayment, domain: TokenDomain): Hex {
  const digest = authorizationDigest(signed.authorization, domain);
  return isByKey(signed, digest) ? wholeForm(signed.signature) : signed.signature;
}

/**
 * Checks the signature of an authorization. A wallet that is not deployed cannot pay: the token calls it. What is still
 * wrapped (ERC-6492) after its wrapping was removed is refused unasked: the chain's check would unwrap it and deploy the
 * wallet, which the transfer does not.
 * @returns null where it is the payer's
 * @throws Failure upstream_unavailable when the chain must be called and cannot be reached
 */
async function refusalOfSignature(
  chain: Pick<Chain, "verifySignature" | "isDeployed">,
  signed: SignedPayment,
  domain: TokenDomain,
): Promise<Refusal | null> {
  const { authorization, signature, wrapped } = signed;
  if (isErc6492Signature(signature)) return "invalid_signature";
  const digest = authorizationDigest(authorization, domain);
  if (isByKey(signed, digest)) return null;
  if (await chain.verifySignature({ address: authorization.from, hash: digest, signature })) return null;
  return wrapped && !(await chain.isDeployed(authorization.from)) ? "wallet_not_deployed" : "invalid_signature";
}
