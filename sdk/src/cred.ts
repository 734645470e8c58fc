/** Checking a cred proof without trusting the service: hashes are computed here, the root is read from the chain. */
import { concat, encodeAbiParameters, type Hex, keccak256 } from "viem";
import type { components } from "./openapi.ts";

/** The answer of `GET /api/v2/agent/{ref}/cred/proof`. */
export type CredProof = components["schemas"]["CredProof"];

/** What reads the chain: a public client of viem, or an object with the same three methods. Use a node that you trust. */
export type CredReader = {
  getChainId(): Promise<number>;
  getBlock(): Promise<{ timestamp: bigint }>;
  // biome-ignore lint/suspicious/noExplicitAny: viem's own parameters are generic over the ABI.
  readContract(call: any): Promise<unknown>;
};

/** What the caller knows from another source than the service: documentation, a block explorer, its own configuration. */
export type CredTrust = {
  /** CredRoots, the contract of the roots. */
  contract: string;
  /** The contract of the identity token. */
  registry: string;
  /** 8453 (Base) by default. */
  chainId?: number;
};

/** What a proof has to show, beyond being one. */
export type CredDemand = {
  /** The agent in question: a proof of another agent is refused. */
  tokenId?: number;
  minScore?: number;
  /** Max seconds since the epoch was published, by the clock of the chain. */
  maxAgeSeconds?: number;
  /** Seconds for which an epoch counts after a later one was published. 0 by default: the latest only. Infinity: all. */
  graceSeconds?: number;
};

/**
 * Why a proof is refused. `malformed`: not a proof at all. `wrong_chain`, `wrong_contract`, `wrong_registry`,
 * `wrong_agent`: about something else than expected. `unknown_epoch`: the contract has no root of it. `invalid_proof`: the
 * leaf is not in the contract's root. `paused`: the contract's owner doubts the newest root. `superseded`: a later epoch was
 * published, perhaps a moment ago; the service answers its proof as soon as it has seen it. The others: see CredDemand.
 */
export type CredRefusal =
  | "malformed"
  | "wrong_chain"
  | "wrong_contract"
  | "wrong_registry"
  | "wrong_agent"
  | "unknown_epoch"
  | "invalid_proof"
  | "paused"
  | "score_too_low"
  | "too_old"
  | "superseded";

export type CredVerdict =
  | {
      valid: true;
      tokenId: number;
      score: number;
      /** 0 (junk) to 4 (preferred). */
      tier: number;
      epoch: number;
      root: Hex;
      /** Unix seconds by the contract; `supersededAt` null: it is the latest epoch. */
      publishedAt: number;
      supersededAt: number | null;
    }
  | { valid: false; reason: CredRefusal; says: string };

const ABI = [
  {
    type: "function",
    name: "epochOf",
    stateMutability: "view",
    inputs: [{ name: "epoch", type: "uint64" }],
    outputs: [
      {
        type: "tuple",
        components: [
          { name: "root", type: "bytes32" },
          { name: "publishedAt", type: "uint64" },
          { name: "supersededAt", type: "uint64" },
          { name: "leaves", type: "uint64" },
          { name: "block_", type: "uint64" },
        ],
      },
    ],
  },
  { type: "function", name: "paused", stateMutability: "view", inputs: [], outputs: [{ type: "bool" }] },
] as const;
type Epoch = { root: Hex; publishedAt: bigint; supersededAt: bigint };

const LEAF = ["uint256", "address", "uint256", "uint8", "uint8", "uint64", "uint64"].map((type) => ({ type }));
const HASH = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const MAX_PROOF = 64;
const BASE = 8453;

const refused = (reason: CredRefusal, says: string): CredVerdict => ({ valid: false, reason, says });

/**
 * Whether a cred proof holds on chain. Only its leaf, its siblings and its epoch are used; root, leaf hash and everything
 * else that the service says are not.
 * @throws what `client` throws: a node that does not answer is no verdict
 */
