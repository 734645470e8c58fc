/** The check of a cred proof: the root that a leaf and its siblings lead to, as OpenZeppelin's MerkleProof computes it. */
import { concat, keccak256 } from "viem/utils";
import type { Hex } from "../../agents/facts.ts";
import { type CredLeaf, leafHash } from "./leaf.ts";

/** @param proof the siblings from the leaf up @returns the root, lower-case */
export const rootOfProof = (leaf: CredLeaf, proof: readonly string[]): Hex =>
  proof.reduce<Hex>((node, each) => {
    const sibling = each.toLowerCase() as Hex;
    return keccak256(concat(node < sibling ? [node, sibling] : [sibling, node]));
  }, leafHash(leaf));
