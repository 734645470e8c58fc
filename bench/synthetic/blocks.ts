/** A chain made of arithmetic: every block of it, with its identity events, follows from its number. */
import { encodeAbiParameters, encodeEventTopics, type Hex, numberToHex, pad, parseAbiParameters } from "viem";
import { identityAbi } from "../../abis/identity.ts";

export const IDENTITY: Hex = "0x00000000000000000000000000000000000a6e47";
/** Logs in every block but block 0. */
export const EVENTS_PER_BLOCK = 10;
export const CHAIN_ID = 8453;
const GENESIS_AT = 1_700_000_000;
const BLOCK_SECONDS = 2;
/** A bloom that excludes nothing. */
const FULL_BLOOM: Hex = `0x${"ff".repeat(256)}`;
const EMPTY_BLOOM: Hex = `0x${"00".repeat(256)}`;
const ZERO: Hex = `0x${"00".repeat(20)}`;

export type SyntheticLog = {
  address: Hex;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  transactionHash: Hex;
  transactionIndex: Hex;
  logIndex: Hex;
  removed: false;
};

export const hashOf = (block: number): Hex => `0xb10c${block.toString(16).padStart(60, "0")}`;
/** The inverse of hashOf. */
export const numberOf = (hash: Hex): number => Number(`0x${hash.slice(6)}`);
const transactionHash = (block: number, index: number): Hex =>
  `0x7a${(block * 16 + index).toString(16).padStart(62, "0")}`;
export const ownerOf = (seed: number): Hex => pad(numberToHex(0xa000_0000 + seed), { size: 20 });

type EventName = Extract<(typeof identityAbi)[number], { type: "event" }>["name"];
const topic0 = new Map<EventName, Hex>();
function topicOf(name: EventName): Hex {
  const known = topic0.get(name);
  if (known) return known;
  const [topic] = encodeEventTopics({ abi: identityAbi, eventName: name }) as [Hex];
  topic0.set(name, topic);
  return topic;
}

const word = (value: number | Hex): Hex => (typeof value === "number" ? numberToHex(value, { size: 32 }) : pad(value));
const TEXT_UINT = parseAbiParameters("string, uint8");
const UINT_TEXT = parseAbiParameters("uint256, string");
const TWO_TEXTS = parseAbiParameters("string, string");
const TEXT = parseAbiParameters("string");
const points = (amount: bigint, reason: string) => encodeAbiParameters(UINT_TEXT, [amount, reason]);
const FIXED = {
  mint: points(100n, "mint"),
  trait: points(10n, "trait"),
  mutate: points(5n, "mutate"),
  verified: points(75n, "verified"),
  traitAdded: encodeAbiParameters(TWO_TEXTS, ["research", "skill"]),
  mutated: encodeAbiParameters(TEXT, ["2.0"]),
};

/** What a block does to which tokens: each block mints one and touches four earlier ones (or itself, at the start). */
export function storyOf(block: number) {
  const minted = block - 1;
  const earlier = (step: number) => (block * step) % block;
  return {
    minted,
    trait: Math.floor(block / 2),
    mutated: Math.floor(block / 3),
    moved: Math.floor(block / 5),
    verified: earlier(7) === 0 ? Math.floor(block / 7) : minted,
    owner: ownerOf(block % 997),
    nextOwner: ownerOf((block + 1) % 997),
  };
}

/** The logs of a block, in order; none in block 0. */
export function logsOf(block: number): SyntheticLog[] {
  if (block === 0) return [];
  const story = storyOf(block);
  const logs: [transaction: number, topics: Hex[], data: Hex][] = [
    [0, [topicOf("Transfer"), word(ZERO), word(story.owner), word(story.minted)], "0x"],
    [0, [topicOf("PointsAwarded"), word(story.minted)], FIXED.mint],
    [
      0,
      [topicOf("AgentRegistered"), word(story.minted), word(story.owner)],
      encodeAbiParameters(TEXT_UINT, [`Agent ${story.minted}`, 2]),
    ],
    [1, [topicOf("PointsAwarded"), word(story.trait)], FIXED.trait],
    [1, [topicOf("TraitAdded"), word(story.trait)], FIXED.traitAdded],
    [2, [topicOf("PointsAwarded"), word(story.mutated)], FIXED.mutate],
    [2, [topicOf("Mutated"), word(story.mutated)], FIXED.mutated],
    [3, [topicOf("Transfer"), word(story.owner), word(story.nextOwner), word(story.moved)], "0x"],
    [4, [topicOf("PointsAwarded"), word(story.verified)], FIXED.verified],
    [4, [topicOf("AgentVerified"), word(story.verified)], "0x"],
  ];
  const common = {
    address: IDENTITY,
    blockNumber: numberToHex(block),
    blockHash: hashOf(block),
    removed: false,
  } as const;
  return logs.map(([transaction, topics, data], index) => ({
    ...common,
    topics,
    data,
    transactionHash: transactionHash(block, transaction),
    transactionIndex: numberToHex(transaction),
    logIndex: numberToHex(index),
  }));
}

/** A block as JSON-RPC shows it, with its transactions. */
export function blockOf(block: number) {
  const number = numberToHex(block);
  const hash = hashOf(block);
  const zeroHash = hashOf(0xffff_ffff);
  return {
    number,
    hash,
    parentHash: block === 0 ? zeroHash : hashOf(block - 1),
    timestamp: numberToHex(GENESIS_AT + block * BLOCK_SECONDS),
    logsBloom: block === 0 ? EMPTY_BLOOM : FULL_BLOOM,
    miner: ZERO,
    gasUsed: "0x0",
    gasLimit: "0x1c9c380",
    baseFeePerGas: "0x1",
    nonce: "0x0000000000000000",
    mixHash: zeroHash,
    stateRoot: zeroHash,
    receiptsRoot: zeroHash,
    transactionsRoot: zeroHash,
    sha3Uncles: zeroHash,
    size: "0x400",
    difficulty: "0x0",
    totalDifficulty: "0x0",
    extraData: "0x",
    transactions: block === 0 ? [] : [0, 1, 2, 3, 4].map((index) => transactionOf(block, index, number, hash)),
  };
}

function transactionOf(block: number, index: number, blockNumber: Hex, blockHash: Hex) {
  return {
    hash: transactionHash(block, index),
    blockNumber,
    blockHash,
    transactionIndex: numberToHex(index),
    from: ownerOf(block % 997),
    to: IDENTITY,
    input: "0x",
    value: "0x0",
    nonce: numberToHex(block * 5 + index),
    gas: "0x5208",
    gasPrice: "0x1",
    type: "0x0",
    v: "0x1b",
    r: "0x1",
    s: "0x1",
  };
}
