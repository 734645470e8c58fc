/** The service itself as the API shows it: discovery, health, status, statistics. */
import { array, looseObject, object, z } from "zod";
import { backfillSchema } from "../../core/views/backfill.ts";
import { address, count, moment, url, usdc } from "../../core/views/fields.ts";

const texts = z.record(z.string(), z.string());

const wayIn = object({
  type: z.string(),
  header: z.string(),
  message: z.string().meta({ description: "The text to sign; {words} in braces are filled in" }),
  expiry: z.string(),
});

export const pricingSchema = object({
  phase: z.enum(["free", "paid"]),
  currency: z.string(),
  agentMint: usdc,
  solanaRegistration: usdc,
  credReport: usdc,
  update: usdc,
  soulLock: usdc,
  soulHandshake: usdc,
}).meta({ id: "Pricing" });

const directMintSchema = object({
  contract: address,
  function: z.string().meta({ description: "To be called with the price as its value" }),
  chainId: z.int(),
  currency: z.literal("ETH"),
  price: z.string().nullable().meta({ description: "Decimal; null while the contract cannot be read" }),
}).meta({ description: "The contract's own payable mint" });

export const discoverySchema = object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  contract: address,
  contractDeployed: z.boolean(),
  network: z.string(),
  chainId: z.int(),
  explorer: url.meta({ description: "Base URL of the chain's explorer" }),
  auth: object({
    type: z.string(),
    agent: wayIn,
    human: wayIn,
    ownerUpdate: object({ message: z.string(), digest: z.string(), expiry: z.string() }).meta({
      description: "What an owner signs to change an agent without signing in, bound to the change",
    }),
    identityProvider: object({ name: z.string(), issuer: url }).nullable().meta({
      description:
        "Where people without a wallet sign in by redirect (GET /api/v2/auth/identity-provider); null where none is configured",
    }),
  }),
  endpoints: object({ public: texts, authenticated: texts }),
  aliases: texts.meta({ description: "Further paths, each with its original path" }),
  pricing: pricingSchema,
  payments: object({
    methods: array(
      object({
        protocol: z.string(),
        status: z.enum(["available", "planned"]),
        chain: z.int(),
        currency: z.string(),
        asset: address.optional().meta({ description: "The token's contract, where this service takes it itself" }),
        endpoints: array(z.string()),
        directMint: directMintSchema.optional(),
      }),
    ),
    pricing: pricingSchema,
  }),
  receipts: object({
    algorithm: z.literal("EIP-712"),
    signer: address.nullable().meta({ description: "null while the service has no key to sign with" }),
    formerSigners: array(address).meta({ description: "Signers before it, whose receipts still count" }),
  }).meta({ description: "Who signs the receipts of cred reports" }),
  documentation: object({ openapi: url, html: url }),
}).meta({ id: "Discovery" });

export const healthSchema = object({
  status: z.literal("ok"),
  version: z.literal("v2"),
  port: z.int(),
  contractDeployed: z.boolean(),
}).meta({ id: "Health" });

const dependency = object({ ok: z.boolean(), message: z.string().nullable() });
export const readySchema = object({
  ready: z.boolean(),
  checks: object({ database: dependency, index: dependency, chain: dependency, queues: dependency }),
}).meta({ id: "Ready" });

export const statusSchema = object({
  chain: object({
    head: count.nullable().meta({ description: "null while the chain cannot be read" }),
    indexed: count.nullable(),
    lagSeconds: z.number().min(0).nullable(),
    synced: z.boolean(),
    difference: z
      .string()
      .nullable()
      .meta({ description: "What the index lacks, or has wrong, of its chain; null: nothing known" }),
    progress: z.number().min(0).max(1),
  }),
  sources: array(
    object({
      key: z.string(),
      lastSuccessAt: moment.nullable(),
      nextRunAt: moment,
      rows: count.nullable(),
      error: z.string().nullable().meta({ description: "Why the last attempt stopped" }),
      note: z.string().nullable().meta({ description: "What an operator may want to know of a registry" }),
      quarantined: count
        .nullable()
        .meta({ description: "Items of a registry that could not be read or stored, and are left out" }),
      progress: object({ done: count, expected: count.nullable() })
        .nullable()
        .meta({ description: "Items of the pull that is under way" }),
    }),
  ),
  queues: array(
    object({
      name: z.string(),
      waiting: count,
      active: count,
      failed: count,
      oldestSeconds: z.number().min(0).nullable(),
    }),
  ),
  cred: object({
    stale: count.meta({ description: "Scores that are not those of their agent's present state, or are missing" }),
    lastSweepAt: moment.nullable(),
    epoch: object({
      number: count,
      root: z.string(),
      leaves: count,
      contract: z.string(),
      transaction: z.string().nullable(),
      computedAt: moment.meta({ description: "When the scores were read" }),
      publishedAt: moment.nullable(),
    })
      .nullable()
      .meta({ description: "The newest root of all scores that is on chain; null while there is none" }),
  }),
  backfill: backfillSchema
    .nullable()
    .meta({ description: "The indexer's own work; null while no indexer has run on this database" }),
  tokenUris: object({
    without: count.meta({ description: "Tokens whose tokenURI is empty, as far as the chain was read" }),
  }),
}).meta({ id: "Status" });

export const statsSchema = object({
  totalAgents: count,
  totalVerified: count,
  totalSoulLocked: count,
  totalHandshakes: count,
  avgCredScore: z.number().min(0).max(100),
  totalHumans: count,
  totalOrganizations: count,
  mintPrice: z.string().nullable().meta({ description: "ETH, decimal; null while the contract cannot be read" }),
  network: z.string(),
  chainId: z.int(),
  contract: address,
  contractDeployed: z.boolean(),
  phase: z.int(),
}).meta({ id: "Stats" });

export const manifestSchema = object({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  chain: z.literal("base"),
  chainId: z.int(),
  contract: address,
  standards: array(z.string()),
  capabilities: array(z.string()),
  endpoints: object({
    api: url,
    mcp: url,
    a2a: url,
    agentCard: url,
    x402: url,
    agents: url,
    mint: url,
    metadata: z.string().meta({ description: "Template: {id} is the token id" }),
    openapi: url,
    website: url,
    docs: url,
  }),
  pricing: pricingSchema,
  auth: discoverySchema.shape.auth,
  social: z.record(z.string(), z.string()).meta({ description: "The service's own accounts, by platform" }),
}).meta({ id: "AgentRegistryManifest" });

export const pricesSchema = object({
  ...pricingSchema.shape,
  directMint: directMintSchema,
}).meta({ id: "Prices" });

export const tokenStatsSchema = object({
  holders: count.meta({ description: "Wallets with a balance above 0" }),
  updatedAt: count.meta({ description: "When they were counted, milliseconds since the epoch; 0 = never yet" }),
}).meta({ id: "TokenStats" });

export const errorSchema = looseObject({
  error: z.string().meta({ description: "A plain sentence" }),
  code: z.string().meta({ description: "A stable word for programs", examples: ["not_found"] }),
  requestId: z.string().meta({ description: "Names this request in our log; also in X-Request-Id" }),
  details: array(object({ path: z.string(), message: z.string() })).optional(),
  hint: z.string().optional().meta({ description: "What the caller can do about it" }),
}).meta({ id: "Error" });
