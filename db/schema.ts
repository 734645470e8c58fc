/**
 * The off-chain tables (schema `offchain`): what people and workers write. The chain's own facts are in ponder.schema.ts,
 * triggers and first rows in triggers.sql. After a change here: `npm run migration -- <name>`.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { SIGNALS, type SignalKey } from "../core/signals/signals.ts";
import { folded } from "./folded-text.ts";

export const offchain = pgSchema("offchain");

const tokenId = () => bigint({ mode: "number" });
const block = () => bigint({ mode: "number" });
const at = () => timestamp({ withTimezone: true, mode: "date" });
/** The id of a transaction, 64 bits wide: it never repeats. */
const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

/** Off-chain profile, one row per field (`personality.humor`, `narrative.origin`, …): the newest write wins against the chain's. */
export const profileField = offchain.table(
  "profile_field",
  {
    tokenId: tokenId().notNull(),
    field: text().notNull(),
    /** A JSON string or number; an empty string clears the field. The four fields of a listing are objects and lists. */
    value: jsonb().notNull(),
    writtenAt: at().notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tokenId, t.field] })],
);

/** Off-chain traits, unique by name per agent. */
export const profileTrait = offchain.table(
  "profile_trait",
  {
    tokenId: tokenId().notNull(),
    name: text().notNull(),
    category: text().notNull(),
    addedAt: at().notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tokenId, t.name] })],
);

/** A social proof: one account of a platform proves one agent at a time. */
export const proof = offchain.table(
  "proof",
  {
    tokenId: tokenId().notNull(),
    /** A key of PROOF_PLATFORMS. */
    platform: text().notNull(),
    /** The platform's own numeric id: handles can be renamed. */
    accountId: text().notNull(),
    handle: text().notNull(),
    username: text(),
    evidence: jsonb().notNull(),
    /** verified | stale | lapsed */
    status: text().notNull(),
    verifiedAt: at().notNull(),
    /** When the platform last said that it stands. */
    checkedAt: at().notNull(),
    /** When it was last asked about in vain; null after an answer. */
    failedAt: at(),
    txHash: text(),
  },
  (t) => [
    primaryKey({ columns: [t.tokenId, t.platform] }),
    uniqueIndex("proof_account").on(t.platform, t.accountId).where(sql`status <> 'lapsed'`),
    index("proof_due").on(t.platform, t.checkedAt).where(sql`status <> 'lapsed'`),
  ],
);

/** What is left of a number of requests that flows back with time: a token bucket per name. A full one needs no row. */
export const allowance = offchain.table("allowance", {
  name: text().primaryKey(),
  /** Tokens left at `at`. */
  level: doublePrecision().notNull(),
  most: doublePrecision().notNull(),
  perSecond: doublePrecision().notNull(),
  at: at().notNull(),
});

/**
 * A successful exchange verification of an agent by an owner, with the attestation it was made with. Whether it counts
 * follows from all attestations of that owner, which the index knows.
 */
export const exchangeVerification = offchain.table(
  "exchange_verification",
  {
    tokenId: tokenId().notNull(),
    attestationUid: text().notNull(),
    attester: text().notNull(),
    schemaUid: text().notNull(),
    recipient: text().notNull(),
    /** Unix seconds; 0 = never. */
    expiresAt: bigint({ mode: "number" }).notNull(),
    /** From this block on the index has it; null when it is older than the index, which then need not have it. */
    indexedFrom: bigint({ mode: "number" }),
    verifiedAt: at().notNull(),
    txHash: text(),
  },
  (t) => [primaryKey({ columns: [t.tokenId, t.recipient] })],
);

/** A wallet that signed in as an agent's own (`/verify`), also where the chain was told of another wallet before. */
export const walletVerification = offchain.table(
  "wallet_verification",
  {
    tokenId: tokenId().notNull(),
    wallet: text().notNull(),
    /** The transaction that minted the token: after a reorganisation the id may be another's. */
    mintTx: text().notNull(),
    verifiedAt: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.tokenId, t.wallet] }), index("wallet_verification_wallet").on(t.wallet)],
);

/** Every indexed agent has one referral code. */
export const referralCode = offchain.table("referral_code", {
  tokenId: tokenId().primaryKey(),
  code: text().notNull().unique(),
  createdAt: at().notNull().defaultNow(),
});

/** Who was referred by whom: a new agent counts once. */
export const referral = offchain.table(
  "referral",
  {
    tokenId: tokenId().primaryKey(),
    referrerTokenId: tokenId().notNull(),
    code: text().notNull(),
    createdAt: at().notNull().defaultNow(),
  },
  (t) => [index("referral_referrer").on(t.referrerTokenId)],
);

/** How sessions with agents went, as holders of an API key report it. Shown in the cred report; it moves no score. */
export const sessionOutcome = offchain.table(
  "session_outcome",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    tokenId: tokenId().notNull(),
    /** The API key that reported it. */
    apiKeyId: text().notNull(),
    /** The reporter's own name of the session; the same key reports a session once. */
    sessionId: text(),
    /** success | failure | partial */
    outcome: text().notNull(),
    details: text(),
    durationSeconds: integer(),
    recordedAt: at().notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex("session_outcome_session").on(t.apiKeyId, t.sessionId),
    index("session_outcome_token").on(t.tokenId, t.outcome),
  ],
);

/** Scores as Ethos gives them; absent = never asked. */
export const ethosScore = offchain.table(
  "ethos_score",
  {
    wallet: text().primaryKey(),
    /** Null: Ethos was asked, and knows nothing about the wallet. */
    score: integer(),
    fetchedAt: at().notNull(),
  },
  (t) => [index("ethos_fetched").on(t.fetchedAt)],
);

const rawValue = () => smallint().notNull();

