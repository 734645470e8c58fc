/** CredRoots on a chain: epochs are added by the right account, never changed, and gates admit by proof only while it stands. */
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import fc from "fast-check";
import { type Hex, keccak256, toHex, zeroAddress, zeroHash } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { credGateAbi, credRootsAbi } from "../../abis/cred-roots.ts";
import { identityAbi } from "../../abis/identity.ts";
import type { Address } from "../../core/agents/facts.ts";
import { type CredLeaf, LEAF_TYPES, leafValues, tierNumber } from "../../core/cred/tree/leaf.ts";
import { buildTree, proofOfSlot } from "../../core/cred/tree/tree.ts";
import { type ContractWorld, contractWorld, eventsOf } from "../support/contract-world.ts";
import { forAllLater } from "../support/for-all.ts";
import { deepIt, shareOf } from "../support/share.ts";
import { perFile } from "../support/started.ts";

const world = perFile(contractWorld);
let registry: Address;
beforeAll(async () => {
  registry = world.devnet.contracts.identity.toLowerCase() as Address;
});

type Wallet = ContractWorld["deployer"];
const owner = () => world.deployer;
const publisher = () => world.people[0]!;
const stranger = () => world.people[1]!;
const addressOf = (wallet: Wallet) => wallet.account.address;

/** A contract of its own for each test. */
async function freshRoots() {
  const address = await world.deploy("CredRoots", [addressOf(owner()), addressOf(publisher())]);
  const roots = world.at(address, credRootsAbi);
  return {
    ...roots,
    publish: (by: Wallet, epoch: bigint, root: Hex, leaves = 3n, block = 90n) =>
      world.mined(roots.as(by).write.publish([epoch, root, leaves, block])),
    send: (by: Wallet, name: "pause" | "unpause" | "acceptOwnership") => world.mined(roots.as(by).write[name]()),
    epochOf: (epoch: bigint) => roots.read.epochOf([epoch]),
  };
}
const rootOf = (text: string) => keccak256(toHex(text));

