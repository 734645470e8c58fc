/** Prices and payments: payees, the facilitator, MPP. */
import { z } from "zod";
import { address, hash, integer, webUrl } from "./checks.ts";
import { ConfigError, secret, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Pricing` in `.env.example`. */
export const PRICING = {
  PRICING_PHASE: variable(
    ["api"],
    "paid: the price table applies; free: every price is 0",
    z.enum(["free", "paid"]),
    "paid",
  ),
  PRICE_QUOTE_SECONDS: variable(
    ["api"],
    "Seconds after a change of price in which the old price still pays",
    integer(0, 86_400),
    "600",
  ),
  PAY_TO_DEPLOYER: variable(
    ["api"],
    "Receives payments for registrations and updates; phase paid needs both payees",
    address,
  ),
  PAY_TO_TREASURY: variable(["api"], "Receives payments for cred reports", address),
  PAYMENT_CONFIRMATIONS: variable(
    ["api", "workers"],
    "Confirmations a payment needs before it counts; 1 = its own block",
    integer(1, 100),
    "2",
  ),
  PAYMENT_EARLY_USDC: variable(
    ["api"],
    "USDC that may be sold for before PAYMENT_CONFIRMATIONS, on a preconfirmation or the newest block: what is not confirmed yet, and for a day what was lost so; 0 = each sale waits",
    integer(0, 1_000_000),
    "0",
  ),
  PAYMENT_WAIT_MS: variable(
    ["api"],
    "How long a request waits for its payment to be settled before it answers 503 payment_pending",
    integer(0, 120_000),
    "20000",
  ),
  PAYMENTS_SINCE: variable(
    ["api"],
    "Transactions mined before this time (ISO 8601) pay for nothing; set it when another service was paid at the same addresses",
    z.iso
      .datetime({ offset: true, error: "must be a time like 2026-01-31T12:00:00Z" })
      .transform((time) => new Date(time)),
  ),
  FACILITATOR_URL: variable(
    ["api"],
    "Facilitator that settles x402 payments (unset: the API settles with FACILITATOR_PRIVATE_KEY)",
    webUrl,
  ),
  FACILITATOR_AUTHORIZATION: secret(
    variable(["api"], "Value of the Authorization header for the facilitator", z.string().min(1)),
  ),
  FACILITATOR_KEY_ID: variable(
    ["api"],
    "API key of a facilitator on the Coinbase Developer Platform, which wants a token for each request",
    z.string().min(1),
  ),
  FACILITATOR_KEY_SECRET: secret(
    variable(
      ["api"],
      "Its secret: Ed25519 in base64, or P-256 in PEM; belongs to FACILITATOR_KEY_ID",
      z.string().min(1),
    ),
  ),
  FACILITATOR_TIMEOUT_MS: variable(
    ["api"],
    "Timeout of one request to the facilitator",
    integer(100, 120_000),
    "30000",
  ),
  FACILITATOR_PRIVATE_KEY: secret(
    variable(["api"], "Pays the gas of settlements made by this process; must not be the deployer's", hash),
  ),
  TEMPO_RPC_URL: variable(
    ["api", "workers"],
    "JSON-RPC node of Tempo, where payments by MPP settle (unset: the local stack's anvil; without one MPP is not offered)",
    webUrl,
  ),
  TEMPO_CHAIN_ID: variable(["api", "workers"], "The chain of that node", integer(1, 2 ** 31), "4217"),
  MPP_CURRENCY_ADDRESS: variable(
    ["api", "workers"],
    "Token of MPP payments, with six decimals and worth a dollar: USDC.e",
    address,
    "0x20C000000000000000000000b9537d11c60E8b50",
  ),
  MPP_SECRET_KEY: secret(
    variable(
      ["api", "workers"],
      "Signs the challenges of MPP, at least 32 characters, the same for every process; belongs to TEMPO_RPC_URL",
      z.string().min(32, "must have at least 32 characters"),
    ),
  ),
  MINT_WAIT_MS: variable(
    ["api"],
    "How long POST /mint waits for the chain before it answers 202",
    integer(0, 120_000),
    "20000",
  ),
} satisfies Record<string, Variable>;

/**
 * Options of `pricing`, `payments`, `mpp`, `mintWaitMs` in the configuration.
 * @param realm name of the service in its MPP challenges
 * @throws ConfigError
 */
export function pricingConfig(v: ValuesOf<typeof PRICING>, realm: string) {
  return {
    pricing: { phase: v.PRICING_PHASE, quoteMs: v.PRICE_QUOTE_SECONDS * 1000 },
    payments: {
      /** Undefined: nothing can be sold. There is no default: money must not go to an address that no operator chose. */
      payTo: payeesOf(v),
      confirmations: v.PAYMENT_CONFIRMATIONS,
      /** Units of USDC that may be sold for with fewer confirmations; 0n = none. */
      earlyUnits: BigInt(v.PAYMENT_EARLY_USDC) * 1_000_000n,
      waitMs: v.PAYMENT_WAIT_MS,
      /** Older transactions pay for nothing. */
      since: v.PAYMENTS_SINCE,
      facilitator: {
        url: v.FACILITATOR_URL,
        authorization: v.FACILITATOR_AUTHORIZATION,
        /** Undefined: the client makes no token. */
        apiKey: facilitatorKeyOf(v),
        timeoutMs: v.FACILITATOR_TIMEOUT_MS,
        privateKey: v.FACILITATOR_PRIVATE_KEY,
      },
    },
    /** Undefined: the service takes no payments by MPP. */
    mpp: mppOf(v, realm),
    mintWaitMs: v.MINT_WAIT_MS,
  };
}

/** For a process that sells; `npm start` names payees of its own. @throws ConfigError */
export function requirePayees(
  v: Pick<ValuesOf<typeof PRICING>, "PRICING_PHASE" | "PAY_TO_DEPLOYER" | "PAY_TO_TREASURY">,
): void {
  if (v.PRICING_PHASE === "paid" && !(v.PAY_TO_DEPLOYER && v.PAY_TO_TREASURY))
    throw new ConfigError(
      "PRICING_PHASE is paid, so PAY_TO_DEPLOYER and PAY_TO_TREASURY must name the addresses that are paid: set both of them, or PRICING_PHASE=free",
    );
}

function facilitatorKeyOf({
  FACILITATOR_KEY_ID: id,
  FACILITATOR_KEY_SECRET: key,
  FACILITATOR_AUTHORIZATION: authorization,
}: ValuesOf<typeof PRICING>) {
  if (id && key && authorization)
    throw new ConfigError("FACILITATOR_AUTHORIZATION and FACILITATOR_KEY_ID are two ways to sign in: set one of them");
  if (id && key) return { id, secret: key };
  if (id || key)
    throw new ConfigError("FACILITATOR_KEY_ID and FACILITATOR_KEY_SECRET belong together: set both of them or none");
  return undefined;
}

/** The block of a payment by MPP is enough: Tempo does not reorganise. */
const MPP_CONFIRMATIONS = 1;

function mppOf(v: ValuesOf<typeof PRICING>, realm: string) {
  const { TEMPO_RPC_URL: rpcUrl, MPP_SECRET_KEY: secretKey } = v;
  if (rpcUrl && secretKey)
    return {
      rpcUrl,
      secretKey,
      realm,
      chainId: v.TEMPO_CHAIN_ID,
      currency: v.MPP_CURRENCY_ADDRESS,
      confirmations: MPP_CONFIRMATIONS,
    };
  if (rpcUrl || secretKey)
    throw new ConfigError("TEMPO_RPC_URL and MPP_SECRET_KEY belong together: set both of them or none");
  return undefined;
}

function payeesOf({ PAY_TO_DEPLOYER: deployer, PAY_TO_TREASURY: treasury }: ValuesOf<typeof PRICING>) {
  if (deployer && treasury) return { deployer, treasury };
  if (deployer || treasury)
    throw new ConfigError("PAY_TO_DEPLOYER and PAY_TO_TREASURY belong together: set both of them or none");
  return undefined;
}
