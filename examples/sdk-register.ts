/**
 * Registers a fresh wallet with the SDK and waits until it is listed: `npx node examples/sdk-register.ts Ada`. The second
 * argument is the service's URL, the local stack's by default. Outside this repository the import is "agent-cred-sdk".
 */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ApiError, createClient } from "../sdk/src/index.ts";

const [name = "Ada", baseUrl = "http://localhost:4000"] = process.argv.slice(2);

// The wallet signs in where an operation wants it. Nothing else ever sees its key.
const client = createClient({ baseUrl, wallet: privateKeyToAccount(generatePrivateKey()) });

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
