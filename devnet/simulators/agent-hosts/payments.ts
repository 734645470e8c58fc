/** A paid resource by x402: answers 402 with its price, then verifies and settles the payment on the local chain and gives the result. */
import { x402Facilitator } from "@x402/core/facilitator";
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from "@x402/core/http";
import type { PaymentPayload, PaymentRequirements, SettleResponse } from "@x402/core/types";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
import type { Context } from "hono";
import { createWalletClient, http, nonceManager, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { CANONICAL } from "../../chain-addresses.ts";
import { devnetCast } from "../../chain-keys.ts";
import { receiptActions } from "../../receipts.ts";
import { reply } from "../simulator.ts";

const NETWORK = `eip155:${base.id}` as const;
/** Milliseconds that a settlement waits for its block. */
const CONFIRMATION_MS = 60_000;

/** Verifies a payment and moves the money. @returns why it was refused, or the settlement */
export type Settle = (
  payment: PaymentPayload,
  requirements: PaymentRequirements,
) => Promise<{ refused: string } | { settled: SettleResponse }>;

/** Settlement on the development chain with a key of its own. @param rpcUrl absent: every payment is refused */
export function settlementOn(rpcUrl: string | undefined): Settle {
  let facilitator: x402Facilitator | undefined;
  return async (payment, requirements) => {
    if (rpcUrl === undefined) return { refused: "there is no chain to settle on" };
    facilitator ??= openFacilitator(rpcUrl);
    const verdict = await facilitator.verify(payment, requirements);
    if (!verdict.isValid) return { refused: verdict.invalidReason ?? "invalid payment" };
    const outcome = await facilitator.settle(payment, requirements);
    return outcome.success ? { settled: outcome } : { refused: outcome.errorReason ?? "the settlement failed" };
  };
}

function openFacilitator(rpcUrl: string): x402Facilitator {
  const account = privateKeyToAccount(devnetCast().keys.agentHosts, { nonceManager });
  const client = createWalletClient({ account, chain: base, transport: http(rpcUrl), pollingInterval: 100 })
    .extend(publicActions)
    .extend(receiptActions);
  const signer = toFacilitatorEvmSigner(
    { ...client, address: account.address } as unknown as Parameters<typeof toFacilitatorEvmSigner>[0],
    { confirmationTimeoutMs: CONFIRMATION_MS },
  );
  const facilitator = new x402Facilitator();
  registerExactEvmScheme(facilitator, { signer, networks: NETWORK });
  return facilitator;
}

/** Whom the hosts' agents have paid: an account of the development chain that the stack does not use. */
export const hostsPayee = () => privateKeyToAccount(devnetCast().keys.agentHosts).address;

export type PaidResource = {
  /** Full URL. */
  url: string;
  serviceName: string;
  description: string;
  /** Millionths of a dollar. */
  units: number;
  /** JSON schema of the input, which is in the query of a GET or the JSON body of a POST. */
  input: { type: "object"; properties: Record<string, object>; required: string[] };
  /** Example of an input. */
  example: Record<string, string>;
  /** The result; a text is why the input is refused, before anything is charged. */
  run(input: Record<string, string>): object | string;
};

/** The handler of a paid resource. A request without payment is answered 402 whatever its input. */
export function sells(resource: PaidResource, settle: Settle): (c: Context) => Promise<Response> {
  const requirements: PaymentRequirements = {
    scheme: "exact",
    network: NETWORK,
    amount: String(resource.units),
    asset: CANONICAL.usdc,
    payTo: hostsPayee(),
    maxTimeoutSeconds: 60,
    extra: { name: "USD Coin", version: "2" },
  };
  return async (c) => {
    const header = c.req.header("payment-signature");
    if (header === undefined) return paymentRequired(resource, requirements, "payment required");
    const result = resource.run(await inputOf(c));
    if (typeof result === "string") return reply({ error: result }, 400);
    let payment: PaymentPayload;
    try {
      payment = decodePaymentSignatureHeader(header);
    } catch {
      return reply({ error: "the payment cannot be read" }, 400);
    }
    const outcome = await settle(payment, requirements);
    if ("refused" in outcome) return paymentRequired(resource, requirements, outcome.refused);
    return reply(result, 200, { "payment-response": encodePaymentResponseHeader(outcome.settled) });
  };
}

async function inputOf(c: Context): Promise<Record<string, string>> {
  const body = c.req.method === "POST" ? await c.req.json().catch(() => ({})) : {};
  return { ...c.req.query(), ...(body as Record<string, string>) };
}

/** Version 2 in the header, version 1 in the body. */
function paymentRequired(resource: PaidResource, requirements: PaymentRequirements, error: string): Response {
  const { url, description, serviceName, input, example } = resource;
  const bazaar = {
    info: {
      input: { type: "http", method: "GET", queryParams: example },
      output: { type: "json", example: resource.run(example) },
    },
    schema: {
      type: "object",
      properties: { input: { type: "object", properties: { queryParams: input } } },
    },
  };
  const header = encodePaymentRequiredHeader({
    x402Version: 2,
    error,
    resource: { url, description, mimeType: "application/json", serviceName },
    accepts: [requirements],
    extensions: { bazaar },
  } as Parameters<typeof encodePaymentRequiredHeader>[0]);
  const { amount, ...terms } = requirements;
  const first = {
    ...terms,
    network: "base",
    maxAmountRequired: amount,
    resource: url,
    description,
    mimeType: "application/json",
    outputSchema: { input: { type: "http", method: "GET", queryParams: input.properties } },
  };
  return reply({ x402Version: 1, error, accepts: [first] }, 402, {
    "payment-required": header,
    "cache-control": "no-store",
  });
}
