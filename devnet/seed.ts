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
import {
  byName,
  type CanonicalAgent,
  type Citizen,
  plantRegistries,
  plantReputation,
  plantScan,
  proveAccounts,
  seedMessages,
  seedPrincipals,
} from "./seed-accounts.ts";
import { openSeedChain, type SeedContext, type Seeding, tokensOf } from "./seed-chain.ts";
import { seedJobs, seedPayments, seedReviews, seedValidations } from "./seed-commerce.ts";
import { attest, recordHandshakes, scoreByNeynar, shareTokens, verify, writeProfile } from "./seed-onchain.ts";
import { registerAgent } from "./seed-registrations.ts";
import { AGENT_HOSTS } from "./simulators/agent-hosts/agent-hosts.ts";
import { type Wallet, WORLD, walletsOfWorld } from "./world.ts";

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
  const at: Seeding = { ...context, ...openSeedChain(context.rpcUrl, db) };
  const wallets = walletsOfWorld();
  try {
    await Promise.all([plantRegistries(at), plantReputation(at, wallets), fundWallets(at, wallets)]);
    const forWallets = Promise.all([
      // One account signs both.
      attest(at, wallets).then(() => scoreByNeynar(at, wallets)),
      shareTokens(at, wallets),
    ]);
    const [citizens] = await Promise.all([registerAll(at, wallets), forWallets]);
    at.say("handshakes, humans, messages, reviews, jobs, payments");
    await Promise.all([
      recordHandshakes(at, citizens),
      untilIndexed(at).then(() =>
        Promise.all([
          canonicalAgents(db).then((canonical) => {
            const agent = byName(citizens, canonical);
            return Promise.all([
              plantScan(at, canonical),
              // The same wallets sign both.
              seedReviews(at, agent)
                .then(() => seedValidations(at, agent))
                .then(() => seedJobs(at, agent))
                .then(() => seedPayments(at, agent)),
            ]);
          }),
          seedPrincipals(at, citizens),
          seedMessages(at, citizens),
        ]),
      ),
    ]);
    await untilIndexed(at);
    const deadline = Date.now() + WORKERS_MS;
    if (at.setsTokenUris) await untilUrisAreSet(at, citizens, deadline);
    await untilOffersAreFound(at, deadline);
    return `${citizens.length} agents, ${WORLD.filter((agent) => agent.erc8004).length} of them in the canonical registry`;
  } finally {
    await db.end();
  }
}

/** The operator mints USDC for each that pays and has none yet. */
async function fundWallets({ say, chain, sendAll }: Seeding, wallets: readonly Wallet[]) {
  say("giving its wallets ETH and USDC");
  await Promise.all(wallets.map(({ account }) => chain.setBalance({ address: account.address, value: ETH_EACH })));
  const paying = wallets.filter(({ agent }) => agent.via === undefined).map(({ account }) => account.address);
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
async function registerAll(at: Seeding, wallets: readonly Wallet[]): Promise<Citizen[]> {
  const { apiUrl, devnet, say } = at;
  let registered = 0;
  const register = async ({ agent, account }: Wallet, referralCode?: string) => {
    const code = await registerAgent(at, agent, account, referralCode);
    say(`${++registered} of ${wallets.length} agents registered`);
    const [tokenId] = await tokensOf(at.chain, devnet.contracts.identity, account.address);
    if (tokenId === undefined) throw new Error(`${agent.name} has no token`);
    return { code, citizen: { agent, account, tokenId } };
  };
  const settle = async (citizen: Citizen): Promise<Citizen> => {
    await untilIndexed(at);
    await Promise.all([writeProfile(at, citizen), verify(at, citizen), proveAccounts(at, citizen)]);
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
async function untilIndexed({ apiUrl, chain }: Seeding): Promise<void> {
  await fetch(`${apiUrl}/api/v2/stats?minBlock=${await chain.getBlockNumber()}`);
}

async function canonicalAgents(db: pg.Pool): Promise<CanonicalAgent[]> {
  const { rows } = await db.query<CanonicalAgent>(
    `select registry, agent_id::text as "agentId", owner, registered_at::float8 as "registeredAt"
     from onchain.erc8004_agent order by agent_id`,
  );
  return rows;
}

async function untilUrisAreSet({ devnet, say, chain }: Seeding, citizens: readonly Citizen[], deadline: number) {
  say("waiting until every token has its URI");
  const contract = { address: devnet.contracts.identity, abi: identityAbi, functionName: "tokenURI" } as const;
  for (const { tokenId } of citizens)
    while ((await chain.readContract({ ...contract, args: [BigInt(tokenId)] })) === "" && Date.now() < deadline)
      await new Promise((done) => setTimeout(done, 250));
}

/** Resolves when the search knows the prices of every host that sells: examples buy there as soon as the stack is ready. */
async function untilOffersAreFound({ apiUrl, say }: Seeding, deadline: number) {
  say("waiting until the search knows what agents sell");
  const selling = WORLD.filter(({ host }) => host && AGENT_HOSTS[host].listing("").services?.x402).length;
  const search = `${apiUrl}/api/v2/discover?platform=${OWN_PLATFORM}&accepts=x402&limit=1`;
  const found = async () => ((await (await fetch(search)).json()) as { total?: number }).total ?? 0;
  while ((await found()) < selling && Date.now() < deadline) await new Promise((done) => setTimeout(done, 250));
}
