/** The identity provider of humans: checks its access tokens against the keys it publishes (JWKS). */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { fail } from "../core/errors.ts";
import type { Http } from "./http.ts";
import type { IdentityProvider } from "./ports.ts";
import { refreshedAnswer } from "./refreshed-answer.ts";

export type IdentityProviderOptions = {
  issuer: string;
  audience: string;
  jwksUrl: string;
  /** Claims a token must have in addition to sub, iat, exp and the claims that mark the issuer's access tokens. */
  requiredClaims: readonly string[];
};

/** Keys are fetched again after 10 minutes. */
const KEYS_FRESH_MS = 600_000;
/** While the provider is unavailable, keys stay valid for one hour after they were fetched. */
const KEYS_USABLE_MS = 3_600_000;
/** Max seconds between the provider's clock and the server's. */
const LEEWAY_SECONDS = 5;
const MAX_KEYS_BYTES = 65_536;
/** Max characters of a token; longer ones are refused unread. */
const MAX_TOKEN = 8_192;
const MAX_SUBJECT = 255;
const MAX_AUDIENCES = 16;
/** Max age of a token in seconds, even if it expires later: it would outlive its session too long. */
const MAX_AGE_SECONDS = 86_400;
/** Claims that OpenID Connect defines for identity tokens only. */
const OF_IDENTITY_TOKENS = ["at_hash", "c_hash"];
/** Claims by issuer that its access tokens have and its identity tokens lack. They are always required. */
const ACCESS_TOKEN_CLAIMS: Record<string, readonly string[]> = { "privy.io": ["sid"] };

/** The claims that mark an access token of an issuer. The issuer may be a URL or a subdomain. */
function accessTokenClaims(issuer: string): readonly string[] {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : issuer.toLowerCase();
  const provider = Object.keys(ACCESS_TOKEN_CLAIMS).find((name) => host === name || host.endsWith(`.${name}`));
  return provider === undefined ? [] : ACCESS_TOKEN_CLAIMS[provider]!;
}

/**
 * Accepts ES256 tokens only. An unknown key id causes a new fetch of the keys, so a rotation needs no restart. The
 * provider's rate limits these fetches: a caller who sends invented key ids is refused with a time to retry.
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
  const keys = refreshedAnswer(
    () =>
      upstream.ask({
        path: "",
        statuses: [200],
        // Throws when the answer is not a key set, which counts as an error of the provider.
        read: ({ json }) => createLocalJWKSet(json as JSONWebKeySet),
      }),
    { freshMs: KEYS_FRESH_MS, usableMs: KEYS_USABLE_MS },
  );

  /** The key that a token names; fetches the keys once more when it is unknown. */
  const keyFor =
    (now: number): JWTVerifyGetKey =>
    async (header, token) => {
      const keySet = await keys.current(now);
      try {
        return await keySet(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await keys.newerThan(keySet, now))(header, token);
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

/** Checks that the library omits: values of required claims, audiences, and the marks of an identity token. */
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
