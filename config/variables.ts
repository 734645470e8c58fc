/** Every environment variable of the service, by subject. `.env.example` and compose.yaml are generated from this list. */
import { BUDGETS } from "./budgets.ts";
import { CHAIN } from "./chain.ts";
import { CONTRACTS } from "./contracts.ts";
import { EMBEDDINGS } from "./embeddings.ts";
import { IDENTITY_PROVIDER } from "./identity-provider.ts";
import { KEYS } from "./keys.ts";
import { LIMITS } from "./limits.ts";
import { EVENTS, MESSAGES, WEBHOOKS } from "./messages.ts";
import { OPERATIONS } from "./operations.ts";
import { PRICING } from "./pricing.ts";
import { SERVICE } from "./service.ts";
import { STORAGE } from "./storage.ts";
import { TESTING } from "./testing.ts";
import { PROXY, UPSTREAMS } from "./upstreams.ts";
import type { ValuesOf, Variable } from "./variable.ts";

/** The subjects in the order of `.env.example`. */
export const GROUPS: Record<string, Record<string, Variable>> = {
  Service: SERVICE,
  Operations: OPERATIONS,
  Storage: STORAGE,
  Chain: CHAIN,
  Contracts: CONTRACTS,
  Keys: KEYS,
  Limits: LIMITS,
  Budgets: BUDGETS,
  Events: EVENTS,
  Webhooks: WEBHOOKS,
  Messaging: MESSAGES,
  "Identity provider": IDENTITY_PROVIDER,
  Upstreams: UPSTREAMS,
  Proxy: PROXY,
  Embeddings: EMBEDDINGS,
  Pricing: PRICING,
  Testing: TESTING,
};

export const VARIABLES = {
  ...SERVICE,
  ...OPERATIONS,
  ...STORAGE,
  ...CHAIN,
  ...CONTRACTS,
  ...KEYS,
  ...LIMITS,
  ...BUDGETS,
  ...EVENTS,
  ...WEBHOOKS,
  ...MESSAGES,
  ...IDENTITY_PROVIDER,
  ...UPSTREAMS,
  ...PROXY,
  ...EMBEDDINGS,
  ...PRICING,
  ...TESTING,
};

export type VariableName = keyof typeof VARIABLES;
export type Values = ValuesOf<typeof VARIABLES>;
