/** What people write about agents, their proofs and verifications, referrals. */
import { sql } from "drizzle-orm";
import { index, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import type { SessionCounts } from "../../core/cred/report/cred-report.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { at, offchain, tokenId } from "./columns.ts";

/** Off-chain profile, one row per field (`personality.humor`, `narrative.origin`, …): the newest write wins against the chain's. */
export const profileField = offchain.table(
  "profile_field",
  (t) => ({
    tokenId: tokenId().notNull(),
    field: t.text().notNull(),
    /** A JSON string or number; an empty string clears the field. The four fields of a listing are objects and lists. */
    value: t.jsonb().notNull(),
    writtenAt: at().notNull().defaultNow(),
  }),
  (t) => [primaryKey({ columns: [t.tokenId, t.field] })],
);

/** Off-chain traits, unique by name per agent. */
export const profileTrait = offchain.table(
  "profile_trait",
  (t) => ({
    tokenId: tokenId().notNull(),
    name: t.text().notNull(),
    category: t.text().notNull(),
    addedAt: at().notNull().defaultNow(),
  }),
  (t) => [primaryKey({ columns: [t.tokenId, t.name] })],
);

/** A social proof: one account of a platform proves one agent at a time. */
export const proof = offchain.table(
  "proof",
  (t) => ({
    tokenId: tokenId().notNull(),
    platform: t.text().$type<ProofPlatformKey>().notNull(),
    /** The platform's own numeric id: handles can be renamed. */
    accountId: t.text().notNull(),
    handle: t.text().notNull(),
    username: t.text(),
    evidence: t.jsonb().notNull(),
    /** verified | stale | lapsed */
    status: t.text().notNull(),
    verifiedAt: at().notNull(),
    /** When the platform last showed the proof. */
    checkedAt: at().notNull(),
    /** When a check last failed; null after an answer. */
    failedAt: at(),
    txHash: t.text(),
  }),
  (t) => [
    primaryKey({ columns: [t.tokenId, t.platform] }),
    uniqueIndex("proof_account").on(t.platform, t.accountId).where(sql`status <> 'lapsed'`),
    index("proof_due").on(t.platform, t.checkedAt).where(sql`status <> 'lapsed'`),
  ],
);

/** What is left of a number of requests that flows back with time: a token bucket per name. A full one needs no row. */
export const allowance = offchain.table("allowance", (t) => ({
  name: t.text().primaryKey(),
  /** Tokens left at `at`. */
  level: t.doublePrecision().notNull(),
  most: t.doublePrecision().notNull(),
  perSecond: t.doublePrecision().notNull(),
  at: at().notNull(),
}));

/**
 * A successful exchange verification of an agent by an owner, with the attestation it was made with. Whether it counts
 * follows from all attestations of that owner, which the index knows.
 */
export const exchangeVerification = offchain.table(
  "exchange_verification",
  (t) => ({
    tokenId: tokenId().notNull(),
    attestationUid: t.text().notNull(),
    attester: t.text().notNull(),
    schemaUid: t.text().notNull(),
    recipient: t.text().notNull(),
    /** Unix seconds; 0 = never. */
    expiresAt: t.bigint({ mode: "number" }).notNull(),
    /** From this block on the index has it; null when it is older than the index, which then need not have it. */
    indexedFrom: t.bigint({ mode: "number" }),
    verifiedAt: at().notNull(),
    txHash: t.text(),
  }),
  (t) => [primaryKey({ columns: [t.tokenId, t.recipient] })],
);

/** A wallet that signed in as an agent's own (`/verify`), also where another wallet was verified on chain before. */
export const walletVerification = offchain.table(
  "wallet_verification",
  (t) => ({
    tokenId: tokenId().notNull(),
    wallet: t.text().notNull(),
    /** The transaction that minted the token: after a reorganisation the id may be another's. */
    mintTx: t.text().notNull(),
    verifiedAt: at().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.tokenId, t.wallet] }), index("wallet_verification_wallet").on(t.wallet)],
);

/**
 * Under which owner each proof of an agent was made, and how often the token had been transferred then. A proof counts in
 * discovery while one of its rows names the token's owner and number of transfers.
 */
