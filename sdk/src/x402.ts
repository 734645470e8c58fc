/** Paying by x402 with its official client (`@x402/fetch`, `@x402/evm`): USDC on Base, the facilitator pays the gas. */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Pay } from "./client.ts";

/** What signs the payment: an account of viem. */
export type X402Account = ConstructorParameters<typeof ExactEvmScheme>[0];

/**
 * For `createClient({ pay: x402(account) })`.
 * @param options.maxPerPayment in dollars; a higher price is refused before anything is signed. A registration costs $1
 * @param options.network CAIP-2 name of the chain, Base by default
 */
export function x402(
  account: X402Account,
  { maxPerPayment = "$1", network = "eip155:8453" }: { maxPerPayment?: string; network?: `${string}:${string}` } = {},
): Pay {
  const client = new x402Client()
    .setSpendControls({ maxAmountPerPayment: maxPerPayment })
    .register(network, new ExactEvmScheme(account));
  return (fetch) => {
    const paying = wrapFetchWithPayment(fetch, client);
    return (input, init) => paying(input, init);
  };
}