/** The score of each agent with the raw values it was computed from. Narrow on purpose: a full recompute rewrites it. */
export const cred = offchain.table(
  "cred",
  {
    tokenId: tokenId().primaryKey(),
    score: smallint().notNull(),
    /** The raw value of each signal, in a column named by its key. */
    ...(Object.fromEntries(SIGNALS.map(({ key }) => [key, rawValue()])) as Record<
      SignalKey,
      ReturnType<typeof rawValue>
    >),
    /** `agent.updated_block` at the time of computing; the reconciler looks for inequality. */
    seenBlock: block().notNull(),
    computedAt: at().notNull(),
    /**
     * The transaction that gave the row its score, kept by the trigger `cred_mark_change`. Whoever remembers the oldest
     * transaction still running at his last look finds here, on the next one, every score he has not seen.
     */
    changedXid: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [index("cred_score").on(t.score, t.tokenId), index("cred_changed").on(t.changedXid)],
);

/**
 * Points of the score history: one row per change. Who inserts shows in the lock table until it commits from which id on
 * its rows may be (trigger `cred_history_announce`): what reads along by id waits for it.
 */
export const credHistory = offchain.table(
  "cred_history",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    tokenId: tokenId().notNull(),
    score: smallint().notNull(),
    /** What moved it: a kind of `index_changes`, `age`, `profile`, `reconcile`. */
    cause: text().notNull(),
    /** `agent.updated_block` seen; a retraction of block B removes the points with block >= B. */
    block: block().notNull(),
    at: at().notNull(),
  },
  (t) => [index("cred_history_token").on(t.tokenId, t.id)],
);

/**
 * Agents whose points of history were taken back (trigger `cred_history_correct`): who follows the changes is to look at
 * their present score. Numbered with the history, and announced like it; the default of `id` is in triggers.sql.
 */
export const credCorrection = offchain.table("cred_correction", {
  id: bigint({ mode: "number" }).primaryKey(),
  tokenId: tokenId().notNull(),
  at: at().notNull().defaultNow(),
});

/** What the dispatcher has taken from `onchain.index_changes`, one row per event and branch of the chain. */
export const dispatch = offchain.table(
  "dispatch",
  {
    /** `<blockHash>-<event id>`: another branch is another key. */
    key: text().primaryKey(),
    eventId: text().notNull(),
    kind: text().notNull(),
    tokenId: tokenId(),
    wallet: text(),
    agentId: numeric({ precision: 78, scale: 0 }),
    block: block().notNull(),
    blockHash: text().notNull(),
    txHash: text().notNull(),
    blockAt: bigint({ mode: "number" }).notNull(),
    /** pending → queued → final, or retracted */
    state: text().notNull(),
    /** Rows claimed together become jobs together. */
    batch: bigint({ mode: "number" }).notNull(),
    /** The checkpoint at which the row was first missed; a retraction needs a later one. */
    missingCheckpoint: text(),
    dispatchedAt: at().notNull().default(sql`clock_timestamp()`),
    retractedAt: at(),
    /** How often it has come back after a retraction. */
    returns: integer().notNull().default(0),
  },
  (t) => [
    index("dispatch_open").on(t.state, t.block).where(sql`state in ('pending', 'queued')`),
    index("dispatch_pending").on(t.batch).where(sql`state = 'pending'`),
    index("dispatch_token").on(t.tokenId),
    index("dispatch_event").on(t.eventId),
  ],
);

/** Numbers the dispatcher's batches. */
export const dispatchBatch = offchain.sequence("dispatch_batch");

/** The index the dispatcher last compared everything it ever dispatched with; one row. */
export const dispatcherState = offchain.table("dispatcher_state", {
  one: boolean().primaryKey().default(true),
  schema: text().notNull(),
  /** Every event up to this block is dispatched and final; passes start above it. */
  settledBlock: block().notNull().default(0),
});

/**
 * The event log: what happened, told to everybody in one order. A row is noted in the transaction that makes it true, and
 * gets its place afterwards, from one sequencer at a time (db/event-sequence.ts): whoever has seen a position has seen
 * everything before it.
 */
export const event = offchain.table(
  "event",
  {
    /** `evt_` and a hash of the fact: the same fact noted again is the same row. */
    id: text().primaryKey(),
    /** The order in which rows without a place get theirs. */
    appendId: bigserial({ mode: "number" }).notNull(),
    /** Null until it has its place. */
    position: bigint({ mode: "number" }),
    /** Its place for those who are told of nothing that may be taken back; null while it may, or when it was. */
    finalPosition: bigint({ mode: "number" }),
    type: text().notNull(),
    tokenId: tokenId(),
    /** The agent's wallet and its owner at that time. */
    agentAddress: text(),
    owner: text(),
    /** Who owned it before, of a transfer. */
    formerOwner: text(),
    /** As it is shown. */
    data: jsonb().notNull(),
    block: block(),
    txHash: text(),
    /** When it happened. */
    at: at().notNull(),
    /** No reorganisation can take it back. */
    final: boolean().notNull(),
    retracted: boolean().notNull().default(false),
    /** The event that this one takes back. */
    retracts: text(),
    /** Key in `dispatch` of what it came from, or `cred:<id>` of the point of history; null for what nothing takes back. */
    source: text(),
  },
  (t) => [
    uniqueIndex("event_position").on(t.position),
    uniqueIndex("event_final_position").on(t.finalPosition).where(sql`final_position is not null`),
    index("event_unsequenced").on(t.appendId).where(sql`position is null`),
    index("event_source").on(t.source).where(sql`source is not null and type <> 'cred.changed'`),
    index("event_score").on(t.tokenId).where(sql`type = 'cred.changed' and not retracted`),
    index("event_open").on(t.block).where(sql`not final and not retracted`),
    index("event_newly_final")
      .on(t.position)
      .where(sql`final and final_position is null and not retracted and retracts is null`),
  ],
);

/** How far the event log has got; one row, whose lock is the sequencer's. */
export const eventLog = offchain.table("event_log", {
  one: boolean().primaryKey().default(true),
  /** The last place given out. */
  head: bigint({ mode: "number" }).notNull().default(0),
  /** Events up to here were removed by their age. */
  keptAfter: bigint({ mode: "number" }).notNull().default(0),
  /** The last point of the score history that was looked at. */
  credAfter: bigint({ mode: "number" }).notNull().default(0),
});

/** Holders of the service token, as last counted; one row. */
export const tokenStats = offchain.table("token_stats", {
  one: boolean().primaryKey().default(true),
  holders: integer().notNull(),
  updatedAt: at().notNull(),
});

/** The last run of each scheduled job. */
export const jobRun = offchain.table("job_run", {
  name: text().primaryKey(),
  lastStartedAt: at().notNull(),
  lastSuccessAt: at(),
  nextRunAt: at().notNull(),
  /** How many rows the last successful run changed. */
  rows: integer(),
  /** Why the last run failed, one sentence; null when it succeeded. */
  error: text(),
});

