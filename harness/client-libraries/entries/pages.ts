/** Clients in a page of another origin, in Chromium. */
import assert from "node:assert/strict";
import { until } from "../../until.ts";
import type { Client } from "../client.ts";
import type { ReceiptHeader } from "../pay.ts";

/** @param client as the page's bundle names it */
const pays =
  (client: string, receipt: ReceiptHeader, bundle: "own" | "packages" = "packages"): Client["run"] =>
  async (world) => {
    const money = receipt === "payment-receipt" ? "usdce" : "usdc";
    const page = await world.page(bundle);
    return world.paysBoth({ name: `Page ${client}`, money, receipt }, (task, keys) =>
      page.buy(client, task, keys, world.tempoRpcUrl),
    );
  };

const inChromium = (name: string) => `${name} in Chromium`;

export const PAGE_CLIENTS: Client[] = [
  {
    name: inChromium("@x402/fetch"),
    package: "@x402/fetch",
    quick: true,
    browser: true,
    run: pays("@x402/fetch", "payment-response", "own"),
  },
  {
    name: inChromium("@x402/fetch"),
    package: "@x402/fetch",
    alias: "x402-fetch-2.8",
    browser: true,
    run: pays("x402-fetch-2.8", "payment-response"),
  },
  {
    name: inChromium("@x402/axios"),
    package: "@x402/axios",
    browser: true,
    run: pays("@x402/axios", "payment-response"),
  },
  {
    name: inChromium("@x402/axios"),
    package: "@x402/axios",
    alias: "x402-axios-2.2",
    browser: true,
    run: pays("x402-axios-2.2", "payment-response"),
  },
  {
    name: inChromium("x402-fetch"),
    package: "x402-fetch",
    browser: true,
    run: pays("x402-fetch", "x-payment-response"),
  },
  {
    name: inChromium("x402-axios"),
    package: "x402-axios",
    browser: true,
    run: pays("x402-axios", "x-payment-response"),
  },
  {
    name: inChromium("mppx"),
    package: "mppx",
    quick: true,
    browser: true,
    run: pays("mppx", "payment-receipt", "own"),
  },
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
      // An agent of a client before this one may be told of first.
      const hasHeard = (data: unknown) => (data as { tokenId: number }).tokenId === tokenId;
      await until("the page hears of it", async () => (await page.events()).some(hasHeard));
      return `told of agent ${tokenId} when it was registered`;
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
