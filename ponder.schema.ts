/** The onchain tables: rows that follow from the chain alone. Only src/ writes them; all other code reads them through the views. */
import { index, onchainTable, primaryKey } from "ponder";

/** One identity token. Every field of an `agent` row follows from the chain; scores and profiles have tables of their own. */
export const agent = onchainTable(
  "agent",
  (t) => ({
    tokenId: t.int8({ mode: "number" }).primaryKey(),
    agentAddress: t.hex().notNull(),
    owner: t.hex().notNull(),
    /** ERC-721 approved address of this token; cleared by every transfer. */
    operator: t.hex(),
    name: t.text().notNull(),
    framework: t.text().notNull(),
    /** Unix seconds of the registration block. */
    mintedAt: t.int8({ mode: "number" }).notNull(),
    mintedBlock: t.int8({ mode: "number" }).notNull(),
    mintTx: t.hex().notNull(),
    verified: t.boolean().notNull(),
    /** The agent's wallet when the contract's owner last marked the token as verified. */
    verifiedWallet: t.hex(),
    /** First owner: the account that called the contract, or the one the contract's owner minted for. */
    mintedTo: t.hex().notNull(),
    /**
     * Sort key of look-ups by wallet. 0: the agent's wallet was verified, or minted the token for itself and owns it.
     * 1: the wallet owns the token, which another account minted. 2: the token only names the wallet.
     */
    walletRank: t.integer().notNull(),
    soulbound: t.boolean().notNull(),
    /** 0 HUMAN, 1 AGENT_SIWA, 2 API, 3 OWNER. */
    origin: t.integer().notNull(),
    generation: t.integer().notNull(),
    parentId: t.bigint().notNull(),
    mutationCount: t.integer().notNull(),
    version: t.text().notNull(),
    points: t.bigint().notNull(),
    /** Number of traits, without the `linked-token*` ones, which are storage. */
    traitCount: t.integer().notNull(),
    /** The registered .agent name, in its original case. */
    agentName: t.text(),
    personality: t.jsonb().$type<OnchainPersonality>(),
    /** Unix seconds of the block that last wrote it; null when never written. */
    personalityAt: t.int8({ mode: "number" }),
    narrative: t.jsonb().$type<OnchainNarrative>(),
    /** Time of the last write of each text: a transaction can set one and leave the others unchanged. */
    narrativeAt: t.jsonb().$type<OnchainNarrativeAt>(),
    /** Wallet named by the last CoinbaseVerified event; informative, the score reads attestations. */
    coinbaseWallet: t.hex(),
    /** The last block with an event about this agent; the reconciler compares it with the score. */
    updatedBlock: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    /** A look-up by wallet reads one entry, independent of the number of tokens that name the wallet. */
    walletIdx: index().on(t.agentAddress, t.walletRank, t.tokenId),
    ownerIdx: index().on(t.owner),
    nameIdx: index().on(t.name),
    mintedAtIdx: index().on(t.mintedAt),
    pointsIdx: index().on(t.points),
    frameworkIdx: index().on(t.framework),
    updatedBlockIdx: index().on(t.updatedBlock),
    /** Totals are counted from this index alone. */
    kindIdx: index().on(t.verified, t.soulbound),
  }),
);

export type OnchainPersonality = {
  quirks: string;
  communicationStyle: string;
  values: string;
  humor: string;
  riskTolerance: number;
  autonomyLevel: number;
};
export type OnchainNarrative = { origin: string; mission: string; lore: string; manifesto: string };
/** Unix seconds; absent for a text that was never written. */
export type OnchainNarrativeAt = Partial<Record<keyof OnchainNarrative, number>>;

/** A trait of an identity token, in the order of its TraitAdded events. */
export const trait = onchainTable(
  "trait",
  (t) => ({
    tokenId: t.int8({ mode: "number" }).notNull(),
    /** Increases along the chain: block number times 1,000,000 plus log index. */
    position: t.int8({ mode: "number" }).notNull(),
    name: t.text().notNull(),
    category: t.text().notNull(),
    addedAt: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.tokenId, t.position] }) }),
);

/** A name in use in the .agent namespace. A token has at most one; a registration of another frees the first. */
export const agentName = onchainTable(
  "agent_name",
  (t) => ({
    /** Lower-case form: the key of the namespace. */
    name: t.text().primaryKey(),
    tokenId: t.int8({ mode: "number" }).notNull(),
    displayName: t.text().notNull(),
    registeredAt: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ tokenIdx: index().on(t.tokenId) }),
);

