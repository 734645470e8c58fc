/** Seeds the local world through the real paths: API calls, transactions of the agents' own wallets, attestations, the transaction outbox. */
import pLimit from "p-limit";
import type pg from "pg";
import { parseEther, parseUnits } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { identityAbi } from "../abis/identity.ts";
import { usdcAbi } from "../abis/usdc.ts";
import { OWN_PLATFORM } from "../core/directory/platforms.ts";
import { openPool } from "../db/sql/connect.ts";
import { CANONICAL } from "./chain-addresses.ts";
import { devnetCast } from "./chain-keys.ts";
import { callOf } from "./contract-call.ts";
import type { Devnet } from "./deploy.ts";
import {
  byName,
  type Citizen,
  plantRegistries,
  plantReputation,
  plantScan,
  proveAccounts,
  seedMessages,
  seedPrincipals,
} from "./seed-accounts.ts";
import { openSeedChain, type SeedChain, tokensOf } from "./seed-chain.ts";
import { seedJobs, seedPayments, seedReviews, seedValidations } from "./seed-commerce.ts";
import { attest, recordHandshakes, scoreByNeynar, shareTokens, verify, writeProfile } from "./seed-onchain.ts";
import { registerAgent } from "./seed-registrations.ts";
import { AGENT_HOSTS } from "./simulators/agent-hosts/agent-hosts.ts";
import { type Wallet, WORLD, walletsOfWorld } from "./world.ts";

type SeedContext = {
  apiUrl: string;
  /** Host name in signed texts. */
  host: string;
  rpcUrl: string;
  simulatorUrl: string;
  /** Of proofs. */
  prefix: string;
  databaseUrl: string;
  devnet: Devnet;
  /** Whether the workers give every token its URI. */
  setsTokenUris: boolean;
  /** Progress, a short line. */
  say: (line: string) => void;
};

/** After this time the start goes on without what is missing; the workers bring it later. */
const WORKERS_MS = 60_000;
/** For each wallet that registers by the API; a registration costs 1. */
const USDC_EACH = parseUnits("25", 6);
const ETH_EACH = parseEther("5");
/** Max agents that register at the same time; each waits for two blocks most of the time. */
const AT_ONCE = 48;
/** Every eighth agent was brought by the first one. */
const REFERRED_EVERY = 8;

/**
 * Populates an empty stack. Done again after an interruption it goes on: an agent that has a token keeps what it has.
 * @returns what there is now, for the operator
 */
export async function seed(context: SeedContext): Promise<string> {
  const db = openPool({ connectionString: context.databaseUrl, max: 4 });
  const chain = openSeedChain(context.rpcUrl, db);
  const wallets = walletsOfWorld();
  try {
    await Promise.all([
      plantRegistries(context),
      plantReputation(context, wallets),
      fundWallets(context, chain, wallets),
    ]);
    const forWallets = Promise.all([
      // One account signs both.
      attest(chain, context.devnet, wallets).then(() => scoreByNeynar(chain, context.devnet, wallets)),
      shareTokens(chain, context.devnet, wallets),
    ]);
    const [citizens] = await Promise.all([registerAll(context, chain, wallets), forWallets]);
    context.say("handshakes, humans, messages, reviews, jobs, payments");
    await Promise.all([
      recordHandshakes(chain, context.devnet, citizens),
      untilIndexed(context, chain).then(() =>
        Promise.all([
          canonicalAgents(db).then((canonical) => {
            const agent = byName(citizens, canonical);
            return Promise.all([
              plantScan(context, canonical),
              // The same wallets sign both.
              seedReviews(chain, context.devnet, agent)
                .then(() => seedValidations(chain, context.devnet, agent))
                .then(() => seedJobs(chain, context.devnet, agent))
                .then(() => seedPayments(chain, context.devnet, agent)),
            ]);
          }),
          seedPrincipals(context, citizens),
          seedMessages(context, citizens),
        ]),
      ),
    ]);
    await untilIndexed(context, chain);
    const deadline = Date.now() + WORKERS_MS;
    if (context.setsTokenUris) await untilUrisAreSet(context, chain, { citizens, deadline });
    await untilOffersAreFound(context, { deadline });
    return `${citizens.length} agents, ${WORLD.filter((agent) => agent.erc8004).length} of them in the canonical registry`;
  } finally {
    await db.end();
  }
}

