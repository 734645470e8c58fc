/** Seeds the ERC-8004 registries: reviews of agents that are known here and of an unknown wallet, and validations, of which one was answered. */
import { keccak256, type PrivateKeyAccount, parseEther, toHex, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { erc8004ReputationAbi, erc8004ValidationAbi } from "../abis/erc8004.ts";
import { type ContractCall, callOf } from "./contract-call.ts";
import type { Devnet } from "./deploy.ts";
import type { ByName } from "./seed-accounts.ts";
import type { SeedChain } from "./seed-chain.ts";

/** `from`: the name of an agent; without one it is the stranger. `times`: how often it says the same. */
type SeedReview = { from?: string; about: string; value: number; tag: string; times?: number };

const REVIEWS: SeedReview[] = [
  { from: "Quill & Ledger", about: "Meridian", value: 92, tag: "starred" },
  { from: "Tessellate", about: "Meridian", value: 80, tag: "starred" },
  { from: "Tessellate", about: "Meridian", value: 99, tag: "uptime" },
  { about: "Meridian", value: 340, tag: "responseTime" },
  { about: "Kestrel", value: 100, tag: "starred", times: 12 },
  { from: "Nightjar", about: "Kestrel", value: 15, tag: "starred" },
];

const STRANGER = privateKeyToAccount(keccak256(toHex("local world: a wallet that nobody knows")));
const ETH_OF_STRANGER = parseEther("1");

/**
 * Gives the reviews that are not there yet. Done again it changes nothing.
 */
export async function seedReviews(
  { chain, sendAll }: SeedChain,
  { contracts }: Devnet,
  { accountOf, idOf }: ByName,
): Promise<void> {
  const registry = { address: contracts.erc8004Reputation, abi: erc8004ReputationAbi } as const;
  await chain.setBalance({ address: STRANGER.address, value: ETH_OF_STRANGER });
  const giving = async (client: PrivateKeyAccount, reviews: readonly SeedReview[]) => {
    const calls: ContractCall[] = [];
    for (const about of new Set(reviews.map((review) => review.about))) {
      const agentId = idOf(about);
      if (agentId === undefined) continue;
      const args = [agentId, client.address] as const;
      if ((await chain.readContract({ ...registry, functionName: "getLastIndex", args })) > 0n) continue;
      for (const { value, tag, times = 1 } of reviews.filter((review) => review.about === about)) {
        const said = [agentId, BigInt(value), 0, tag, "", "", "", zeroHash] as const;
        calls.push(...Array(times).fill(callOf(registry.address, registry.abi, "giveFeedback", said)));
      }
    }
    await sendAll(client, calls);
  };
  await Promise.all(
    [...Map.groupBy(REVIEWS, ({ from }) => from)].map(([name, own]) => {
      const client = name === undefined ? STRANGER : accountOf(name);
      return client && giving(client, own);
    }),
  );
}

/** `by`: the name of the validator; the names are agents'. */
const VALIDATIONS = [
  { of: "Meridian", by: "Quill & Ledger", answer: { response: 95, tag: "audit" } },
  { of: "Meridian", by: "Tessellate", answer: null },
];

/**
 * Asks for the validations that are not there yet, and answers them. Done again it changes nothing.
 */
export async function seedValidations(
  { chain, sendAll }: SeedChain,
  { contracts }: Devnet,
  { accountOf, idOf }: ByName,
): Promise<void> {
  const registry = { address: contracts.erc8004Validation, abi: erc8004ValidationAbi } as const;
  for (const { of, by, answer } of VALIDATIONS) {
    const [owner, validator, agentId] = [accountOf(of), accountOf(by), idOf(of)];
    if (!owner || !validator || agentId === undefined) continue;
    const hash = keccak256(toHex(`local world: ${by} validates ${of}`));
    const status = { ...registry, functionName: "getValidationStatus", args: [hash] } as const;
    const isKnown = await chain.readContract(status).catch(() => null);
    if (isKnown) continue;
    const { address, abi } = registry;
    await sendAll(owner, [callOf(address, abi, "validationRequest", [validator.address, agentId, "", hash])]);
    if (answer === null) continue;
    const said = [hash, answer.response, "", zeroHash, answer.tag] as const;
    await sendAll(validator, [callOf(address, abi, "validationResponse", said)]);
  }
}
