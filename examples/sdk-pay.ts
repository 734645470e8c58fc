/**
 * Buys a cred report with the SDK: `npx node examples/sdk-pay.ts x402 0` pays for agent 0's in USDC on Base, `… mpp 0` in
 * USDC.e on Tempo. Wallets and URLs are the local stack's (`npm start`).
 */
import { readFileSync } from "node:fs";
import { tempo } from "mppx/client";
import { createClient as createChainClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { tempo as tempoChain } from "viem/tempo/chains";
import { ApiError, createClient } from "../sdk/src/index.ts";
import { mpp } from "../sdk/src/mpp.ts";
import { x402 } from "../sdk/src/x402.ts";

const [way = "x402", ref = "0", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, tempoRpcUrl, accounts } = JSON.parse(readFileSync(file, "utf8"));
const account = privateKeyToAccount(accounts[0].privateKey);
const getClient = () =>
  createChainClient({ account, chain: tempoChain, transport: http(tempoRpcUrl), pollingInterval: 50 });

// Both refuse to sign for more than they are allowed: here one cent.
const pay =
  way === "mpp"
    ? mpp({ methods: [tempo.charge({ account, getClient })], maxUnits: 10_000n })
    : x402(account, { maxPerPayment: "$0.01" });
const client = createClient({ baseUrl: apiUrl, pay });

try {
  const { data, response } = await client.call("get", "/api/v2/agent/{ref}/cred-report", { params: { path: { ref } } });
  console.log(`${data.agent.name}: ${data.credScore.score} points, rank ${data.credScore.rank}`);
  for (const { action, impact } of data.recommendations) console.log(`- ${action} (${impact})`);
  console.log(
    response.headers.get("payment-response") ?? response.headers.get("payment-receipt") ?? "nothing was paid",
  );
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  // error.payment would be what was paid with: the same request with these headers is never charged again.
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