/** Answers of writes by Idempotency-Key (IETF httpapi-idempotency-key-header). */
export const idempotency = offchain.table(
  "idempotency",
  {
    /** Who: the authenticated wallet, else the caller's address. */
    scope: text().notNull(),
    key: text().notNull(),
    /** Hash of method, path, query and body. */
    fingerprint: text().notNull(),
    /** running | done */
    state: text().notNull(),
    status: integer(),
    headers: jsonb(),
    body: text(),
    createdAt: at().notNull().defaultNow(),
    /** A running row older than this was left by a crash and may be taken over. */
    leaseUntil: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index("idempotency_created").on(t.createdAt)],
);

/** Keys that the operator gives out; only their hashes are kept. */
export const apiKey = offchain.table("api_key", {
  id: text().primaryKey(),
  /** Whom it was given to. */
  name: text().notNull(),
  /** What it opens: scopes of db/api-keys.ts, separated by spaces. */
  scope: text().notNull().default("sessions"),
  /** Reads a minute with scope `read`; null for the configured number. */
  readsPerMinute: integer(),
  /** SHA-256 of the whole key. */
  hash: bytes().notNull(),
  createdAt: at().notNull().defaultNow(),
  revokedAt: at(),
  /** To the minute. */
  lastUsedAt: at(),
});

/** Wallets that have ended their credentials: those dated before `revokedBefore` are over. */
export const credentialRevocation = offchain.table("credential_revocation", {
  wallet: text().primaryKey(),
  revokedBefore: at().notNull(),
});

/** A request to mint, from acceptance to its token. */
export const mint = offchain.table(
  "mint",
  {
    mintId: uuid().primaryKey(),
    wallet: text().notNull(),
    /** The Solana key that registers; null where the wallet itself does. */
    solanaAddress: text(),
    /** Who registers, once. */
    registrant: text().generatedAlwaysAs(sql`coalesce(solana_address, wallet)`),
    /** The token's receiver; the wallet itself unless another principal pays. */
    recipient: text().notNull(),
    name: text().notNull(),
    framework: text().notNull(),
    soulbound: boolean().notNull(),
    /** Index into the contract's MintOrigin enum. */
    origin: smallint().notNull(),
    personality: jsonb(),
    narrative: jsonb(),
    /** The agent's services, skills, domains and metadata, as far as they are given; null without any. */
    listing: jsonb(),
    referralCode: text(),
    /** Identifies the accepted request: a retry of it is answered alike. */
    fingerprint: text().notNull().unique(),
    /** pending → minted, or failed */
    state: text().notNull(),
    tokenId: tokenId(),
    txHash: text(),
    block: block(),
    /** The contract's plain reason when failed. */
    error: text(),
    createdAt: at().notNull().defaultNow(),
    completedAt: at(),
    /** From when on its awards are to be queued, once its block is deep enough; null = none (any more). */
    awardsDueAt: at(),
    /** The client's network, of a free registration by a contract wallet, for a day; null for every other one. */
    clientNetwork: text(),
  },
  (t) => [
    index("mint_client_network").on(t.clientNetwork, t.createdAt).where(sql`client_network is not null`),
    index("mint_awards_due").on(t.awardsDueAt).where(sql`awards_due_at is not null`),
    uniqueIndex("mint_registrant").on(t.registrant).where(sql`state <> 'failed'`),
    uniqueIndex("mint_token").on(t.tokenId),
    index("mint_state").on(t.state),
  ],
);

/** Texts given out for Solana keys to sign, each good once and for five minutes. */
export const solanaChallenge = offchain.table(
  "solana_challenge",
  {
    nonce: text().primaryKey(),
    address: text().notNull(),
    /** verify | register */
    purpose: text().notNull(),
    /** Receiver of the identity, where the text names one. */
    evmAddress: text(),
    issuedAt: at().notNull(),
    expiresAt: at().notNull(),
    /** The request that used it, which alone may use it again. */
    usedBy: text(),
    usedAt: at(),
  },
  (t) => [index("solana_challenge_expires").on(t.expiresAt)],
);

/** The transaction outbox: what is to happen on chain, each intent exactly once. */
export const transactionOutbox = offchain.table(
  "transaction_outbox",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    /** Names the effect (`mint:<mintId>`, `verify:<tokenId>`): the same effect is never queued twice. */
    intentKey: text().notNull().unique(),
    to: text("to_address").notNull(),
    data: text().notNull(),
    valueWei: numeric({ precision: 78, scale: 0 }).notNull().default("0"),
    /** Signed only while no other intent is queued, and within a share of the day's budget. */
    waits: boolean().notNull().default(false),
    /** queued → signed → mined | reverted; failed = refused by simulation, no nonce was used */
    state: text().notNull().default("queued"),
    /** The account that signed it; nonces are its own. */
    sender: text(),
    nonce: bigint({ mode: "number" }),
    gasLimit: bigint({ mode: "number" }),
    /** The attempt that was mined. */
    txHash: text(),
    block: block(),
    blockHash: text(),
    /** Receipt logs as JSON-RPC gave them. */
    logs: jsonb(),
    error: text(),
    /** W3C traceparent of the request that asked for it; null where traces are not kept. */
    trace: text(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    signedAt: at(),
    minedAt: at(),
    /** Fees of the mined attempt by its receipt, the data fee of a rollup included; null before that. */
    costWei: numeric({ precision: 78, scale: 0 }),
  },
  (t) => [
    index("transaction_outbox_cost").on(t.minedAt).where(sql`cost_wei is not null`),
    index("transaction_outbox_open").on(t.state, t.waits, t.id).where(sql`state in ('queued', 'signed')`),
    uniqueIndex("transaction_outbox_nonce").on(t.sender, t.nonce).where(sql`state in ('signed', 'mined', 'reverted')`),
    index("transaction_outbox_mined").on(t.block).where(sql`state in ('mined', 'reverted')`),
  ],
);

