/** Builds the development chain: the service's own contracts by transaction, everybody else's at their real addresses. */
import { createHash } from "node:crypto";
import {
  type Abi,
  concat,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  numberToHex,
  parseEther,
  parseUnits,
  toHex,
} from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { schemaRegistryAbi } from "../abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../abis/erc8004.ts";
import { usdcAbi } from "../abis/usdc.ts";
import { CONTRACT_NAMES, hasHistory } from "../config/contracts.ts";
import { EAS_PACKAGE, readBuild } from "../contracts/builds.ts";
import { CANONICAL, EXCHANGE_SCHEMAS, schemaUid } from "./chain-addresses.ts";
import { type Account, type Cast, type DevnetKeys, devnetCast } from "./chain-keys.ts";
import { type DevChain, mineAll, openDevChain, plant, sendAll } from "./chain-writer.ts";
import { callOf } from "./contract-call.ts";

export type Devnet = {
  chainId: number;
  /** Checksummed. */
  contracts: Record<keyof typeof CANONICAL | (typeof OWN)[number], Hex>;
  /** No contract has an event below this block. */
  deployBlock: number;
  /** EAS schema UIDs of the exchange. */
  schemas: Record<keyof typeof EXCHANGE_SCHEMAS, Hex>;
  keys: DevnetKeys;
  /** Ten, each with 100 ETH and 1000 USDC, none used by the stack. */
  accounts: Account[];
  /** Who may attest under the exchange's schemas: its contract and the account that directs it. */
  attesters: Hex[];
};

const MINT_PRICE = parseEther("0.0025");
/** What the example gate asks of an agent: the score, and how old its proof may be in seconds. */
const GATE = { minScore: 20, maxAge: 90_000n, grace: 600n };
const ETH_EACH = parseEther("100");
const USDC_EACH = parseUnits("1000", 6);
/** Written after the last deployment: code that cannot run, fingerprint of the contracts, first block. */
const CORNERSTONE = "0x00000000000000000000000000000000c04e5709";

/**
 * Builds the devnet on an empty local anvil, or finds the one that is there; a half-built one is built anew.
 * @throws Error when the chain was built from other contracts than those of this version
 */
export async function deployDevnet(rpcUrl: string, { mnemonic }: { mnemonic?: string } = {}): Promise<Devnet> {
  const chain = openDevChain(rpcUrl);
  const cast = devnetCast(mnemonic);
  const built = fingerprint(cast);
  const stone = await chain.getCode({ address: CORNERSTONE });
  if (stone !== undefined && !stone.startsWith(concat(["0xfe", built]))) {
    throw new Error("The chain that was kept is one of other contracts than this version's: run npm run reset.");
  }
  const deployBlock = stone === undefined ? await build(chain, cast, built) : Number(`0x${stone.slice(-16)}`);
  await fundEmpty(chain, cast);
  const own = ownAddresses(cast);
  return {
    chainId: chain.chain.id,
    contracts: { ...CANONICAL, ...own },
    deployBlock,
    schemas: {
      verifiedAccount: schemaUid(EXCHANGE_SCHEMAS.verifiedAccount),
      verifiedCountry: schemaUid(EXCHANGE_SCHEMAS.verifiedCountry),
    },
    keys: cast.keys,
    accounts: cast.accounts,
    attesters: attestersOf(cast),
  };
}

/** Has the identity contract name its metadata (ERC-7572), unless it does. To be called before the service sends. */
export async function setContractUri(rpcUrl: string, { contracts, keys }: Devnet, uri: string): Promise<void> {
  const chain = openDevChain(rpcUrl);
  const contract = { address: contracts.identity, abi: readBuild("LocalIdentity").abi as Abi };
  if ((await chain.readContract({ ...contract, functionName: "contractURI" })) === uri) return;
  const data = encodeFunctionData({ abi: contract.abi, functionName: "setContractURI", args: [uri] });
  await mineAll(chain, await sendAll(chain, keys.deployer, [{ to: contracts.identity, data }]));
}

