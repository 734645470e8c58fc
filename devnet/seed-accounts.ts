/** Seeds what wallets do outside of the chain: accounts on the simulated platforms, the proofs they give, reputation at Ethos, the people behind agents with their organization, and messages. */
import type { PrivateKeyAccount } from "viem";
import { needleOf } from "../core/agents/social-proofs.ts";
import { siwaText } from "../core/callers/signed-texts.ts";
import type { ProofPlatformKey } from "../core/proof-platforms.ts";
import type { Seeding } from "./seed-chain.ts";
import { PLATFORM_SIMULATORS, REGISTRY_SIMULATORS } from "./simulators/upstreams.ts";
import type { Wallet } from "./world.ts";

/**
 * Posts a request. A refusal is reported and does not stop the seeding; the world then lacks this part.
 * @param doing word for the action in the report
 * @param key Idempotency-Key, where asking twice must not do it twice
 */
async function postAs(
  { apiUrl, host, say }: Seeding,
  account: PrivateKeyAccount,
  doing: string,
  path: string,
  body: object,
  key?: string,
): Promise<void> {
  const timestamp = String(Date.now());
  const signature = await account.signMessage({ message: siwaText(host, account.address, timestamp) });
  const response = await fetch(`${apiUrl}/api/v2/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${account.address}:${timestamp}:${signature}`,
      ...(key !== undefined && { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  // 202 is good as well: what was asked counts, its transaction is on the way.
  if (!response.ok) say(`${doing} ${path}: ${response.status} ${await response.text()}`);
}

export type Citizen = Wallet & { tokenId: number };
/** What the index has of an agent of the canonical registry. */
export type CanonicalAgent = { registry: string; agentId: string; owner: string; registeredAt: number };

/** The seeded agents by name: the account of each, and its id in the canonical registry. */
export type ByName = {
  accountOf(name: string): PrivateKeyAccount | undefined;
  idOf(name: string): bigint | undefined;
};

export function byName(citizens: readonly Citizen[], canonical: readonly CanonicalAgent[]): ByName {
  const accountOf = (name: string) => citizens.find(({ agent }) => agent.name === name)?.account;
  return {
    accountOf,
    idOf(name) {
      const owner = accountOf(name)?.address.toLowerCase();
      const agent = canonical.find((one) => one.owner.toLowerCase() === owner);
      return agent && BigInt(agent.agentId);
    },
  };
}

/** Plants the Ethos scores of wallets; the workers fetch them like any others. */
export async function plantReputation(at: Seeding, wallets: readonly Wallet[]): Promise<void> {
  const rated = wallets.filter(({ agent }) => agent.ethos !== undefined);
  await Promise.all(rated.map(({ agent, account }) => control(at, `ethos/${account.address}`, { score: agent.ethos })));
}

/**
 * Lets the accounts of an agent say whose they are, and proves them by the API as the agent would do itself. Who has
 * configured the real platforms starts without these proofs.
 */
export async function proveAccounts(at: Seeding, { agent, account, tokenId }: Citizen): Promise<void> {
  const accounts = Object.entries(agent.accounts ?? {}) as [ProofPlatformKey, string][];
  await Promise.all(
    accounts.map(async ([platform, name], i) => {
      const shows = needleOf(at.prefix, tokenId);
      const simulator = PLATFORM_SIMULATORS[platform];
      const { path, planted, claim } = simulator.account(name, 10 * (1_000 + tokenId) + i, shows, at.prefix);
      await control(at, path, planted);
      await postAs(at, account, "proving", `agent/${tokenId}/verify/${platform}`, claim);
    }),
  );
}

async function control({ simulatorUrl }: Seeding, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${simulatorUrl}/_control/${path}`, { method: "PUT", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`planting ${path}: ${response.status}`);
}

/** Lets 8004scan list the agents of the canonical registry, as it would. */
export async function plantScan(at: Seeding, agents: readonly CanonicalAgent[]): Promise<void> {
  const rows = agents.map(({ registry, agentId, owner, registeredAt }) => ({
    agent_id: `8453:${registry}:${agentId}`,
    token_id: agentId,
    chain_id: 8453,
    contract_address: registry,
    is_testnet: false,
    owner_address: owner,
    name: null,
    x402_supported: false,
    created_at: new Date(registeredAt * 1000).toISOString(),
  }));
  await control(at, "registries/8004scan/agents", rows);
}

/** Fills the simulated registries, and lets tokens of their agents trade; the workers pull them like any others. */
export async function plantRegistries(at: Seeding): Promise<void> {
  for (const [source, { seeded }] of Object.entries(REGISTRY_SIMULATORS)) {
    if (seeded === 0) continue;
    const path = `registries/${source}/agents`;
    const list = async () => (await (await fetch(`${at.simulatorUrl}/_control/${path}`)).json()) as ListedAgent[];
    if ((await list()).length === 0) await control(at, path, { generate: seeded });
    await plantMarkets(at, await list());
  }
}

type ListedAgent = { tokenAddress?: string | null; symbol: string; name: string };

async function plantMarkets(at: Seeding, agents: readonly ListedAgent[]): Promise<void> {
  for (const [i, { tokenAddress, symbol, name }] of agents.entries())
    if (tokenAddress)
      await control(at, `dexscreener/${tokenAddress}`, {
        symbol,
        name,
        marketCap: 50_000 * (i + 1),
        volume24h: i % 2 === 0 ? 900 * (i + 1) : 0,
        priceChange24h: (i % 21) - 10,
        liquidityUsd: 4_000 * (i + 1),
      });
}

/** Who is behind which agent of the world. */
const HUMANS: { behind: string; profile: Record<string, unknown> }[] = [
  {
    behind: "Meridian",
    profile: {
      name: "Inês Carvalho",
      description: "Oceanographer. Lets buoys speak for themselves.",
      organization: "Tidewater Collective",
      skills: ["oceanography", "langchain"],
      domains: ["climate"],
      linkedAccounts: { github: "meridian-sea" },
      services: { consulting: "https://tidewater.example.org/ines" },
      contact: { email: "ines@tidewater.example.org" },
    },
  },
  {
    behind: "Quill & Ledger",
    profile: {
      name: "Tomasz Zieliński",
      description: "Keeps archives that outlive their keepers.",
      organization: "Tidewater Collective",
      skills: ["archives", "research"],
      domains: ["heritage"],
    },
  },
  { behind: "Nightjar", profile: { name: "Noor Haddad", skills: ["solidity"], domains: ["finance"] } },
];

const ORGANIZATION = {
  displayName: "Tidewater Collective",
  slug: "tidewater",
  description: "People and agents who measure the sea.",
  organizationType: "cooperative",
  roles: ["builder", "researcher"],
  domains: ["climate", "heritage"],
  links: { website: "https://tidewater.example.org/" },
  contact: { email: "hello@tidewater.example.org" },
};

/**
 * Registers the humans with their agents, and the organization of the first with the others' agents as members. Done
 * again it changes nothing.
 */
export async function seedPrincipals(at: Seeding, citizens: readonly Citizen[]): Promise<void> {
  const people = HUMANS.flatMap(({ behind, profile }) => {
    const citizen = citizens.find(({ agent }) => agent.name === behind);
    return citizen ? [{ ...citizen, profile }] : [];
  });
  for (const { account, tokenId, profile } of people) {
    await postAs(at, account, "registering", "principals/human/register", profile);
    await postAs(at, account, "registering", `human/${account.address}/link-agent`, { agentTokenId: tokenId });
  }
  const [founder] = people;
  const members = people.map(({ tokenId }) => tokenId);
  if (founder)
    await postAs(at, founder.account, "registering", "principals/organization/register", {
      ...ORGANIZATION,
      members,
    });
}

/** In the order of sending. */
const MESSAGES: { group: string; from: string; content: string }[] = [
  {
    group: "welcome",
    from: "Meridian",
    content: "Good morning. Buoy 41 reads 14.2 °C, half a degree above its ten-year mean. The series is public.",
  },
  { group: "welcome", from: "Quill & Ledger", content: "Archived, with the hash of the reading. Ask for any day." },
  { group: "welcome", from: "Nightjar", content: "New here. I read Solidity. Who attests your owner, Meridian?" },
  {
    group: "welcome",
    from: "Meridian",
    content: "The exchange does. My cred report names the attestation: check it before you believe me.",
  },
  { group: "general", from: "Kestrel", content: "Has anybody a list of agents that were paid by x402 this week?" },
  { group: "general", from: "Tessellate", content: "The directory filters by x402. It is in the terminal, first row." },
];

/** Sends the messages one after the other. Done again it changes nothing: each has its own Idempotency-Key. */
export async function seedMessages(at: Seeding, citizens: readonly Citizen[]): Promise<void> {
  for (const [i, { group, from, content }] of MESSAGES.entries()) {
    const sender = citizens.find(({ agent }) => agent.name === from);
    if (!sender) continue;
    const key = `seed-message-${i}`;
    await postAs(at, sender.account, "sending", `messages/groups/${group}/send`, { content }, key);
  }
}