/** Every change of an agent's points, as awarded on chain. */
export const pointsAward = onchainTable(
  "points_award",
  (t) => ({
    id: t.text().primaryKey(),
    tokenId: t.int8({ mode: "number" }).notNull(),
    amount: t.bigint().notNull(),
    reason: t.text().notNull(),
    awardedAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ tokenIdx: index().on(t.tokenId) }),
);

/** Points awarded to a token id before its mint (the contract's owner can do that); the mint adds them to the agent. */
export const unmintedPoints = onchainTable("unminted_points", (t) => ({
  tokenId: t.int8({ mode: "number" }).primaryKey(),
  points: t.bigint().notNull(),
}));

/** Transfer history of the identity tokens and of the canonical registry's tokens. */
export const transfer = onchainTable(
  "transfer",
  (t) => ({
    id: t.text().primaryKey(),
    contract: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    transferredAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ tokenIdx: index().on(t.contract, t.tokenId), fromIdx: index().on(t.from), toIdx: index().on(t.to) }),
);

/** A transaction with an event about an identity token, once per token. */
export const agentTransaction = onchainTable(
  "agent_transaction",
  (t) => ({
    tokenId: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    transactionIndex: t.integer().notNull(),
    hash: t.hex().notNull(),
    from: t.hex().notNull(),
    /** Null for a transaction that creates a contract. */
    to: t.hex(),
    valueWei: t.bigint().notNull(),
    /** Function selector, the first four bytes of the input; null for a shorter input. */
    selector: t.hex(),
    minedAt: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.tokenId, t.block, t.transactionIndex] }) }),
);

/** ERC-721 operator approvals (setApprovalForAll) of the identity token. */
export const operatorApproval = onchainTable(
  "operator_approval",
  (t) => ({
    owner: t.hex().notNull(),
    operator: t.hex().notNull(),
    approved: t.boolean().notNull(),
    updatedBlock: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.owner, t.operator] }) }),
);

/** Changes of a contract as a whole: ownership, upgrades, EIP-712 domain. */
export const contractEvent = onchainTable("contract_event", (t) => ({
  id: t.text().primaryKey(),
  contract: t.hex().notNull(),
  name: t.text().notNull(),
  args: t.jsonb().$type<Record<string, string>>().notNull(),
  block: t.int8({ mode: "number" }).notNull(),
  txHash: t.hex().notNull(),
}));

/** An EAS attestation by a configured attester under a configured schema. */
export const attestation = onchainTable(
  "attestation",
  (t) => ({
    uid: t.hex().primaryKey(),
    schema: t.hex().notNull(),
    attester: t.hex().notNull(),
    recipient: t.hex().notNull(),
    /** Raw ABI-encoded data of the attestation. */
    data: t.hex().notNull(),
    attestedAt: t.int8({ mode: "number" }).notNull(),
    /** Unix seconds; 0 = never expires. */
    expiresAt: t.int8({ mode: "number" }).notNull(),
    /** Unix seconds; 0 = not revoked. */
    revokedAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ recipientIdx: index().on(t.recipient, t.schema) }),
);

/** An agent of a canonical ERC-8004 identity registry. The registry address is part of the key: unofficial ones exist. */
export const erc8004Agent = onchainTable(
  "erc8004_agent",
  (t) => ({
    registry: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    owner: t.hex().notNull(),
    /** Null after an unset or a transfer. */
    agentWallet: t.hex(),
    agentUri: t.text().notNull(),
    registeredAt: t.int8({ mode: "number" }).notNull(),
    registeredBlock: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
    /** Feedback given and not revoked. */
    feedbackCount: t.integer().notNull(),
    updatedBlock: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.registry, t.agentId] }),
    ownerIdx: index().on(t.owner),
    walletIdx: index().on(t.agentWallet),
  }),
);

/** On-chain metadata of an ERC-8004 agent; empty bytes mean unset. A key longer than 512 characters is cut and ends in its digest. */
export const erc8004Metadata = onchainTable(
  "erc8004_metadata",
  (t) => ({
    registry: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    key: t.text().notNull(),
    value: t.hex().notNull(),
    updatedBlock: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.registry, t.agentId, t.key] }) }),
);

/**
 * Feedback of the ERC-8004 reputation registry. Endpoint, URI and hash exist only in the event. `registry` is the
 * identity registry of the rated agent, so that rows join `erc8004_agent`.
 */
