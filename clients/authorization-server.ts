/** The authorization server of the identity provider, by the metadata it publishes (OpenID Connect Discovery 1.0, RFC 8414). */
import { array, object, z } from "zod";
import { urlOf } from "../core/urls.ts";
import type { Http } from "./http.ts";
import type { AuthorizationServer, AuthorizationServerMetadata } from "./ports.ts";
import { refreshedAnswer } from "./refreshed-answer.ts";

/** Metadata are fetched again after 10 minutes, and used for an hour while the provider is unavailable. */
const AGES = { freshMs: 600_000, usableMs: 3_600_000 };
const MAX_METADATA_BYTES = 65_536;
/** Other characters could end a directive of the page's Content-Security-Policy, which names these hosts. */
const HOST = /^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/;

/** @param options.issuer a URL */
export function createAuthorizationServer({ issuer }: { issuer: string }, http: Http): AuthorizationServer {
  const upstream = http.upstream({
    name: "The identity provider",
    baseUrl: issuer,
    rate: { burst: 10, perSecond: 0.5 },
    maxBytes: MAX_METADATA_BYTES,
  });
  const metadata = metadataOf(issuer);
  const answer = refreshedAnswer(
    () =>
      upstream.ask({
        path: "/.well-known/openid-configuration",
        statuses: [200],
        read: ({ json }) => metadata.parse(json),
      }),
    AGES,
  );
  return {
    metadata: (now) => answer.current(now.getTime()),
    known: (now) => answer.known(now.getTime()),
  };
}

/** Checks the document: it is of this issuer, its endpoints are safe to send a browser to, and it takes PKCE by S256. */
function metadataOf(issuer: string) {
  const { origin } = new URL(issuer);
  const endpoint = z.string().refine((text) => {
    const url = urlOf(text);
    return url !== null && (url.protocol === "https:" || url.origin === origin) && HOST.test(url.hostname);
  }, "must be an https URL, or one of the issuer's own origin");
  return object({
    issuer: z.literal(issuer),
    authorization_endpoint: endpoint,
    token_endpoint: endpoint,
    revocation_endpoint: endpoint.nullish(),
    // Several providers take PKCE and do not list it.
    code_challenge_methods_supported: array(z.string())
      .refine((methods) => methods.includes("S256"), "must include S256")
      .nullish(),
    authorization_response_iss_parameter_supported: z.boolean().nullish(),
  }).transform(
    (document): AuthorizationServerMetadata => ({
      issuer,
      authorizationEndpoint: document.authorization_endpoint,
      tokenEndpoint: document.token_endpoint,
      revocationEndpoint: document.revocation_endpoint ?? null,
      issInResponse: document.authorization_response_iss_parameter_supported === true,
    }),
  );
}
