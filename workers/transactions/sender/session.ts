/** The state that the parts of the sender share while it has the lock. */
import type pg from "pg";
import type { Logger } from "pino";
import type { Chain, Signer } from "../../../clients/ports.ts";
import type { Address, Hex } from "../../../core/agents/facts.ts";
import type { Fault } from "../../../runtime/faults.ts";
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
/** A further place, where a filler takes an intent's nonce. */
export const FILLER_FAULT_POINT = "sender.after-filler";

export type SenderOptions = {
  /** Max fee and max tip per gas, in wei, that a transaction may be raised to. */
  maxFeePerGasWei: bigint;
  maxTipPerGasWei: bigint;
  /** Max wei that transactions may cost between two midnights (UTC), fees and values; 0n = no limit. */
  dailyBudgetWei: bigint;
  /** Balance in wei below which new writes are refused; accepted ones are still sent. */
  minBalanceWei: bigint;
  /** Milliseconds after which a transaction that is not mined is replaced at a higher fee; three blocks have the same effect. */
  stuckAfterMs: number;
  /** Milliseconds after which an intent that is not mined, and that others wait for, loses its nonce to a filler. */
  holdMs: number;
  /** Milliseconds between two broadcasts of the same bytes, because a node may have dropped them. */
  rebroadcastMs: number;
  /** Confirmations of another transaction with the same nonce after which the sender's own counts as impossible. */
  confirmations: number;
  /** Number of blocks that may still be reorganised away. */
  finalityBlocks: number;
  /** Milliseconds between two reads of the chain while an intent is under way. */
  pollMs: number;
  /** Milliseconds between two rounds otherwise. */
  idleMs: number;
  /** Milliseconds between two reads of the chain while nothing is queued, under way or in blocks that are not final. */
  restMs: number;
  /** The same while new writes are refused for lack of funds. */
  restUnfundedMs: number;
  /** Max transactions under way at once. */
  inFlight: number;
  effects: readonly IntentEffect[];
  /** The prefixes of the low-priority intents that are signed. */
  waitingKinds: readonly string[];
  /** The identity contract. */
  identity: Address;
  /** Confirmations of a registration before its bonuses are awarded. */
  awardConfirmations: number;
};

export type SenderSession = {
  /** The connection that has the lock. Every write uses it, so a process that lost the lock cannot write. */
  db: pg.Client;
  chain: Chain;
  signer: Signer;
  clock: () => Date;
  log: Logger;
  fault: Fault;
  options: SenderOptions;
  /** Time in milliseconds of each attempt's last broadcast; empty after a restart, which broadcasts all again. */
  sentAt: Map<Hex, number>;
  /** Time in milliseconds when each unused nonce below the sender's last one was first seen. */
  gapSince: Map<number, number>;
  /** In this round the account could not pay for an intent that is queued or under way. */
  unfunded: boolean;
  /** Time until which nothing new is signed because the day's budget is used up; null = it is not. */
  pausedUntil: Date | null;
  /** The lowest nonce under way, with the time (milliseconds) and the block since when it is the lowest; kept over rounds. */
  front: { nonce: number; at: number; block: number } | undefined;
  /** Time (milliseconds) until which the chain is not read unless there is work; 0: it is read in every round. */
  restsUntil: number;
  /** The last row written to sender_state, and its time (milliseconds). */
  published: { funded: boolean; pausedUntil: Date | null; freeWei: bigint; at: number } | undefined;
  /** Max fee per gas of the newest offer, in wei; 0n before the first one. */
  feeWei: bigint;
};
