/** Seeds the local world through the real paths: API calls, transactions of the agents' own wallets, attestations, the transaction outbox. */
import pLimit from "p-limit";
import {
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  http,
  keccak256,
  type PrivateKeyAccount,
  parseEther,
  parseUnits,
  publicActions,
  toHex,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { easAbi } from "../abis/eas.ts";
import { erc8004IdentityAbi } from "../abis/erc8004.ts";
import { handshakesAbi } from "../abis/handshakes.ts";
import { identityAbi } from "../abis/identity.ts";
import { serviceTokenAbi } from "../abis/service-token.ts";
import { openPool } from "../db/connect.ts";
import { queueIntent } from "../db/transaction-outbox.ts";
import { ApiError, createClient, type Schemas } from "../sdk/src/index.ts";
import type { Devnet } from "./deploy.ts";
import { giveUsdcToAll } from "./faucet.ts";
import { payByX402 } from "./pay.ts";
import { type Citizen, plantRegistries, plantReputation, plantScan, proveAccounts } from "./seed-accounts.ts";
import { seedMessages } from "./seed-messages.ts";
import { seedPrincipals } from "./seed-principals.ts";
import { type SeedAgent, WORLD } from "./world.ts";

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

const accountOf = (seed: string) => privateKeyToAccount(keccak256(toHex(`local world: ${seed}`)));
const ORIGIN_OWNER = 3;
/** The start goes on without the URIs that are missing after this long; the workers set them later. */
const TOKEN_URIS_MS = 60_000;
/** Of each wallet that registers by the API; a registration costs 1. */
const USDC_EACH = parseUnits("25", 6);

/**
 * Populates an empty stack. Wallets are derived from the agents' names, so a seeding that was cut off can be run again:
 * who has a token already keeps what it has.
 * @returns what there is now, for the operator
 */
export async function seed(context: SeedContext): Promise<string> {
  const chain = createTestClient({
    chain: base,
    mode: "anvil",
    transport: http(context.rpcUrl),
    pollingInterval: 100,
  }).extend(publicActions);
  const pool = openPool({ connectionString: context.databaseUrl, max: 4 });
  try {
    const { identity, eas, erc8004Identity, handshakes, serviceToken } = context.devnet.contracts;
    const walletOf = (account: PrivateKeyAccount) =>
      createWalletClient({ account, chain: base, transport: http(context.rpcUrl) });
    const accounts = WORLD.map((agent) => accountOf(agent.name));
    await Promise.all(
      accounts.map((account) => chain.setBalance({ address: account.address, value: parseEther("5") })),
    );
    context.say("giving its wallets USDC");
    await giveUsdcToAll(
      context.rpcUrl,
      WORLD.flatMap(({ via }, i) => (via === "api" ? [accounts[i]!.address] : [])),
      USDC_EACH,
    );
    const mintPrice = await chain.readContract({ address: identity, abi: identityAbi, functionName: "mintPrice" });

    /** How many transactions a wallet of this world has sent: tells what an earlier, interrupted seeding has done. */
    const sentBy = (account: PrivateKeyAccount) => chain.getTransactionCount({ address: account.address });
    /** One transaction of a wallet of this world, mined. */
    const send = async (
      account: PrivateKeyAccount,
      call: { to: `0x${string}`; data: `0x${string}`; value?: bigint },
    ) => {
      const hash = await walletOf(account).sendTransaction(call);
      return chain.waitForTransactionReceipt({ hash });
    };
    /** One transaction of the service's own wallet, through the outbox that alone may use its nonces. */
    const asService = async (intentKey: string, to: `0x${string}`, data: `0x${string}`) => {
      await queueIntent(pool, { intentKey, to, data });
      for (;;) {
        const { rows } = await pool.query(
          "select state, error from offchain.transaction_outbox where intent_key = $1",
          [intentKey],
        );
        if (rows[0].state === "mined") return;
        if (rows[0].state !== "queued" && rows[0].state !== "signed")
          throw new Error(`${intentKey}: ${rows[0].error ?? rows[0].state}`);
        await new Promise((done) => setTimeout(done, 100));
      }
    };

    const ways: Record<
      SeedAgent["via"],
      (agent: SeedAgent, account: PrivateKeyAccount, referralCode?: string) => Promise<unknown>
    > = {
      api: (agent, account, referralCode) => mintByApi(context, agent, account, referralCode),
      contract: async (agent, account) =>
        (await sentBy(account)) > 0 ||
        send(account, {
          to: identity,
          value: mintPrice,
          data: encodeFunctionData({
            abi: identityAbi,
            functionName: "mint",
            args: [account.address, agent.name, agent.framework, agent.soulbound ?? false],
          }),
        }),
      owner: (agent, account) =>
        asService(
          `seed:mint:${account.address.toLowerCase()}`,
          identity,
          encodeFunctionData({
            abi: identityAbi,
            functionName: "mintFor",
            args: [
              account.address,
              account.address,
              agent.name,
              agent.framework,
              agent.soulbound ?? false,
              ORIGIN_OWNER,
            ],
          }),
        ),
    };

    const [first, ...others] = WORLD.map((agent, i) => ({ agent, account: accounts[i]! }));
    await plantRegistries(context);
    await plantReputation(
      context,
      WORLD.map((agent, i) => ({ agent, account: accounts[i]! })),
    );
    context.say("registering the first agent");
    const founder = (await ways[first!.agent.via](first!.agent, first!.account)) as
      | { yourReferralCode?: string }
      | undefined;
    // A code is one from the moment its agent is in the index, and a refusal would be kept with the request's key.
    const code = founder?.yourReferralCode;
    while (code && !(await fetch(`${context.apiUrl}/api/v2/referral/${code}`)).ok)
      await new Promise((done) => setTimeout(done, 200));
    const limit = pLimit(12);
    let registered = 1;
    await Promise.all(
      others.map(({ agent, account }, i) =>
        limit(async () => {
          // Every eighth agent was brought by the first one.
          await ways[agent.via](agent, account, i % 8 === 0 ? founder?.yourReferralCode : undefined);
          context.say(`${++registered} of ${WORLD.length} agents registered`);
        }),
      ),
    );

    const citizens = await tokensOf(chain, identity, accounts);
    context.say("traits, names, narratives, attestations, accounts");
    await Promise.all([
      ...citizens.map(async ({ agent, account, tokenId }) => {
        // Its own mint is the first transaction of a wallet that called the contract; more means that this was done.
        if ((await sentBy(account)) > (agent.via === "contract" ? 1 : 0)) return;
        const id = BigInt(tokenId);
        const calls = [
          ...(agent.traits ?? []).map(([name, category]) =>
            encodeFunctionData({ abi: identityAbi, functionName: "addTrait", args: [id, name, category] }),
          ),
          ...(agent.agentName
            ? [encodeFunctionData({ abi: identityAbi, functionName: "registerName", args: [id, agent.agentName] })]
            : []),
        ].map((data) => ({ to: identity, data }));
        if (agent.erc8004) calls.push({ to: erc8004Identity, data: registration(agent, account) });
        await inOneGo(walletOf(account), account, chain, calls);
      }),
      ...citizens
        .filter(({ agent }) => agent.verified)
        .map(({ tokenId }) =>
          asService(
            `verify:${tokenId}`,
            identity,
            encodeFunctionData({ abi: identityAbi, functionName: "verify", args: [BigInt(tokenId)] }),
          ),
        ),
      ...HANDSHAKES.map(([a, b]) =>
        asService(
          `seed:handshake:${a}-${b}`,
          handshakes,
          encodeFunctionData({
            abi: handshakesAbi,
            functionName: "recordHandshake",
            args: [BigInt(citizens[a]!.tokenId), BigInt(citizens[b]!.tokenId)],
          }),
        ),
      ),
      attestAll(),
      shareTokens(),
      proveAccounts(context, context.prefix, citizens),
    ]);

    async function attestAll(): Promise<void> {
      const attester = privateKeyToAccount(context.devnet.keys.attester);
      const calls = citizens
        .filter(({ agent }) => agent.attested)
        .map(({ account }) => ({
          to: eas,
          data: encodeFunctionData({
            abi: easAbi,
            functionName: "attest",
            args: [
              {
                schema: context.devnet.schemas.verifiedAccount,
                data: {
                  recipient: account.address,
                  expirationTime: 0n,
                  revocable: true,
                  refUID: zeroHash,
                  data: encodeAbiParameters([{ type: "bool" }], [true]),
                  value: 0n,
                },
              },
            ],
          }),
        }));
      await inOneGo(walletOf(attester), attester, chain, calls);
    }

    async function shareTokens(): Promise<void> {
      const treasury = privateKeyToAccount(context.devnet.keys.treasury);
      const calls = citizens.slice(0, 15).map(({ account }, i) => ({
        to: serviceToken,
        data: encodeFunctionData({
          abi: serviceTokenAbi,
          functionName: "transfer",
          args: [account.address, parseEther(String(1000 * (i + 1)))],
        }),
      }));
      await inOneGo(walletOf(treasury), treasury, chain, calls);
    }

    const head = await chain.getBlockNumber();
    context.say(`waiting until block ${head} is indexed`);
    await fetch(`${context.apiUrl}/api/v2/stats?minBlock=${head}`);
    const { rows: canonical } = await pool.query(
      `select registry, agent_id::text as "agentId", owner, registered_at::float8 as "registeredAt"
       from onchain.erc8004_agent order by agent_id`,
    );
    await plantScan(context, canonical);
    await seedPrincipals(context, citizens);
    await seedMessages(context, citizens);
    if (context.setsTokenUris) {
      context.say("waiting until every token has its URI");
      const deadline = Date.now() + TOKEN_URIS_MS;
      for (const { tokenId } of citizens) {
        const uri = { address: identity, abi: identityAbi, functionName: "tokenURI", args: [BigInt(tokenId)] } as const;
        while ((await chain.readContract(uri)) === "" && Date.now() < deadline)
          await new Promise((done) => setTimeout(done, 250));
      }
    }
    return `${citizens.length} agents, ${WORLD.filter((agent) => agent.erc8004).length} of them in the canonical registry`;
  } finally {
    await pool.end();
  }
}

const HANDSHAKES: [number, number][] = [
  [0, 1],
  [0, 2],
  [1, 3],
  [2, 17],
  [3, 4],
  [5, 8],
  [6, 14],
  [9, 11],
  [12, 21],
  [17, 24],
];

type WalletClient = ReturnType<typeof createWalletClient>;
type PublicChain = {
  getTransactionCount(args: { address: `0x${string}` }): Promise<number>;
  waitForTransactionReceipt(args: { hash: `0x${string}` }): Promise<{ status: string }>;
};

/** Sends transactions of one wallet back to back with nonces counted here, then waits for the last. */
async function inOneGo(
  wallet: WalletClient,
  account: PrivateKeyAccount,
  chain: PublicChain,
  calls: { to: `0x${string}`; data: `0x${string}` }[],
): Promise<void> {
  if (calls.length === 0) return;
  const nonce = await chain.getTransactionCount({ address: account.address });
  let last: `0x${string}` | undefined;
  for (const [i, call] of calls.entries()) {
    // A fixed gas limit: an estimate would not see the transactions sent just before.
    last = await wallet.sendTransaction({ ...call, account, chain: base, nonce: nonce + i, gas: 1_500_000n });
  }
  await chain.waitForTransactionReceipt({ hash: last! });
}

/** Registers an agent by the API as it would do itself: signs in with its wallet, pays, and posts. */
async function mintByApi(
  { apiUrl, host, devnet }: SeedContext,
  agent: SeedAgent,
  account: PrivateKeyAccount,
  referralCode?: string,
): Promise<{ yourReferralCode?: string }> {
  const client = createClient({ baseUrl: apiUrl, host, wallet: account, pay: payByX402(account, devnet.chainId) });
  const { risk, autonomy, ...words } = agent.personality ?? {};
  const body: Schemas["MintRequest"] = {
    name: agent.name,
    // Who registers by the API names one that it knows.
    framework: agent.framework as Schemas["MintRequest"]["framework"],
    soulbound: agent.soulbound ?? false,
    ...(agent.personality && { personality: { ...words, riskTolerance: risk ?? 5, autonomyLevel: autonomy ?? 5 } }),
    ...(agent.narrative && { narrative: agent.narrative }),
    ...agent.listing,
    ...(referralCode && { referralCode }),
  };
  try {
    return await client.register(body, { idempotencyKey: `seed-${account.address}` });
  } catch (error) {
    if (error instanceof ApiError && error.code === "already_registered") return error.body as object;
    throw new Error(`registering ${agent.name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Which token each wallet got, read from the chain's own events. */
async function tokensOf(
  chain: { getContractEvents: (args: never) => Promise<unknown> },
  identity: `0x${string}`,
  accounts: PrivateKeyAccount[],
): Promise<Citizen[]> {
  const logs = (await chain.getContractEvents({
    address: identity,
    abi: identityAbi,
    eventName: "AgentRegistered",
    fromBlock: 0n,
  } as never)) as { args: { tokenId: bigint; agentAddress: `0x${string}` } }[];
  const tokenIds = new Map(logs.map(({ args }) => [args.agentAddress, Number(args.tokenId)]));
  return accounts.map((account, i) => ({ agent: WORLD[i]!, account, tokenId: tokenIds.get(account.address)! }));
}

/** Calldata of a canonical registration with its file in a data URI. */
function registration(agent: SeedAgent, account: PrivateKeyAccount): `0x${string}` {
  const file = {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: agent.name,
    description: agent.narrative?.mission ?? "",
    image: "",
    services: [{ name: "agentWallet", endpoint: `eip155:8453:${account.address}` }],
    x402Support: false,
    active: true,
    registrations: [],
    supportedTrust: ["reputation"],
  };
  const uri = `data:application/json;base64,${Buffer.from(JSON.stringify(file)).toString("base64")}`;
  return encodeFunctionData({ abi: erc8004IdentityAbi, functionName: "register", args: [uri] });
}
