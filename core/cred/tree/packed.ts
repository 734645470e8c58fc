/**
 * A kept tree: 25 bytes per leaf instead of the 64 bytes of its nodes. The upper nodes are stored; those below follow from
 * the leaves of at most two chunks, which one proof reads and hashes again.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Address, Hex } from "../../agents/facts.ts";
import { HASH_BYTES, treeHasher } from "./hashing.ts";
import { type CredLeaf, tierNumber } from "./leaf.ts";
import { type CredTree, type LeafColumns, nodeAt, siblingsOf } from "./tree.ts";

/** Slots of leaves per chunk, as a power of two: a proof hashes at most this number of leaves, 1.5 ms. */
const CHUNK_BITS = 7;
const TOKENS_PER_CHUNK = 1_024;
/** tokenId, computedAt and block of 5 bytes each, and the score. */
export const LEAF_BYTES = 16;
/** tokenId of 5 bytes, slot of 4. */
const TOKEN_BYTES = 9;
/** The first number that a field of five bytes has no room for. */
export const FIELD_END = 2 ** 40;

/**
 * One stored part of a tree.
 * - `leaves`: chunk number `place` has the leaves of the slots `128 place` to `128 place + 127`, in their order.
 * - `tokens`: token ids from `place` on, ascending, each with the slot of its leaf.
 * - `nodes`: the node of slot s at byte 32 s, for every slot below `storedNodes`.
 */
export type TreePart = { kind: "leaves" | "tokens" | "nodes"; place: number; bytes: Uint8Array };

/** The number of the first slot whose node is not stored, a power of two. */
export function storedNodes(leaves: number): number {
  const depth = Math.floor(Math.log2(2 * leaves - 1));
  return 2 ** Math.max(1, depth - CHUNK_BITS + 1);
}

/** @throws RangeError when a token id, a time or a block does not fit into 40 bits */
export function* packTree(columns: LeafColumns, tree: CredTree): Generator<TreePart> {
  const { tokenIds, scores, computedAt, blocks } = columns;
  const count = tokenIds.length;
  const leaves = new Uint8Array(count * LEAF_BYTES);
  const tokens = new Uint8Array(count * TOKEN_BYTES);
  const leafView = new DataView(leaves.buffer);
  const tokenView = new DataView(tokens.buffer);
  for (let i = 0; i < count; i++) {
    const slot = tree.slots[i]!;
    const at = (slot - count) * LEAF_BYTES;
    writeField(leafView, at, tokenIds[i]!);
    writeField(leafView, at + 5, computedAt[i]!);
    writeField(leafView, at + 10, blocks[i]!);
    leafView.setUint8(at + 15, scores[i]!);
    writeField(tokenView, i * TOKEN_BYTES, tokenIds[i]!);
    tokenView.setUint32(i * TOKEN_BYTES + 5, slot);
  }
  for (let place = count >> CHUNK_BITS; place <= (2 * count - 1) >> CHUNK_BITS; place++) {
    const from = firstSlot(place, count) - count;
    const end = Math.min(((place + 1) << CHUNK_BITS) - count, count);
    yield { kind: "leaves", place, bytes: leaves.slice(from * LEAF_BYTES, end * LEAF_BYTES) };
  }
  for (let i = 0; i < count; i += TOKENS_PER_CHUNK)
    yield {
      kind: "tokens",
      place: tokenIds[i]!,
      bytes: tokens.slice(i * TOKEN_BYTES, (i + TOKENS_PER_CHUNK) * TOKEN_BYTES),
    };
  // A tree of one leaf has no inner node: its root is the leaf.
  const nodes = Math.min(storedNodes(count), 2 * count);
  yield { kind: "nodes", place: 0, bytes: tree.nodes.slice(0, nodes * HASH_BYTES) };
}

/** The slot of a token's leaf; null when the chunk has none. @param bytes the last `tokens` part whose place is not above the id */
export function slotOfToken(bytes: Uint8Array, tokenId: number): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [from, end] = [0, bytes.length / TOKEN_BYTES];
  while (from < end) {
    const middle = (from + end) >> 1;
    const found = readField(view, middle * TOKEN_BYTES);
    if (found === tokenId) return view.getUint32(middle * TOKEN_BYTES + 5);
    if (found < tokenId) from = middle + 1;
    else end = middle;
  }
  return null;
}