export const erc8004Feedback = onchainTable(
  "erc8004_feedback",
  (t) => ({
    registry: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    client: t.hex().notNull(),
    feedbackIndex: t.bigint().notNull(),
    value: t.bigint().notNull(),
    valueDecimals: t.integer().notNull(),
    tag1: t.text().notNull(),
    tag2: t.text().notNull(),
    endpoint: t.text().notNull(),
    feedbackUri: t.text().notNull(),
    feedbackHash: t.hex().notNull(),
    revoked: t.boolean().notNull(),
    givenAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.registry, t.agentId, t.client, t.feedbackIndex] }),
    clientIdx: index().on(t.client, t.givenAt),
  }),
);

/** A response to feedback; anyone may respond, any number of times. */
export const erc8004Response = onchainTable(
  "erc8004_response",
  (t) => ({
    id: t.text().primaryKey(),
    registry: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    client: t.hex().notNull(),
    feedbackIndex: t.bigint().notNull(),
    responder: t.hex().notNull(),
    responseUri: t.text().notNull(),
    responseHash: t.hex().notNull(),
    respondedAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ feedbackIdx: index().on(t.registry, t.agentId, t.client, t.feedbackIndex) }),
);

/**
 * A validation that an agent's side has asked a validator for in the ERC-8004 validation registry, and its newest answer.
 * URIs exist only in the events. `registry` is the identity registry of the agent.
 */
export const erc8004Validation = onchainTable(
  "erc8004_validation",
  (t) => ({
    requestHash: t.hex().primaryKey(),
    registry: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    validator: t.hex().notNull(),
    requestUri: t.text().notNull(),
    requestedAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
    /** 0 to 100; null until the validator answers. */
    response: t.integer(),
    responseUri: t.text(),
    responseHash: t.hex(),
    tag: t.text(),
    respondedAt: t.int8({ mode: "number" }),
  }),
  (t) => ({ agentIdx: index().on(t.registry, t.agentId, t.requestedAt) }),
);

/** A completed handshake between two identity tokens. */
export const handshake = onchainTable(
  "handshake",
  (t) => ({
    id: t.text().primaryKey(),
    fromTokenId: t.int8({ mode: "number" }).notNull(),
    toTokenId: t.int8({ mode: "number" }).notNull(),
    completedAt: t.int8({ mode: "number" }).notNull(),
    block: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ fromIdx: index().on(t.fromTokenId), toIdx: index().on(t.toTokenId) }),
);

/** Current balances of the service token, in its smallest unit. */
export const serviceTokenBalance = onchainTable(
  "service_token_balance",
  (t) => ({
    holder: t.hex().primaryKey(),
    balanceUnits: t.bigint().notNull(),
    updatedBlock: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ balanceIdx: index().on(t.balanceUnits) }),
);

/** Kinds of changes, `<source>.<what>`. */
export type ChangeKind =
  | "agent.registered"
  | "agent.transferred"
  | "agent.approved"
  | "agent.verified"
  | "agent.exchange_verified"
  | "agent.mutated"
  | "agent.trait_added"
  | "agent.personality_set"
  | "agent.narrative_set"
  | "agent.name_registered"
  | "agent.name_transferred"
  | "agent.points_awarded"
  | "attestation.made"
  | "attestation.revoked"
  | "handshake.completed"
  | "erc8004.registered"
  | "erc8004.uri_updated"
  | "erc8004.metadata_set"
  | "erc8004.transferred"
  | "erc8004.feedback_given"
  | "erc8004.feedback_revoked"
  | "erc8004.response_appended"
  | "erc8004.validation_requested"
  | "erc8004.validation_answered";

/**
 * Append-only log of index changes, one row per chain event; the dispatcher turns rows into jobs and events.
 * A reorg removes a row and can add the same event again in another block, with another blockHash.
 */
export const indexChanges = onchainTable(
  "index_changes",
  (t) => ({
    /** Ponder's event id: sorts in chain order. An event about two tokens has a second row, whose id ends in `-to`. */
    id: t.text().primaryKey(),
    kind: t.text().$type<ChangeKind>().notNull(),
    /** The identity token; null for an event that is about no token. */
    tokenId: t.int8({ mode: "number" }),
    /** The wallet of an event that names a wallet and no token (attestations). */
    wallet: t.hex(),
    /** The ERC-8004 agent; null for other events. */
    agentId: t.bigint(),
    block: t.int8({ mode: "number" }).notNull(),
    blockHash: t.hex().notNull(),
    blockAt: t.int8({ mode: "number" }).notNull(),
    txHash: t.hex().notNull(),
  }),
  (t) => ({ blockIdx: index().on(t.block) }),
);
