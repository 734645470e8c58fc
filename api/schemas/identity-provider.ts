/** The identity provider as the API shows it to those who sign in there by redirect. */
import { z } from "zod";
import { url } from "../../core/views/fields.ts";

export const identityProviderSchema = z
  .object({
    name: z.string().meta({ description: "For the button people sign in by" }),
    issuer: url,
    clientId: z.string().meta({ description: "A public client: it has no secret" }),
    scope: z.string(),
    parameters: z
      .record(z.string(), z.string())
      .meta({ description: "Further parameters of the authorization request: they name the audience of the token" }),
    authorizationEndpoint: url,
    tokenEndpoint: url,
    revocationEndpoint: url.nullable(),
    issInResponse: z
      .boolean()
      .meta({ description: "Whether every answer of the authorization endpoint has to name its issuer (RFC 9207)" }),
  })
  .meta({ id: "IdentityProvider" });