/** The operator mints USDC for each that pays and has none yet. */
async function fundWallets({ say }: SeedContext, { chain, sendAll }: SeedChain, wallets: readonly Wallet[]) {
  say("giving its wallets ETH and USDC");
  await Promise.all(wallets.map(({ account }) => chain.setBalance({ address: account.address, value: ETH_EACH })));
  const paying = wallets.filter(({ agent }) => agent.via === "api").map(({ account }) => account.address);
  const token = { address: CANONICAL.usdc, abi: usdcAbi } as const;
  const balances = await Promise.all(
    paying.map((address) => chain.readContract({ ...token, functionName: "balanceOf", args: [address] })),
  );
  const calls = paying
    .filter((_, i) => balances[i] === 0n)
    .map((address) => callOf(token.address, token.abi, "mint", [address, USDC_EACH]));
  await sendAll(privateKeyToAccount(devnetCast().operator), calls);
}

/** Registers every agent; each then writes its profile and proves its accounts while others still register. */
async function registerAll(context: SeedContext, chain: SeedChain, wallets: readonly Wallet[]): Promise<Citizen[]> {
  const { apiUrl, host, devnet, simulatorUrl, say } = context;
  const { identity } = devnet.contracts;
  const registrar = { apiUrl, host, chainId: devnet.chainId, identity, simulatorUrl, chain };
  let registered = 0;
  const register = async ({ agent, account }: Wallet, referralCode?: string) => {
    const code = await registerAgent(registrar, agent, account, referralCode);
    say(`${++registered} of ${wallets.length} agents registered`);
    const [tokenId] = await tokensOf(chain.chain, identity, account.address);
    if (tokenId === undefined) throw new Error(`${agent.name} has no token`);
    return { code, citizen: { agent, account, tokenId } };
  };
  const settle = async (citizen: Citizen): Promise<Citizen> => {
    await untilIndexed(context, chain);
    await Promise.all([
      writeProfile(chain, devnet, citizen),
      verify(chain, devnet, citizen),
      proveAccounts(context, context.prefix, [citizen]),
    ]);
    return citizen;
  };
  const [founder, ...others] = wallets;
  say("registering the first agent");
  const first = await register(founder!);
  const code = first.code && referralIsKnown(apiUrl, first.code);
  const limit = pLimit(AT_ONCE);
  return Promise.all([
    settle(first.citizen),
    ...others.map(async (wallet, i) => {
      // Awaited outside of the limit: a registration that waits for its referrer delays no other.
      const referralCode = i % REFERRED_EVERY === 0 ? await code : undefined;
      const { citizen } = await limit(() => register(wallet, referralCode));
      return settle(citizen);
    }),
  ]);
}

/** A code is accepted from the moment its agent is in the index; a refusal would be kept with the request's key. */
async function referralIsKnown(apiUrl: string, code: string): Promise<string> {
  while (!(await fetch(`${apiUrl}/api/v2/referral/${code}`)).ok) await new Promise((done) => setTimeout(done, 200));
  return code;
}

/** Resolves when the API shows what the chain holds now. */
async function untilIndexed({ apiUrl }: SeedContext, { chain }: SeedChain): Promise<void> {
  await fetch(`${apiUrl}/api/v2/stats?minBlock=${await chain.getBlockNumber()}`);
}

type CanonicalAgent = { registry: string; agentId: string; owner: string; registeredAt: number };

async function canonicalAgents(db: pg.Pool): Promise<CanonicalAgent[]> {
  const { rows } = await db.query<CanonicalAgent>(
    `select registry, agent_id::text as "agentId", owner, registered_at::float8 as "registeredAt"
     from onchain.erc8004_agent order by agent_id`,
  );
  return rows;
}

async function untilUrisAreSet(
  { devnet, say }: SeedContext,
  { chain }: SeedChain,
  { citizens, deadline }: { citizens: readonly Citizen[]; deadline: number },
) {
  say("waiting until every token has its URI");
  const contract = { address: devnet.contracts.identity, abi: identityAbi, functionName: "tokenURI" } as const;
  for (const { tokenId } of citizens)
    while ((await chain.readContract({ ...contract, args: [BigInt(tokenId)] })) === "" && Date.now() < deadline)
      await new Promise((done) => setTimeout(done, 250));
}

/** Resolves when the search knows the prices of every host that sells: examples buy there as soon as the stack is ready. */
async function untilOffersAreFound({ apiUrl, say }: SeedContext, { deadline }: { deadline: number }) {
  say("waiting until the search knows what agents sell");
  const selling = WORLD.filter(({ host }) => host && AGENT_HOSTS[host].listing("").services?.x402).length;
  const search = `${apiUrl}/api/v2/discover?platform=${OWN_PLATFORM}&accepts=x402&limit=1`;
  const found = async () => ((await (await fetch(search)).json()) as { total?: number }).total ?? 0;
  while ((await found()) < selling && Date.now() < deadline) await new Promise((done) => setTimeout(done, 250));
}
