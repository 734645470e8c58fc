/** Figures of a whole registry from a node alone: a local chain with a planted copy of what was found on Base, nine of ten reviewers one operator's. */
import { createWalletClient, type Hex, http, parseEther, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { beforeAll, expect, it } from "vitest";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../../abis/erc8004.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { censusOf, censusRequests, readCensus } from "../../scripts/census/registry.ts";
import { contractWorld } from "../support/contract-world.ts";
import { perFile } from "../support/started.ts";

const [AGENTS, PUPPETS, HONEST] = [10, 36, 4];
const world = perFile(contractWorld);
let chain: ReturnType<typeof chainAt>;
let identity: Hex;
let reputation: Hex;
const walletOf = (n: number) =>
  createWalletClient({
    account: privateKeyToAccount(`0x${(0xce0000 + n).toString(16).padStart(64, "0")}`),
    ...{ chain: base, transport: http(world.anvil.url) },
  });
type Wallet = ReturnType<typeof walletOf>;
const address = (wallet: Wallet) => wallet.account.address.toLowerCase();

async function review(by: Wallet, agent: number, value: number): Promise<void> {
  await world.mined(
    by.writeContract({
      ...{ address: reputation, abi: erc8004ReputationAbi, functionName: "giveFeedback" },
      args: [BigInt(agent), BigInt(value), 0, "starred", "", "", "", zeroHash],
    }),
  );
}
const puppets: Wallet[] = [];
const people: Wallet[] = [];

beforeAll(async () => {
  ({ erc8004Identity: identity, erc8004Reputation: reputation } = world.devnet.contracts as Record<
    string,
    Hex
  > as never);
  chain = chainAt(world.anvil.url);
  const owner = world.people[0]!;
  for (let i = 0; i < AGENTS; i++)
    await world.mined(
      owner.writeContract({ address: identity, abi: erc8004IdentityAbi, functionName: "register", args: [""] }),
    );
  // Honest people come days apart, have done other things before, and have money from nobody who is known.
  for (let n = 0; n < HONEST; n++) {
    const person = walletOf(n);
    people.push(person);
    await world.chain.setBalance({ address: person.account.address, value: parseEther("1") });
    await world.chain.mine({ blocks: 1 });
    for (let i = 0; i < 4; i++)
      await world.mined(person.sendTransaction({ to: world.people[1]!.account.address, value: 1n }));
    await world.chain.increaseTime({ seconds: 86_400 });
    await world.chain.mine({ blocks: 1 });
    await review(person, 8 + (n % 2), 40 + n);
  }
  // An operator pays for accounts that do nothing else: nine agents have their reviews, eight have no other.
  for (let n = 0; n < PUPPETS; n++) {
    const puppet = walletOf(100 + n);
    puppets.push(puppet);
    await world.mined(world.people[2]!.sendTransaction({ to: puppet.account.address, value: parseEther("0.1") }));
    await review(puppet, n % 9, 100);
  }
  await world.mined(
    puppets[0]!.writeContract({
      ...{ address: reputation, abi: erc8004ReputationAbi, functionName: "revokeFeedback", args: [0n, 1n] },
    }),
  );
});

const asked = async (over: object = {}) => ({
  ...{ identity, reputation, from: 0, to: await chain.headBlock(), histories: 1_000, requests: 100_000 },
  ...over,
});

it("finds the figures that were planted", async () => {
  const { agents, facts, requests, histories } = await readCensus(chain, await asked());
  expect({ agents, histories }).toEqual({ agents: AGENTS, histories: PUPPETS + HONEST });
  expect(requests).toBeLessThan(censusRequests(await asked({ histories })).histories);
  expect(censusOf(facts)).toEqual({
    ...{ rated: AGENTS, reviews: PUPPETS + HONEST, revoked: 1, reviewers: PUPPETS + HONEST },
    ...{ marked: PUPPETS, affected: 9, emptied: 8, entriesToMove: 1 },
  });
  const honest = people.map(address);
  const rated = facts.filter(({ reviews }) => reviews.some(({ reviewer }) => honest.includes(reviewer)));
  expect(rated.map(({ reviews }) => reviews.length).sort()).toEqual([2, 6]);
  expect(rated[0]!.side.map((one) => one.address)).toEqual([world.people[0]!.account.address.toLowerCase()]);
});

it("marks no honest reviewer without any history, and takes few requests", async () => {
  const { facts, requests, histories } = await readCensus(chain, await asked({ histories: 0 }));
  expect(histories).toBe(0);
  expect(requests).toBeLessThan(100);
  const { reviewers, marked } = censusOf(facts);
  expect(reviewers).toBe(PUPPETS + HONEST);
  expect(marked).toBeLessThanOrEqual(PUPPETS);
});

it("stops where it takes more requests than it may", async () => {
  await expect(readCensus(chain, await asked({ requests: 100 }))).rejects.toThrow("more than 100 requests");
  expect(censusRequests({ from: 41_663_783, to: 51_663_782, histories: 10 })).toEqual({
    logs: 10_000,
    histories: 2_000,
  });
});
