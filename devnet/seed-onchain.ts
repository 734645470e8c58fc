/** What the agents of the seeded world do on the chain once they have a token, and what others do for them. */
import { encodeAbiParameters, encodeFunctionData, type PrivateKeyAccount, parseEther, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../abis/eas.ts";
import { erc8004IdentityAbi } from "../abis/erc8004.ts";
import { handshakesAbi } from "../abis/handshakes.ts";
import { identityAbi } from "../abis/identity.ts";
import { neynarScoresAbi } from "../abis/neynar-scores.ts";
import { serviceTokenAbi } from "../abis/service-token.ts";
import { callOf } from "./contract-call.ts";
import type { Devnet } from "./deploy.ts";
import type { Citizen } from "./seed-accounts.ts";
import type { SeedChain } from "./seed-chain.ts";
import type { SeedAgent } from "./world.ts";

/** Agents that hold the service's token: the first ones, each 1,000 tokens more than the one before. */
const TOKEN_HOLDERS = 15;

/** Pairs of agents, by their place in WORLD. */
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

/** Traits, names and the canonical registration of one agent, by its own wallet. Done again it changes nothing. */
export async function writeProfile(chain: SeedChain, { contracts }: Devnet, citizen: Citizen): Promise<void> {
  const { agent, account, tokenId } = citizen;
  // The own mint is the first transaction of a wallet that called the contract; more means that this was done.
  if ((await chain.sentBy(account)) > (agent.via === "contract" ? 1 : 0)) return;
  const id = BigInt(tokenId);
  const { identity, erc8004Identity } = contracts;
  const calls = (agent.traits ?? []).map((trait) => callOf(identity, identityAbi, "addTrait", [id, ...trait]));
  if (agent.agentName) calls.push(callOf(identity, identityAbi, "registerName", [id, agent.agentName]));
  if (agent.erc8004) calls.push({ to: erc8004Identity, data: canonicalRegistration(agent, account) });
  await chain.sendAll(account, calls);
}

/** The service's verification of one agent, where WORLD says that it proved its wallet. */
export async function verify(chain: SeedChain, { contracts }: Devnet, { agent, tokenId }: Citizen): Promise<void> {
  if (!agent.verified) return;
  await chain.sendAsService(`verify:${tokenId}`, callOf(contracts.identity, identityAbi, "verify", [BigInt(tokenId)]));
}

/** Handshakes between agents, recorded by the service. */
export async function recordHandshakes(chain: SeedChain, devnet: Devnet, citizens: readonly Citizen[]): Promise<void> {
  await Promise.all(
    HANDSHAKES.map(([a, b]) => {
      const args = [BigInt(citizens[a]!.tokenId), BigInt(citizens[b]!.tokenId)] as const;
      const call = callOf(devnet.contracts.handshakes, handshakesAbi, "recordHandshake", args);
      return chain.sendAsService(`seed:handshake:${a}-${b}`, call);
    }),
  );
}

type Wallet = Pick<Citizen, "agent" | "account">;

/** The exchange's attestations for the owners that have one. */
export async function attest(chain: SeedChain, { keys, contracts, schemas }: Devnet, wallets: readonly Wallet[]) {
  const calls = wallets
    .filter(({ agent }) => agent.attested)
    .map(({ account }) => ({ to: contracts.eas, data: attestationCall(schemas.verifiedAccount, account.address) }));
  await chain.sendAll(privateKeyToAccount(keys.attester), calls);
}

/** Scores of wallets, in the units of Neynar's contract. */
const NEYNAR_SCORES = [910_000, 640_000, 330_000];

/** Has Neynar's contract know every wallet of the world that has an account somewhere. */
export async function scoreByNeynar(
  chain: SeedChain,
  { keys, contracts }: Devnet,
  wallets: readonly Wallet[],
): Promise<void> {
  const calls = wallets
    .filter(({ agent }) => agent.accounts !== undefined)
    .map(({ account }, i) => {
      const score = NEYNAR_SCORES[i % NEYNAR_SCORES.length]!;
      return callOf(contracts.neynarScores, neynarScoresAbi, "setScore", [account.address, score]);
    });
  await chain.sendAll(privateKeyToAccount(keys.attester), calls);
}

/** Gives the first agents' wallets some of the service's token. */
export async function shareTokens(chain: SeedChain, { keys, contracts }: Devnet, wallets: readonly Wallet[]) {
  const calls = wallets.slice(0, TOKEN_HOLDERS).map(({ account }, i) => {
    const args = [account.address, parseEther(String(1000 * (i + 1)))] as const;
    return callOf(contracts.serviceToken, serviceTokenAbi, "transfer", args);
  });
  await chain.sendAll(privateKeyToAccount(keys.treasury), calls);
}

/** Calldata of an attestation that an account was verified. */
export function attestationCall(schema: `0x${string}`, recipient: `0x${string}`): `0x${string}` {
  const verified = encodeAbiParameters([{ type: "bool" }], [true]);
  const terms = { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, data: verified, value: 0n };
  return encodeFunctionData({ abi: easAbi, functionName: "attest", args: [{ schema, data: terms }] });
}

/** Calldata that takes an attestation back. */
export const revocationCall = (schema: `0x${string}`, uid: `0x${string}`): `0x${string}` =>
  encodeFunctionData({ abi: easAbi, functionName: "revoke", args: [{ schema, data: { uid, value: 0n } }] });

/** Calldata of a canonical registration with its file in a data URI. */
function canonicalRegistration(agent: SeedAgent, account: PrivateKeyAccount): `0x${string}` {
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