/** Every raw transaction ever signed for an intent: all share its nonce, any of them may be the one that is mined. */
export const transactionAttempt = offchain.table(
  "transaction_attempt",
  {
    hash: text().primaryKey(),
    intentId: bigint({ mode: "number" })
      .notNull()
      .references(() => transactionOutbox.id),
    nonce: bigint({ mode: "number" }).notNull(),
    raw: text().notNull(),
    maxFeePerGasWei: numeric({ precision: 78, scale: 0 }).notNull(),
    maxPriorityFeePerGasWei: numeric({ precision: 78, scale: 0 }).notNull(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    /** When, and at which head, these bytes were last handed to a node; null = never yet. */
    broadcastAt: at(),
    broadcastBlock: block(),
    /** An empty transfer of the account to itself in place of the intent's call: it uses the nonce up and ends the intent. */
    filler: boolean().notNull().default(false),
  },
  (t) => [index("transaction_attempt_intent").on(t.intentId)],
);

/**
 * Writes to an agent's profile on chain, in the order they were accepted. The newest of a slot says what the chain is to
 * hold there, and by which intent.
 */
export const chainWrite = offchain.table(
  "chain_write",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    tokenId: tokenId().notNull(),
    /** The part written: `personality`, `narrative.origin`, `trait:<name>`, `verified`. */
    slot: text().notNull(),
    intentKey: text().notNull().unique(),
    /** The wallet that asked; it must still control the agent when the transaction is signed. */
    wallet: text().notNull(),
    acceptedAt: at().notNull(),
  },
  (t) => [
    index("chain_write_slot").on(t.tokenId, t.slot, t.id),
    index("chain_write_accepted").on(t.tokenId, t.acceptedAt),
  ],
);

/** What the chain said of each token's URI, and what the service has set it to. */
export const tokenUri = offchain.table(
  "token_uri",
  {
    tokenId: tokenId().primaryKey(),
    /**
     * none: the chain has none; queued: the service's transaction is under way; set: the chain has the service's; own: the
     * chain has another one; cleared: the chain has none although the service had set one; unknown: the chain did not tell.
     */
    state: text().notNull(),
    /** When the chain is to be asked next. */
    checkAt: at().notNull(),
    /** The PUBLIC_URL in the URI that the service last set, and in the one it set before that; null = none. */
    base: text(),
    formerBase: text(),
    /** Number of the newest intent, which is part of its key; 0 = none yet. */
    attempt: integer().notNull().default(0),
    /** When the token was chosen within the daily limit; null for tokens that the service minted itself. */
    filledAt: at(),
  },
  (t) => [
    index("token_uri_check").on(t.checkAt).where(sql`state <> 'queued'`),
    index("token_uri_none").on(t.tokenId).where(sql`state = 'none'`),
    index("token_uri_without").on(t.tokenId).where(sql`state not in ('set', 'own')`),
    index("token_uri_base").on(t.base, t.tokenId).where(sql`state = 'set'`),
    index("token_uri_filled").on(t.filledAt).where(sql`filled_at is not null`),
  ],
);

/** Texts of human updates that were used; kept as long as their time would still be accepted, and longer. */
export const humanUpdate = offchain.table(
  "human_update",
  {
    text: text().primaryKey(),
    tokenId: tokenId().notNull(),
    /** Hash of the request that used it: the same request again is the same update. */
    fingerprint: text().notNull(),
    usedAt: at().notNull(),
  },
  (t) => [index("human_update_used").on(t.usedAt)],
);

/** What the sender knows of its account; one row. New writes are refused while it is not funded. */
export const senderState = offchain.table("sender_state", {
  one: boolean().primaryKey().default(true),
  address: text().notNull(),
  balanceWei: numeric({ precision: 78, scale: 0 }).notNull(),
  funded: boolean().notNull(),
  checkedAt: at().notNull(),
  /** Fees paid since midnight UTC, and what may be paid until the next; 0 = no limit. */
  spentWei: numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  budgetWei: numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  /** Until when nothing new is signed because the day's budget is used up; null = it is not. */
  pausedUntil: at(),
});

/** What things cost from when on: the newest row is in force. Without any, the configuration's phase and prices are. */
export const priceList = offchain.table("price_list", {
  id: bigserial({ mode: "number" }).primaryKey(),
  /** free | paid */
  phase: text().notNull(),
  /** Operation → USDC units, as decimal strings; operations not named cost what the code says. */
  prices: jsonb().notNull(),
  since: at().notNull().default(sql`clock_timestamp()`),
});

