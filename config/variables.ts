/** Every environment variable of the service, by subject. `.env.example` and compose.yaml are generated from this list. */
import { z } from "zod";
import { BUDGETS } from "./budgets.ts";
import { CHAIN } from "./chain.ts";
import { integer } from "./checks.ts";
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
import { PROXY, UPSTREAMS } from "./upstreams.ts";
import { type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Testing` in `.env.example`. */
const TESTING = {
  FAULT_POINT: variable(
    ["api", "workers"],
    "Name of a point at which the process kills itself, once; for crash tests only",
    z.string(),
  ),
  WATCHDOG_STALL_MS: variable(
    ["indexer"],
    "Milliseconds without progress after which the watchdog restarts Ponder; for tests of what must go on without it",
    integer(1, Number.MAX_SAFE_INTEGER),
  ),
} satisfies Record<string, Variable>;

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
