/** Scripts and pages that use nothing but fetch, each doing what those living do: facts of what they send and read. */
import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { jsonRequest } from "../../json-request.ts";
import type { Client } from "../client.ts";
import { signIn } from "../pay.ts";
import type { World } from "../world.ts";
import { listTools } from "./mcp.ts";

type Json = Record<string, unknown>;

/** The JSON of an answer. @throws Error when it is not of the expected status */
async function ask<T = Json>(url: string, init?: RequestInit, status = 200): Promise<T> {
  const response = await fetch(url, init);
  const body = await response.text();
  if (response.status !== status) throw new Error(`${init?.method ?? "GET"} ${url}: ${response.status} ${body}`);
  return JSON.parse(body) as T;
}

const script = (name: string, run: (world: World) => Promise<string>): Client => ({
  ...{ name, package: null, quick: true, run },
});

export const SCRIPTS: Client[] = [
  script("profile resolver", async (world) => {
    const account = privateKeyToAccount((await world.wallet("usdc")).privateKey);
    const stated = {
      ...{ services: { web: { url: "https://ada.example" } }, skills: ["analysis"], domains: ["engines"] },
      metadata: { acceptedPayments: ["usdc"] },
    };
    const id = await world.register("Resolved", account, stated);
    await world.listed(id);
    // The owner states an account by a signed text.
    const message = `Helixa: Update agent #${id} at ${Date.now()}`;
    const change = { message, signature: await account.signMessage({ message }), social: { twitter: "ada" } };
    await ask(`${world.apiUrl}/api/v2/agent/${id}/human-update`, jsonRequest("POST", change));
    const { agents } = await ask<{ agents: { tokenId: number }[] }>(
      `${world.apiUrl}/api/v2/agents?search=${account.address}`,
    );
    assert.deepEqual(
      agents.map(({ tokenId }) => tokenId),
      [id],
    );
    const agent = await ask(`${world.apiUrl}/api/v2/agent/${id}`);
    const { services, skills, domains, metadata, socials } = agent;
    assert.deepEqual({ services, skills, domains, metadata }, stated);
    assert.match(String((socials as Json).x), /ada/);
    const { image } = await ask<{ image: string }>(`${world.apiUrl}/api/v2/metadata/${id}`);
    const drawn = await fetch(image);
    assert.match(drawn.headers.get("content-type") ?? "", /^image\//);
    return `found agent ${id} by its owner, read what it states of itself, its metadata and its image`;
  }),
  script("directory page", async (world) => {
    const terminal = `${world.apiUrl}/api/terminal`;
    const { agents } = await ask<{ agents: { token_id: string | null; tokenId: number; name: string }[] }>(
      `${terminal}/agents?sort=cred_score&dir=desc&limit=100`,
    );
    const own = agents.find(({ token_id }) => (token_id || "").startsWith("helixa-"));
    assert.ok(own, "no own row is found by its token_id");
    const { name } = await ask<{ name: string }>(`${terminal}/agent/${own.token_id}`);
    assert.equal(name, own.name);
    for (const sort of ["price_change_24h", "liquidity_usd", "ethos_score", "updated_at"])
      await ask(`${terminal}/agents?sort=${sort}&dir=desc`);
    for (const filter of ["gainers", "losers", "new", "x402"]) await ask(`${terminal}/agents?filter=${filter}`);
    return `listed ${agents.length} agents, opened ${own.token_id}, sorted and filtered`;
  }),
  script("chat bot", async (world) => {
    const account = privateKeyToAccount((await world.wallet("usdc")).privateKey);
    const id = await world.register("Chatter", account);
    await world.listed(id);
    const authorization = await signIn(world.apiUrl, account);
    const groups = `${world.apiUrl}/api/v2/messages/groups`;
    const send = jsonRequest("POST", { content: "gm" }, { authorization });
    const { message } = await ask<{ message: { id: number } }>(`${groups}/welcome/send`, send);
    const before = new Date(Date.now() + 60_000).toISOString();
    const { messages } = await ask<{ messages: { id: number }[] }>(`${groups}/welcome/messages?before=${before}`);
    assert.ok(messages.some((one) => one.id === message.id));
    return `sent a message as agent ${id}, read it back by time`;
  }),
  script("agent that reads service lists", async (world) => {
    const places = ["/.well-known/agent.json", "/.well-known/mcp.json", "/.well-known/x402.json", "/openapi.json"];
    for (const place of places) await ask(world.apiUrl + place);
    const robots = await fetch(`${world.apiUrl}/robots.txt`);
    assert.equal(robots.status, 200);
    const tools = await listTools(`${world.apiUrl}/api/mcp`);
    return `read ${places.length} documents and robots.txt, listed ${tools.length} tools at /api/mcp`;
  }),
];
