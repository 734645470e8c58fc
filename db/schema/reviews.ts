/** What reviews in the canonical ERC-8004 registry are worth (core/reviews/), and what the chain says about their reviewers. */
import { index, primaryKey } from "drizzle-orm/pg-core";
import { at, offchain, tokenId } from "./columns.ts";

/**
 * The registrations in the canonical registry that are, or ever were, an own agent's. A registration is the agent's that it
 * was first, for good: nothing that its holder does later takes its reviews from the agent, or gives them to another.
 */
export const agentRegistration = offchain.table(
  "agent_registration",
  (t) => ({
    registry: t.text().notNull(),
    agentId: t.numeric({ precision: 78, scale: 0 }).notNull(),
    tokenId: tokenId().notNull(),
    /** The transaction that minted the token: a reorganisation may give its id to another agent. */
    mintTx: t.text().notNull(),
    /** The registration's wallet at that time. */
    wallet: t.text().notNull(),
    /** The block of the index in which it was seen first: until that is final, a reorganisation may take it back. */
    block: t.bigint({ mode: "number" }).notNull(),
  }),
  (t) => [primaryKey({ columns: [t.registry, t.agentId] }), index("agent_registration_token").on(t.tokenId)],
);

/** The history of an account before its first review of any agent. Null: not known. */
export const reviewerHistory = offchain.table("reviewer_history", (t) => ({
  /** Lower-case. */
  address: t.text().primaryKey(),
  /** When the chain first saw it, and when it had sent its last transaction, Unix seconds. */
  firstAt: t.bigint({ mode: "number" }),
  sent: t.bigint({ mode: "number" }),
  previousAt: t.bigint({ mode: "number" }),
  /** Who gave it its first money, and how many transactions that account has sent. */
  funder: t.text(),
  funderSent: t.bigint({ mode: "number" }),
  /** The same of its funder. */
  origin: t.text(),
  originSent: t.bigint({ mode: "number" }),
  /** Version of what was read: an older row is read again. */
  reader: t.smallint().notNull().default(1),
  /** When to look again: no node had what it takes. Null: it was read. */
  nextTryAt: at(),
}));

/**
 * The figures of an agent's reviews: what `weighReviews` made of the facts. Of a registration by its address and number; of
 * an own agent, of all of its registrations together, by `OWN_PLATFORM` and its token.
 */
export const reviewFigures = offchain.table(
  "review_figures",
  (t) => ({
    registry: t.text().notNull(),
    agentId: t.numeric().notNull(),
    /** Which state of the agent's index they were computed from; null before they were. */
    seen: t.text(),
    /** Version of the rules they were computed by. */
    rules: t.smallint(),
    /** Accounts that wrote about it. */
    reviewers: t.integer().notNull(),
    raw: t.doublePrecision(),
    adjusted: t.doublePrecision(),
    low: t.doublePrecision(),
    high: t.doublePrecision(),
    inflation: t.doublePrecision(),
    voices: t.integer(),
    crowd: t.doublePrecision(),
    /** `[{id, size, shares}]`. */
    clusters: t.jsonb(),
    /** `[{tag, reviews, raw, adjusted}]`. */
    dimensions: t.jsonb(),
    computedAt: at(),
    /** The value of `seen` for which the files of its reviews were listed. */
    filesSeen: t.text(),
  }),
  (t) => [primaryKey({ columns: [t.registry, t.agentId] }), index("review_figures_computed").on(t.computedAt)],
);

/** What one reviewer of an agent counts. */
export const reviewWeight = offchain.table(
  "review_weight",
  (t) => ({
    registry: t.text().notNull(),
    agentId: t.numeric().notNull(),
    client: t.text().notNull(),
    /** The order in which reviewers are shown: 0 with proof, 1 without, 2 where nothing counts. */
    rank: t.smallint().notNull(),
    /** Keys of core/reviews/rules.ts. */
    nothing: t.text(),
    standing: t.text().notNull(),
    share: t.doublePrecision().notNull(),
    cluster: t.text(),
    entries: t.integer().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.registry, t.agentId, t.client] }),
    index("review_weight_shown").on(t.registry, t.agentId, t.rank, t.client),
  ],
);

/** The file that a review names, as it was read, and the payment that the file names, as the chain has it. */
export const reviewFile = offchain.table(
  "review_file",
  (t) => ({
    registry: t.text().notNull(),
    agentId: t.numeric().notNull(),
    client: t.text().notNull(),
    feedbackIndex: t.numeric().notNull(),
    /** Digest of the URI, the hash and the time of the review that this is the file of. */
    digest: t.text().notNull(),
    givenAt: t.bigint({ mode: "number" }).notNull(),
    /** The site (core/urls.ts) of the host that is asked for the file; null where no host is asked. */
    site: t.text(),
    /** A key of core/reviews/feedback-files.ts; `why` adds a sentence. */
    state: t.text().notNull(),
    why: t.text(),
    readAt: at(),
    failures: t.integer().notNull().default(0),
    /** When it was last asked for, and when to ask again; null: never. */
    triedAt: at(),
    nextTryAt: at(),
    /** The transaction that the file names, and what is known of it; null: it names none. */
    proofTx: t.text(),
    proofState: t.text(),
    /** The agent's wallet that it was held against. */
    proofWallet: t.text(),
    payer: t.text(),
    units: t.numeric(),
    /** Of its block; Unix seconds. */
    paidAt: t.bigint({ mode: "number" }),
    blockHash: t.text(),
    /** When to look it up again; null: no reorganisation takes it back any more. */
    proofNextAt: at(),
  }),
  (t) => [
    primaryKey({ columns: [t.registry, t.agentId, t.client, t.feedbackIndex] }),
    index("review_file_due").on(t.nextTryAt),
    index("review_file_tried").on(t.site, t.triedAt),
    index("review_file_proof").on(t.proofTx),
    index("review_file_proof_due").on(t.proofNextAt),
  ],
);