describe("CredRoots", () => {
  it("adds epochs in order and keeps all of them", async () => {
    const roots = await freshRoots();
    expect([await roots.read.latest(), (await roots.epochOf(1n)).root]).toEqual([0n, zeroHash]);
    const receipt = await roots.publish(publisher(), 1n, rootOf("1"), 7n, 42n);
    const first = await world.now();
    expect(eventsOf(receipt, credRootsAbi)).toEqual([
      ["RootPublished", { epoch: 1n, root: rootOf("1"), leaves: 7n, block_: 42n }],
    ]);
    expect(receipt.gasUsed).toBeLessThan(100_000n);
    await roots.publish(publisher(), 5n, rootOf("5"));
    const second = await world.now();
    expect(await roots.epochOf(1n)).toEqual({
      ...{ root: rootOf("1"), publishedAt: first, supersededAt: second, leaves: 7n, block_: 42n },
    });
    expect(await roots.epochOf(5n)).toMatchObject({ root: rootOf("5"), publishedAt: second, supersededAt: 0n });
    expect(await roots.read.latest()).toBe(5n);
    const { rootOf: root, publishedAt, supersededAt } = roots.read;
    expect([await root([1n]), await publishedAt([1n]), await supersededAt([1n])]).toEqual([rootOf("1"), first, second]);
  });

  it("takes the same root of an epoch again without effect, and another one never", async () => {
    const roots = await freshRoots();
    await roots.publish(publisher(), 1n, rootOf("1"));
    await roots.publish(publisher(), 2n, rootOf("2"));
    const before = [await roots.epochOf(1n), await roots.epochOf(2n)];
    for (const epoch of [1n, 2n]) {
      const again = await roots.publish(publisher(), epoch, rootOf(String(epoch)), 99n, 99n);
      expect(again.logs).toEqual([]);
      await expect(roots.publish(publisher(), epoch, rootOf("other"))).rejects.toThrow("EpochTaken");
    }
    expect([await roots.epochOf(1n), await roots.epochOf(2n)]).toEqual(before);
    expect(await roots.read.latest()).toBe(2n);
  });

  it("refuses epochs out of order and an empty root", async () => {
    const roots = await freshRoots();
    await roots.publish(publisher(), 4n, rootOf("4"));
    for (const epoch of [0n, 3n, 1_000_005n, 2n ** 64n - 1n])
      await expect(roots.publish(publisher(), epoch, rootOf("x"))).rejects.toThrow("EpochOutOfOrder");
    await expect(roots.publish(publisher(), 0n, zeroHash)).rejects.toThrow("EmptyRoot");
    await roots.publish(publisher(), 1_000_004n, rootOf("far"));
  });

  it("lets the publisher publish until it is paused or replaced, the owner always, others never", async () => {
    const roots = await freshRoots();
    await expect(roots.publish(stranger(), 1n, rootOf("1"))).rejects.toThrow("NotPublisher");
    for (const call of ["pause", "unpause"] as const)
      for (const by of [stranger(), publisher()])
        await expect(roots.send(by, call)).rejects.toThrow("OwnableUnauthorizedAccount");
    const setPublisher = (by: Wallet, to: Hex) => world.mined(roots.as(by).write.setPublisher([to]));
    await expect(setPublisher(publisher(), addressOf(stranger()))).rejects.toThrow("OwnableUnauthorizedAccount");

    await roots.send(owner(), "pause");
    await expect(roots.publish(publisher(), 1n, rootOf("1"))).rejects.toThrow("EnforcedPause");
    await roots.publish(owner(), 1n, rootOf("1"));
    await roots.send(owner(), "unpause");
    await roots.publish(publisher(), 2n, rootOf("2"));

    const receipt = await setPublisher(owner(), addressOf(stranger()));
    expect(eventsOf(receipt, credRootsAbi)).toEqual([
      ["PublisherChanged", { previous: addressOf(publisher()), next: addressOf(stranger()) }],
    ]);
    await expect(roots.publish(publisher(), 3n, rootOf("3"))).rejects.toThrow("NotPublisher");
    await roots.publish(stranger(), 3n, rootOf("3"));
    await setPublisher(owner(), zeroAddress);
    await expect(roots.publish(stranger(), 4n, rootOf("4"))).rejects.toThrow("NotPublisher");
  });

  deepIt("changes its owner in two steps", async () => {
    const roots = await freshRoots();
    await world.mined(roots.as(owner()).write.transferOwnership([addressOf(stranger())]));
    expect(await roots.read.owner()).toBe(addressOf(owner()));
    await expect(roots.send(publisher(), "acceptOwnership")).rejects.toThrow("OwnableUnauthorizedAccount");
    await roots.send(stranger(), "acceptOwnership");
    expect(await roots.read.owner()).toBe(addressOf(stranger()));
    await expect(roots.send(owner(), "pause")).rejects.toThrow("OwnableUnauthorizedAccount");
  });
});

type Agent = { tokenId: number; score: number };
const leafOf = ({ tokenId, score }: Agent, over: Partial<CredLeaf> = {}): CredLeaf => ({
  chainId: world.devnet.chainId,
  registry,
  tokenId,
  score,
  tier: tierNumber(score),
  computedAt: 1_790_000_000,
  block: 1_000,
  ...over,
});
const treeOf = (leaves: readonly CredLeaf[]) =>
  StandardMerkleTree.of(
    leaves.map((leaf) => [...leafValues(leaf)]),
    [...LEAF_TYPES],
  );
/** The root and the proofs of the service's own tree, in the order of the leaves. */
function published(leaves: readonly CredLeaf[]) {
  const column = (of: (leaf: CredLeaf) => number) => Float64Array.from(leaves, of);
  const { nodes, slots, root } = buildTree({
    ...{ chainId: leaves[0]!.chainId, registry: leaves[0]!.registry },
    tokenIds: column(({ tokenId }) => tokenId),
    scores: Uint8Array.from(leaves, ({ score }) => score),
    computedAt: column(({ computedAt }) => computedAt),
    blocks: column(({ block }) => block),
  });
  return { root, proofs: leaves.map((_, i) => proofOfSlot(nodes, slots[i]!)) };
}
const asStruct = (leaf: CredLeaf) => {
  const { block, ...rest } = leaf;
  const [chainId, tokenId, computedAt, block_] = [rest.chainId, rest.tokenId, rest.computedAt, block].map(BigInt);
  return { ...rest, chainId: chainId!, tokenId: tokenId!, computedAt: computedAt!, block_: block_! };
};