/** The ledger: every payment by every method, from the moment it is presented. States in core/payments/states.ts. */
export const payment = offchain.table(
  "payment",
  {
    paymentId: uuid().primaryKey(),
    /** x402 | transaction | mpp */
    method: text().notNull(),
    /** What it is to buy: an operation of core/prices.ts. */
    operation: text().notNull(),
    state: text().notNull().default("new"),
    payer: text().notNull(),
    payee: text().notNull(),
    chainId: bigint({ mode: "number" }).notNull(),
    asset: text().notNull(),
    amountUnits: numeric({ precision: 78, scale: 0 }).notNull(),
    /** The authenticated wallet of the request; null where none is asked for. */
    wallet: text(),
    /** Hash of who, method, path, query and body: a payment pays for one request. */
    fingerprint: text().notNull(),
    /** What no other open payment may be for, such as the registration of one wallet. */
    uniqueKey: text(),
    /** What is to be done once it is paid, for whoever finishes after a crash. */
    effect: jsonb(),
    /** What it bought: `mint:<mintId>`, `cred-report:<reportId>`. */
    bought: text(),
    /** The signed authorization as given, to settle it again; dropped when it can no longer be needed. */
    credential: jsonb(),
    /** Hash of the credential and the terms that were checked: only the very same credential resumes the payment. */
    digest: text(),
    /** The authorization is void from then on; null for what is settled already when presented. */
    validBefore: at(),
    /** First block that may hold its settlement: after the head for a bearer, an hour before it for the payer itself. */
    sinceBlock: block().notNull(),
    /** When a bearer presented it; null for the payer itself and for answered challenges (core/payments/claims.ts). */
    presentedAt: at(),
    /** Hash of the network that a bearer presented it from; its answer is given again there. */
    client: text(),
    /** Where the money moved. */
    txHash: text(),
    logIndex: integer(),
    nth: integer(),
    block: block(),
    blockHash: text(),
    /** Why it was released or is to be refunded, a stable word. */
    reason: text(),
    /** The answer it bought, for the same request again. */
    answerStatus: integer(),
    answerHeaders: jsonb(),
    answerBody: text(),
    /** Who works on it: after a takeover the former holder changes nothing. */
    lease: uuid(),
    leaseUntil: at(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    updatedAt: at().notNull().default(sql`clock_timestamp()`),
    paidAt: at(),
    /** Since when the transfer is deep enough in the chain to be taken for final. */
    finalAt: at(),
    /** When the sweep last looked for it on its chain: the one it has not looked at for longest is next. */
    sweptAt: at(),
  },
  (t) => [
    uniqueIndex("payment_unique_key").on(t.uniqueKey).where(sql`state in ('new', 'settling', 'paid')`),
    index("payment_open").on(t.updatedAt).where(sql`state in ('new', 'settling', 'paid')`),
    index("payment_unfinal").on(t.block).where(sql`block is not null and final_at is null`),
    index("payment_released").on(t.validBefore).where(sql`state = 'released' and credential is not null`),
    index("payment_credit").on(t.payer).where(sql`state = 'refund_due'`),
    index("payment_wallet_credit").on(t.wallet).where(sql`state = 'refund_due'`),
    index("payment_bought").on(t.bought),
  ],
);

/**
 * The economic facts a payment consists of, each belonging to one payment only: `<chain>:<asset>:<from>:<nonce>` is an
 * authorization, `<chain>:<txHash>:<payer>:<payee>:<value>:<nth>` a transfer.
 */
export const paymentFact = offchain.table(
  "payment_fact",
  {
    fact: text().primaryKey(),
    paymentId: uuid()
      .notNull()
      .references(() => payment.paymentId),
  },
  (t) => [index("payment_fact_payment").on(t.paymentId)],
);

/** A name as it is sorted, and as it is searched. */
const loweredName = sql`lower(name collate "und-x-icu")`;
const foldedName = sql.raw(folded("name"));

/**
 * The terminal directory: agents of every registry, one row for each (platform, the platform's own id). Only what is
 * shown, sorted and filtered by is here; where it came from is in `directory_item`.
 */
export const directory = offchain.table(
  "directory",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    /** Key of the registry, as in core/directory/platforms.ts. */
    platform: text().notNull(),
    /** Its id there, as the platform writes it. */
    agentId: text().notNull(),
    /** EVM addresses lower-case; other chains' as they write them. */
    address: text(),
    tokenId: tokenId(),
    chainId: integer(),
    name: text().notNull(),
    sortName: text().generatedAlwaysAs(loweredName),
    searchName: text().generatedAlwaysAs(foldedName),
    description: text(),
    imageUrl: text(),
    /** Contract or host of the registry. */
    registry: text(),
    ownerAddress: text(),
    /** `[{name, endpoint, version}]`: how to talk to it. */
    services: jsonb(),
    x402Supported: boolean().notNull().default(false),
    /** The registry makes sure that the wallet is the agent's. */
    walletProven: boolean().notNull().default(false),
    /** Of an own agent: whether its wallet owns, verified or registered it. Null for other registries' agents. */
    walletConfirmed: boolean(),
    /** Services and skills: what counts as traits. */
    traitCount: integer().notNull().default(0),
    createdAt: at(),
    credScore: smallint().notNull(),
    /** The token its registry names. A claimed one is in `directory_claim`. */
    tokenAddress: text(),
    tokenSymbol: text(),
    tokenName: text(),
    /** Observed on a market, in US dollars; claims never get here. */
    marketCapUsd: doublePrecision(),
    priceChange24h: doublePrecision("price_change_24h"),
    volume24hUsd: doublePrecision("volume_24h_usd"),
    liquidityUsd: doublePrecision(),
    marketDataSource: text(),
    /** How often it was used, as its registry counts; and when last, as far as is known. */
    uses: integer().notNull().default(0),
    usedAt: at(),
    /** When its token was last seen to trade. */
    tradedAt: at(),
    activeAt: at().generatedAlwaysAs(sql`greatest(used_at, traded_at)`),
    /** core/directory/filters.ts publishes the formula. */
    trend: integer().generatedAlwaysAs(
      sql`round(1000 * (log(1 + greatest(0, coalesce(volume_24h_usd, 0))) + log(1 + greatest(0, uses)::float8)))::int4`,
    ),
    /** Set when it is no longer in its registry; such a row is shown nowhere. */
    removedAt: at(),
    updatedAt: at().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex("directory_agent").on(t.platform, t.agentId),
    index("directory_agent_id").on(sql`lower(agent_id)`).where(sql`removed_at is null`),
    index("directory_token_id").on(t.tokenId).where(sql`removed_at is null`),
    index("directory_address").on(sql`address collate "C"`).where(sql`removed_at is null`),
    index("directory_symbol").on(sql`lower(token_symbol)`).where(sql`removed_at is null`),
    index("directory_token").on(t.tokenAddress).where(sql`token_address is not null`),
    index("directory_owner").on(t.ownerAddress).where(sql`owner_address is not null`),
    index("directory_active").on(t.activeAt).where(sql`removed_at is null`),
    // One index for each sort and direction: nulls are last and equal keys are by id, ascending, either way. Scores
    // change all the time and are in `directory_score`: what stands in no index here costs none of them anything.
    index("directory_by_name").on(sql`sort_name collate "C"`, t.id).where(sql`removed_at is null`),
    index("directory_by_name_down").on(sql`sort_name collate "C" desc nulls last`, t.id).where(sql`removed_at is null`),
    index("directory_by_created").on(sql`created_at`, t.id).where(sql`removed_at is null`),
    index("directory_by_created_down").on(sql`created_at desc nulls last`, t.id).where(sql`removed_at is null`),
    index("directory_by_platform").on(sql`platform collate "C"`, t.id).where(sql`removed_at is null`),
    index("directory_by_platform_down")
      .on(sql`platform collate "C" desc nulls last`, t.id)
      .where(sql`removed_at is null`),
    index("directory_by_cap")
      .on(sql`market_cap_usd`, t.id)
      .where(sql`removed_at is null and market_cap_usd is not null`),
    index("directory_by_volume")
      .on(sql`volume_24h_usd`, t.id)
      .where(sql`removed_at is null and volume_24h_usd is not null`),
    index("directory_by_trend_down")
      .on(sql`trend desc nulls last`, t.id)
      .where(sql`removed_at is null and active_at is not null`),
    index("directory_x402").on(t.id).where(sql`removed_at is null and x402_supported`),
  ],
);

/**
 * The score of each row of the directory once more, for sorting and for following, kept by triggers on `directory`: a
 * change of score enters these indexes and none of the twenty of the wide row.
 */