export const proofOwnership = offchain.table(
  "proof_ownership",
  (t) => ({
    tokenId: tokenId().notNull(),
    /** A key of PROOF_PLATFORMS, or `wallet`. */
    proof: t.text().notNull(),
    /** The platform's id of the account, or the wallet. */
    subject: t.text().notNull(),
    /** Empty for proofs that were made before owners were recorded. */
    owner: t.text().notNull(),
    /** Its mint included; 0 where the owner is empty. */
    tokenTransfers: t.bigint({ mode: "number" }).notNull(),
    provedAt: at().notNull(),
  }),
  (t) => [
    primaryKey({ name: "proof_ownership_pk", columns: [t.tokenId, t.proof, t.subject, t.owner, t.tokenTransfers] }),
  ],
);

/** Every indexed agent has one referral code. */
export const referralCode = offchain.table("referral_code", (t) => ({
  tokenId: tokenId().primaryKey(),
  code: t.text().notNull().unique(),
  createdAt: at().notNull().defaultNow(),
}));

/** Who was referred by whom: a new agent counts once. */
export const referral = offchain.table(
  "referral",
  (t) => ({
    tokenId: tokenId().primaryKey(),
    referrerTokenId: tokenId().notNull(),
    code: t.text().notNull(),
    createdAt: at().notNull().defaultNow(),
  }),
  (t) => [index("referral_referrer").on(t.referrerTokenId)],
);

/** How sessions with agents went, as holders of an API key report it. Shown in the cred report; it moves no score. */
export const sessionOutcome = offchain.table(
  "session_outcome",
  (t) => ({
    id: t.bigserial({ mode: "number" }).primaryKey(),
    tokenId: tokenId().notNull(),
    apiKeyId: t.text().notNull(),
    /** The reporter's own name of the session; the same key reports a session once. */
    sessionId: t.text(),
    outcome: t.text().$type<keyof SessionCounts>().notNull(),
    details: t.text(),
    durationSeconds: t.integer(),
    recordedAt: at().notNull().defaultNow(),
  }),
  (t) => [
    uniqueIndex("session_outcome_session").on(t.apiKeyId, t.sessionId),
    index("session_outcome_token").on(t.tokenId, t.outcome),
  ],
);

/** Scores as Ethos gives them, of the wallets that rows of the directory and humans name. */
export const ethosScore = offchain.table(
  "ethos_score",
  (t) => ({
    wallet: t.text().primaryKey(),
    /** Null: Ethos knows nothing about the wallet, or was never asked. */
    score: t.integer(),
    /** When Ethos last answered about it; null: never. */
    fetchedAt: at(),
    /** When a request to Ethos last failed, and the number of failures since its last answer. */
    failedAt: at(),
    failures: t.integer().notNull().default(0),
  }),
  (t) => [
    index("ethos_fetched").on(t.fetchedAt),
    index("ethos_never_fetched").on(t.failedAt).where(sql`fetched_at is null`),
  ],
);

/**
 * Exchange attestations made before the first indexed block, by the wallet they are of. A wallet's row says when the chain
 * was asked, and the attestation that was valid then. An attestation that the index has is judged by the index alone.
 */
export const attestationLookup = offchain.table(
  "attestation_lookup",
  (t) => ({
    wallet: t.text().primaryKey(),
    /** Null: none was valid. */
    attestationUid: t.text(),
    schemaUid: t.text(),
    attester: t.text(),
    /** Unix seconds; 0 = never. */
    expiresAt: t.bigint({ mode: "number" }),
    /** Hash of the configuration that the answer depends on: with another configuration it is due at once. */
    configuration: t.text(),
    /** When the chain last answered about it; null: never. */
    checkedAt: at(),
    /** When a read of the chain last failed; null after an answer. */
    failedAt: at(),
  }),
  (t) => [
    index("attestation_lookup_found").on(t.wallet).where(sql`attestation_uid is not null`),
    index("attestation_lookup_checked").on(t.checkedAt),
    index("attestation_lookup_never_checked").on(t.failedAt).where(sql`checked_at is null`),
  ],
);

/** How far the directory was read for wallets to look up: ids of its rows; one row. */
export const walletWalk = offchain.table("wallet_walk", (t) => ({
  one: t.boolean().primaryKey().default(true),
  /** The newest row that was read. */
  newest: t.bigint({ mode: "number" }).notNull().default(0),
  /** The row at which the next part of the walk over all rows begins; 0: at the first. */
  walked: t.bigint({ mode: "number" }).notNull().default(0),
}));
