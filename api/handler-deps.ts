/** What handlers get: what the API is made of, and what it keeps in memory itself. */
import type { StandingQueue } from "../core/operations/standing-queues.ts";
import type { ReadFacts } from "../db/agents/facts-reader.ts";
import type { AgentTotals } from "../db/lists/agent-list-sql.ts";
import type { DirectoryList } from "../db/lists/directory.ts";
import type { ApiDeps } from "./deps.ts";
import type { RateLimits } from "./guards/rate-limits.ts";
import type { SignedTexts } from "./guards/signed-text.ts";
import type { ConcurrencyLimit } from "./http/concurrency-limit.ts";
import type { EventStreams } from "./http/event-stream.ts";
import type { PaymentService } from "./payments/payment-service.ts";
import type { BalanceCache } from "./services/balances.ts";
import type { BlockTimes } from "./services/block-times.ts";
import type { ContractCache } from "./services/contract-facts.ts";
import type { LogStreams } from "./services/log-streams.ts";
import type { MessageActs } from "./services/message-acts.ts";
import type { MessageStreams } from "./services/message-streams.ts";
import type { OperatorState } from "./services/operator-state.ts";

/** The parts that handlers get: those above, and the state that the API keeps in memory. */
export type HandlerDeps = ApiDeps & {
  directory: Pick<DirectoryList, "list" | "shown" | "totals" | "shows">;
  facts: ReadFacts;
  /** Whether a wallet signed a text that a request carries in its body. */
  signed: SignedTexts;
  limits: RateLimits;
  payments: PaymentService;
  totals(): Promise<AgentTotals>;
  /** How many scores do not belong to their agent's present state. */
  staleScores(): Promise<number>;
  /** Whether a read is answered within a time, or waits while others are. */
  answersReads(withinMs: number): Promise<boolean>;
  /** What operators see, at most five seconds old. */
  operatorState(): Promise<OperatorState>;
  /** Tokens without a URI on chain. */
  tokensWithoutUri(): Promise<number>;
  /** Queues on which work is due and nothing moves, at most two seconds old. @throws the database's error */
  standing(): Promise<StandingQueue[]>;
  /** The newest block's number, at most half a second old. @throws Failure upstream_unavailable */
  chainHead(): Promise<number>;
  contract: ContractCache;
  blockTimes: BlockTimes;
  balances: BalanceCache;
  groups: MessageActs;
  /** Limit of reads with `minBlock`, which may wait for their block. */
  minBlockReads: ConcurrencyLimit;
  /** All event streams of the process, of every kind. */
  streams: EventStreams;
  messageStreams: MessageStreams;
  logStreams: LogStreams;
  /** Limit of queries of the index that run at the same time. */
  indexSlots: ConcurrencyLimit;
  /** Limit of exports that run at the same time. */
  exports: ConcurrencyLimit;
};
