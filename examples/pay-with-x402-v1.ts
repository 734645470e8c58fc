/**
 * Pays by x402 version 1, as older clients do: the terms are in the body of the 402, the payment goes in `X-PAYMENT`.
 * `npx node examples/pay-with-x402-v1.ts 0` buys agent 0's cred report on the local stack (`npm start`).
 */
import { readFileSync } from "node:fs";
import { ExactEvmSchemeV1 } from "@x402/evm/v1";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [tokenId = "0", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, accounts } = JSON.parse(readFileSync(file, "utf8"));
const account = privateKeyToAccount(accounts[0].privateKey);

/** What a client of version 1 sees: this library knows both, and would take the header of version 2. */
const firstVersion: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const headers = new Headers(response.headers);
  headers.delete("payment-required");
  return new Response(response.body, { status: response.status, headers });
};
const client = new x402Client().setSpendControls(false).registerV1("base", new ExactEvmSchemeV1(account));
const response = await wrapFetchWithPayment(firstVersion, client)(`${apiUrl}/api/v2/agent/${tokenId}/cred-report`);

console.log(response.status, JSON.stringify(await response.json(), null, 2));
const paid = response.headers.get("x-payment-response");
console.log(paid ? JSON.parse(Buffer.from(paid, "base64").toString()) : "nothing was paid");
process.exitCode = response.ok ? 0 : 1;
