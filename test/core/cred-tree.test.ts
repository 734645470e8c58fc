/** The tree of scores is OpenZeppelin's StandardMerkleTree, root and proofs, and a kept tree gives the same proofs. */
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { TIERS, tierOf } from "../../core/cred/tiers.ts";
import { type CredLeaf, LEAF_TYPES, leafHash, leafValues, tierNumber } from "../../core/cred/tree/leaf.ts";
import { neededFor, packTree, proveLeaf, slotOfToken, storedNodes } from "../../core/cred/tree/packed.ts";
import { buildTree, type CredTree, type LeafColumns, proofOfSlot, sortedByHash } from "../../core/cred/tree/tree.ts";
import { forAll } from "../support/for-all.ts";
import { shareOf } from "../support/share.ts";

type Row = { tokenId: number; score: number; computedAt: number; block: number };
type Of = { chainId: number; registry: Address };
const OF: Of = { chainId: 8453, registry: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" };

const columnsOf = (rows: readonly Row[], of: Of = OF): LeafColumns => ({
  ...of,
  tokenIds: Float64Array.from(rows, ({ tokenId }) => tokenId),
  scores: Uint8Array.from(rows, ({ score }) => score),
  computedAt: Float64Array.from(rows, ({ computedAt }) => computedAt),
  blocks: Float64Array.from(rows, ({ block }) => block),
});
const leafOf = (row: Row, of: Of = OF): CredLeaf => ({ ...of, ...row, tier: tierNumber(row.score) });
const reference = (rows: readonly Row[], of: Of = OF) =>
  StandardMerkleTree.of(
    rows.map((row) => [...leafValues(leafOf(row, of))]),
    [...LEAF_TYPES],
  );

/** A proof from the parts of a kept tree, as db/cred/cred-epochs.ts reads them. */
function keptProof(columns: LeafColumns, tree: CredTree, tokenId: number) {
  const parts = [...packTree(columns, tree)];
  const leaves = columns.tokenIds.length;
  const tokens = parts.findLast(({ kind, place }) => kind === "tokens" && place <= tokenId);
  const slot = tokens ? slotOfToken(tokens.bytes, tokenId) : null;
  if (slot === null) return null;
  const needed = neededFor(slot, leaves);
  const chunks = new Map(
    needed.chunks.map((n) => [n, parts.find(({ kind, place }) => kind === "leaves" && place === n)!.bytes]),
  );
  const nodes = parts.find(({ kind }) => kind === "nodes")!.bytes;
  const stored = new Map(needed.stored.map((s) => [s, nodes.subarray(s * 32, s * 32 + 32)]));
  return { ...proveLeaf({ ...OF, leaves }, slot, chunks, stored), chunks: chunks.size };
}

const numbers = { tokenId: fc.nat(2 ** 40 - 1), score: fc.nat(100), computedAt: fc.nat(2 ** 40 - 1) };
const row = fc.record({ ...numbers, block: fc.nat(2 ** 40 - 1) });
const distinct = fc
  .uniqueArray(row, { minLength: 1, maxLength: 70, selector: ({ tokenId }) => tokenId })
  .map((rows) => rows.sort((a, b) => a.tokenId - b.tokenId));
const many = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    tokenId: 3 * i,
    score: (i * 7) % 101,
    computedAt: 1_790_000_000 + i,
    block: 42_254_000 + i,
  }));

