/**
 * The off-chain tables (schema `offchain`): what people and workers write, a file per subject. The chain's own facts are
 * in ponder.schema.ts, triggers and first rows in triggers.sql. After a change here: `npm run generate -- migration <name>`.
 */
export * from "./agents.ts";
export * from "./columns.ts";
export * from "./commerce.ts";
export * from "./cred.ts";
export * from "./directory.ts";
export * from "./directory-planes.ts";
export * from "./discovery.ts";
export * from "./events.ts";
export * from "./income.ts";
export * from "./messages.ts";
export * from "./offers.ts";
export * from "./payments.ts";
export * from "./principals.ts";
export * from "./reviews.ts";
export * from "./service.ts";
export * from "./tokens.ts";
export * from "./transactions.ts";
export * from "./webhooks.ts";
