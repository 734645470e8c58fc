/** The identity provider that issues access tokens of humans. */
import { z } from "zod";
import { list, webUrl } from "./checks.ts";
import { ConfigError, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Identity provider` in `.env.example`. */
export const IDENTITY_PROVIDER = {
  IDP_ISSUER: variable(["api"], "Issuer of access tokens (iss); unset: the service takes none", z.string().min(1)),
  IDP_AUDIENCE: variable(["api"], "Audience the tokens must be issued for (aud)", z.string().min(1)),
  IDP_JWKS_URL: variable(["api"], "Where the provider publishes its keys (JWKS)", webUrl),
  IDP_REQUIRED_CLAIMS: variable(
    ["api"],
    "Further claims a token must have, comma list; tokens of Privy always need sid, which its identity tokens lack",
    list(z.string().min(1)),
    "",
  ),
  IDP_CLIENT_ID: variable(
    ["api"],
    "Client id of the web terminal at the provider: a public client without a secret (authorization code, PKCE) whose redirect URI is WEB_URL/people/return. The provider is found by IDP_ISSUER/.well-known/openid-configuration (unset: people paste an access token)",
    z.string().min(1).max(256),
  ),
  IDP_NAME: variable(
    ["api"],
    "Name of the provider on the button people sign in by (default the host of IDP_ISSUER)",
    z.string().min(1).max(40),
  ),
  IDP_SCOPE: variable(
    ["api"],
    "Scopes the terminal asks the provider for, separated by spaces",
    z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, "must be scopes separated by one space"),
    "openid",
  ),
  IDP_AUDIENCE_PARAMETER: variable(
    ["api"],
    "Parameter by which the terminal asks the provider for a token of IDP_AUDIENCE: resource (RFC 8707) or audience (Auth0) (unset: the client's registration decides)",
    z.enum(["resource", "audience"]),
  ),
} satisfies Record<string, Variable>;

/** Options of `identityProvider` in the configuration; undefined: the service takes no access tokens. @throws ConfigError */
export function identityProviderConfig(v: ValuesOf<typeof IDENTITY_PROVIDER>) {
  const { IDP_ISSUER: issuer, IDP_AUDIENCE: audience, IDP_JWKS_URL: jwksUrl, IDP_REQUIRED_CLAIMS: requiredClaims } = v;
  if (issuer && audience && jwksUrl)
    return { issuer, audience, jwksUrl, requiredClaims, client: clientConfig(v, issuer) };
  if (issuer || audience || jwksUrl)
    throw new ConfigError("IDP_ISSUER, IDP_AUDIENCE and IDP_JWKS_URL belong together: set all of them or none");
  if (v.IDP_CLIENT_ID) throw new ConfigError("IDP_CLIENT_ID needs IDP_ISSUER, IDP_AUDIENCE and IDP_JWKS_URL");
  return undefined;
}

/** The terminal as a client of the provider; undefined: people paste an access token. @throws ConfigError */
function clientConfig(v: ValuesOf<typeof IDENTITY_PROVIDER>, issuer: string) {
  if (!v.IDP_CLIENT_ID) return undefined;
  if (!webUrl.safeParse(issuer).success)
    throw new ConfigError(
      "IDP_CLIENT_ID needs an IDP_ISSUER that is a URL: the provider's endpoints are found below it",
    );
  return {
    id: v.IDP_CLIENT_ID,
    name: v.IDP_NAME ?? new URL(issuer).host,
    scope: v.IDP_SCOPE,
    audienceParameter: v.IDP_AUDIENCE_PARAMETER,
  };
}
