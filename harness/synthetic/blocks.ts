/** A chain made of arithmetic: every block of it, with its identity events, follows from its number. */
import {
  bytesToHex,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  numberToHex,
  pad,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";
import { identityAbi } from "../../abis/identity.ts";
import { bloomOf } from "../../clients/rpc/whole-logs.ts";

export const IDENTITY: Hex = "0x00000000000000000000000000000000000a6e47";
/** The account that owns the identity contract: it mints for others and verifies. */
const CONTRACT_OWNER: Hex = "0x00000000000000000000000000000000000d3914";
/** A contract account that calls the identity contract for its owners. */
const CONTRACT_ACCOUNT: Hex = "0x0000000000000000000000000000000000005afe";
/** Every n-th mint comes from the contract account: its transaction does not call the identity contract itself. */
const INDIRECT_MINTS = 20;
/** Logs in every block but block 0. */
export const EVENTS_PER_BLOCK = 10;
export const CHAIN_ID = 8453;
const GENESIS_AT = 1_700_000_000;
const BLOCK_SECONDS = 2;
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
const ownerOf = (seed: number): Hex => pad(numberToHex(0xa000_0000 + seed), { size: 20 });

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
const TRAIT = ["research", "skill"] as const;
const VERSION = "2.0";
const FRAMEWORK = "custom";
const ORIGIN_API = 2;
const nameOf = (tokenId: number) => `Agent ${tokenId}`;
/** Unix seconds of a block. */
const timeOf = (block: number) => GENESIS_AT + block * BLOCK_SECONDS;
const FIXED = {
  mint: points(100n, "mint"),
  trait: points(10n, "trait"),
  mutate: points(5n, "mutate"),
  verified: points(75n, "verified"),
  traitAdded: encodeAbiParameters(TWO_TEXTS, TRAIT),
  mutated: encodeAbiParameters(TEXT, [VERSION]),
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
      encodeAbiParameters(TEXT_UINT, [nameOf(story.minted), ORIGIN_API]),
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

/** The agent as the contract stores it at the end of block `at`; null when it is not minted. */
export function agentAt(tokenId: number, at: number) {
  if (tokenId >= at) return null;
  return {
    agentAddress: storyOf(tokenId + 1).owner,
    name: nameOf(tokenId),
    framework: FRAMEWORK,
    mintedAt: BigInt(timeOf(tokenId + 1)),
    verified: false,
    soulbound: false,
    origin: ORIGIN_API,
    generation: 0,
    parentId: 0n,
    mutationCount: 0,
    currentVersion: "1.0",
  };
}

/** Who owns a token at the end of block `at`; null when it is not minted. It moves in five blocks, as soon as it is there. */
export function ownerAt(tokenId: number, at: number): Hex | null {
  if (tokenId >= at) return null;
  const moved = Math.min(at, tokenId * 5 + 4);
  return moved > tokenId && storyOf(moved).moved === tokenId ? storyOf(moved).nextOwner : storyOf(tokenId + 1).owner;
}

type FunctionName = Extract<(typeof identityAbi)[number], { type: "function" }>["name"];
const selectorOf = (name: FunctionName) =>
  toFunctionSelector(identityAbi.find((entry) => entry.type === "function" && entry.name === name) as never);
/** Input of a call whose first argument is the token and whose others are the same in every block. */
function tokenCall(name: FunctionName, ...rest: string[]): (tokenId: number) => Hex {
  const sample = encodeFunctionData({ abi: identityAbi, functionName: name, args: [0n, ...rest] as never });
  return (tokenId) => `${sample.slice(0, 10)}${word(tokenId).slice(2)}${sample.slice(74)}` as Hex;
}
const addTrait = tokenCall("addTrait", ...TRAIT);
const mutate = tokenCall("mutate", VERSION);
const verify = tokenCall("verify");
const TRANSFER_FROM = selectorOf("transferFrom");
const MINT_FOR = selectorOf("mintFor");
const MINT_FOR_INPUTS = parseAbiParameters("address, address, string, string, bool, uint8");
/** `execTransaction(address,uint256,bytes,...)` of a contract account. */
const EXECUTE = "0x6a761202";
const EXECUTE_INPUTS = parseAbiParameters("address, uint256, bytes");

const mintFor = (owner: Hex, tokenId: number): Hex =>
  `${MINT_FOR}${encodeAbiParameters(MINT_FOR_INPUTS, [owner, owner, nameOf(tokenId), FRAMEWORK, false, ORIGIN_API]).slice(2)}`;

/** Sender, receiver and input of the transactions of a block, in order. */
function callsOf(block: number): { from: Hex; to: Hex; input: Hex }[] {
  const { minted, trait, mutated, moved, verified, owner, nextOwner } = storyOf(block);
  const mint = mintFor(owner, minted);
  const indirect: Hex = `${EXECUTE}${encodeAbiParameters(EXECUTE_INPUTS, [IDENTITY, 0n, mint]).slice(2)}`;
  const transfer = [word(owner), word(nextOwner), word(moved)].map((each) => each.slice(2)).join("");
  return [
    block % INDIRECT_MINTS === 0
      ? { from: owner, to: CONTRACT_ACCOUNT, input: indirect }
      : { from: CONTRACT_OWNER, to: IDENTITY, input: mint },
    { from: owner, to: IDENTITY, input: addTrait(trait) },
    { from: owner, to: IDENTITY, input: mutate(mutated) },
    { from: owner, to: IDENTITY, input: `${TRANSFER_FROM}${transfer}` },
    { from: CONTRACT_OWNER, to: IDENTITY, input: verify(verified) },
  ];
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
    timestamp: numberToHex(timeOf(block)),
    logsBloom: bytesToHex(bloomOf(logsOf(block))),
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
    transactions:
      block === 0 ? [] : callsOf(block).map((call, index) => transactionOf(block, index, call, number, hash)),
  };
}

function transactionOf(block: number, index: number, call: { input: Hex }, blockNumber: Hex, blockHash: Hex) {
  return {
    hash: transactionHash(block, index),
    blockNumber,
    blockHash,
    transactionIndex: numberToHex(index),
    ...call,
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
