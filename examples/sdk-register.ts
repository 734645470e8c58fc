/**
 * Registers a fresh wallet with the SDK and waits until it is listed: `npx node examples/sdk-register.ts Ada`. The
 * first account of the local stack (`npm start`) pays for it. Outside this repository the import is "agent-cred-sdk".
 */
import { readFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ApiError, createClient } from "../sdk/src/index.ts";
import { x402 } from "../sdk/src/x402.ts";

const [name = "Ada", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, accounts } = JSON.parse(readFileSync(file, "utf8"));

// One wallet becomes the agent's and signs in, another may pay. Nothing else ever sees their keys, and nothing above the
// limit is signed. Where registration is free, nothing is.
const wallet = privateKeyToAccount(generatePrivateKey());
const payer = privateKeyToAccount(accounts[0].privateKey);
const client = createClient({ baseUrl: apiUrl, wallet, pay: x402(payer, { maxPerPayment: "$1" }) });

const { tokenId, agent, yourReferralCode } = await client.register({ name, framework: "langchain" });
console.log(`${agent.name} is agent ${tokenId} with ${agent.credScore} points; it invites by ${yourReferralCode}`);

// Once for each wallet: the refusal says which agent it has.
try {
  await client.register({ name });
} catch (error) {
  if (!(error instanceof ApiError) || error.code !== "already_registered") throw error;
  console.log(`again: ${error.message}`);
}

// A list is an iterator over all of its pages.
let place = 0;
for await (const { name, credScore } of client.agents({ sort: "credScore", order: "desc" })) {
  console.log(`${++place}. ${name}: ${credScore}`);
  if (place === 3) break;
}
