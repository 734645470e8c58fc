/** Seeds what lies outside of the chain: accounts on the simulated platforms, the proofs they give, reputation at Ethos. */
import pLimit from "p-limit";
import type { PrivateKeyAccount } from "viem";
import { gistFileName, needleOf } from "../core/proofs.ts";
import { postAs, type Service } from "./post-as.ts";
import type { SeedAgent } from "./world.ts";

type Outside = Service & { simulatorUrl: string };

export type Citizen = { agent: SeedAgent; account: PrivateKeyAccount; tokenId: number };

/** Plants the Ethos scores of wallets; the workers fetch them like any others. */
export async function plantReputation(
  { simulatorUrl }: Pick<Outside, "simulatorUrl">,
  wallets: readonly { agent: SeedAgent; account: PrivateKeyAccount }[],
): Promise<void> {
  const known = wallets.filter(({ agent }) => agent.ethos !== undefined);
  await Promise.all(
    known.map(({ agent, account }) => control(simulatorUrl, `ethos/${account.address}`, { score: agent.ethos })),
  );
}

/**
 * Lets the accounts of agents say whose they are, and proves them by the API as the agents would do themselves. Who has
 * configured the real platforms starts without these proofs.
 */
export async function proveAccounts(outside: Outside, prefix: string, citizens: readonly Citizen[]): Promise<void> {
  const limit = pLimit(8);
  const proofs = citizens.flatMap((citizen) =>
    Object.entries(citizen.agent.accounts ?? {}).map(([platform, name]) => ({ ...citizen, platform, name })),
  );
  await Promise.all(
    proofs.map(({ account, tokenId, platform, name }, i) =>
      limit(async () => {
        const id = 1_000 + i;
        const shows = needleOf(prefix, tokenId);
        const { path, planted, claim } = ACCOUNTS[platform as keyof typeof ACCOUNTS](name, id, shows, prefix);
        await control(outside.simulatorUrl, path, planted);
        await postAs(outside, account, "proving", `agent/${tokenId}/verify/${platform}`, claim);
      }),
    ),
  );
}

/** What an account shows on each platform, and how it is claimed. */
const ACCOUNTS = {
  x: (name: string, id: number, shows: string) => ({
    path: `x/users/${name}`,
    planted: { id: String(id), name, description: `An agent of its own. ${shows}` },
    claim: { handle: name },
  }),
  github: (name: string, id: number, shows: string, prefix: string) => ({
    path: `github/users/${name}`,
    planted: { id, gists: [{ id: `9e1d${id}`, public: true, files: { [gistFileName(prefix)]: shows } }] },
    claim: { username: name },
  }),
  farcaster: (name: string, id: number, shows: string) => ({
    path: `farcaster/users/${name}`,
    planted: { fid: id, casts: [{ hash: `0x${String(id).padStart(40, "c")}`, text: `claiming ${shows}` }] },
    claim: { username: name },
  }),
};

async function control(simulatorUrl: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${simulatorUrl}/_control/${path}`, { method: "PUT", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`planting ${path}: ${response.status}`);
}

/** Lets 8004scan list the agents of the canonical registry, as it would. */
export async function plantScan(
  { simulatorUrl }: Pick<Outside, "simulatorUrl">,
  agents: readonly { registry: string; agentId: string; owner: string; registeredAt: number }[],
): Promise<void> {
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
  await control(simulatorUrl, "registries/8004scan/agents", rows);
}

/** So many agents are listed by the simulated registries, and some of Virtuals' have a token that trades. */
const LISTED = { virtuals: 80, agentverse: 60, "mcp-registry": 40, "x402-bazaar": 20 };

/** Fills the simulated registries; the workers pull them like any others. */
export async function plantRegistries({ simulatorUrl }: Pick<Outside, "simulatorUrl">): Promise<void> {
  for (const [source, generate] of Object.entries(LISTED)) {
    const path = `registries/${source}/agents`;
    const told = await fetch(`${simulatorUrl}/_control/${path}`);
    if (((await told.json()) as unknown[]).length === 0) await control(simulatorUrl, path, { generate });
  }
  const listed = await fetch(`${simulatorUrl}/_control/registries/virtuals/agents`);
  const agents = (await listed.json()) as { tokenAddress: string | null; symbol: string; name: string }[];
  for (const [i, { tokenAddress, symbol, name }] of agents.entries())
    if (tokenAddress !== null)
      await control(simulatorUrl, `dexscreener/${tokenAddress}`, {
        symbol,
        name,
        marketCap: 50_000 * (i + 1),
        volume24h: i % 2 === 0 ? 900 * (i + 1) : 0,
        priceChange24h: (i % 21) - 10,
        liquidityUsd: 4_000 * (i + 1),
      });
}
