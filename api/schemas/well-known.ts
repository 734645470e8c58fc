/** Documents at fixed paths by which programs find a service's protocols. */
import { z } from "zod";
import { address, url } from "../../core/views/fields.ts";
import { pricingSchema } from "./service.ts";

const jsonSchema = z.looseObject({}).meta({ description: "JSON Schema" });

export const mcpServerCardSchema = z
  .object({
    name: z.string().meta({ description: "Reverse DNS name of the host, and the server's name" }),
    title: z.string(),
    version: z.string(),
    description: z.string(),
    websiteUrl: url,
    documentationUrl: url,
    protocolVersion: z.string(),
    serverInfo: z.object({ name: z.string(), version: z.string(), description: z.string(), websiteUrl: url }),
    transport: z.object({ type: z.literal("streamable-http"), endpoint: z.string() }),
    remotes: z.array(
      z.object({ type: z.literal("streamable-http"), url, supportedProtocolVersions: z.array(z.string()) }),
    ),
    capabilities: z.object({ tools: z.object({}) }),
    authentication: z.object({ required: z.literal(false) }),
    instructions: z.string(),
    tools: z.array(z.object({ name: z.string(), title: z.string(), description: z.string(), inputSchema: jsonSchema })),
  })
  .meta({ id: "McpServerCard" });

const accepted = z.object({
  scheme: z.literal("exact"),
  network: z.string().meta({ description: "CAIP-2" }),
  amount: z.string().meta({ description: "In the token's units" }),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.int(),
  extra: z.object({ name: z.string(), version: z.string() }),
});

export const x402ManifestSchema = z
  .object({
    version: z.literal(1).meta({ description: "Of the list `resources`" }),
    x402Version: z.literal(2),
    resources: z
      .array(z.string())
      .meta({ description: "URLs of what is paid for, each as it can be asked without a credential" }),
    items: z.array(
      z.object({
        type: z.literal("http"),
        resource: z.object({
          url: z.string(),
          description: z.string(),
          serviceName: z.string(),
          mimeType: z.literal("application/json"),
        }),
        accepts: z.array(accepted).meta({ description: "Today's terms; those of the 402 are the ones that count" }),
        input: z.looseObject({ method: z.string(), routeTemplate: z.string() }),
        output: z.object({ mimeType: z.literal("application/json"), schema: jsonSchema }),
        requires: z.array(z.string()).meta({ description: "Credentials beside the payment" }),
      }),
    ),
    pricing: pricingSchema,
    instructions: z.string(),
  })
  .meta({ id: "X402Manifest" });

export const agentRegistrationSchema = z
  .object({
    type: z.literal("https://eips.ethereum.org/EIPS/eip-8004#registration-v1"),
    name: z.string(),
    description: z.string(),
    image: url,
    services: z.array(z.object({ name: z.string(), endpoint: url, version: z.string().optional() })),
    x402Support: z.boolean(),
    active: z.literal(true),
    registrations: z
      .array(z.object({ agentId: z.int().min(0), agentRegistry: z.string() }))
      .meta({ description: "The service's own agents in the registry, which this file proves to be this host's" }),
    supportedTrust: z.array(z.string()),
  })
  .meta({ id: "AgentRegistration" });
