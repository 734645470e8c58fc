/** The identity provider that vouches for humans: its access tokens, checked against the keys it publishes (JWKS). */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { fail } from "../core/errors.ts";
import type { Http } from "./http.ts";
import type { IdentityProvider } from "./ports.ts";

export type IdentityProviderOptions = {
  issuer: string;
  audience: string;
  jwksUrl: string;
  /** Claims a token must have beyond sub, iat, exp and what is known to mark the issuer's access tokens. */
  requiredClaims: readonly string[];
};

/** Keys are asked for again after this long … */
const FRESH_MS = 600_000;
/** … and are still believed for this long when the provider cannot be asked. */
const BELIEVED_MS = 3_600_000;
/** How far the provider's clock may be from ours. */
const LEEWAY_SECONDS = 5;
const MAX_KEYS_BYTES = 65_536;
/** Characters of a token; longer ones are not read. */
const MAX_TOKEN = 8_192;
const MAX_SUBJECT = 255;
const MAX_AUDIENCES = 16;
/** A token issued longer ago is refused, whatever its own end: it outlives its session too long. */
const MAX_AGE_SECONDS = 86_400;
/** Claims that OpenID Connect gives to identity tokens only. */
const OF_IDENTITY_TOKENS = ["at_hash", "c_hash"];
/** Issuers whose identity tokens differ from their access tokens by the claims they lack. They are required always. */
const ACCESS_TOKEN_CLAIMS: Record<string, readonly string[]> = { "privy.io": ["sid"] };

/** The claims that mark an access token of an issuer, which may be written as a URL or be a subdomain. */
function accessTokenClaims(issuer: string): readonly string[] {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : issuer.toLowerCase();
  const known = Object.keys(ACCESS_TOKEN_CLAIMS).find((name) => host === name || host.endsWith(`.${name}`));
  return known === undefined ? [] : ACCESS_TOKEN_CLAIMS[known]!;
}

type Keys = { find: JWTVerifyGetKey; fetchedAt: number };

/**
 * Tokens are ES256 and nothing else. A key id that is not known yet makes the keys be fetched again, so that a rotation
 * needs no restart; how often, the provider's rate bounds: whoever invents key ids is told to come back later.
 */
export function createIdentityProvider(options: IdentityProviderOptions, http: Http): IdentityProvider {
  const { issuer, audience } = options;
  const requiredClaims = ["sub", "iat", "exp", ...accessTokenClaims(issuer), ...options.requiredClaims];
  const upstream = http.upstream({
    name: "The identity provider",
    baseUrl: options.jwksUrl,
    rate: { burst: 10, perSecond: 0.5 },
    maxBytes: MAX_KEYS_BYTES,
  });
  let keys: Keys | undefined;
  let fetching: Promise<Keys> | undefined;

  const fetchKeys = (now: number): Promise<Keys> => {
    fetching ??= upstream
      .ask({
        path: "",
        statuses: [200],
        // Throws for what is no key set, which is trouble of the provider.
        read: ({ json }) => ({ find: createLocalJWKSet(json as JSONWebKeySet), fetchedAt: now }),
      })
      .then((fetched) => {
        keys = fetched;
        return fetched;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };

  async function currentKeys(now: number): Promise<Keys> {
    if (keys && now - keys.fetchedAt < FRESH_MS) return keys;
    const known = keys && now - keys.fetchedAt < BELIEVED_MS ? keys : undefined;
    return fetchKeys(now).catch((error) => known ?? Promise.reject(error));
  }

  /** The key that a token names; asks the provider once more when it is not among those known. */
  const keyFor =
    (now: number): JWTVerifyGetKey =>
    async (header, token) => {
      const known = await currentKeys(now);
      try {
        return await known.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        const fetched = known === keys ? await fetchKeys(now) : keys!;
        return fetched.find(header, token);
      }
    };

  return {
    async verify(accessToken, now) {
      if (accessToken.length > MAX_TOKEN) return fail("unauthenticated", "The access token is longer than 8 KiB.");
      try {
        const { payload } = await jwtVerify(accessToken, keyFor(now.getTime()), {
          issuer,
          audience,
          algorithms: ["ES256"],
          requiredClaims,
          maxTokenAge: MAX_AGE_SECONDS,
          clockTolerance: LEEWAY_SECONDS,
          currentDate: now,
        });
        requireAccessToken(payload, requiredClaims);
        return { issuer, subject: subjectOf(payload) };
      } catch (error) {
        if (error instanceof errors.JWTExpired)
          return fail("unauthenticated", "The access token has expired.", { hint: "Get a new one and try again." });
        if (error instanceof errors.JWTClaimValidationFailed)
          return fail("unauthenticated", "The access token was not issued for this service, or not for now.");
        if (error instanceof errors.JOSEError) return fail("unauthenticated", "The access token is not valid.");
        throw error;
      }
    },
  };
}

/** What the library does not look at: the values of required claims, the audiences, and marks of an identity token. */
function requireAccessToken(payload: JWTPayload, requiredClaims: readonly string[]): void {
  const audiences = [payload.aud].flat();
  const odd =
    requiredClaims.some((claim) => payload[claim] === null || payload[claim] === "") ||
    audiences.length > MAX_AUDIENCES ||
    audiences.some((audience) => typeof audience !== "string") ||
    OF_IDENTITY_TOKENS.some((claim) => claim in payload);
  if (odd) fail("unauthenticated", "The token is no access token for this service.");
}

function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub === "string" && /^[\x21-\x7e]+$/.test(sub) && sub.length <= MAX_SUBJECT) return sub;
  return fail("unauthenticated", "The access token names nobody.");
}
