/** The port of the identity provider. */

/** The identity provider of humans. Its access tokens name no wallet. */
export interface IdentityProvider {
  /**
   * The owner of an access token (a JWT): issuer and subject together are the principal.
   * @throws Failure unauthenticated for an invalid token; upstream_unavailable when the provider's keys cannot be
   *   fetched, which says nothing about the token
   */
  verify(accessToken: string, now: Date): Promise<{ issuer: string; subject: string }>;
}