/** A gate with roots of its own, and agents 0 to 2 that belong to the first three people. */
async function gateWorld({ minScore = 50, maxAge = 3_600n, grace = 0n } = {}) {
  const roots = await freshRoots();
  const address = await world.deploy("CredGate", [roots.address, registry, minScore, maxAge, grace]);
  const gate = world.at(address, credGateAbi);
  return {
    roots,
    enter: (by: Wallet, epoch: bigint, leaf: ReturnType<typeof asStruct>, proof: readonly Hex[]) =>
      world.mined(gate.as(by).write.enter([epoch, leaf, proof])),
    simulate: (by: Wallet, epoch: bigint, leaf: ReturnType<typeof asStruct>, proof: readonly Hex[]) =>
      world.chain.simulateContract({ ...gate, functionName: "enter", args: [epoch, leaf, proof], account: by.account }),
  };
}
async function mintThree() {
  for (const [i, person] of world.people.slice(2, 5).entries())
    await world.mined(
      world
        .at(registry, identityAbi)
        .as(owner())
        .write.mintFor([addressOf(person), addressOf(person), `agent-${i}`, "custom", false, 0]),
    );
}
/** Moves the time of the next block. */
const wait = (seconds: number) => world.chain.increaseTime({ seconds }).then(() => world.chain.mine({ blocks: 1 }));

