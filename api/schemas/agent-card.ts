/** The A2A agent card: the fields of protocol version 0.3, and the list of interfaces that version 1.0 reads. */
import { z } from "zod";
import { url } from "../../core/views/fields.ts";

const skill = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()),
  inputModes: z.array(z.string()),
  outputModes: z.array(z.string()),
});

export const agentCardSchema = z
  .object({
    protocolVersion: z.literal("0.3.0"),
    name: z.string(),
    description: z.string(),
    url: url.meta({ description: "Where A2A is spoken" }),
    preferredTransport: z.literal("JSONRPC"),
    additionalInterfaces: z.array(z.object({ url, transport: z.string() })),
    supportedInterfaces: z.array(z.object({ url, protocolBinding: z.string(), protocolVersion: z.string() })),
    provider: z.object({ organization: z.string(), url }),
    version: z.string(),
    documentationUrl: url,
    iconUrl: url,
    capabilities: z.object({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      stateTransitionHistory: z.boolean(),
      extendedAgentCard: z.boolean(),
    }),
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(skill),
    supportsAuthenticatedExtendedCard: z.literal(false),
    signatures: z
      .array(z.object({ protected: z.string(), signature: z.string() }))
      .optional()
      .meta({
        description:
          "JWS (RFC 7515) over the card's canonical form (RFC 8785): one of its members of version 1.0, one of all that is sent, both without `signatures`. Absent while the service has no key.",
      }),
  })
  .meta({ id: "AgentCard" });

const coordinate = z.string().meta({ description: "32 bytes, base64url" });
export const jsonWebKeySetSchema = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("EC"),
        crv: z.literal("P-256"),
        x: coordinate,
        y: coordinate,
        kid: z.string().meta({ description: "Thumbprint (RFC 7638)" }),
        alg: z.literal("ES256"),
        use: z.literal("sig"),
      }),
    ),
  })
  .meta({ id: "JsonWebKeySet" });
