/** The ports of the identity provider: its access tokens, and its authorization server. */

/** The identity provider of humans. Its access tokens name no wallet. */
export interface IdentityProvider {
  /**
   * The owner of an access token (a JWT): issuer and subject together are the principal.
   * @throws Failure unauthenticated for an invalid token; upstream_unavailable when the provider's keys cannot be
   *   fetched, which says nothing about the token
   */
  verify(accessToken: string, now: Date): Promise<{ issuer: string; subject: string }>;
}

/** What a public client needs of an authorization server, checked. Names of RFC 8414; URLs are https, or of the issuer's own origin. */
export type AuthorizationServerMetadata = {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Null where tokens cannot be revoked (RFC 7009). */
  revocationEndpoint: string | null;
  /** Whether every answer of the authorization endpoint names its issuer (RFC 9207). */
  issInResponse: boolean;
};

/** The authorization server people sign in at by redirect. */
export interface AuthorizationServer {
  /** @throws Failure upstream_unavailable */
  metadata(now: Date): Promise<AuthorizationServerMetadata>;
  /** The metadata as far as they are known, without waiting; old or missing ones are fetched meanwhile. */
  known(now: Date): AuthorizationServerMetadata | null;
}
