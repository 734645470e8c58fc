/** Cred as the API shows it. */
import { array, object, z } from "zod";
import { SIGNALS } from "../../core/cred/cred.ts";
import { LEAF_TYPES } from "../../core/cred/tree/leaf.ts";
import {
  address,
  block,
  bytes32,
  count,
  epochNumber,
  moment,
  score,
  tier,
  tierLabel,
  tokenId,
  txHash,
  url,
} from "../../core/views/fields.ts";

const cause = z.string().meta({ description: "What changed the score: a kind of event, `age`, `profile`, …" });
const seenBlock = block.meta({
  description: "The newest block with an event of the agent that the score was computed from",
});

export const credAdviceSchema = object({
  tokenId,
  credScore: score,
  points: z.number().min(0).max(100).meta({ description: "The score before it is rounded" }),
  computedAt: moment,
  steps: array(
    object({
      signal: z.enum(SIGNALS.map(({ key }) => key)).meta({ description: "The signal that grows" }),
      label: z.string().meta({ description: "The signal in words" }),
      action: z.string(),
      endpoint: z.string().meta({
        description: "Method and path of the operation that takes the step",
        examples: ["POST /api/v2/agent/7/verify/x"],
      }),
      gain: z.number().min(0).max(100).meta({ description: "Points of this step alone, before rounding" }),
      scoreAfter: score.meta({ description: "The score after this step alone" }),
    }).meta({ id: "OpenPoint" }),
  ),
}).meta({ id: "CredAdvice" });
export type CredAdvice = z.output<typeof credAdviceSchema>;

export const credAtSchema = object({
  tokenId,
  name: z.string(),
  credScore: score,
  tier,
  tierLabel,
  asked: object({ at: moment, block: block.nullable() }).meta({
    description: "The requested time, or the block and its time",
  }),
  computedAt: moment.meta({ description: "When this score was computed" }),
  block: seenBlock,
  cause,
  why: z.string().meta({ description: "The cause in words" }),
  previousScore: score.nullable().meta({ description: "The score before; null: it was the first" }),
  until: moment.nullable().meta({ description: "When the next change was computed; null: the score still holds" }),
  onchain: object({
    epoch: epochNumber,
    proof: z.string().nullable().meta({ description: "Where its cred proof is; null: its tree is no longer kept" }),
  })
    .nullable()
    .meta({ description: "The first epoch on chain that proves this score; null: there is none" }),
}).meta({ id: "CredAt" });

const pointEpoch = epochNumber.nullable().meta({ description: "The first epoch on chain that proves it; null: none" });

export const credHistorySchema = object({
  tokenId,
  points: array(object({ at: moment, score, tier, cause, block: seenBlock, epoch: pointEpoch })),
}).meta({ id: "CredHistory" });

const LEAF_EXAMPLE = {
  chainId: 8453,
  registry: "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60",
  tokenId: 7,
  score: 62,
  tier: 2,
  computedAt: 1795305600,
  block: 48321007,
};

export const credProofSchema = object({
  tokenId,
  epoch: epochNumber,
  chainId: z.int().min(1),
  contract: address.meta({ description: "CredRoots, the contract that has the root" }),
  transaction: txHash.meta({ description: "The transaction that published the root" }),
  publishedAt: moment,
  registry: address.meta({ description: "The contract of the identity token" }),
  root: bytes32,
  leaf: object({
    chainId: z.int().min(1),
    registry: address,
    tokenId,
    score,
    tier: z.int().min(0).max(4).meta({ description: "0 (junk) to 4 (preferred)" }),
    computedAt: z.int().min(0).meta({ description: "When the score was computed, Unix seconds" }),
    block: seenBlock,
  }).meta({ id: "CredLeaf", examples: [LEAF_EXAMPLE] }),
  leafTypes: array(z.string()).meta({
    description: "ABI types of the leaf's fields in their order",
    examples: [[...LEAF_TYPES]],
  }),
  leafHash: bytes32.meta({ description: "keccak256(keccak256(abi.encode(fields of the leaf)))" }),
  proof: array(bytes32).max(64).meta({ description: "For OpenZeppelin's MerkleProof: the siblings from the leaf up" }),
  leaves: count.meta({ description: "Number of agents in the epoch" }),
  block: block.meta({ description: "The indexed block that the epoch's scores were read at" }),
  computedAt: moment.meta({ description: "When the epoch's scores were read" }),
  transactionBlock: block.nullable(),
  latestEpoch: epochNumber.meta({ description: "The newest epoch on chain; `epoch` itself when it is that one" }),
  explorer: url,
}).meta({ id: "CredProof" });

export const credUpdatesSchema = object({
  updates: array(
    object({
      id: z.int().min(1),
      tokenId,
      score: score.nullable().meta({ description: "null: the agent does not exist any more" }),
      tier: tier.nullable(),
      cause: z.string().meta({ description: "What moved it", examples: ["agent.trait_added"] }),
      at: moment,
    }).meta({ id: "CredUpdate" }),
  ),
  after: count,
  limit: z.int().min(1),
  nextAfter: count.meta({ description: "Give it back as `after`" }),
  more: z.boolean().meta({ description: "There are further changes already" }),
}).meta({ id: "CredUpdates" });
