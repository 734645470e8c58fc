/** Wallets: people who sign in by siwe, an SDK on ethers. In Chromium by EIP-6963: pages.ts. */
import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { runSnippet, snippetOf } from "../../doc-snippets.ts";
import { jsonRequest } from "../../json-request.ts";
import { until } from "../../until.ts";
import type { Client, Load } from "../client.ts";
import type { World } from "../world.ts";

type EthersWallet = { address: string; signMessage(message: string): Promise<string> };
type Ethers = {
  Wallet: new (privateKey: string, provider?: object) => EthersWallet;
  JsonRpcProvider: new (url: string) => { destroy(): void };
  Contract: new (
    address: string,
    abi: string[],
    provider: object,
  ) => Record<string, (...args: unknown[]) => Promise<unknown>>;
};
type Siwe = { SiweMessage: new (fields: object) => { prepareMessage(): string } };

type Json = Record<string, unknown>;

/** A human signs in with the statement of living pages and registers by their form. */
const registersHuman = (library: string, statement: string) => async (world: World, load: Load) => {
  const [{ SiweMessage }, { Wallet }] = [await load<Siwe>(library), await load<Ethers>("ethers")];
  const { privateKey } = await world.wallet();
  const wallet = new Wallet(privateKey);
  const timestamp = Date.now();
  const host = new URL(world.apiUrl).host;
  const message = new SiweMessage({
    ...{ domain: host, address: wallet.address, statement, uri: `https://${host}`, version: "1", chainId: 8453 },
    ...{ nonce: String(timestamp), issuedAt: new Date(timestamp).toISOString() },
  });
  const signature = await wallet.signMessage(message.prepareMessage());
  const form = {
    ...{ name: "Ada Lovelace", description: "Writes programs", skills: ["analysis"], domains: ["engines"] },
    ...{ services: { web: { url: "https://ada.example" } }, mintOnchain: false, linkedAgents: [] },
    ...{ externalIds: { orcid: "0000-0001" }, notificationPreferences: { email: true }, metadata: { era: "1843" } },
  };
  const authorization = `Bearer ${wallet.address}:${timestamp}:${signature}`;
  const request = jsonRequest("POST", form, { authorization });
  const response = await fetch(`${world.apiUrl}/api/v2/principals/human/register`, request);
  const body = (await response.json()) as { success?: boolean; principal?: { walletAddress: string } };
  assert.equal(response.status, 201, JSON.stringify(body));
  assert.equal(body.principal?.walletAddress.toLowerCase(), wallet.address.toLowerCase());
  return `signed "${statement}", registered as a human by the form of living pages`;
};

/**
 * The forms in which Go prints the instant of a sign-in: siwe-go by its default (`time.RFC3339`), and a program that
 * hands it a time with a fraction (`time.RFC3339Nano`) or of a zone.
 */
const GO_TIMES: [form: string, print: (time: Date) => string][] = [
  ["whole seconds", (time) => time.toISOString().replace(/\.\d+Z$/, "Z")],
  ["microseconds", (time) => time.toISOString().replace("Z", "000Z")],
  ["an offset", (time) => time.toISOString().replace(/\.\d+Z$/, "+00:00")],
];

/** Signs in with the text that siwe-go prepares: go-ethereum prints addresses with their checksum. */
async function signsInAsGo(world: World): Promise<string> {
  const host = new URL(world.apiUrl).host;
  for (const [form, print] of GO_TIMES) {
    const account = privateKeyToAccount((await world.wallet()).privateKey);
    const timestamp = Math.floor(Date.now() / 1_000) * 1_000;
    const message = [
      ...[`${host} wants you to sign in with your Ethereum account:`, account.address, "", "Sign in to Helixa", ""],
      ...[`URI: ${new URL(world.apiUrl).origin}`, "Version: 1", "Chain ID: 8453", `Nonce: ${timestamp}`],
      `Issued At: ${print(new Date(timestamp))}`,
    ].join("\n");
    const authorization = `Bearer ${account.address}:${timestamp}:${await account.signMessage({ message })}`;
    const body = { name: `Go with ${form}` };
    const request = jsonRequest("POST", body, { authorization });
    const response = await fetch(`${world.apiUrl}/api/v2/principals/human/register`, request);
    assert.equal(response.status, 201, `${form}: ${await response.text()}`);
  }
  return `signed in with ${GO_TIMES.map(([form]) => form).join(", ")}`;
}

