/** Documents at fixed paths by which programs find a service's protocols. */
import { array, looseObject, object, z } from "zod";
import { address, url } from "../../core/views/fields.ts";
import { pricingSchema } from "./service.ts";

const jsonSchema = looseObject({}).meta({ description: "JSON Schema" });

export const mcpServerCardSchema = object({
  name: z.string().meta({ description: "Reverse DNS name of the host, and the server's name" }),
  title: z.string(),
  version: z.string(),
  description: z.string(),
  websiteUrl: url,
  documentationUrl: url,
  protocolVersion: z.string(),
  serverInfo: object({ name: z.string(), version: z.string(), description: z.string(), websiteUrl: url }),
  transport: object({ type: z.literal("streamable-http"), endpoint: z.string() }),
  remotes: array(object({ type: z.literal("streamable-http"), url, supportedProtocolVersions: array(z.string()) })),
  capabilities: object({ tools: object({}) }),
  authentication: object({ required: z.literal(false) }),
  instructions: z.string(),
  tools: array(object({ name: z.string(), title: z.string(), description: z.string(), inputSchema: jsonSchema })),
}).meta({ id: "McpServerCard" });

const accepted = object({
  scheme: z.literal("exact"),
  network: z.string().meta({ description: "CAIP-2" }),
  amount: z.string().meta({ description: "In the token's units" }),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.int(),
  extra: object({ name: z.string(), version: z.string() }),
});

export const x402ManifestSchema = object({
  version: z.literal(1).meta({ description: "Of the list `resources`" }),
  x402Version: z.literal(2),
  resources: array(z.string()).meta({
    description: "URLs of what is paid for, each as it can be requested without a credential",
  }),
  items: array(
    object({
      type: z.literal("http"),
      resource: object({
        url: z.string(),
        description: z.string(),
        serviceName: z.string(),
        mimeType: z.literal("application/json"),
      }),
      accepts: array(accepted).meta({ description: "Today's terms; those of the 402 are the ones that count" }),
      input: looseObject({ method: z.string(), routeTemplate: z.string() }),
      output: object({ mimeType: z.literal("application/json"), schema: jsonSchema }),
      requires: array(z.string()).meta({ description: "Credentials beside the payment" }),
    }),
  ),
  pricing: pricingSchema,
  instructions: z.string(),
}).meta({ id: "X402Manifest" });

export const agentRegistrationSchema = object({
  type: z.literal("https://eips.ethereum.org/EIPS/eip-8004#registration-v1"),
  name: z.string(),
  description: z.string(),
  image: url,
  services: array(object({ name: z.string(), endpoint: url, version: z.string().optional() })),
  x402Support: z.boolean(),
  active: z.literal(true),
  registrations: array(object({ agentId: z.int().min(0), agentRegistry: z.string() })).meta({
    description: "The service's own agents in the registry, which this file proves to be this host's",
  }),
  supportedTrust: array(z.string()),
}).meta({ id: "AgentRegistration" });