export const directoryScore = offchain.table(
  "directory_score",
  {
    id: bigint({ mode: "number" }).primaryKey(),
    /** Null for a row that is shown nowhere. */
    credScore: smallint(),
    /** The transaction that changed what is shown of the row, or of what is shown beside it: readers follow it. */
    changedXid: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [
    index("directory_score_changed").on(t.changedXid),
    index("directory_score_up").on(sql`cred_score`, t.id).where(sql`cred_score is not null`),
    index("directory_score_down").on(sql`cred_score desc nulls last`, t.id).where(sql`cred_score is not null`),
  ],
);

/** The first places by score as they were on each of the last days: what a row's place is compared with. */
export const directoryRank = offchain.table(
  "directory_rank",
  {
    id: bigint({ mode: "number" }).notNull(),
    /** In UTC. */
    day: date().notNull(),
    /** From 1. */
    rank: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.id, t.day] }), index("directory_rank_day").on(t.day)],
);

/**
 * Which rows of the directory have which proven wallet: those of different platforms that share one are the same agent.
 * Kept by a trigger on `directory`, in the transaction that proves, changes or withdraws a wallet.
 */
export const directoryAlias = offchain.table(
  "directory_alias",
  {
    directoryId: bigint({ mode: "number" })
      .primaryKey()
      .references(() => directory.id, { onDelete: "cascade" }),
    wallet: text().notNull(),
  },
  () => [index("directory_alias_wallet").on(sql`wallet collate "C"`)],
);

/** Where a directory row came from: the items of its source, one for most, several where a row gathers them (x402). */
export const directoryItem = offchain.table(
  "directory_item",
  {
    source: text().notNull(),
    /** The source's own id of the item. */
    sourceId: text().notNull(),
    platform: text().notNull(),
    agentId: text().notNull(),
    /** The item as the source gave it. */
    raw: jsonb().notNull(),
    /** What was odd about it and read all the same, a sentence each. */
    warnings: text().array().notNull().default(sql`'{}'`),
    /** Hash of `raw`: an item that did not change is not read again. */
    digest: text().notNull(),
    fetchedAt: at().notNull(),
    /** The last full sweep that saw it; those an ended sweep did not see are gone. */
    sweep: bigint({ mode: "number" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.sourceId] }),
    index("directory_item_agent").on(t.platform, t.agentId),
    index("directory_item_sweep").on(t.source, t.sweep),
  ],
);

/** Items that could not be read, with the reason: the next version of an item that can be read takes its row away. */
export const directoryQuarantine = offchain.table(
  "directory_quarantine",
  {
    source: text().notNull(),
    /** The source's id of the item; the digest of an item that has none. */
    sourceId: text().notNull(),
    reason: text().notNull(),
    raw: jsonb().notNull(),
    seen: integer().notNull().default(1),
    firstSeenAt: at().notNull(),
    lastSeenAt: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.sourceId] })],
);

/**
 * Pages of a source as they were last read, by what tells their versions apart: a page that is still the same is neither
 * sent nor read again. Without validators there is no row.
 */
export const directoryPage = offchain.table(
  "directory_page",
  {
    source: text().notNull(),
    /** Where the page begins, in the source's own terms, as JSON. */
    cursor: text().notNull(),
    etag: text(),
    lastModified: text(),
    /** Where the page behind it begins; null at the end. */
    next: jsonb(),
    expected: integer(),
    /** Its items, by the source's own ids. */
    sourceIds: text().array().notNull(),
    /** The last full sweep that came by. */
    sweep: bigint({ mode: "number" }).notNull(),
    /** When it was last read in full. */
    readAt: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.cursor] })],
);

/** How far the pull of each source has got: what a killed worker goes on from. */
export const directoryPull = offchain.table("directory_pull", {
  source: text().primaryKey(),
  /** full | incremental; null between two runs. */
  mode: text(),
  /** Number of the last full sweep begun. */
  sweep: bigint({ mode: "number" }).notNull().default(0),
  /** Number of the last full sweep that showed all there is. */
  wholeSweep: bigint({ mode: "number" }).notNull().default(0),
  /** Why the running or last pull does not show all there is, one sentence: then what it did not see is not gone. */
  partial: text(),
  /** Where the running pull goes on, in the source's own terms; null at the beginning. */
  cursor: jsonb(),
  /** What an incremental pull begins from, in the source's own terms; null until a full sweep has ended. */
  watermark: jsonb(),
  /** Items of the running pull, and how many there will be if the source says. */
  done: integer().notNull().default(0),
  expected: integer(),
  changed: integer().notNull().default(0),
  /** Items that could not be read, in the running or last pull. */
  quarantined: integer().notNull().default(0),
  startedAt: at(),
  lastSuccessAt: at(),
  lastFullAt: at(),
  nextRunAt: at(),
  /** Why the last attempt stopped, one sentence; null when it succeeded. */
  error: text(),
  /** What an operator may want to know of the last sweep, one sentence. */
  note: text(),
});

/** A token that anybody says is an agent's: shown as claimed while no market tells better, never ranked by. */
export const directoryClaim = offchain.table("directory_claim", {
  directoryId: bigint({ mode: "number" })
    .primaryKey()
    .references(() => directory.id, { onDelete: "cascade" }),
  tokenAddress: text(),
  tokenSymbol: text(),
  tokenName: text(),
  marketCapUsd: doublePrecision(),
  claimedAt: at().notNull(),
});

/** What a market says about a token of the chain; one row per token, from its most liquid pair. */
export const tokenMarket = offchain.table("token_market", {
  tokenAddress: text().primaryKey(),
  /** False when the market does not know the token. */
  known: boolean().notNull(),
  symbol: text(),
  name: text(),
  /** Fully diluted value where the market has no capitalisation; `basis` says which. */
  marketCapUsd: doublePrecision(),
  basis: text(),
  priceChange24h: doublePrecision("price_change_24h"),
  volume24hUsd: doublePrecision("volume_24h_usd"),
  liquidityUsd: doublePrecision(),
  source: text().notNull(),
  /** Null until the market has answered about it. */
  fetchedAt: at(),
  /** When the market last failed to answer about it; null after an answer. */
  failedAt: at(),
});

/** Registration files of ERC-8004 agents as last fetched. */
export const registrationFile = offchain.table(
  "registration_file",
  {
    registry: text().notNull(),
    agentId: numeric({ precision: 78, scale: 0 }).notNull(),
    uri: text().notNull(),
    /** parsed | unreadable | unreachable | refused | waiting */
    status: text().notNull(),
    /** The file; null while none could be read. */
    content: jsonb(),
    errors: text().array().notNull().default(sql`'{}'`),
    warnings: text().array().notNull().default(sql`'{}'`),
    etag: text(),
    lastModified: text(),
    fetchedAt: at().notNull(),
    /** Failures in a row, and when to try again. */
    failures: integer().notNull().default(0),
    nextTryAt: at(),
  },
  (t) => [primaryKey({ columns: [t.registry, t.agentId] }), index("registration_file_due").on(t.nextTryAt)],
);

