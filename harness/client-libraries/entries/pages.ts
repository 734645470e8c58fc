/** Clients in a page of another origin, in Chromium. */
import assert from "node:assert/strict";
import { until } from "../../until.ts";
import type { Client } from "../client.ts";
import type { ReceiptHeader } from "../pay.ts";

type Bought = Pick<Client, "alias" | "quick"> & { package: string; receipt: ReceiptHeader };
/** A client that pays in the page: of its own bundle where it is a dependency of this project. */
const pays = ({ receipt, ...entry }: Bought): Client => ({
  ...entry,
  ...{ name: inChromium(entry.package), browser: true },
  async run(world) {
    const client = entry.alias ?? entry.package;
    const money = receipt === "payment-receipt" ? "usdce" : "usdc";
    const page = await world.page(entry.quick ? "own" : "packages");
    return world.paysBoth({ name: `Page ${client}`, money, receipt }, (task, keys) =>
      page.buy(client, task, keys, world.tempoRpcUrl),
    );
  },
});

const inChromium = (name: string) => `${name} in Chromium`;

export const PAGE_CLIENTS: Client[] = [
  pays({ package: "@x402/fetch", quick: true, receipt: "payment-response" }),
  pays({ package: "@x402/fetch", alias: "x402-fetch-2.8", receipt: "payment-response" }),
  pays({ package: "@x402/axios", receipt: "payment-response" }),
  pays({ package: "@x402/axios", alias: "x402-axios-2.2", receipt: "payment-response" }),
  pays({ package: "x402-fetch", receipt: "x-payment-response" }),
  pays({ package: "x402-axios", receipt: "x-payment-response" }),
  pays({ package: "mppx", quick: true, receipt: "payment-receipt" }),
  {
    name: inChromium("a wallet by EIP-6963 and x402"),
    package: "mipd",
    browser: true,
    async run(world) {
      const funded = await world.wallet("usdc");
      const page = await world.pageWithWallet("packages", funded);
      const task = {
        apiUrl: world.apiUrl,
        agent: world.agent,
        name: "By wallet",
        receipt: "payment-response",
      } as const;
      const before = await world.balance(funded);
      const { wallet, tokenId, agentName } = await page.registerByWallet(task);
      assert.equal(agentName, task.name);
      assert.equal(before - (await world.balance(funded)), 1_000_000n);
      await world.listed(tokenId);
      return `found "${wallet}", signed in, registered agent ${tokenId} for 1 USD`;
    },
  },
  {
    name: inChromium("EventSource"),
    package: null,
    quick: true,
    browser: true,
    async run(world) {
      const page = await world.page("own");
      await page.follow(`${world.apiUrl}/api/v2/events?type=agent.registered`, "agent.registered");
      const tokenId = await world.register("Heard of");
      // The event of an earlier client's agent may come first.
      const hasHeard = (data: unknown) => (data as { tokenId: number }).tokenId === tokenId;
      await until("the page hears of it", async () => (await page.events()).some(hasHeard));
      return `got the event of agent ${tokenId} when it was registered`;
    },
  },
  {
    name: inChromium("MCP SDK"),
    package: "@modelcontextprotocol/client",
    quick: true,
    browser: true,
    async run(world) {
      const page = await world.page("own");
      const { tools, answer } = await page.mcp(`${world.apiUrl}/mcp`, "get_agent", { ref: world.agent });
      assert.ok(tools.includes("verify_receipt"));
      assert.equal((answer as { tokenId: number }).tokenId, world.agent);
      return `listed ${tools.length} tools, called get_agent`;
    },
  },
];
