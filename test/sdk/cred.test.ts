/** verifyCred against a real contract: it accepts what the chain has, and refuses forgeries for a reason, whatever the service says. */
import { type Hex, keccak256, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credRootsAbi } from "../../abis/cred-roots.ts";
import type { Address } from "../../core/agents/facts.ts";
import { type CredLeaf, LEAF_TYPES, leafHash, tierNumber } from "../../core/cred/tree/leaf.ts";
import { buildTree, proofOfSlot } from "../../core/cred/tree/tree.ts";
import { verifyCred } from "../../sdk/src/cred.ts";
import { type CredProof, type CredTrust, createClient } from "../../sdk/src/index.ts";
import { type ContractWorld, contractWorld } from "../support/contract-world.ts";

const SCORES = [62, 30, 91, 0, 100, 26, 51];
const CHAIN = 8453;

let world: ContractWorld;
let trust: CredTrust & { contract: Hex; registry: Hex };
beforeAll(async () => {
  world = await contractWorld();
  const owner = world.deployer.account.address;
  trust = { contract: await world.deploy("CredRoots", [owner, owner]), registry: world.devnet.contracts.identity };
  await publish(1, SCORES);
});
afterAll(() => world?.anvil.stop());

const roots = (contract: Hex) => ({ address: contract, abi: credRootsAbi }) as const;

function treeOf(scores: readonly number[], of: { chainId?: number; registry?: string } = {}) {
  const columns = {
    chainId: of.chainId ?? CHAIN,
    registry: (of.registry ?? trust.registry).toLowerCase() as Address,
    tokenIds: Float64Array.from(scores.keys()),
    scores: Uint8Array.from(scores),
    computedAt: Float64Array.from(scores, () => 1_790_000_000),
    blocks: Float64Array.from(scores, () => 900),
  };
  const tree = buildTree(columns);
  /** As the service answers it. */
  const proof = (tokenId: number, epoch: number, contract = trust.contract): CredProof => {
    const score = scores[tokenId]!;
    const { chainId, registry } = columns;
    const leaf: CredLeaf = {
      chainId,
      registry,
      tokenId,
      score,
      tier: tierNumber(score),
      computedAt: 1_790_000_000,
      block: 900,
    };
    return {
      ...{ tokenId, epoch, chainId, contract, registry, leaf, root: tree.root, leafHash: leafHash(leaf) },
      proof: proofOfSlot(tree.nodes, tree.slots[tokenId]!),
      ...{ leafTypes: [...LEAF_TYPES], leaves: scores.length, block: 900, computedAt: "2026-05-01T00:00:00Z" },
      ...{ transaction: `0x${"1".repeat(64)}`, transactionBlock: 1, publishedAt: "2026-05-01T00:00:00Z" },
      ...{ latestEpoch: epoch, explorer: "https://explorer.example/tx/0x1" },
    };
  };
  return { root: tree.root, proof };
}

/** Publishes the root of these scores. @param by the contract, the trusted one unless given */
async function publish(epoch: number, scores: readonly number[], contract = trust.contract) {
  const tree = treeOf(scores);
  const args = [BigInt(epoch), tree.root, BigInt(scores.length), 900n] as const;
  await world.mined(world.deployer.writeContract({ ...roots(contract), functionName: "publish", args }));
  return tree;
}

const client = () => createClient({ baseUrl: "https://agents.example", cred: trust });
const check = (proof: unknown, demand = {}) => client().verifyCred(proof as CredProof, world.chain, demand);
const reasonOf = async (proof: unknown, demand = {}) => {
  const verdict = await check(proof, demand);
  return verdict.valid ? "valid" : verdict.reason;
};

