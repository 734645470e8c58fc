/** The port of the chain, and of the keys that sign for it. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Market } from "../../core/transactions/transaction-fees.ts";

/** A block header. Wei amounts are bigint, times Unix seconds. */
export type Block = { number: number; hash: Hex; parentHash: Hex; timestamp: number; baseFeePerGasWei: bigint };

export type Call = {
  from?: Address;
  to: Address;
  data: Hex;
  valueWei?: bigint;
  /** Gas limit (core/transactions/gas-bounds.ts). Required where untrusted code runs; at most 8 such calls run at a time. */
  gas?: bigint;
};

/** The chain refused to execute: `data` is the ABI-encoded error (null when the node gave none), `reason` its text. */
export type Revert = { ok: false; data: Hex | null; reason: string };
type CallResult = { ok: true; data: Hex } | Revert;
type EstimateResult = { ok: true; gas: bigint } | Revert;

/**
 * The nodes' answer to a raw transaction. Only `accepted` and `known` mean that a node holds it; none of the others proves
 * that it will never be mined: receipts and nonces decide that. `refused`: no node takes these bytes, now or later.
 */
export type SendOutcome =
  | { kind: "accepted" | "known" | "nonce_used" | "underpriced" | "unfunded" }
  | { kind: "rejected" | "refused"; reason: string };

export type Log = { address: Address; topics: Hex[]; data: Hex; logIndex: number };
/** A log with its transaction and its block; `timestamp` of the block, Unix seconds, where the node says it with the log. */
export type FoundLog = Log & { txHash: Hex; block: number; blockHash: Hex; timestamp?: number };
export type Receipt = {
  hash: Hex;
  from: Address;
  status: "success" | "reverted";
  block: number;
  blockHash: Hex;
  logs: Log[];
  /** Gas cost that its sender paid, with the data fee of a rollup; null when the node does not say. */
  feeWei: bigint | null;
  /** That cost in gas at the price of its gas: the gas used, with the data fee of a rollup; null when the node does not say. */
  gasPaid: bigint | null;
};

/**
 * One EVM chain. Every method throws `Failure("upstream_unavailable")` when no node gave a usable answer in time;
 * a refusal of the chain itself is a value, not an exception.
 */
export interface Chain {
  readonly id: number;
  /** Number of the newest block. */
  headBlock(): Promise<number>;
  /** A canonical block by number; null when the chain has none (yet). */
  block(number: number | "latest"): Promise<Block | null>;
  /** Every transaction of a block in order, without its data; null when there is no such block. */
  transactionsIn(
    block: number,
  ): Promise<{ hash: Hex; from: Address; to: Address | null; nonce: number; valueWei: bigint }[] | null>;
  /** @param at a block; a past one takes a node that has its state */
  balance(address: Address, at?: number | "latest"): Promise<bigint>;
  /** `0x` for an address without code. */
  code(address: Address): Promise<Hex>;
  isDeployed(address: Address): Promise<boolean>;
  /** @param block whose state the call sees; a node that has not got it throws. Without one: the latest. */
  call(call: Call, block?: number): Promise<CallResult>;
  estimateGas(call: Call): Promise<EstimateResult>;
  /** Base fee of the newest block, tips of recent blocks, and the tip that the node advises. */
  fees(): Promise<Market>;
  /** Transactions sent by `address` up to a block; `pending` includes the node's pool. */
  nonce(address: Address, at: number | "latest" | "pending"): Promise<number>;
  /** Hands a signed transaction to the network. Repeating it is harmless. */
  send(raw: Hex): Promise<SendOutcome>;
  /** Null while it is not in a block. A node that gives a preconfirmed one a block's hash must be asked for that block too. */
  receipt(hash: Hex): Promise<Receipt | null>;
  /**
   * As `receipt`, and before a block is complete where the node preconfirms (Flashblocks): then `block` is the one that is
   * being built, and `blockHash` is zero or not final.
   */
  earlyReceipt(hash: Hex): Promise<Receipt | null>;
  /**
   * Logs of one contract in canonical blocks, in order. @param topics null matches any, a list any of its own
   * @param fromBlock nodes refuse ranges above a few thousand blocks @param toBlock the newest by default
   */
  logs(of: {
    address: Address;
    topics: (Hex | readonly Hex[] | null)[];
    fromBlock: number;
    toBlock?: number;
  }): Promise<FoundLog[]>;
  /** Null when no node knows it; `block` is null until it is mined, `to` when it creates a contract. */
  transaction(
    hash: Hex,
  ): Promise<{ hash: Hex; from: Address; to: Address | null; nonce: number; data: Hex; block: number | null } | null>;
  /** `mintPrice()` of the identity contract in wei; null when there is no such contract. */
  mintPrice(identity: Address): Promise<bigint | null>;
  /** `traitPrice()` of the identity contract in wei, the value of every `addTrait`; null when there is no such contract. */
  traitPrice(identity: Address): Promise<bigint | null>;
  /**
   * Whether a contract wallet accepts a signature: ERC-1271, and ERC-6492 for wallets not deployed yet.
   * @see https://eips.ethereum.org/EIPS/eip-6492
   */
  verifySignature(signed: { address: Address; hash: Hex; signature: Hex }): Promise<boolean>;
}

/** A transaction as it is signed (EIP-1559). */
type UnsignedTransaction = {
  nonce: number;
  to: Address;
  data: Hex;
  valueWei: bigint;
  gasLimit: bigint;
  maxFeePerGasWei: bigint;
  maxPriorityFeePerGasWei: bigint;
};

/** Holds a key. Signing is deterministic (RFC 6979): the same transaction gives the same bytes and hash. */
export interface Signer {
  readonly address: Address;
  sign(transaction: UnsignedTransaction): Promise<{ raw: Hex; hash: Hex }>;
}

/** Holds the key that signs receipts and verdicts: EIP-712, a key of its own that never signs a transaction. */
export interface ReceiptSigner {
  readonly address: Address;
  /** @param digest of typed data (`typedDigest`) */
  sign(digest: Uint8Array): Promise<Hex>;
}
