/** What every job and loop of the worker process receives. Built in wiring/; tests replace the ports only. */
import type pg from "pg";
import type { Logger } from "pino";
import type {
  Chain,
  Documents,
  Embeddings,
  Ethos,
  ForeignEndpoints,
  Markets,
  Mpp,
  ProofReaders,
  ReceiptSigner,
  Registries,
  Signer,
} from "../clients/ports.ts";
import type { Config } from "../config/config.ts";
import type { SnapshotPlace } from "../db/snapshots/place.ts";
import type { PaymentMethod } from "../payments/methods/method.ts";
import type { Fault } from "../runtime/faults.ts";
import type { Queues } from "./operations/queue.ts";
import type { WebhookParts } from "./webhooks/parts.ts";

export type JobMeter = {
  /** @param outcome done; failed; or away: an upstream or the index was not there, and the next scheduled run repeats it */
  ran(job: string, outcome: "done" | "failed" | "away", ms: number): void;
};

export type JobContext = {
  db: pg.Pool;
  chain: Chain;
  /** Absent where MPP is not offered. */
  mpp?: Mpp | null;
  /** Payment methods; absent: those of the list. */
  paymentMethods?: readonly PaymentMethod[] | undefined;
  /** Signs what the service sends; null when no key is configured: then nothing is sent. */
  signer: Signer | null;
  /** Where snapshots are kept; null or absent: none are made. */
  snapshots?: SnapshotPlace | null;
  /** Signs the manifests of snapshots; null or absent without a key: they are not signed then. */
  snapshotSigner?: ReceiptSigner | null;
  proofs: ProofReaders;
  ethos: Ethos;
  /** Null or absent without a provider: agents are found by words only. */
  embeddings?: Embeddings | null;
  /** The registries that the directory is filled from. */
  registries: Registries;
  /** Market prices of tokens. */
  markets: Markets;
  /** Reads the files behind foreign URIs. */
  documents: Documents;
  /** Asks the endpoints of agents. */
  endpoints: ForeignEndpoints;
  /** Delivers webhooks; absent without a key for their secrets: then none are delivered. */
  webhooks?: WebhookParts | null;
  queue: Queues;
  clock: () => Date;
  /** Milliseconds of a clock that nobody sets; absent: this process's. */
  monotonic?: () => number;
  /** Is aborted after so many milliseconds; absent: of real time. */
  timeout?: (ms: number) => AbortSignal;
  log: Logger;
  /** Absent where no metrics are collected. */
  meter?: JobMeter | undefined;
  fault: Fault;
  config: Pick<
    Config,
    | "attestationSchemas"
    | "attesters"
    | "chain"
    | "commerceRequestsPerDay"
    | "contracts"
    | "credHistoryRetentionMs"
    | "credOracle"
    | "credRoots"
    | "database"
    | "embeddings"
    | "eventRetentionMs"
    | "incomeRequestsPerDay"
    | "messageRetentionMs"
    | "payments"
    | "reviewerHistoriesPerDay"
    | "reviewProofsPerDay"
    | "sender"
    | "service"
    | "snapshots"
    | "tokenUris"
    | "upstreams"
  >;
};
