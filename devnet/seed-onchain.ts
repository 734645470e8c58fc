/** What the agents of the seeded world do on the chain once they have a token, and what others do for them. */
import { encodeAbiParameters, type Hex, parseEther, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../abis/eas.ts";
import { erc8004IdentityAbi } from "../abis/erc8004.ts";
import { handshakesAbi } from "../abis/handshakes.ts";
import { identityAbi } from "../abis/identity.ts";
import { neynarScoresAbi } from "../abis/neynar-scores.ts";
import { serviceTokenAbi } from "../abis/service-token.ts";
import { CANONICAL } from "./chain-addresses.ts";
import { type ContractCall, callOf } from "./contract-call.ts";
import type { Citizen } from "./seed-accounts.ts";
import type { Seeding } from "./seed-chain.ts";
import type { Wallet } from "./world.ts";

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
export async function writeProfile(at: Seeding, { agent, account, tokenId }: Citizen): Promise<void> {
  // The own mint is the first transaction of a wallet that called the contract; more means that this was done.
  if ((await at.sentBy(account)) > (agent.via === "contract" ? 1 : 0)) return;
  const id = BigInt(tokenId);
  const { identity } = at.devnet.contracts;
  const calls = (agent.traits ?? []).map((trait) => callOf(identity, identityAbi, "addTrait", [id, ...trait]));
  if (agent.agentName) calls.push(callOf(identity, identityAbi, "registerName", [id, agent.agentName]));
  if (agent.erc8004) calls.push(canonicalRegistration({ agent, account }));
  await at.sendAll(account, calls);
}

/** The service's verification of one agent, where WORLD says that it proved its wallet. */
export async function verify({ sendAsService, devnet }: Seeding, { agent, tokenId }: Citizen): Promise<void> {
  if (!agent.verified) return;
  await sendAsService(`verify:${tokenId}`, callOf(devnet.contracts.identity, identityAbi, "verify", [BigInt(tokenId)]));
}

/** Handshakes between agents, recorded by the service. */
export async function recordHandshakes(
  { sendAsService, devnet }: Seeding,
  citizens: readonly Citizen[],
): Promise<void> {
  await Promise.all(
    HANDSHAKES.map(([a, b]) => {
      const args = [BigInt(citizens[a]!.tokenId), BigInt(citizens[b]!.tokenId)] as const;
      const call = callOf(devnet.contracts.handshakes, handshakesAbi, "recordHandshake", args);
      return sendAsService(`seed:handshake:${a}-${b}`, call);
    }),
  );
}

/** The exchange's attestations for the owners that have one. */
export async function attest({ sendAll, devnet: { keys, schemas } }: Seeding, wallets: readonly Wallet[]) {
  const attested = wallets.filter(({ agent }) => agent.attested);
  const calls = attested.map(({ account }) => attestationCall(schemas.verifiedAccount, account.address));
  await sendAll(privateKeyToAccount(keys.attester), calls);
}

/** Scores of wallets, in the units of Neynar's contract. */
const NEYNAR_SCORES = [910_000, 640_000, 330_000];

/** Has Neynar's contract know every wallet of the world that has an account somewhere. */
export async function scoreByNeynar({ sendAll, devnet: { keys, contracts } }: Seeding, wallets: readonly Wallet[]) {
  const calls = wallets
    .filter(({ agent }) => agent.accounts !== undefined)
    .map(({ account }, i) => {
      const score = NEYNAR_SCORES[i % NEYNAR_SCORES.length]!;
      return callOf(contracts.neynarScores, neynarScoresAbi, "setScore", [account.address, score]);
    });
  await sendAll(privateKeyToAccount(keys.attester), calls);
}

/** Gives the first agents' wallets some of the service's token. */
export async function shareTokens({ sendAll, devnet: { keys, contracts } }: Seeding, wallets: readonly Wallet[]) {
  const calls = wallets.slice(0, TOKEN_HOLDERS).map(({ account }, i) => {
    const args = [account.address, parseEther(String(1000 * (i + 1)))] as const;
    return callOf(contracts.serviceToken, serviceTokenAbi, "transfer", args);
  });
  await sendAll(privateKeyToAccount(keys.treasury), calls);
}

/** Attests that an account was verified. */
export function attestationCall(schema: Hex, recipient: Hex): ContractCall {
  const verified = encodeAbiParameters([{ type: "bool" }], [true]);
  const terms = { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, data: verified, value: 0n };
  return callOf(CANONICAL.eas, easAbi, "attest", [{ schema, data: terms }]);
}

/** Takes an attestation back. */
export const revocationCall = (schema: Hex, uid: Hex): ContractCall =>
  callOf(CANONICAL.eas, easAbi, "revoke", [{ schema, data: { uid, value: 0n } }]);

/** The URI that holds an agent's file in the canonical registry. */
export function fileUri(file: object): string {
  const whole = { type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", services: [], ...file };
  return `data:application/json;base64,${Buffer.from(JSON.stringify(whole)).toString("base64")}`;
}

/** A registration in the canonical registry. */
export const registering = (uri: string): ContractCall =>
  callOf(CANONICAL.erc8004Identity, erc8004IdentityAbi, "register", [uri]);

const canonicalRegistration = ({ agent, account }: Wallet): ContractCall =>
  registering(
    fileUri({
      name: agent.name,
      description: agent.narrative?.mission ?? "",
      image: "",
      services: [{ name: "agentWallet", endpoint: `eip155:8453:${account.address}` }],
      x402Support: false,
      active: true,
      registrations: [],
      supportedTrust: ["reputation"],
    }),
  );
