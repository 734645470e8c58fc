/** One leaf of the Merkle tree of scores: its fields, their ABI types and its hash, as contracts compute it. */
import { encodeAbiParameters, keccak256 } from "viem/utils";
import type { Address, Hex } from "../../agents/facts.ts";
import { TIERS } from "../tiers.ts";

/** What a root says about one agent. Numbers are whole. */
export type CredLeaf = {
  chainId: number;
  /** The contract of the identity token, lower-case. */
  registry: Address;
  tokenId: number;
  /** 0 to 100. */
  score: number;
  /** 0 (junk) to 4 (preferred). */
  tier: number;
  /** When the score was last computed with another result, Unix seconds. */
  computedAt: number;
  /** The block of the agent's newest change that the score includes. */
  block: number;
};

/** ABI types of the fields in their order: the `leafEncoding` of OpenZeppelin's StandardMerkleTree. */
export const LEAF_TYPES = ["uint256", "address", "uint256", "uint8", "uint8", "uint64", "uint64"] as const;
const PARAMETERS = LEAF_TYPES.map((type) => ({ type }));

/** The fields in the order of LEAF_TYPES. */
export const leafValues = (leaf: CredLeaf) =>
  [
    BigInt(leaf.chainId),
    leaf.registry,
    BigInt(leaf.tokenId),
    leaf.score,
    leaf.tier,
    BigInt(leaf.computedAt),
    BigInt(leaf.block),
  ] as const;

/** `keccak256(keccak256(abi.encode(fields)))`: hashed twice, so that no inner node can pass for a leaf. */
export const leafHash = (leaf: CredLeaf): Hex =>
  keccak256(keccak256(encodeAbiParameters(PARAMETERS, leafValues(leaf))));

/** The number of a score's tier, 0 for the lowest. */
export const tierNumber = (score: number): number => TIERS.length - 1 - TIERS.findIndex(({ from }) => score >= from);