export async function verifyCred(
  proof: CredProof,
  client: CredReader,
  trust: CredTrust,
  demand: CredDemand = {},
): Promise<CredVerdict> {
  const chainId = trust.chainId ?? BASE;
  if (!ADDRESS.test(trust.contract) || !ADDRESS.test(trust.registry))
    throw new TypeError("verifyCred needs the addresses of CredRoots and of the identity token.");
  if (!isWellFormed(proof)) return refused("malformed", "That is not a cred proof.");
  const foreign = foreignPart(proof, { ...trust, chainId }, demand);
  if (foreign) return foreign;
  const chain = await client.getChainId();
  if (chain !== chainId) return refused("wrong_chain", `The client reads chain ${chain}, not ${chainId}.`);
  const contract = { address: trust.contract, abi: ABI };
  const [epoch, paused, { timestamp }] = await Promise.all([
    client.readContract({ ...contract, functionName: "epochOf", args: [BigInt(proof.epoch)] }) as Promise<Epoch>,
    client.readContract({ ...contract, functionName: "paused" }),
    client.getBlock(),
  ]);
  if (paused !== false) return refused("paused", "The contract of the roots is paused.");
  if (/^0x0*$/.test(epoch.root)) return refused("unknown_epoch", `The contract has no epoch ${proof.epoch}.`);
  if (rootOf(proof) !== epoch.root.toLowerCase())
    return refused("invalid_proof", `The leaf is not in the root of epoch ${proof.epoch}.`);
  return judge(proof, epoch, Number(timestamp), demand);
}

function foreignPart(
  { tokenId, chainId, contract, leaf }: CredProof,
  trust: Required<CredTrust>,
  demand: CredDemand,
): CredVerdict | null {
  if (leaf.chainId !== trust.chainId || chainId !== trust.chainId)
    return refused("wrong_chain", `The proof is about chain ${leaf.chainId}, not ${trust.chainId}.`);
  if (!same(contract, trust.contract))
    return refused("wrong_contract", `The proof names the contract ${contract}, not ${trust.contract}.`);
  if (!same(leaf.registry, trust.registry))
    return refused("wrong_registry", `The proof is about the identity contract ${leaf.registry}.`);
  const wanted = demand.tokenId ?? tokenId;
  return leaf.tokenId === wanted && tokenId === wanted
    ? null
    : refused("wrong_agent", `The proof is about agent ${leaf.tokenId}, not ${wanted}.`);
}

function judge({ epoch, leaf }: CredProof, state: Epoch, now: number, demand: CredDemand): CredVerdict {
  const { minScore, maxAgeSeconds, graceSeconds = 0 } = demand;
  const publishedAt = Number(state.publishedAt);
  const supersededAt = state.supersededAt === 0n ? null : Number(state.supersededAt);
  if (maxAgeSeconds !== undefined && now - publishedAt > maxAgeSeconds)
    return refused("too_old", `Epoch ${epoch} was published ${now - publishedAt} seconds ago.`);
  // The block that `now` is of may be older than the state that was read: then a later epoch has been there for 0 seconds.
  const supersededFor = supersededAt === null ? null : Math.max(0, now - supersededAt);
  if (supersededFor !== null && !(supersededFor < graceSeconds))
    return refused("superseded", `A later epoch took the place of epoch ${epoch} ${supersededFor} seconds ago.`);
  if (minScore !== undefined && leaf.score < minScore)
    return refused("score_too_low", `The score is ${leaf.score}, less than ${minScore}.`);
  const { tokenId, score, tier } = leaf;
  return { valid: true, tokenId, score, tier, epoch, root: state.root, publishedAt, supersededAt };
}

/** The root that leaf and siblings lead to, lower-case. */
function rootOf({ leaf, proof }: CredProof): Hex {
  const values = [
    ...[BigInt(leaf.chainId), leaf.registry, BigInt(leaf.tokenId), leaf.score, leaf.tier],
    ...[BigInt(leaf.computedAt), BigInt(leaf.block)],
  ];
  const leafHash = keccak256(keccak256(encodeAbiParameters(LEAF, values)));
  return proof.reduce<Hex>((node, each) => {
    const sibling = each.toLowerCase() as Hex;
    return keccak256(concat(node < sibling ? [node, sibling] : [sibling, node]));
  }, leafHash);
}

/** The proof comes from outside: each value that is used has the type and the range of its field. */
function isWellFormed(proof: CredProof): boolean {
  const whole = (value: unknown, max = Number.MAX_SAFE_INTEGER) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
  const { leaf } = (proof ?? {}) as Partial<CredProof>;
  return (
    typeof leaf === "object" &&
    leaf !== null &&
    [proof.tokenId, proof.epoch, proof.chainId, leaf.chainId, leaf.tokenId, leaf.computedAt, leaf.block].every((n) =>
      whole(n),
    ) &&
    whole(leaf.score, 100) &&
    whole(leaf.tier, 4) &&
    [leaf.registry, proof.contract].every((address) => typeof address === "string" && ADDRESS.test(address)) &&
    Array.isArray(proof.proof) &&
    proof.proof.length <= MAX_PROOF &&
    proof.proof.every((sibling) => typeof sibling === "string" && HASH.test(sibling))
  );
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
