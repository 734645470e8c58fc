/**
 * The off-chain tables (schema `offchain`): what people and workers write, a file per subject. The chain's own facts are
 * in ponder.schema.ts, triggers and first rows in triggers.sql. After a change here: `npm run migration -- <name>`.
 */
export * from "./schema/agents.ts";
export * from "./schema/columns.ts";
export * from "./schema/cred.ts";
export * from "./schema/cred-epochs.ts";
export * from "./schema/cred-oracle.ts";
export * from "./schema/directory.ts";
export * from "./schema/directory-planes.ts";
export * from "./schema/discovery.ts";
export * from "./schema/events.ts";
export * from "./schema/messaging.ts";
export * from "./schema/offers.ts";
export * from "./schema/payments.ts";
export * from "./schema/principals.ts";
export * from "./schema/service.ts";
export * from "./schema/tokens.ts";
export * from "./schema/transactions.ts";
export * from "./schema/webhooks.ts";
