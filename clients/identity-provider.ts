/** The identity provider that vouches for humans: its access tokens, checked against the keys it publishes (JWKS). */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { fail } from "../core/errors.ts";
import type { Http } from "./http.ts";
import type { IdentityProvider } from "./ports.ts";

export type IdentityProviderOptions = {
  issuer: string;
  audience: string;
  jwksUrl: string;
  /** Claims a token must have beyond sub, iat and exp. */
  requiredClaims: readonly string[];
};

/** Keys are asked for again after this long … */
const FRESH_MS = 600_000;
/** … and are still believed for this long when the provider cannot be asked. */
const BELIEVED_MS = 3_600_000;
/** How far the provider's clock may be from ours. */
const LEEWAY_SECONDS = 5;
const MAX_KEYS_BYTES = 65_536;
const MAX_SUBJECT = 255;

type Keys = { find: JWTVerifyGetKey; fetchedAt: number };

/**
 * Tokens are ES256 and nothing else. A key id that is not known yet makes the keys be fetched again, so that a rotation
 * needs no restart; how often, the provider's rate bounds: whoever invents key ids is told to come back later.
 */
export function createIdentityProvider(options: IdentityProviderOptions, http: Http): IdentityProvider {
  const { issuer, audience, requiredClaims } = options;
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
      try {
        const { payload } = await jwtVerify(accessToken, keyFor(now.getTime()), {
          issuer,
          audience,
          algorithms: ["ES256"],
          requiredClaims: ["sub", "iat", "exp", ...requiredClaims],
          clockTolerance: LEEWAY_SECONDS,
          currentDate: now,
        });
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

function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub === "string" && /^[\x21-\x7e]+$/.test(sub) && sub.length <= MAX_SUBJECT) return sub;
  return fail("unauthenticated", "The access token names nobody.");
}