/** A devnet's contracts as text of CONTRACTS. */
const contractsText = (contracts: Devnet["contracts"], deployBlock: number): string =>
  CONTRACT_NAMES.map((name) => `${name}=${contracts[name]}${hasHistory(name) ? `@${deployBlock}` : ""}`).join(",");

/** The variables (config/) that make the service use a devnet; RPC_URL is the caller's. */
export function serviceEnv({ chainId, contracts, deployBlock, attesters, schemas, keys }: Devnet) {
  return {
    CHAIN_ID: String(chainId),
    // The next devnet has the same chain id and other blocks.
    RPC_CACHE: "false",
    // The chain keeps the states of its last blocks only.
    RPC_ARCHIVE: "false",
    CONTRACTS: contractsText(contracts, deployBlock),
    ATTESTERS: attesters.join(","),
    ATTESTATION_SCHEMAS: schemas.verifiedAccount,
    // Requests to a node of one's own, and transactions on it, cost nothing.
    DAILY_BUDGETS: "job-requests=1000000,income-requests=1000000,token-uris=100000",
    DEPLOYER_PRIVATE_KEY: keys.deployer,
    // Its ether costs nothing, and its fees are those of a chain without traffic.
    TX_DAILY_BUDGET_MILLIETHER: "0",
    RECEIPT_SIGNER_PRIVATE_KEY: keys.receiptSigner,
    AGENT_CARD_PRIVATE_KEY: keys.agentCard,
    PAY_TO_DEPLOYER: privateKeyToAddress(keys.deployer),
    PAY_TO_TREASURY: privateKeyToAddress(keys.treasury),
    FACILITATOR_PRIVATE_KEY: keys.facilitator,
    PAYMENT_CONFIRMATIONS: "1",
  };
}

/** @returns the first block with a contract in it */
async function build(chain: DevChain, cast: Cast, built: Hex): Promise<number> {
  const { keys, accounts, operator } = cast;
  const addresses = [...Object.values(keys), operator].map((key) => privateKeyToAddress(key));
  const nonces = await Promise.all(addresses.map((address) => chain.getTransactionCount({ address })));
  if (nonces.some((nonce) => nonce > 0)) await chain.request({ method: "anvil_reset", params: [] } as never);
  await Promise.all(
    [...addresses, ...accounts.map((account) => account.address)].map((address) =>
      chain.setBalance({ address, value: ETH_EACH }),
    ),
  );
  const deployBlock = Number(await chain.getBlockNumber()) + 1;
  await mineAll(chain, [
    ...(await sendAll(chain, keys.deployer, ownCreations(cast))),
    ...(await sendAll(chain, operator, registryImplementations())),
  ]);
  await plant(chain, operator, canonicalCreations(cast));
  await mineAll(chain, await sendAll(chain, operator, firstCalls(cast)));
  await chain.setCode({
    address: CORNERSTONE,
    bytecode: concat(["0xfe", built, numberToHex(deployBlock, { size: 8 })]),
  });
  await chain.mine({ blocks: 1 });
  return deployBlock;
}

/** A chain that was kept may be older than one of the keys. */
async function fundEmpty(chain: DevChain, { keys }: Cast): Promise<void> {
  const addresses = Object.values(keys).map((key) => privateKeyToAddress(key));
  const balances = await Promise.all(addresses.map((address) => chain.getBalance({ address })));
  const empty = addresses.filter((_, i) => balances[i] === 0n);
  await Promise.all(empty.map((address) => chain.setBalance({ address, value: ETH_EACH })));
}

/** The service's own contracts; each address follows from the deployer and the place in this list. */
const OWN = [
  "identity",
  "handshakes",
  "serviceToken",
  "credRoots",
  "credGate",
  "credOracle",
  "erc8004Validation",
  "agentCommerce",
] as const;

function ownAddresses({ keys }: Cast) {
  const from = privateKeyToAddress(keys.deployer);
  const entries = OWN.map((name, nonce) => [name, getContractAddress({ from, nonce: BigInt(nonce) })]);
  return Object.fromEntries(entries) as Record<(typeof OWN)[number], Hex>;
}

