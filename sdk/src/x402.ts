/** Paying by x402 with its official client (`@x402/fetch`, `@x402/evm`): USDC on Base, the facilitator pays the gas. */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Client, Pay } from "./client.ts";
import { PaymentRefused } from "./errors.ts";
import { type PreflightTrust, type Terms, verifyPreflight } from "./preflight.ts";
import type { Fetch } from "./retry.ts";

/** What signs the payment: an account of viem. */
export type X402Account = ConstructorParameters<typeof ExactEvmScheme>[0];

/** `maxPerPayment` in dollars; a higher price is refused before anything is signed. `network`: CAIP-2 name of the chain, Base by default. */
type Spending = { maxPerPayment?: string; network?: `${string}:${string}` };

const payer = (account: X402Account, { maxPerPayment = "$1", network = "eip155:8453" }: Spending) =>
  new x402Client()
    .setSpendControls({ maxAmountPerPayment: maxPerPayment })
    .register(network, new ExactEvmScheme(account));

/** For `createClient({ pay: x402(account) })`. @param spending a registration costs $1 */
export function x402(account: X402Account, spending: Spending = {}): Pay {
  const client = payer(account, spending);
  return (fetch) => {
    const paying = wrapFetchWithPayment(fetch, client);
    return (input, init) => paying(input, init);
  };
}

type Guard = PreflightTrust &
  Spending & {
    /** A client of the service that judges. */
    service: Pick<Client, "post">;
    /** Dollars that a payment may cost where the evidence does not support it (`review`, `unrated`). None by default. */
    atRisk?: string;
    /** Replaces the global fetch. */
    fetch?: Fetch;
    /** Unix milliseconds. */
    now?: () => number;
  };

/**
 * A fetch that pays by x402 only what a signed verdict allows: `const pay = guardedFetch(account, { service, signer })`.
 * Before anything is signed it asks for the verdict on the very terms and URL, and checks it here.
 * @param guard.signer `receipts.signer` of `GET /api/v2`, stored once
 * @returns rejects with PaymentRefused, and nothing is paid, where the verdict is not `allow`, or is not the service's
 */
export function guardedFetch(account: X402Account, { service, fetch, atRisk = "0", now, ...guard }: Guard): Fetch {
  const send: Fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  return async (input, init) => {
    let [asked, sentTo] = ["", ""];
    let refusal: unknown;
    const noted = async (...[input, init]: Parameters<Fetch>) => {
      const request = new Request(input, init);
      sentTo = request.url;
      const response = await send(request);
      // Where a redirect led, which is where the terms are from.
      asked = (response.url || request.url).replace(/#.*$/s, "");
      return response;
    };
    const refuseUnlessAllowed = async (terms: Terms) => {
      const answer = await service.post("/api/v2/preflight", { body: { url: asked, terms: [terms] } });
      const found = await verifyPreflight(answer, guard, { url: asked, terms, now: now?.() });
      // The payment is sent where the request was, which could hand it on.
      if (new URL(asked).origin !== new URL(sentTo).origin)
        throw new PaymentRefused("other_terms", "It redirects to another host.", answer);
      if (!found.valid) throw new PaymentRefused(found.reason, found.says, answer);
      const { verdict, reasons } = found.verdict;
      const isRisked = verdict !== "deny" && Number(terms.amount ?? terms.maxAmountRequired) <= Number(atRisk) * 1e6;
      if (verdict === "allow" || isRisked) return;
      const says = reasons.filter(({ effect }) => effect !== "allow").map(({ says }) => says);
      throw new PaymentRefused(verdict, says.join(" "), answer);
    };
    const client = payer(account, guard).onBeforePaymentCreation(async ({ selectedRequirements }) => {
      try {
        await refuseUnlessAllowed(selectedRequirements);
      } catch (error) {
        // The client of x402 makes an error of its own of what is thrown here.
        refusal = error;
        return { abort: true, reason: "refused" };
      }
    });
    try {
      return await wrapFetchWithPayment(noted as typeof globalThis.fetch, client)(input, init);
    } catch (error) {
      throw refusal ?? error;
    }
  };
}