/** Human principals. Whoever signs in the same way again is the same human; nobody else changes the row. */
export const human = offchain.table(
  "human",
  {
    id: text().primaryKey(),
    /** Who it is: the wallet, or `<issuer>#<subject>` of the identity provider. Never shown. */
    principal: text().notNull().unique(),
    /** Null for a human who signs in by access token. */
    wallet: text(),
    name: text().notNull(),
    searchName: text().generatedAlwaysAs(sql.raw(folded("name"))),
    description: text().notNull(),
    image: text(),
    organization: text().notNull(),
    skills: text().array().notNull(),
    domains: text().array().notNull(),
    /** Accounts and services as the human states them: shown, never counted as proven. */
    linkedAccounts: jsonb().notNull(),
    services: jsonb().notNull(),
    /** As stated: ids elsewhere (an object or a list) and whatever else the human tells. */
    externalIds: jsonb().notNull().default({}),
    metadata: jsonb().notNull().default({}),
    /** Private: only the human itself is ever shown them. */
    contact: jsonb().notNull(),
    notificationPreferences: jsonb().notNull().default({}),
    /** Its own identity token: counts while the wallet owns it and it was transferred no more than `tokenTransfers` times. */
    tokenId: tokenId(),
    tokenTransfers: bigint({ mode: "number" }),
    /** Transactions the wallet has sent, as the chain last told; null = never told. */
    transactionCount: bigint({ mode: "number" }),
    transactionCountAt: at(),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (t) => [
    uniqueIndex("human_wallet").on(t.wallet),
    index("human_token").on(t.tokenId).where(sql`token_id is not null`),
    index("human_created").on(t.createdAt, t.id),
    index("human_transactions_due").on(t.transactionCountAt).where(sql`wallet is not null`),
  ],
);

/** Agents that their owners linked to a human. A link holds while the index shows the same owner and no further transfer. */
export const humanAgent = offchain.table(
  "human_agent",
  {
    humanId: text()
      .notNull()
      .references(() => human.id, { onDelete: "cascade" }),
    tokenId: tokenId().notNull(),
    /** The owner who linked it, and how often the token had been transferred by then. */
    owner: text().notNull(),
    transfers: bigint({ mode: "number" }).notNull(),
    linkedAt: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.humanId, t.tokenId] }), index("human_agent_token").on(t.tokenId)],
);

/** Organizations, each owned by the principal that registered it. */
export const organization = offchain.table(
  "organization",
  {
    id: text().primaryKey(),
    slug: text().notNull().unique(),
    /** The slug as the eye takes it: two that look alike are one. */
    slugKey: text().notNull().unique(),
    /** Its owner, as in `human`. Never shown. */
    principal: text().notNull(),
    wallet: text(),
    displayName: text().notNull(),
    searchName: text().generatedAlwaysAs(sql.raw(folded("display_name"))),
    description: text().notNull(),
    image: text(),
    organizationType: text().notNull(),
    roles: text().array().notNull(),
    skills: text().array().notNull(),
    domains: text().array().notNull(),
    links: jsonb().notNull(),
    services: jsonb().notNull().default({}),
    externalIds: jsonb().notNull().default({}),
    metadata: jsonb().notNull().default({}),
    /** Private, as in `human`. */
    contact: jsonb().notNull(),
    notificationPreferences: jsonb().notNull().default({}),
    /** Wallets (texts) and token ids (numbers) as the organization states them. */
    members: jsonb().notNull(),
    /** Its identity token, as in `human`. */
    tokenId: tokenId(),
    tokenTransfers: bigint({ mode: "number" }),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (t) => [
    index("organization_principal").on(t.principal),
    index("organization_wallet").on(t.wallet),
    index("organization_created").on(t.createdAt, t.id),
  ],
);

/** Slugs of deleted organizations: for a while nobody but their former owner can take them. */
export const retiredSlug = offchain.table(
  "retired_slug",
  {
    slugKey: text().primaryKey(),
    /** SHA-256 of the former owner's `principal`. */
    ownerHash: text().notNull(),
    retiredAt: at().notNull(),
  },
  (t) => [index("retired_slug_retired").on(t.retiredAt)],
);

/** Groups that agents talk in. Whoever changes a group, its members or its messages holds the row's lock until it commits. */
export const messageGroup = offchain.table(
  "message_group",
  {
    /** The topic in its normal form: core/messaging/groups.ts. */
    groupId: text().primaryKey(),
    /** Grows in the order of creation. */
    ordinal: bigserial({ mode: "number" }).notNull().unique(),
    /** As its creator wrote it. */
    topic: text().notNull(),
    description: text(),
    minCred: smallint().notNull(),
    isPublic: boolean().notNull(),
    isDefault: boolean().notNull().default(false),
    /** The creator's wallet; null for the default groups. */
    createdBy: text(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    /** Id of the newest message; ids count from 1 without gaps, in the order of commits. */
    lastMessageId: bigint({ mode: "number" }).notNull().default(0),
    lastMessageAt: at(),
    /** How many rows of `group_member` are this group's. */
    memberCount: integer().notNull().default(0),
    /** Number of the member who joined last; each joining gets the next. */
    lastMemberNumber: bigint({ mode: "number" }).notNull().default(0),
    /** Hash of the Idempotency-Key and request that created it; null without a key. */
    request: text(),
  },
  (t) => [
    index("message_group_creator").on(t.createdBy).where(sql`created_by is not null`),
    uniqueIndex("message_group_request").on(t.createdBy, t.request).where(sql`request is not null`),
  ],
);

/** Who is a member of which group: wallets, for a wallet is what signs in. */
export const groupMember = offchain.table(
  "group_member",
  {
    groupId: text()
      .notNull()
      .references(() => messageGroup.groupId),
    wallet: text().notNull(),
    /** In the order of joining. */
    memberNumber: bigint({ mode: "number" }).notNull(),
    joinedAt: at().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.wallet] }),
    uniqueIndex("group_member_number").on(t.groupId, t.memberNumber),
  ],
);