/** The place of the `leaves` part that has the leaf of a slot. */
export const placeOfSlot = (slot: number): number => slot >> CHUNK_BITS;

/** The leaf in `slot`. @param bytes the `leaves` part of its place */
export const leafInSlot = (
  bytes: Uint8Array,
  slot: number,
  { chainId, registry, leaves }: { chainId: number; registry: Address; leaves: number },
): CredLeaf => readLeaf(bytes, slot - firstSlot(placeOfSlot(slot), leaves), { chainId, registry });

/** What a proof of the leaf in `slot` is made from: `chunks` are places of `leaves` parts, `stored` slots of stored nodes. */
export function neededFor(slot: number, leaves: number): { chunks: number[]; stored: number[] } {
  const bound = storedNodes(leaves);
  const chunks = new Set([slot >> CHUNK_BITS]);
  const { top, levels } = subtreeOf(slot, bound);
  for (const level of [levels - 1, levels, levels + 1]) {
    if (level < 0) continue;
    const first = Math.max(top * 2 ** level, leaves);
    const last = Math.min((top + 1) * 2 ** level, 2 * leaves) - 1;
    for (let place = first >> CHUNK_BITS; first <= last && place <= last >> CHUNK_BITS; place++) chunks.add(place);
  }
  return { chunks: [...chunks], stored: siblingsOf(slot).filter((sibling) => sibling < bound) };
}

/**
 * The leaf in `slot` and its proof.
 * @param chunks the `leaves` parts of `neededFor`, by place
 * @param stored the nodes of its stored slots, by slot
 */
export function proveLeaf(
  tree: { chainId: number; registry: Address; leaves: number },
  slot: number,
  chunks: ReadonlyMap<number, Uint8Array>,
  stored: ReadonlyMap<number, Uint8Array>,
): { leaf: CredLeaf; proof: Hex[] } {
  const { chainId, registry, leaves } = tree;
  const bound = storedNodes(leaves);
  const hasher = treeHasher(chainId, registry);
  const scratch = new Uint8Array(3 * HASH_BYTES);
  const leafAt = (at: number): CredLeaf => {
    const place = placeOfSlot(at);
    const bytes = chunks.get(place);
    if (!bytes) throw new Error(`the leaves of chunk ${place} are missing`);
    return leafInSlot(bytes, at, tree);
  };
  const nodeOf = (at: number): Uint8Array => {
    const node = new Uint8Array(HASH_BYTES);
    if (at >= leaves) {
      hasher.leaf(leafAt(at), node, 0);
      return node;
    }
    const [left, right] = [nodeOf(2 * at), nodeOf(2 * at + 1)];
    scratch.set(left);
    scratch.set(right, HASH_BYTES);
    hasher.pair(scratch, 0, HASH_BYTES, 2 * HASH_BYTES);
    return scratch.slice(2 * HASH_BYTES);
  };
  const proof = siblingsOf(slot).map((sibling): Hex => {
    if (sibling >= bound) return nodeAt(nodeOf(sibling), 0);
    const node = stored.get(sibling);
    if (!node) throw new Error(`the node of slot ${sibling} is missing`);
    return `0x${bytesToHex(node)}`;
  });
  return { leaf: leafAt(slot), proof };
}

/** The lowest ancestor of a slot whose node is stored, and the number of levels between them. */
function subtreeOf(slot: number, bound: number): { top: number; levels: number } {
  let levels = 0;
  let top = slot;
  for (; top >= bound; top >>>= 1) levels++;
  return { top, levels };
}

const firstSlot = (place: number, leaves: number): number => Math.max(place << CHUNK_BITS, leaves);

function readLeaf(bytes: Uint8Array, n: number, of: { chainId: number; registry: Address }): CredLeaf {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = n * LEAF_BYTES;
  const score = view.getUint8(at + 15);
  return {
    ...of,
    tokenId: readField(view, at),
    score,
    tier: tierNumber(score),
    computedAt: readField(view, at + 5),
    block: readField(view, at + 10),
  };
}

function writeField(view: DataView, at: number, value: number): void {
  if (!(value >= 0 && value < FIELD_END)) throw new RangeError(`${value} does not fit into 40 bits`);
  view.setUint8(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 1, value % 2 ** 32);
}

const readField = (view: DataView, at: number): number => view.getUint8(at) * 2 ** 32 + view.getUint32(at + 1);
