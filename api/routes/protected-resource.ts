/** Who gives out the access tokens that this API accepts of people (RFC 9728); absent while no identity provider is configured. */
import { z } from "zod";
import { Failure } from "../../core/errors.ts";
import { url } from "../../core/views/fields.ts";
import { CACHE, endpoint } from "../endpoint.ts";

export const protectedResource = endpoint({
  path: "/.well-known/oauth-protected-resource",
  operationId: "getProtectedResource",
  tag: "Authentication",
  summary: "The authorization server whose access tokens people sign in with",
  description: "RFC 9728. Agents and wallets need none: they sign in by a signature (`GET /api/v2`).",
  responses: {
    200: {
      description: "The metadata",
      schema: z
        .object({
          resource: url,
          authorization_servers: z.array(url),
          bearer_methods_supported: z.array(z.literal("header")),
          resource_name: z.string(),
          resource_documentation: url,
        })
        .meta({ id: "ProtectedResource" }),
    },
  },
  errors: ["not_found"],
  cache: CACHE.release,
  handler({ deps: { config } }, json) {
    const { identityProvider, service } = config;
    if (!identityProvider)
      throw new Failure("not_found", "This service accepts no access tokens: sign in with a wallet.", {
        hint: "GET /api/v2 shows the text to sign.",
      });
    return json({
      resource: service.publicUrl,
      authorization_servers: [identityProvider.issuer],
      bearer_methods_supported: ["header"],
      resource_name: service.name,
      resource_documentation: `${service.publicUrl}/docs/guide/signing-in`,
    });
  },
});
