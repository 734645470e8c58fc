/** The simulated hosts of agents, with the protocols' own clients: a payment moves money once, and buys a result. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { deployDevnet } from "../../devnet/deploy.ts";
import { agentHostUrl } from "../../devnet/simulators/agent-hosts/agent-hosts.ts";
import { hostsPayee } from "../../devnet/simulators/agent-hosts/payments.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { perFile } from "../support/started.ts";

const anvil = perFile(startAnvil);
const devnet = perFile(() => deployDevnet(anvil.url));
const simulators = perFile(() => startSimulators({ rpcUrl: anvil.url }));

const earned = () =>
  testChain(anvil.url).readContract({
    address: devnet.contracts.usdc,
    abi: usdcAbi,
    functionName: "balanceOf",
    args: [hostsPayee()],
  });

test("an audit is sold for four cents, once for each payment, and nothing is charged for an input that is refused", async () => {
  const account = privateKeyToAccount(devnet.accounts[0]!.privateKey);
  const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account));
  let header: string | null = null;
  const seen: typeof fetch = (input, init) => {
    // The library gives a Request each time.
    header = (input as Request).headers.get("payment-signature") ?? header;
    return fetch(input, init);
  };
  const paying = wrapFetchWithPayment(seen, client);
  const url = `${agentHostUrl(simulators.url, "auditor")}/audit`;
  const source =
    "pragma solidity 0.8.28;\ncontract A {\n  function f() external { require(tx.origin == msg.sender); }\n}";

  expect((await paying(url)).status).toBe(400);
  expect(await earned()).toBe(0n);
  const bought = await paying(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ source }),
  });
  expect(bought.status).toBe(200);
  expect(await bought.json()).toMatchObject({ lines: 4, findings: [{ id: "tx-origin", severity: "high", line: 3 }] });
  expect(await earned()).toBe(40_000n);

  const again = await fetch(`${url}?source=x`, { headers: { "payment-signature": header! } });
  expect(again.status).toBe(402);
  expect(await earned()).toBe(40_000n);
});

test("the price feed answers by MCP, the translator by A2A; the members' server asks for a credential", async () => {
  const mcp = new Client({ name: "test", version: "1" });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${agentHostUrl(simulators.url, "solana-prices")}/mcp`)));
  expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(["get_price", "get_price_history"]);
  const { content } = await mcp.callTool({ name: "get_price", arguments: { symbol: "SOL" } });
  expect(JSON.parse((content as { text: string }[])[0]!.text)).toMatchObject({
    symbol: "SOL",
    usd: expect.any(Number),
  });
  await mcp.close();

  const translator = agentHostUrl(simulators.url, "translator");
  const card = await fetch(`${translator}/.well-known/agent-card.json`);
  const { url } = (await card.json()) as { url: string };
  const sent = await fetch(url, {
    method: "POST",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "message/send",
      params: { message: { role: "user", messageId: "1", parts: [{ kind: "text", text: "The buyer shall pay." }] } },
    }),
  });
  expect(await sent.json()).toMatchObject({ result: { parts: [{ text: "l'acheteur paiera." }] } });
  expect((await fetch(`${agentHostUrl(simulators.url, "members")}/mcp`)).status).toBe(401);
});