describe("a genuine proof", () => {
  it("of every agent is valid, and says what the chain says", async () => {
    const { proof, root } = treeOf(SCORES);
    for (const [tokenId, score] of SCORES.entries()) {
      const verdict = await check(proof(tokenId, 1));
      expect(verdict).toMatchObject({ valid: true, tokenId, score, tier: tierNumber(score), epoch: 1, root });
    }
  });

  it("does not rest on the service's root, leaf hash, times or links", async () => {
    const proof = treeOf(SCORES).proof(2, 1);
    const lies = { root: keccak256("0x00"), leafHash: keccak256("0x01"), publishedAt: "never", latestEpoch: 9 };
    expect(await reasonOf({ ...proof, ...lies })).toBe("valid");
  });

  it("of the only agent of an epoch has no siblings", async () => {
    const contract = await world.deploy("CredRoots", Array(2).fill(world.deployer.account.address));
    const { proof } = await publish(1, [44], contract);
    const verdict = await verifyCred(proof(0, 1, contract), world.chain, { ...trust, contract });
    expect(verdict).toMatchObject({ valid: true, score: 44 });
  });
});

describe("a forgery", () => {
  const genuine = () => treeOf(SCORES).proof(1, 1);
  const withLeaf = (change: Partial<CredLeaf>) => ({ ...genuine(), leaf: { ...genuine().leaf, ...change } });

  it.each([
    ["a better score", { score: 99 }],
    ["a better tier", { tier: 4 }],
    ["another time", { computedAt: 1_790_000_001 }],
    ["another block", { block: 901 }],
  ])("with %s is not in the root", async (_, change) => {
    expect(await reasonOf(withLeaf(change))).toBe("invalid_proof");
  });

  it("with another agent's leaf, chain or registry is refused before the chain is read", async () => {
    expect(await reasonOf(withLeaf({ tokenId: 2 }))).toBe("wrong_agent");
    expect(await reasonOf({ ...withLeaf({ tokenId: 2 }), tokenId: 2 })).toBe("invalid_proof");
    expect(await reasonOf(genuine(), { tokenId: 2 })).toBe("wrong_agent");
    expect(await reasonOf(withLeaf({ chainId: 1 }))).toBe("wrong_chain");
    expect(await reasonOf({ ...genuine(), chainId: 1 })).toBe("wrong_chain");
    expect(await reasonOf(withLeaf({ registry: trust.contract as Address }))).toBe("wrong_registry");
  });

  it("with changed, missing, further or exchanged siblings is not in the root", async () => {
    const { proof } = genuine();
    const other = keccak256(toHex("other"));
    for (const siblings of [
      [],
      proof.slice(1),
      proof.slice(0, -1),
      [...proof, other],
      [other, ...proof.slice(1)],
      proof.toReversed(),
      treeOf(SCORES).proof(2, 1).proof,
    ])
      expect(await reasonOf({ ...genuine(), proof: siblings })).toBe("invalid_proof");
  });

  it("an inner node is no leaf: the second hash keeps them apart", async () => {
    // The root itself as proof of nothing: an empty list of siblings, and the leaf of another tree.
    expect(await reasonOf({ ...treeOf([99]).proof(0, 1), proof: [] })).toBe("invalid_proof");
  });

  it("in a forger's contract is refused by its address and by the root", async () => {
    const contract = await world.deploy("CredRoots", Array(2).fill(world.deployer.account.address));
    const forged = await publish(1, [100, 100, 100], contract);
    expect(await reasonOf(forged.proof(1, 1, contract))).toBe("wrong_contract");
    expect(await reasonOf(forged.proof(1, 1))).toBe("invalid_proof");
  });

  it("of an epoch that was never published is refused", async () => {
    expect(await reasonOf({ ...genuine(), epoch: 77 })).toBe("unknown_epoch");
  });

  it.each([
    ["null", null],
    ["nothing", {}],
    ["a text", "proof"],
    ["a score above 100", { leaf: { score: 101 } }],
    ["a score that is a text", { leaf: { score: "62" } }],
    ["a negative token", { leaf: { tokenId: -1 } }],
    ["a time that is no whole number", { leaf: { computedAt: 1.5 } }],
    ["a sibling that is too short", { proof: ["0x00"] }],
    ["siblings that are no list", { proof: "0x" }],
    ["more siblings than any tree has", { proof: Array(65).fill(keccak256("0x00")) }],
    ["a contract that is no address", { contract: "0x00" }],
  ])("%s is malformed", async (_, change) => {
    const proof = genuine() as Record<string, unknown>;
    const { leaf, ...rest } = (change ?? {}) as Record<string, unknown>;
    const changed = typeof change === "object" && change !== null && Object.keys(change).length > 0;
    const asked = changed ? { ...proof, ...rest, leaf: { ...(proof.leaf as object), ...(leaf as object) } } : change;
    expect(await reasonOf(asked)).toBe("malformed");
  });
});

