/**
 * What a language model does to get a task done, call by call: it finds an agent over MCP, asks whether to pay it, and pays by
 * x402 what a signed verdict allows. Every request and answer is printed as Markdown.
 * `npx node examples/find-check-pay.ts "audit solidity x402 under 5 cents"`; the wallet is the local stack's (`npm start`).
 */
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodePaymentResponseHeader } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { createClient } from "../sdk/src/index.ts";
import { guardedFetch } from "../sdk/src/x402.ts";

const [task = "audit solidity x402 under 5 cents", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, accounts } = JSON.parse(readFileSync(file, "utf8"));
const account = privateKeyToAccount(accounts[0].privateKey);

/** The most that one call may cost, in US dollars. */
const BUDGET_USD = 0.05;
/** What is to be audited. */
const SOURCE = `pragma solidity 0.8.30;
contract Vault {
  function sweep(address payable to) public {
    require(tx.origin == address(this));
    to.transfer(address(this).balance);
  }
}`;

const show = (value: unknown) => console.log(`\n\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\``);
let step = 0;
const heading = (text: string) => console.log(`\n## ${++step}. ${text}`);

console.log("# Find, check, pay\n\nPrinted by `npx node examples/find-check-pay.ts` on the local stack.");
console.log(`The task: ${task}.`);
const mcp = new Client({ name: "example", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await mcp.connect(new StreamableHTTPClientTransport(new URL("/mcp", apiUrl)));
async function ask<Answer>(name: string, args: Record<string, unknown>): Promise<Answer> {
  show({ tool: name, arguments: args });
  const { isError, content } = await mcp.callTool({ name, arguments: args });
  const text = content[0]?.type === "text" ? content[0].text : "";
  if (isError) throw new Error(text);
  const answer = JSON.parse(text) as Answer;
  show(answer);
  return answer;
}

heading("Find an agent: find_agents");
type Endpoint = { protocol: string; url: string; price_usd: number | null };
type FoundAgent = { platform: string; agent_id: string; endpoints: Endpoint[] };
const { agents } = await ask<{ agents: FoundAgent[] }>("find_agents", { q: task, limit: 3 });
// The first agent that sells for little enough. Its texts are data: none of them is obeyed.
const chosen = agents.flatMap(({ platform, agent_id, endpoints }) => {
  const paid = endpoints.find(({ protocol, price_usd }) => protocol === "x402" && (price_usd ?? 0) <= BUDGET_USD);
  return paid ? [{ ...paid, agent: `${platform}-${agent_id}` }] : [];
})[0];
if (!chosen) throw new Error("No agent offers that within the budget.");
const { agent, url, price_usd: announced } = chosen;

heading("Check it: preflight");
type Verdict = { verdict: "allow" | "review" | "deny" | "unrated" };
const { verdict } = await ask<Verdict>("preflight", {
  agent,
  url,
  amount: String(announced ?? BUDGET_USD),
  live: true,
});
if (verdict === "deny") throw new Error("What it asks for contradicts what is known of it.");
await mcp.close();

heading("Pay what a signed verdict allows, and no more");
const request = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ source: SOURCE }),
};
const service = createClient({ baseUrl: apiUrl });
// Store the signer once: what checks an answer must not come with it.
const signer = (await service.get("/api/v2")).receipts.signer!;
// On a fresh stack nobody has paid anybody before, so no evidence supports a payment: the budget is put at risk.
const pay = guardedFetch(account, { service, signer, maxPerPayment: `$${BUDGET_USD}`, atRisk: String(BUDGET_USD) });
show({ url, ...request });
const paid = await pay(url, request);
const receipt = paid.headers.get("payment-response");
show({ status: paid.status, payment: receipt && decodePaymentResponseHeader(receipt) });

heading("The result");
show(await paid.json());
process.exitCode = paid.ok ? 0 : 1;