/** As a public TypeScript SDK has it: one class, fetch for the service, ethers for keys and chain. */
function sdkOn(ethers: Ethers, world: World, privateKey: string, provider: object) {
  const wallet = new ethers.Wallet(privateKey, provider);
  const host = new URL(world.apiUrl).host;

  async function call(method: string, path: string, body?: object): Promise<Json> {
    const timestamp = Date.now();
    const signature = await wallet.signMessage(
      `Sign-In With Agent: ${host} wants you to sign in with your wallet ${wallet.address} at ${timestamp}`,
    );
    const authorization = `Bearer ${wallet.address}:${timestamp}:${signature}`;
    const response = await fetch(world.apiUrl + path, jsonRequest(method, body, { authorization }));
    const answer = (await response.json()) as Json;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
  return {
    address: wallet.address,
    getAgent: (id: number) => call("GET", `/api/v2/agent/${id}`),
    search: (query: string) => call("GET", `/api/v2/agents?search=${query}`),
    update: (id: number, body: object) => call("POST", `/api/v2/agent/${id}/update`, body),
    joinGroup: (id: string) => call("POST", `/api/v2/messages/groups/${id}/join`),
    sendMessage: (id: string, content: string) => call("POST", `/api/v2/messages/groups/${id}/send`, { content }),
    getMessages: (id: string, { before, limit }: { before?: string; limit?: number } = {}) =>
      call("GET", `/api/v2/messages/groups/${id}/messages?limit=${limit ?? 50}${before ? `&before=${before}` : ""}`),
    ownerOf: (id: number) =>
      new ethers.Contract(world.contracts.identity!, ["function ownerOf(uint256) view returns (address)"], provider)
        .ownerOf!(id) as Promise<string>,
  };
}

export const WALLET_CLIENTS: Client[] = [
  { package: "siwe", run: registersHuman("siwe", "Sign in to Helixa.") },
  { package: "siwe", alias: "siwe-2", run: registersHuman("siwe-2", "Sign in to Helixa") },
  { name: "siwe in Go's form", package: null, run: signsInAsGo },
  {
    name: "TypeScript SDK on ethers",
    package: "ethers",
    async run(world, load) {
      const ethers = await load<Ethers>("ethers");
      const { privateKey } = await world.wallet("usdc");
      const id = await world.register("Ethers", privateKeyToAccount(privateKey));
      const provider = new ethers.JsonRpcProvider(world.rpcUrl);
      try {
        const sdk = sdkOn(ethers, world, privateKey, provider);
        assert.equal(await sdk.ownerOf(id), sdk.address);
        await world.listed(id);
        assert.equal((await sdk.getAgent(id)).name, "Ethers");
        const { agents } = (await sdk.search(sdk.address)) as { agents: { tokenId: number }[] };
        assert.deepEqual(
          agents.map(({ tokenId }) => tokenId),
          [id],
        );
        await sdk.update(id, {
          narrative: { mission: "Test" },
          traits: [{ name: "curious", category: "mind", addedAt: new Date().toISOString() }],
        });
        await sdk.joinGroup("welcome");
        await sdk.sendMessage("welcome", "Hello from ethers");
        const before = new Date(Date.now() + 60_000).toISOString();
        const { messages } = (await sdk.getMessages("welcome", { before })) as { messages: { content: string }[] };
        assert.ok(messages.some(({ content }) => content === "Hello from ethers"));
        return `read agent ${id} on the chain and by search, updated it, joined a group, sent and read a message`;
      } finally {
        provider.destroy();
      }
    },
  },
  {
    name: "ethers, a cred proof by docs/use/onchain-cred.md",
    package: "ethers",
    async run(world, load) {
      const TOKEN_ID = world.agent;
      const path = `/api/v2/agent/${TOKEN_ID}/cred/proof`;
      await until("an epoch has the agent", async () => (await fetch(world.apiUrl + path)).status === 200);
      const values = { SERVICE: world.apiUrl, RPC_URL: world.rpcUrl, TOKEN_ID, IDENTITY: world.contracts.identity };
      const code = snippetOf("docs/use/onchain-cred.md", "ethers");
      const check = async (CRED_ROOTS: string) =>
        runSnippet(code, {
          modules: { ethers: await load<object>("ethers") },
          values: { ...values, CRED_ROOTS },
          result: "{ score, leaf, destroyed: provider.destroy() }",
        }) as Promise<{ score: number | null; leaf: { score: number } }>;
      // An epoch that is published between the answer and the read of the chain leaves the proof without its root.
      const { score, leaf } = await until("the proof is of the latest epoch", async () => {
        const found = await check(world.contracts.credRoots!);
        return found.score === null ? null : found;
      });
      assert.equal(score, leaf.score);
      return `computed the root of agent ${TOKEN_ID}'s proof and found it in CredRoots: score ${score}`;
    },
  },
];