function ownCreations(cast: Cast): { data: Hex }[] {
  const treasury = privateKeyToAddress(cast.keys.treasury);
  const deployer = privateKeyToAddress(cast.keys.deployer);
  const own = ownAddresses(cast);
  const creations = {
    identity: creation("LocalIdentity", [treasury, MINT_PRICE, 0n, 0n]),
    handshakes: creation("HandshakeRegistry", [own.identity]),
    serviceToken: creation("ServiceToken", [treasury]),
    credRoots: creation("CredRoots", [deployer, deployer]),
    credOracle: creation("CredOracle", [deployer]),
    credGate: creation("CredGate", [own.credRoots, own.identity, GATE.minScore, GATE.maxAge, GATE.grace]),
    // It has no address on Base yet.
    erc8004Validation: creation("Erc8004ValidationRegistry", [CANONICAL.erc8004Identity]),
    agentCommerce: creation("AgentCommerce", [CANONICAL.usdc]),
  };
  return OWN.map((name) => ({ data: creations[name] }));
}

/** The operator's first two transactions, which its addresses below count on. */
const registryImplementations = () => [
  { data: creation("Erc8004IdentityRegistry") },
  { data: creation("Erc8004ReputationRegistry") },
];

function canonicalCreations(cast: Cast): { address: Hex; code: Hex }[] {
  const operator = privateKeyToAddress(cast.operator);
  const implementation = (nonce: bigint) => getContractAddress({ from: operator, nonce });
  const identityInit = encodeFunctionData({ abi: erc8004IdentityAbi, functionName: "initialize", args: [operator] });
  const reputationInit = encodeFunctionData({
    abi: erc8004ReputationAbi,
    functionName: "initialize",
    args: [operator, CANONICAL.erc8004Identity],
  });
  const { eas, attestationIndexer } = CANONICAL;
  const code: Record<keyof typeof CANONICAL, Hex> = {
    usdc: creation("Usdc", [operator]),
    multicall3: creation("Multicall3"),
    schemaRegistry: creation(`${EAS_PACKAGE}/SchemaRegistry`),
    eas: creation(`${EAS_PACKAGE}/EAS`, [CANONICAL.schemaRegistry]),
    attestationIndexer: creation("AttestationIndexer", [eas]),
    exchangeAttester: creation("ExchangeAttester", [eas, privateKeyToAddress(cast.keys.attester)]),
    exchangeResolver: creation("ExchangeResolver", [eas, attestationIndexer, attestersOf(cast)]),
    erc8004Identity: creation("Erc8004Proxy", [implementation(0n), identityInit]),
    erc8004Reputation: creation("Erc8004Proxy", [implementation(1n), reputationInit]),
    neynarScores: creation("NeynarScores", [privateKeyToAddress(cast.keys.attester)]),
  };
  return Object.entries(CANONICAL).map(([name, address]) => ({ address, code: code[name as keyof typeof CANONICAL] }));
}

function firstCalls({ accounts }: Cast): { to: Hex; data: Hex }[] {
  const schemas = Object.values(EXCHANGE_SCHEMAS).map((schema) =>
    callOf(CANONICAL.schemaRegistry, schemaRegistryAbi, "register", [schema, CANONICAL.exchangeResolver, true]),
  );
  const money = accounts.map(({ address }) => callOf(CANONICAL.usdc, usdcAbi, "mint", [address, USDC_EACH]));
  return [...schemas, ...money];
}

const attestersOf = ({ keys }: Cast): Hex[] => [CANONICAL.exchangeAttester, privateKeyToAddress(keys.attester)];

/** Creation code with its arguments. */
function creation(contract: string, args: unknown[] = []): Hex {
  const { abi, bytecode } = readBuild(contract);
  return encodeDeployData({ abi: abi as Abi, bytecode, args });
}

/** Changes when any contract, or what is set up with it, does. */
function fingerprint(cast: Cast): Hex {
  const everything = [ownCreations(cast), registryImplementations(), canonicalCreations(cast), firstCalls(cast)];
  return toHex(createHash("sha256").update(JSON.stringify(everything)).digest());
}
