/**
 * Pays by x402 version 2, with the protocol's own client: `npx node examples/pay-with-x402.ts report 0` buys agent 0's cred
 * report, `… mint Ada` registers the paying wallet. Wallet and URL are the local stack's (`npm start`).
 */
import { readFileSync } from "node:fs";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [what = "report", argument = "0", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, accounts } = JSON.parse(readFileSync(file, "utf8"));
const account = privateKeyToAccount(accounts[0].privateKey);

// The client reads the 402, signs a transfer of USDC over exactly what is asked, and sends the request again with it.
// It spends nothing above its own limit unless that is lifted, and a registration costs 1 USDC.
const client = new x402Client().setSpendControls(false).register("eip155:8453", new ExactEvmScheme(account));
const payingFetch = wrapFetchWithPayment(fetch, client);

/** Proof that the wallet is ours (SIWA), in the text that the service shows. */
async function signIn(): Promise<string> {
  const { auth } = (await (await fetch(`${apiUrl}/api/v2`)).json()) as { auth: { agent: { message: string } } };
  const timestamp = String(Date.now());
  const message = auth.agent.message.replace("{address}", account.address).replace("{timestamp}", timestamp);
  return `Bearer ${account.address}:${timestamp}:${await account.signMessage({ message })}`;
}

const response =
  what === "mint"
    ? await payingFetch(`${apiUrl}/api/v2/mint`, {
        method: "POST",
        headers: { authorization: await signIn(), "content-type": "application/json" },
        body: JSON.stringify({ name: argument }),
      })
    : await payingFetch(`${apiUrl}/api/v2/agent/${argument}/cred-report`);

console.log(response.status, JSON.stringify(await response.json(), null, 2));
// Where the money went. 503 payment_pending would mean: the same request with the same payment again, never a new one.
const paid = response.headers.get("payment-response");
console.log(paid ? decodePaymentResponseHeader(paid) : "nothing was paid");
process.exitCode = response.ok ? 0 : 1;