describe("CredGate", () => {
  const agents: Agent[] = [
    { tokenId: 0, score: 80 },
    { tokenId: 1, score: 50 },
    { tokenId: 2, score: 49 },
  ];
  const person = (tokenId: number) => world.people[2 + tokenId]!;
  beforeAll(mintThree);

  it("admits an agent's owner by proof of its score, and refuses after the score fell in a later epoch", async () => {
    const { roots, enter } = await gateWorld();
    const leaves = agents.map((agent) => leafOf(agent));
    const first = published(leaves);
    expect(first.root).toBe(treeOf(leaves).root);
    await roots.publish(publisher(), 1n, first.root);
    for (const tokenId of [0, 1]) {
      const receipt = await enter(person(tokenId), 1n, asStruct(leaves[tokenId]!), first.proofs[tokenId]!);
      const { score } = agents[tokenId]!;
      expect(eventsOf(receipt, credGateAbi)).toEqual([
        ["Entered", { tokenId: BigInt(tokenId), account: addressOf(person(tokenId)), score, epoch: 1n }],
      ]);
    }
    await expect(enter(person(2), 1n, asStruct(leaves[2]!), first.proofs[2]!)).rejects.toThrow("ScoreTooLow");

    const fallen = [leafOf({ tokenId: 0, score: 20 }), ...leaves.slice(1)];
    const second = published(fallen);
    await roots.publish(publisher(), 2n, second.root);
    await expect(enter(person(0), 1n, asStruct(leaves[0]!), first.proofs[0]!)).rejects.toThrow("EpochSuperseded");
    await expect(enter(person(0), 2n, asStruct(leaves[0]!), first.proofs[0]!)).rejects.toThrow("InvalidProof");
    await expect(enter(person(0), 2n, asStruct(fallen[0]!), second.proofs[0]!)).rejects.toThrow("ScoreTooLow");
    await enter(person(1), 2n, asStruct(fallen[1]!), second.proofs[1]!);
  });

  it("takes a superseded epoch for the seconds of grace, and no epoch older than the maximum age", async () => {
    const { roots, enter, simulate } = await gateWorld({ grace: 60n, maxAge: 1_000n });
    const leaves = agents.map((agent) => leafOf(agent));
    const { root, proofs } = published(leaves);
    const asked = [asStruct(leaves[0]!), proofs[0]!] as const;
    await roots.publish(publisher(), 1n, root);
    await roots.publish(publisher(), 2n, published([leafOf({ tokenId: 0, score: 1 })]).root);
    await wait(30);
    await enter(person(0), 1n, ...asked);
    await wait(30);
    await expect(simulate(person(0), 1n, ...asked)).rejects.toThrow("EpochSuperseded");

    await roots.publish(publisher(), 3n, root);
    await wait(990);
    await enter(person(0), 3n, ...asked);
    await wait(11);
    await expect(simulate(person(0), 3n, ...asked)).rejects.toThrow("EpochTooOld");
    await roots.publish(publisher(), 4n, root);
    await enter(person(0), 4n, ...asked);
    await expect(simulate(person(0), 9n, ...asked)).rejects.toThrow("UnknownEpoch");
  });

  it("refuses everything while the roots are paused", async () => {
    const { roots, enter, simulate } = await gateWorld();
    const leaves = agents.map((agent) => leafOf(agent));
    const { root, proofs } = published(leaves);
    await roots.publish(publisher(), 1n, root);
    await roots.send(owner(), "pause");
    await expect(simulate(person(0), 1n, asStruct(leaves[0]!), proofs[0]!)).rejects.toThrow("RootsPaused");
    await roots.send(owner(), "unpause");
    await enter(person(0), 1n, asStruct(leaves[0]!), proofs[0]!);
  });

  it("refuses leaves of another chain and of another registry, although a root has them", async () => {
    const { roots, simulate } = await gateWorld();
    const foreign = [leafOf(agents[0]!, { chainId: 1 }), leafOf(agents[0]!, { registry: `0x${"ab".repeat(20)}` })];
    for (const [i, leaf] of foreign.entries()) {
      const { root, proofs } = published([leaf]);
      await roots.publish(publisher(), BigInt(i + 1), root);
      await expect(simulate(person(0), BigInt(i + 1), asStruct(leaf), proofs[0]!)).rejects.toThrow("ForeignLeaf");
    }
  });

  it("refuses everybody but the agent's owner, and tokens that do not exist", async () => {
    const { roots, simulate } = await gateWorld();
    const leaves = [...agents, { tokenId: 900, score: 99 }].map((agent) => leafOf(agent));
    const { root, proofs } = published(leaves);
    await roots.publish(publisher(), 1n, root);
    for (const by of [person(1), stranger(), publisher()])
      await expect(simulate(by, 1n, asStruct(leaves[0]!), proofs[0]!)).rejects.toThrow("NotAgentOwner");
    // ERC721NonexistentToken(uint256)
    await expect(simulate(person(0), 1n, asStruct(leaves[3]!), proofs[3]!)).rejects.toThrow("0x7e273289");
  });

  it("refuses every leaf and every proof that differs from those of the root, for trees of any size", async () => {
    const { roots, simulate } = await gateWorld({ minScore: 0 });
    let epoch = 0n;
    const size = fc.integer({ min: 1, max: 40 });
    const forgeries = fc.record({ size, bit: fc.nat(255), seed: fc.nat(), other: fc.nat(100) });
    await forAllLater([forgeries], { numRuns: shareOf(60, 4) }, async ({ size: count, bit, seed, other }) => {
      const leaves = Array.from({ length: count }, (_, i) =>
        leafOf({ tokenId: i, score: (seed + 13 * i) % 101 }, { computedAt: 1_790_000_000 + i }),
      );
      const { root, proofs } = published(leaves);
      expect(root).toBe(treeOf(leaves).root);
      await roots.publish(publisher(), ++epoch, root);
      const [honest, proof] = [asStruct(leaves[0]!), proofs[0]!];
      await simulate(person(0), epoch, honest, proof);
      const score = other === honest.score ? (other + 1) % 101 : other;
      const forged: [ReturnType<typeof asStruct>, readonly Hex[]][] = [
        [{ ...honest, tokenId: 1n }, proof],
        [{ ...honest, score }, proof],
        [{ ...honest, tier: (honest.tier + 1 + (other % 4)) % 5 }, proof],
        [{ ...honest, computedAt: honest.computedAt ^ (1n << BigInt(bit % 64)) }, proof],
        [{ ...honest, block_: honest.block_ ^ (1n << BigInt(bit % 64)) }, proof],
        ...proof.map((_, i): [typeof honest, readonly Hex[]] => [honest, proof.with(i, flipped(proof[i]!, bit))]),
        [honest, [...proof, flipped(root, bit)]],
        ...(proof.length > 0 ? [[honest, proof.slice(1)] as [typeof honest, readonly Hex[]]] : []),
        ...(proof.length > 1 && proof[0] !== proof[1]
          ? [[honest, [proof[1]!, proof[0]!, ...proof.slice(2)]] as [typeof honest, readonly Hex[]]]
          : []),
        // A root passed off as a proof of nothing.
        [honest, [root]],
      ];
      const outcomes = await Promise.all(
        forged.map(([leaf, path]) =>
          simulate(leaf.tokenId === 1n ? person(1) : person(0), epoch, leaf, path).then(
            () => "admitted",
            (error: Error) => /InvalidProof/.exec(error.message)?.[0] ?? error.message,
          ),
        ),
      );
      expect(outcomes).toEqual(forged.map(() => "InvalidProof"));
    });
  });
});

/** A hash with one bit changed. */
const flipped = (hash: Hex, bit: number): Hex => toHex(BigInt(hash) ^ (1n << BigInt(bit)), { size: 32 });
