/** Registers the agents of the seeded world, each in its own way: by the API, by the contract, by the service's owner. */
import { x402Client, x402HTTPClient } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import type { PrivateKeyAccount } from "viem";
import { identityAbi } from "../abis/identity.ts";
import type { Pay } from "../sdk/src/client.ts";
import { ApiError, createClient, type Schemas } from "../sdk/src/index.ts";
import { callOf } from "./contract-call.ts";
import type { Seeding } from "./seed-chain.ts";
import { AGENT_HOSTS, agentHostUrl } from "./simulators/agent-hosts/agent-hosts.ts";
import type { SeedAgent } from "./world.ts";

/** Signs for what a 402 asks, up to a dollar, and sends the request again with it. */
function payByX402(account: PrivateKeyAccount, chainId: number): Pay {
  const client = new x402Client()
    .setSpendControls({ maxAmountPerPayment: "$1" })
    .register(`eip155:${chainId}`, new ExactEvmScheme(account));
  const x402 = new x402HTTPClient(client);
  return (fetch) => async (input, init) => {
    const request = new Request(input, init);
    const answer = await fetch(request.clone());
    if (answer.status !== 402) return answer;
    const terms = x402.getPaymentRequiredResponse((name) => answer.headers.get(name), await answer.json());
    const payment = x402.encodePaymentSignatureHeader(await x402.createPaymentPayload(terms));
    for (const [name, value] of Object.entries(payment)) request.headers.set(name, value);
    return fetch(request);
  };
}

/** Origin of a token that the service's owner minted. */
const ORIGIN_OWNER = 3;

/**
 * Registers one agent. Done again it changes nothing.
 * @param referralCode of the agent that brought it; registrations by the API only
 * @returns the agent's own referral code, where the API returned it
 */
export async function registerAgent(
  at: Seeding,
  agent: SeedAgent,
  account: PrivateKeyAccount,
  referralCode?: string,
): Promise<string | undefined> {
  if (agent.via === undefined) return registerByApi(at, agent, account, referralCode);
  if (agent.via === "contract") await registerByContract(at, agent, account);
  else await registerByOwner(at, agent, account);
  return undefined;
}

/** As an agent does it: signs in with its wallet, pays, and posts. */
async function registerByApi(
  { apiUrl, host, devnet, simulatorUrl }: Seeding,
  agent: SeedAgent,
  account: PrivateKeyAccount,
  referralCode?: string,
): Promise<string | undefined> {
  const client = createClient({ baseUrl: apiUrl, host, wallet: account, pay: payByX402(account, devnet.chainId) });
  const { risk, autonomy, ...words } = agent.personality ?? {};
  const body: Schemas["MintRequest"] = {
    name: agent.name,
    // The API accepts frameworks of its own list only.
    framework: agent.framework as Schemas["MintRequest"]["framework"],
    soulbound: agent.soulbound ?? false,
    ...(agent.personality && { personality: { ...words, riskTolerance: risk ?? 5, autonomyLevel: autonomy ?? 5 } }),
    ...(agent.narrative && { narrative: agent.narrative }),
    ...(agent.host && AGENT_HOSTS[agent.host].listing(agentHostUrl(simulatorUrl, agent.host))),
    ...agent.listing,
    ...(referralCode && { referralCode }),
  };
  try {
    return (await client.register(body, { idempotencyKey: `seed-${account.address}` })).yourReferralCode;
  } catch (error) {
    if (error instanceof ApiError && error.code === "already_registered")
      return (error.body as { yourReferralCode?: string }).yourReferralCode;
    throw new Error(`registering ${agent.name}: ${(error as Error).message}`, { cause: error });
  }
}

async function registerByContract(at: Seeding, agent: SeedAgent, account: PrivateKeyAccount) {
  if ((await at.sentBy(account)) > 0) return;
  const { identity: address } = at.devnet.contracts;
  const value = await at.chain.readContract({ address, abi: identityAbi, functionName: "mintPrice" });
  const args = [account.address, agent.name, agent.framework, agent.soulbound ?? false] as const;
  await at.sendAll(account, [{ ...callOf(address, identityAbi, "mint", args), value }]);
}

async function registerByOwner({ sendAsService, devnet }: Seeding, agent: SeedAgent, { address }: PrivateKeyAccount) {
  const { name, framework, soulbound = false } = agent;
  const args = [address, address, name, framework, soulbound, ORIGIN_OWNER] as const;
  const call = callOf(devnet.contracts.identity, identityAbi, "mintFor", args);
  await sendAsService(`seed:mint:${address.toLowerCase()}`, call);
}