describe("what is demanded", () => {
  it("a least score, and an epoch that is new enough and not superseded", async () => {
    const contract = await world.deploy("CredRoots", Array(2).fill(world.deployer.account.address));
    const old = await publish(1, [60, 10], contract);
    const ask = async (proof: CredProof, demand: object) => {
      const verdict = await verifyCred(proof, world.chain, { ...trust, contract }, demand);
      return verdict.valid ? verdict.score : verdict.reason;
    };
    const first = old.proof(0, 1, contract);
    expect(await ask(first, { minScore: 60, maxAgeSeconds: 100, graceSeconds: 0 })).toBe(60);
    expect(await ask(first, { minScore: 61 })).toBe("score_too_low");
    await world.chain.increaseTime({ seconds: 200 });
    const second = (await publish(2, [20, 10], contract)).proof(0, 2, contract);
    expect(await ask(first, { maxAgeSeconds: 100 })).toBe("too_old");
    expect(await ask(first, { graceSeconds: 60 })).toBe(60);
    // The score fell: the present epoch refuses the agent, the earlier one does not count, and what was true stays provable.
    expect(await ask(second, { minScore: 50 })).toBe("score_too_low");
    expect(await ask(first, { minScore: 50 })).toBe("superseded");
    expect(await ask(first, { minScore: 50, maxAgeSeconds: 1_000 })).toBe("superseded");
    for (const graceSeconds of [undefined, 0, Number.NaN])
      expect(await ask(first, { graceSeconds })).toBe("superseded");
    expect(await ask(first, { graceSeconds: Number.POSITIVE_INFINITY })).toBe(60);
    await world.mined(world.deployer.writeContract({ ...roots(contract), functionName: "pause" }));
    expect(await ask(second, {})).toBe("paused");
  });
});

describe("an epoch published a moment ago", () => {
  it("supersedes the one before also where the clock was read of an older block", async () => {
    const contract = await world.deploy("CredRoots", Array(2).fill(world.deployer.account.address));
    const proof = (await publish(1, [60, 10], contract)).proof(0, 1, contract);
    const before = await world.chain.getBlock();
    await publish(2, [20, 10], contract);
    const behind = { ...world.chain, getBlock: async () => ({ timestamp: before.timestamp - 5n }) };
    const verdict = (demand: object) => verifyCred(proof, behind as never, { ...trust, contract }, demand);
    expect(await verdict({})).toMatchObject({ reason: "superseded", says: expect.stringContaining(" 0 seconds ago") });
    expect(await verdict({ graceSeconds: 1 })).toMatchObject({ valid: true, epoch: 1, score: 60 });
  });
});

describe("the reader of the chain", () => {
  it("of another chain gives no verdict about this one", async () => {
    const elsewhere = { ...world.chain, getChainId: async () => 1 };
    const verdict = await client().verifyCred(treeOf(SCORES).proof(0, 1), elsewhere as never);
    expect(verdict).toMatchObject({ valid: false, reason: "wrong_chain" });
  });

  it("that does not answer, or finds no contract, throws: that is no verdict", async () => {
    const proof = treeOf(SCORES).proof(0, 1);
    const away = { ...world.chain, getChainId: async () => Promise.reject(new Error("away")) };
    await expect(client().verifyCred(proof, away as never)).rejects.toThrow("away");
    const contract = "0x00000000000000000000000000000000000c0de0";
    await expect(verifyCred({ ...proof, contract }, world.chain, { ...trust, contract })).rejects.toThrow();
  });

  it("is not asked without contracts that the caller knows", async () => {
    const bare = createClient({ baseUrl: "https://agents.example" });
    await expect(bare.verifyCred(treeOf(SCORES).proof(0, 1), world.chain)).rejects.toThrow("no contracts");
  });
});
