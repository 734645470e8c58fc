/** What the checks of the doctor examine: the configuration, and connections that only read. wiring/doctor.ts builds it. */
import type {
  AuthorizationServer,
  Chain,
  Embeddings,
  Ethos,
  FacilitatorKinds,
  LearnedLimits,
  Markets,
  NodeProbe,
  ProofReaders,
  RedisSettings,
  Registries,
  ServerDate,
  ServiceAnswer,
} from "../clients/ports.ts";
import type { Config } from "../config/config.ts";
import type { VariableValue } from "../config/variable-values.ts";
import type { Address } from "../core/agents/facts.ts";
import type { Queryable } from "../db/sql/connect.ts";

/** What a check may need. A need that is not met is a sentence, and skips the check. */
export type Need = "database" | "index" | "node" | "service";

/** A database URL of the configuration, under the name of its variable. */
export type DatabaseRole = { variable: string; open<T>(work: (db: Queryable) => Promise<T>): Promise<T> };

export type World = {
  config: Config;
  /** Every variable as it is set, and what is wrong with the environment: sentences that begin with the variable. */
  variables: readonly VariableValue[];
  problems: readonly string[];
  /** Null: the need is met. The answer is computed once. */
  unmet(need: Need): Promise<string | null>;
  /** One probe for each JSON-RPC URL; `wsNode` of RPC_WS_URL, `tempo` of TEMPO_RPC_URL. */
  nodes: readonly NodeProbe[];
  /** Learns the limits of each node of the configuration as the service does, in their order. */
  limits: readonly { host: string; learn(): Promise<LearnedLimits> }[];
  wsChainId: (() => Promise<number>) | null;
  tempo: NodeProbe | null;
  /** All nodes together, as the service uses them. */
  chain: Chain;
  /** As role `app`, in transactions that only read. */
  db: Queryable;
  /** Each database URL that is configured, DATABASE_URL first. */
  databases: readonly DatabaseRole[];
  redis: (() => Promise<RedisSettings>) | null;
  registries: Registries;
  proofs: ProofReaders;
  ethos: Ethos;
  /** Null: agents are found by words only. */
  embeddings: Embeddings | null;
  /** Null: people sign in by a token they paste, or not at all. */
  authorizationServer: AuthorizationServer | null;
  markets: Markets;
  /** Null: the API settles payments itself, or not at all. */
  facilitator: (() => Promise<FacilitatorKinds>) | null;
  serverDate(url: string): Promise<ServerDate>;
  /** One GET of the running API. */
  service(path: string): Promise<ServiceAnswer>;
  /** Accounts of the configured keys, lower-case. */
  accounts: { deployer: Address | null; facilitator: Address | null };
  /** Milliseconds since the epoch. */
  now(): number;
};
