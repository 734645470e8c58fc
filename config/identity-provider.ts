/** The identity provider that issues access tokens of humans. */
import { z } from "zod";
import { list, webUrl } from "./checks.ts";
import { ConfigError } from "./config-error.ts";
import { API, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Identity provider` in `.env.example`. */
export const IDENTITY_PROVIDER = {
  IDP_ISSUER: variable(API, "Issuer of access tokens (iss); unset: the service takes none", z.string().min(1)),
  IDP_AUDIENCE: variable(API, "Audience the tokens must be issued for (aud)", z.string().min(1)),
  IDP_JWKS_URL: variable(API, "Where the provider publishes its keys (JWKS)", webUrl),
  IDP_REQUIRED_CLAIMS: variable(
    API,
    "Further claims a token must have, comma list; tokens of Privy always need sid, which its identity tokens lack",
    list(z.string().min(1)),
    "",
  ),
} satisfies Record<string, Variable>;

/** Options of `identityProvider` in the configuration; undefined: the service takes no access tokens. @throws ConfigError */
export function identityProviderConfig(v: ValuesOf<typeof IDENTITY_PROVIDER>) {
  const { IDP_ISSUER: issuer, IDP_AUDIENCE: audience, IDP_JWKS_URL: jwksUrl, IDP_REQUIRED_CLAIMS: requiredClaims } = v;
  if (issuer && audience && jwksUrl) return { issuer, audience, jwksUrl, requiredClaims };
  if (issuer || audience || jwksUrl)
    throw new ConfigError("IDP_ISSUER, IDP_AUDIENCE and IDP_JWKS_URL belong together: set all of them or none");
  return undefined;
}
