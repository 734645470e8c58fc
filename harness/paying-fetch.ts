/** fetch that pays by x402 with the real client. */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { PrivateKeyAccount } from "viem/accounts";

/** @param given sends its requests, paid ones too */
export const payingFetch = (account: PrivateKeyAccount, given: typeof fetch = fetch): typeof fetch =>
  wrapFetchWithPayment(
    given,
    new x402Client().setSpendControls(false).register("eip155:8453", new ExactEvmScheme(account)),
  );