/** Messages, with their sender as it was when it sent them. */
export const message = offchain.table(
  "message",
  {
    groupId: text()
      .notNull()
      .references(() => messageGroup.groupId),
    messageId: bigint({ mode: "number" }).notNull(),
    sender: text().notNull(),
    senderName: text().notNull(),
    senderTokenId: tokenId().notNull(),
    senderCred: smallint().notNull(),
    content: text().notNull(),
    /** Never earlier than that of the message before. */
    sentAt: at().notNull(),
    /** Hash of Idempotency-Key and request; null without a key. The same request again finds its message. */
    request: text(),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.messageId] }),
    uniqueIndex("message_request").on(t.groupId, t.sender, t.request).where(sql`request is not null`),
  ],
);

/** Webhooks: where a wallet wants to be told of events. Changed with its row locked, and before its deliveries. */
export const webhook = offchain.table(
  "webhook",
  {
    webhookId: text().primaryKey(),
    /** The wallet that made it, and alone sees and changes it. */
    owner: text().notNull(),
    url: text().notNull(),
    /** Types of events. */
    events: text().array().notNull(),
    /** Only events about these agents, by token id or by wallet, and of these owners; null: of any. */
    tokenIds: bigint({ mode: "number" }).array(),
    addresses: text().array(),
    owners: text().array(),
    /** any | final */
    finality: text().notNull(),
    createdAt: at().notNull(),
    /** Keyed hash of the client network that made it; null for those made before networks were counted. */
    network: text(),
    /** Which places its deliveries may take: new, answering or slow (core/webhooks/pools.ts). */
    lane: text().notNull().default("new"),
    /** A slow receiver stays in its lane until then at least. */
    slowUntil: at(),
    /** It is told of what stands behind this place of the event log. */
    fromPosition: bigint({ mode: "number" }).notNull(),
    /** Where it stands while it lags behind `webhook_cursor`, because it is off or has too much waiting; null = it does not. */
    ownPosition: bigint({ mode: "number" }),
    /** Null while it is on. */
    disabledAt: at(),
    /** gone | failing */
    disabledReason: text(),
    /** Failed attempts since the last good one. */
    failures: integer().notNull().default(0),
    failingSince: at(),
    /** Nothing is sent before. */
    pausedUntil: at(),
  },
  (t) => [
    index("webhook_owner").on(t.owner, t.createdAt),
    index("webhook_network").on(t.network),
    index("webhook_own_position").on(t.webhookId).where(sql`own_position is not null`),
  ],
);

/** Secrets that sign a webhook's deliveries, sealed with a key of the configuration. */
export const webhookSecret = offchain.table(
  "webhook_secret",
  {
    secretId: text().primaryKey(),
    webhookId: text()
      .notNull()
      .references(() => webhook.webhookId, { onDelete: "cascade" }),
    sealed: bytes().notNull(),
    createdAt: at().notNull(),
    /** Until when it signs along; null for the newest. */
    expiresAt: at(),
    /** Hash of the Idempotency-Key and the request that made it; null without a key. */
    request: text(),
  },
  (t) => [
    uniqueIndex("webhook_secret_newest").on(t.webhookId).where(sql`expires_at is null`),
    index("webhook_secret_webhook").on(t.webhookId),
    index("webhook_secret_request").on(t.request).where(sql`request is not null`),
    index("webhook_secret_expires").on(t.expiresAt).where(sql`expires_at is not null`),
  ],
);

/** What is sent to webhooks, one row per webhook and event. */
export const webhookDelivery = offchain.table(
  "webhook_delivery",
  {
    /** Grows in the order of making. */
    deliveryId: bigserial({ mode: "number" }).primaryKey(),
    webhookId: text()
      .notNull()
      .references(() => webhook.webhookId, { onDelete: "cascade" }),
    /** Of `event`, or of a ping, which is in no log. */
    eventId: text().notNull(),
    eventType: text().notNull(),
    /** The event's place in the log by which it was told; null for a ping. */
    position: bigint({ mode: "number" }),
    /** Whether the event was final when it was told. */
    final: boolean().notNull(),
    /** pending | delivered | dead */
    state: text().notNull().default("pending"),
    createdAt: at().notNull(),
    /** When it is sent next. */
    dueAt: at().notNull(),
    /** When it was delivered or given up. */
    settledAt: at(),
    /** Since it was made or last replayed. */
    attempts: smallint().notNull().default(0),
    /** The last attempts: time, status or error, duration. */
    log: jsonb().notNull().default(sql`'[]'`),
    /** Who is sending it, and until when nobody else may. */
    lease: text(),
    leaseUntil: at(),
  },
  (t) => [
    uniqueIndex("webhook_delivery_event").on(t.webhookId, t.eventId),
    index("webhook_delivery_due").on(t.webhookId, t.dueAt, t.deliveryId).where(sql`state = 'pending'`),
    index("webhook_delivery_log").on(t.webhookId, t.deliveryId),
    index("webhook_delivery_dead").on(t.webhookId, t.settledAt).where(sql`state = 'dead'`),
    index("webhook_delivery_created").on(t.createdAt),
    index("webhook_delivery_leased").on(t.webhookId).where(sql`lease is not null`),
  ],
);

/**
 * When each owner of webhooks has its next turn, by lane; null: it has nothing to send there. A turn may be too early,
 * which costs a look; it is never too late.
 */
export const webhookTurn = offchain.table(
  "webhook_turn",
  {
    owner: text().primaryKey(),
    dueNew: at(),
    dueAnswering: at(),
    dueSlow: at(),
    /** One of its receivers was slow; until then the owner has fewer places. */
    slowUntil: at(),
  },
  (t) => [
    index("webhook_turn_new").on(t.dueNew).where(sql`due_new is not null`),
    index("webhook_turn_answering").on(t.dueAnswering).where(sql`due_answering is not null`),
    index("webhook_turn_slow").on(t.dueSlow).where(sql`due_slow is not null`),
  ],
);

/** How far the event log was handed out to webhooks; locked while it is. */
export const webhookCursor = offchain.table("webhook_cursor", {
  /** One row. */
  one: boolean().primaryKey().default(true),
  /** Everything up to here was handed out to every webhook. */
  position: bigint({ mode: "number" }).notNull().default(0),
  /** End of the part of the log that is being handed out behind `position`; null between two parts. */
  through: bigint({ mode: "number" }),
  /** The webhooks up to this id have been given that part. */
  handedTo: text(),
  /** The webhooks up to this id were looked at for catching up. */
  caughtUpTo: text(),
});
