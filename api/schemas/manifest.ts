/** The service as machines find it: manifest, prices, numbers of its token. */
import { z } from "zod";
import { address, count, url } from "../../core/views/fields.ts";
import { directMintSchema, discoverySchema, pricingSchema } from "./service.ts";

export const manifestSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    chain: z.literal("base"),
    chainId: z.int(),
    contract: address,
    standards: z.array(z.string()),
    capabilities: z.array(z.string()),
    endpoints: z.object({
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
  })
  .meta({ id: "AgentRegistryManifest" });

export const pricesSchema = z
  .object({
    ...pricingSchema.shape,
    directMint: directMintSchema,
  })
  .meta({ id: "Prices" });

export const tokenStatsSchema = z
  .object({
    holders: count.meta({ description: "Wallets with a balance above 0" }),
    updatedAt: count.meta({ description: "When they were counted, milliseconds since the epoch; 0 = never yet" }),
  })
  .meta({ id: "TokenStats" });
