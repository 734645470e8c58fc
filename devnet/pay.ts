/** Paying by x402 for the wallets of the local world, with the protocol's packages that every installation has. */
import { x402Client, x402HTTPClient } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import type { PrivateKeyAccount } from "viem";
import type { Pay } from "../sdk/src/client.ts";

/** Signs for what a 402 asks, up to a dollar, and sends the request again with it. */
export function payByX402(account: PrivateKeyAccount, chainId: number): Pay {
  const client = new x402Client()
    .setSpendControls({ maxAmountPerPayment: "$1" })
    .register(`eip155:${chainId}`, new ExactEvmScheme(account));
  const x402 = new x402HTTPClient(client);
  return (fetch) => async (input, init) => {
    const request = new Request(input, init);
    const answer = await fetch(request.clone());
    if (answer.status !== 402) return answer;
    const asked = x402.getPaymentRequiredResponse((name) => answer.headers.get(name), await answer.json());
    const payment = x402.encodePaymentSignatureHeader(await x402.createPaymentPayload(asked));
    for (const [name, value] of Object.entries(payment)) request.headers.set(name, value);
    return fetch(request);
  };
}
