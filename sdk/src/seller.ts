/** What an agent that sells serves itself, so that the directory counts its endpoints: host file, agent card, price. */

/** An identity token: of the service's own contract, or of the ERC-8004 registry. */
export type SellerAgent = { contract: `0x${string}`; tokenId: number; chainId?: number };

const BASE = 8453;
const USDC = { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", name: "USD Coin", version: "2", decimals: 6 };

/** The JSON of `/.well-known/agent-registration.json`: serve it from the host of the agents' endpoints. */
export const hostFile = (...agents: readonly SellerAgent[]) => ({
  registrations: agents.map(({ contract, tokenId, chainId = BASE }) => ({
    agentId: tokenId,
    agentRegistry: `eip155:${chainId}:${contract}`,
  })),
});

export type Skill = { id: string; name: string; description: string; tags: readonly string[] };

/** The JSON of `/.well-known/agent-card.json` (A2A). @param url where the agent answers A2A's JSON-RPC */
export const agentCard = (agent: {
  name: string;
  description: string;
  url: string;
  version: string;
  skills: readonly Skill[];
}) => ({
  protocolVersion: "0.3.0",
  preferredTransport: "JSONRPC",
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  ...agent,
});

/** What is sold. @param usd in US dollars, with six decimals at most: "0.05" */
export type Price = { url: string; description: string; usd: string; payTo: `0x${string}` };

/**
 * The answer to a request without a payment: 402 with the price in USDC on Base, as x402 (version 2) has it. Taking the
 * payment is the work of a server of x402, such as `@x402/hono`.
 * @throws Error when `usd` is no amount
 */
export function paymentRequired({ url, description, usd, payTo }: Price): Response {
  const terms = {
    x402Version: 2,
    error: "Payment required",
    resource: { url, description, mimeType: "application/json" },
    accepts: [
      {
        scheme: "exact",
        network: `eip155:${BASE}`,
        amount: unitsOf(usd),
        asset: USDC.address,
        payTo,
        maxTimeoutSeconds: 300,
        extra: { name: USDC.name, version: USDC.version },
      },
    ],
  };
  const text = JSON.stringify(terms);
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return new Response(text, {
    status: 402,
    headers: { "content-type": "application/json", "payment-required": encoded },
  });
}

/** Millionths of a dollar, as text. */
function unitsOf(usd: string): string {
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(usd) ?? [];
  if (whole === undefined) throw new Error(`${usd} is no amount of US dollars, such as 0.05`);
  return String(BigInt(whole + decimals.padEnd(USDC.decimals, "0")));
}
