/**
 * The Merkle tree of scores in the layout of OpenZeppelin's StandardMerkleTree: leaves sorted by their hashes, pairs
 * hashed in sorted order. Nodes are numbered by slot: the root is 1, the children of s are 2s and 2s + 1, and n leaves
 * have the slots n to 2n - 1, the smallest hash the last one.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Address, Hex } from "../../agents/facts.ts";
import { compareHashes, HASH_BYTES, type TreeHasher, treeHasher } from "./hashing.ts";
import { tierNumber } from "./leaf.ts";

/** All leaves by column, in ascending order of token ids. */
export type LeafColumns = {
  chainId: number;
  registry: Address;
  tokenIds: Float64Array;
  scores: Uint8Array;
  /** Unix seconds. */
  computedAt: Float64Array;
  blocks: Float64Array;
};

export type CredTree = {
  /** The node of slot s at byte 32 s. */
  nodes: Uint8Array;
  /** The slot of each leaf, in the order of the columns. */
  slots: Uint32Array;
  root: Hex;
};

/** Max leaves: a sort key has 24 bits for the number of a leaf. */
const MAX_LEAVES = 2 ** 24;

/** @throws RangeError without leaves, or with more than MAX_LEAVES */
export function buildTree(leaves: LeafColumns): CredTree {
  const count = leaves.tokenIds.length;
  if (count === 0 || count > MAX_LEAVES) throw new RangeError(`a tree of ${count} leaves cannot be built`);
  const hasher = treeHasher(leaves.chainId, leaves.registry);
  const hashes = hashLeaves(leaves, hasher);
  const order = sortedByHash(hashes);
  const nodes = new Uint8Array(2 * count * HASH_BYTES);
  const slots = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    const leaf = order[place]!;
    const slot = 2 * count - 1 - place;
    slots[leaf] = slot;
    nodes.set(hashes.subarray(leaf * HASH_BYTES, (leaf + 1) * HASH_BYTES), slot * HASH_BYTES);
  }
  for (let slot = count - 1; slot > 0; slot--)
    hasher.pair(nodes, 2 * slot * HASH_BYTES, (2 * slot + 1) * HASH_BYTES, slot * HASH_BYTES);
  return { nodes, slots, root: nodeAt(nodes, 1) };
}

/** The siblings from a leaf up to the root. */
export function proofOfSlot(nodes: Uint8Array, slot: number): Hex[] {
  return siblingsOf(slot).map((sibling) => nodeAt(nodes, sibling));
}

/** The slots of a proof, from the leaf's sibling upwards. */
export function siblingsOf(slot: number): number[] {
  const siblings: number[] = [];
  for (let s = slot; s > 1; s >>>= 1) siblings.push(s ^ 1);
  return siblings;
}

/** The node of a slot as hex. */
export const nodeAt = (nodes: Uint8Array, slot: number): Hex =>
  `0x${bytesToHex(nodes.subarray(slot * HASH_BYTES, (slot + 1) * HASH_BYTES))}`;

function hashLeaves(leaves: LeafColumns, hasher: TreeHasher): Uint8Array {
  const { tokenIds, scores, computedAt, blocks } = leaves;
  const hashes = new Uint8Array(tokenIds.length * HASH_BYTES);
  const tiers = Uint8Array.from({ length: 101 }, (_, score) => tierNumber(score));
  const leaf = { tokenId: 0, score: 0, tier: 0, computedAt: 0, block: 0 };
  for (let i = 0; i < tokenIds.length; i++) {
    leaf.tokenId = tokenIds[i]!;
    leaf.score = scores[i]!;
    leaf.tier = tiers[leaf.score]!;
    leaf.computedAt = computedAt[i]!;
    leaf.block = blocks[i]!;
    hasher.leaf(leaf, hashes, i * HASH_BYTES);
  }
  return hashes;
}

/** The numbers of the leaves in ascending order of their hashes; equal hashes in the order of the leaves. */
export function sortedByHash(hashes: Uint8Array): Uint32Array {
  const count = hashes.length / HASH_BYTES;
  // The first 40 bits of the hash, then 24 bits of the leaf's number: sorted as numbers, without a comparing function.
  const keys = new BigUint64Array(count);
  for (let i = 0; i < count; i++) {
    const at = i * HASH_BYTES;
    const high = ((hashes[at]! << 24) | (hashes[at + 1]! << 16) | (hashes[at + 2]! << 8) | hashes[at + 3]!) >>> 0;
    keys[i] = (BigInt(high) << 32n) | BigInt(hashes[at + 4]! * MAX_LEAVES + i);
  }
  keys.sort();
  const order = new Uint32Array(count);
  for (let place = 0; place < count; place++) order[place] = Number(keys[place]! & 0xffffffn);
  settleEqualKeys(keys, order, hashes);
  return order;
}

/** Puts leaves that agree in their first 40 bits in order by their whole hashes. */
function settleEqualKeys(keys: BigUint64Array, order: Uint32Array, hashes: Uint8Array): void {
  for (let from = 0; from < order.length; ) {
    let end = from + 1;
    while (end < order.length && keys[end]! >> 24n === keys[from]! >> 24n) end++;
    if (end - from > 1) {
      const run = order.subarray(from, end);
      run.set([...run].sort((a, b) => compareHashes(hashes, a * HASH_BYTES, b * HASH_BYTES) || a - b));
    }
    from = end;
  }
}
