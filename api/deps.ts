/** The parts of the API: wiring/ builds them for the process, tests build them from real parts of their own. */
import type pg from "pg";
import type {
  AuthorizationServer,
  Chain,
  Facilitator,
  ForeignEndpoints,
  IdentityProvider,
  IndexQueries,
  Mpp,
  ProofReaders,
  ReceiptSigner,
  RequestSigner,
  SecretBox,
  WebhookTargets,
} from "../clients/ports.ts";
import type { Config } from "../config/config.ts";
import type { RateBuckets } from "../core/callers/rate-policies.ts";
import type { Who } from "../core/callers/shares.ts";
import type { CardFormat, CardSize } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import type { Preview } from "../core/card/preview.ts";
import type { Questions } from "../core/discovery/meaning.ts";
import { type PriceList, standardPrices } from "../core/payments/prices.ts";
import type { Site } from "../core/views/agent.ts";
import type { OwnRegistry } from "../db/agents/facts.ts";
import type { AgentList } from "../db/lists/agents.ts";
import type { DirectoryList } from "../db/lists/directory.ts";
import type { IndexTracker } from "../db/operations/index-state.ts";
import type { JobCounts } from "../db/operations/job-runs.ts";
import type { ReadPool } from "../db/replicas/read-pool.ts";
import type { SnapshotPlace } from "../db/snapshots/place.ts";
import type { PaymentMethod } from "../payments/methods/method.ts";
import type { Fault } from "../runtime/faults.ts";
import type { Log } from "./http/error-answer.ts";

/** Draws cards as PNG for a client network. @throws Failure overloaded, rate_limited when too many are waiting already */
export type Cards = {
  picture(card: CardFacts | Preview, size: CardSize, format: CardFormat, client?: Who): Promise<Uint8Array>;
};

/** Is called for every request, so a call must cost almost nothing. */
export type RequestMeter = {
  /** @param route the endpoint's template @returns takes status and duration of each of its requests */
  route(method: string, route: string): (status: number, ms: number) => void;
  /** A request that no endpoint answers. */
  unrouted(kind: "page" | "options" | "not_found" | "method_not_allowed" | "unusable"): void;
  /** @param count event streams that are open */
  streams(count: () => number): void;
};

/** Absent and null mean the same: the process has no such part. */
export type ApiDeps = {
  config: Config;
  /**
   * The role `app`. A database that is away is a 503 by the limit of connecting, a queue for its connections by `turnMs`; with
   * a `statement_timeout`, so that no request waits for ever.
   */
  db: pg.Pool;
  /** Replicas of the database, and the pool of those who only read (api/handler-deps.ts); absent without replicas. */
  replicas?: ReadPool | undefined;
  index: IndexTracker;
  /** Lists of agents from memory, on the database of `db`; without it SQL answers all of them. */
  agentList?: Pick<AgentList, "recall" | "shows">;
  /** Pages of the directory from memory, likewise. */
  directory?: Pick<DirectoryList, "list" | "shown" | "totals" | "shows">;
  /** Null or absent where no snapshots are made. */
  snapshots?: SnapshotPlace | null;
  chain: Chain;
  /** Null when none is configured: then access tokens are refused. */
  identityProvider: IdentityProvider | null;
  /** Where people sign in by redirect; null or absent without a client id. */
  authorizationServer?: AuthorizationServer | null;
  rateBuckets: RateBuckets;
  /** Asks the meaning of questions; null or absent without a provider of embeddings. */
  questions?: Questions | null;
  /** Whether a URL that is untrusted may be called, by its text alone: not one on a private address. */
  isPublicUrl(url: string): boolean;
  /** Asks endpoints of agents for their terms, 2 s each; absent: none is asked. */
  endpoints?: ForeignEndpoints | undefined;
  proofs: ProofReaders;
  cards: Cards;
  /** Settles payments by signature; null when none is configured: then only payments by transaction are accepted. */
  facilitator: Facilitator | null;
  /** Payments by MPP; absent where they are not accepted. */
  mpp?: Mpp | null;
  /** Payment methods; absent: those of the list (payments/methods.ts). */
  paymentMethods?: readonly PaymentMethod[] | undefined;
  /** Null without a key: no report is sold then. */
  receipts: ReceiptSigner | null;
  /** Its keys are shown to those whom the service asks; null or absent without a key. */
  requestSigner?: RequestSigner | null;
  /** Checks the targets of webhooks and encrypts their secrets; absent without a key: then there are no webhooks. */
  webhooks?: { targets: WebhookTargets; secrets: SecretBox } | null;
  /** GraphQL and SQL of the indexer; absent where its server is not configured. */
  indexQueries?: IndexQueries | null;
  /** Counts of every queue; may throw when the queue's store is away. */
  queues(): Promise<JobCounts[]>;
  log: Log;
  /** Absent without metrics. */
  meter?: RequestMeter | undefined;
  fault: Fault;
  /** Max milliseconds a page of the terminal waits for its metadata. */
  aboutMs?: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, which bounds what a request waits for others; absent: a timer does. */
  wait?(ms: number): Promise<unknown>;
};

/** How the service's agents are named. */
export const ownRegistry = ({ contracts }: Config): OwnRegistry => ({ identity: contracts.identity.address });

/** How views name the service. @param prices those in force, where a view shows any; the configuration's unless given */
export const siteOf = (
  { service, contracts, pricing }: Config,
  prices: PriceList = standardPrices(pricing.phase),
): Site => ({
  serviceName: service.name,
  publicUrl: service.publicUrl,
  webUrl: service.webUrl,
  explorer: service.explorer,
  contract: contracts.identity.address,
  prices,
});
