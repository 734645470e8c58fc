/** The parts of the API: compose/ builds them for the process, tests build them from real parts of their own. */
import type pg from "pg";
import type {
  Chain,
  Facilitator,
  IdentityProvider,
  MachinePayments,
  ProofReaders,
  ReceiptSigner,
  SecretBox,
  WebhookTargets,
} from "../clients/ports.ts";
import type { Config } from "../config/config.ts";
import type { CardSize } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import type { RateBuckets } from "../core/rate-policies.ts";
import type { AgentTotals } from "../db/agents.ts";
import type { ReadFacts } from "../db/facts-reader.ts";
import type { IndexTracker } from "../db/index-state.ts";
import type { AgentList } from "../db/lists/agents.ts";
import type { DirectoryList } from "../db/lists/directory.ts";
import type { Fault } from "../runtime/faults.ts";
import type { RateLimits } from "./guards/rate-limits.ts";
import type { SignedTexts } from "./guards/signed-text.ts";
import type { ConcurrencyLimit } from "./http/concurrency-limit.ts";
import type { Log } from "./http/error-answer.ts";
import type { EventStreams } from "./http/event-stream.ts";
import type { PaymentService } from "./payments/payment-service.ts";
import type { BalanceCache } from "./services/balances.ts";
import type { ContractCache } from "./services/contract-facts.ts";
import type { GroupActs } from "./services/group-acts.ts";
import type { LogStreams } from "./services/log-streams.ts";
import type { MessageStreams } from "./services/message-streams.ts";

/** One queue as `GET /api/v2/status` shows it; `oldestSeconds` is the age of its oldest waiting job. */
export type QueueState = {
  name: string;
  waiting: number;
  active: number;
  failed: number;
  oldestSeconds: number | null;
};

/** Draws cards as PNG for a client network. @throws Failure overloaded, rate_limited when too many are waiting already */
export type Cards = { png(card: CardFacts, size: CardSize, client?: string): Promise<Uint8Array> };

/** Is called for every request, so a call must cost almost nothing. */
export type RequestMeter = {
  /** @param route the endpoint's template @returns takes status and duration of each of its requests */
  route(method: string, route: string): (status: number, ms: number) => void;
  /** A request that no endpoint answers. */
  unrouted(kind: "page" | "options" | "not_found" | "method_not_allowed" | "unusable"): void;
  /** @param count event streams that are open */
  streams(count: () => number): void;
};

export type ApiDeps = {
  config: Config;
  /**
   * The role `app`. Made with `connectionTimeoutMillis: 1000`, so that an unreachable database is a 503 within a second,
   * and with a `statement_timeout`, so that no request waits for ever.
   */
  db: pg.Pool;
  index: IndexTracker;
  /** Lists of agents from memory, on the database of `db`; without it SQL answers all of them. */
  agentList?: Pick<AgentList, "recall">;
  /** Pages of the directory from memory, likewise. */
  directory?: Pick<DirectoryList, "list" | "shown" | "totals" | "ready" | "asOf">;
  chain: Chain;
  /** Null when none is configured: then access tokens are refused. */
  identityProvider: IdentityProvider | null;
  rateBuckets: RateBuckets;
  proofs: ProofReaders;
  cards: Cards;
  /** Settles payments by signature; null when none is configured: then only payments by transaction are accepted. */
  facilitator: Facilitator | null;
  /** Payments by MPP; absent where they are not accepted. */
  machinePayments?: MachinePayments | null;
  /** Null without a key: no report is sold then. */
  receipts: ReceiptSigner | null;
  /** Checks the targets of webhooks and encrypts their secrets; absent without a key: then there are no webhooks. */
  webhooks?: { targets: WebhookTargets; secrets: SecretBox } | null;
  /** Counts of every queue; may throw when the queue's store is away. */
  queues(): Promise<QueueState[]>;
  log: Log;
  /** Absent without metrics. */
  meter?: RequestMeter | undefined;
  fault: Fault;
  /** Milliseconds since the epoch. */
  now(): number;
};

/** The parts that handlers get: those above, and the state that the API keeps in memory. */
export type HandlerDeps = ApiDeps & {
  directory: Pick<DirectoryList, "list" | "shown" | "totals"> & Partial<Pick<DirectoryList, "ready" | "asOf">>;
  facts: ReadFacts;
  /** Whether a wallet signed a text that a request carries in its body. */
  signed: SignedTexts;
  limits: RateLimits;
  payments: PaymentService;
  totals(): Promise<AgentTotals>;
  /** How many scores do not belong to their agent's present state. */
  staleScores(): Promise<number>;
  /** Tokens without a URI on chain. */
  tokensWithoutUri(): Promise<number>;
  /** The newest block's number, at most half a second old. @throws Failure upstream_unavailable */
  chainHead(): Promise<number>;
  contract: ContractCache;
  balances: BalanceCache;
  groups: GroupActs;
  /** Limit of reads with `minBlock`, which may wait for their block. */
  minBlockReads: ConcurrencyLimit;
  /** All event streams of the process, of every kind. */
  streams: EventStreams;
  messageStreams: MessageStreams;
  logStreams: LogStreams;
  /** Limit of exports that run at the same time. */
  exports: ConcurrencyLimit;
};
