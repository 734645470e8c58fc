/** What the parts of the sender share while it holds the lock. */
import type pg from "pg";
import type { Logger } from "pino";
import type { Chain, Signer } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/facts.ts";
import type { Fault } from "../../runtime/faults.ts";
import type { IntentEffect } from "../intents/effect.ts";

/** Places where a crash test kills the sender, in the order a transaction passes them. */
export const FAULT_POINTS = [
  "sender.after-simulation",
  "sender.after-nonce",
  "sender.before-store",
  "sender.after-sign",
  "sender.after-broadcast",
  "sender.after-receipt",
  "sender.after-effect",
  "sender.after-commit",
] as const;
/** One more where a filler takes an intent's nonce. */
export const FILLER_FAULT_POINT = "sender.after-filler";

export type SenderOptions = {
  /** Caps of the fee and of the tip per gas that a transaction may be raised to. */
  maxFeePerGasWei: bigint;
  maxTipPerGasWei: bigint;
  /** Most that transactions may cost between two midnights (UTC), fees and values; 0n = no limit. */
  dailyBudgetWei: bigint;
  /** Below this balance new writes are refused; what was accepted is still sent. */
  minBalanceWei: bigint;
  /** A transaction not mined after this long, or after three blocks, is replaced at a higher fee. */
  stuckAfterMs: number;
  /** An intent that others wait for and that is not mined for this long loses its nonce to a filler. */
  holdMs: number;
  /** Bytes a node may have dropped are handed over again this often. */
  rebroadcastMs: number;
  /** How deep another transaction with our nonce must lie before ours counts as impossible. */
  confirmations: number;
  /** How many blocks may still be reorganised away. */
  finalityBlocks: number;
  /** How often the chain is asked while something is under way. */
  pollMs: number;
  /** How often it is asked otherwise: for funds, and for blocks that were reorganised away. */
  idleMs: number;
  /** How many transactions may be under way at once. */
  inFlight: number;
  effects: readonly IntentEffect[];
  /** Whether intents that let all others go first are signed at all. */
  signsWaiting: boolean;
  /** The identity contract. */
  identity: Address;
  /** Blocks on top of a registration before its bonuses are awarded. */
  awardConfirmations: number;
};

export type SenderSession = {
  /** The connection that holds the lock. Every write goes through it: whoever loses the lock can write nothing. */
  db: pg.Client;
  chain: Chain;
  signer: Signer;
  clock: () => Date;
  log: Logger;
  fault: Fault;
  options: SenderOptions;
  /** When each attempt was last handed to a node, in milliseconds; empty after a restart, which sends all again. */
  sentAt: Map<Hex, number>;
  /** Since when each unused nonce below ours has been seen, in milliseconds. */
  gapSince: Map<number, number>;
  /** The account could not pay for something queued or under way in this round. */
  unfunded: boolean;
  /** Until when nothing new is signed because the day's budget is used up; null = it is not. */
  pausedUntil: Date | null;
  /** The lowest nonce under way, since when (milliseconds) and since which block it is that; kept over rounds. */
  front: { nonce: number; at: number; block: number } | undefined;
  /** What was last written to sender_state, and when (milliseconds). */
  published: { funded: boolean; pausedUntil: Date | null; at: number } | undefined;
};
