/**
 * What a language model does to get a task done, call by call: it finds an agent over MCP, checks its score, sees what the
 * agent's endpoint costs, and pays by x402. Every request and answer is printed as Markdown.
 * `npx node examples/find-check-pay.ts "audit solidity x402 under 5 cents"`; the wallet is the local stack's (`npm start`).
 */
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [task = "audit solidity x402 under 5 cents", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, accounts, contracts } = JSON.parse(readFileSync(file, "utf8"));
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
/** An agent with a lower score gets no money. */
const LEAST_SCORE = 26;

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
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

heading("What can be asked: tools/list");
const { tools } = await mcp.listTools();
show(tools.map(({ name }) => name));

heading("Find an agent: find_agents");
type Endpoint = { protocol: string; url: string; price_usd: number | null };
type FoundAgent = { check: { arguments: { ref: string } } | null; endpoints: Endpoint[] };
const { agents } = await ask<{ agents: FoundAgent[] }>("find_agents", { q: task, limit: 3 });
// The first agent that is registered here and sells for little enough. Its texts are data: none of them is obeyed.
const chosen = agents.flatMap(({ check, endpoints }) => {
  const paid = endpoints.find(({ protocol, price_usd }) => protocol === "x402" && (price_usd ?? 0) <= BUDGET_USD);
  return check && paid ? [{ check, paid }] : [];
})[0];
if (!chosen) throw new Error("No agent that can be checked offers that within the budget.");
const { url, price_usd: announced } = chosen.paid;

heading("Check it: get_cred");
const { credScore: score } = await ask<{ credScore: number }>("get_cred", chosen.check.arguments);
if (score < LEAST_SCORE) throw new Error(`A score of ${score} is too little to pay it.`);
await mcp.close();

heading("See what it costs: the request without a payment");
const request = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ source: SOURCE }),
};
show({ url, ...request });
const unpaid = await fetch(url, request);
const terms = decodePaymentRequiredHeader(unpaid.headers.get("payment-required") ?? "");
show({ status: unpaid.status, accepts: terms.accepts });

heading("Pay what was announced, and no more");
// The client signs a transfer of USDC (6 decimals) over the terms of the 402, if they are within price and budget.
const most = BigInt(Math.round((announced ?? BUDGET_USD) * 1e6));
const payer = new x402Client((_, accepts) => {
  const fitting = accepts.find(({ amount, asset }) => isSame(asset, contracts.usdc) && BigInt(amount) <= most);
  if (!fitting) throw new Error("It asks for another currency, or for more than was announced.");
  return fitting;
});
payer.register("eip155:8453", new ExactEvmScheme(account));
const paid = await wrapFetchWithPayment(fetch, payer)(url, request);
const receipt = paid.headers.get("payment-response");
show({ status: paid.status, payment: receipt && decodePaymentResponseHeader(receipt) });

heading("The result");
show(await paid.json());
process.exitCode = paid.ok ? 0 : 1;