describe("the tree", () => {
  it("has OpenZeppelin's root and proofs, also with equal leaves", () => {
    const registry = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => `0x${Buffer.from(b).toString("hex")}`);
    const rows = fc.oneof(
      distinct,
      fc.tuple(distinct, fc.nat(5)).map(([r, n]) => [...r, ...r.slice(0, n)]),
    );
    forAll(
      [rows, fc.integer({ min: 1, max: 2 ** 53 - 1 }), registry],
      { numRuns: shareOf(600, 20) },
      (leaves, chainId, address) => {
        const of = { chainId, registry: address as Address };
        const [tree, expected] = [buildTree(columnsOf(leaves, of)), reference(leaves, of)];
        expect(tree.root).toBe(expected.root);
        const proofs = leaves.map((_, i) => proofOfSlot(tree.nodes, tree.slots[i]!));
        expect(proofs).toEqual(leaves.map((_, i) => expected.getProof(i)));
      },
    );
  });

  it.each([1, 2, 3, 4, 5, 255, 256, 257])("has OpenZeppelin's root for %i leaves", (count) => {
    expect(buildTree(columnsOf(many(count))).root).toBe(reference(many(count)).root);
  });

  it("puts leaves whose hashes begin alike in the order of the whole hashes, equal ones in their own", () => {
    // 2, 6 or 31 bytes agree: the sort key has the first 5.
    const hash = fc.tuple(fc.constantFrom(2, 6, 31), fc.constantFrom(0, 7), fc.nat(3)).map(([alike, of, last]) => {
      const bytes = new Uint8Array(32).fill(of, 0, alike);
      return bytes.fill(last + 1, alike);
    });
    forAll([fc.array(hash, { minLength: 1, maxLength: 30 })], { numRuns: shareOf(1_000, 50) }, (hashes) => {
      const expected = hashes.map((_, i) => i).sort((a, b) => Buffer.compare(hashes[a]!, hashes[b]!) || a - b);
      expect([...sortedByHash(Buffer.concat(hashes))]).toEqual(expected);
    });
  });

  it("is not built without leaves", () => {
    expect(() => buildTree(columnsOf([]))).toThrow(RangeError);
  });
});

describe("a leaf", () => {
  it("is hashed as OpenZeppelin does", () => {
    for (const one of many(3)) expect(leafHash(leafOf(one))).toBe(reference([one]).root);
  });

  it("numbers the tiers from the lowest", () => {
    for (let score = 0; score <= 100; score++)
      expect(tierNumber(score)).toBe(TIERS.toReversed().findIndex(({ key }) => key === tierOf(score).key));
    expect([tierNumber(0), tierNumber(51), tierNumber(100)]).toEqual([0, 2, 4]);
  });
});

describe("a kept tree", () => {
  it("gives the proof of every leaf, whatever its size", () =>
    forAll([distinct, fc.nat()], { numRuns: shareOf(400, 20) }, (rows, at) => {
      const columns = columnsOf(rows);
      const tree = buildTree(columns);
      const chosen = rows[at % rows.length]!;
      const { leaf, proof } = keptProof(columns, tree, chosen.tokenId)!;
      expect(leaf).toEqual(leafOf(chosen));
      expect(proof).toEqual(proofOfSlot(tree.nodes, tree.slots[at % rows.length]!));
    }));

  // 127 to 257: a tree of one chunk, of two, and with leaves in two levels; 4,000: many subtrees below stored nodes.
  it.each([127, 128, 129, 257, 4_000])("of %i leaves reads at most two chunks per proof", (count) => {
    const columns = columnsOf(many(count));
    const tree = buildTree(columns);
    for (let i = 0; i < count; i += Math.ceil(count / 12)) {
      const found = keptProof(columns, tree, 3 * i)!;
      expect(found.proof).toEqual(proofOfSlot(tree.nodes, tree.slots[i]!));
      expect(found.chunks).toBeLessThanOrEqual(2);
    }
    expect(keptProof(columns, tree, 1)).toBeNull();
    expect(keptProof(columns, tree, 3 * count)).toBeNull();
  });

  it("costs 25 bytes per leaf and the nodes above", () => {
    const columns = columnsOf(many(4_000));
    const parts = [...packTree(columns, buildTree(columns))];
    const bytes = parts.reduce((sum, part) => sum + part.bytes.length, 0);
    expect(bytes).toBe(4_000 * 25 + storedNodes(4_000) * 32);
  });

  it("refuses numbers of more than 40 bits", () => {
    const columns = columnsOf([{ ...many(1)[0]!, tokenId: 2 ** 40 }]);
    expect(() => [...packTree(columns, buildTree(columns))]).toThrow(RangeError);
  });
});
