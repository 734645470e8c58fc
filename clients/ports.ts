/** The outside world as the workers and the API see it: one small interface per system, implemented in this folder. */
export type * from "./ports/chain.ts";
export type * from "./ports/embeddings.ts";
export type * from "./ports/identity.ts";
export type * from "./ports/index-queries.ts";
export type * from "./ports/inspection.ts";
export type * from "./ports/meter.ts";
export type * from "./ports/payments.ts";
export type * from "./ports/pulled.ts";
export type * from "./ports/request-signer.ts";
export type * from "./ports/social-proofs.ts";
export type * from "./ports/webhooks.ts";
