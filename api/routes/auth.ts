/**
 * Credentials themselves: where people get them, and ending them.
 * Check then write: now, then the upsert of a revocation; a parallel one may come: `greatest` never moves back.
 */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { firstDateAfterRevocation, HOW_TO_SIGN_IN } from "../../core/callers/wallet-credential.ts";
import { fail } from "../../core/errors.ts";
import { address, moment } from "../../core/views/fields.ts";
import { revokeBefore } from "../../db/callers/revocations.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { identityProviderSchema } from "../schemas/identity-provider.ts";

export const revoke = endpoint({
  method: "post",
  path: "/api/v2/auth/revoke",
  operationId: "revokeCredentials",
  tag: "Authentication",
  summary: "End every credential of the calling wallet that is good now",
  description:
    "SIWA and SIWE alike, those dated ahead of the clock and the one of this very request included, in every process of the service at once. A new credential has to be dated `revokedBefore` or later. That is five minutes and a millisecond from now, and dates up to five minutes ahead are accepted: the wallet can sign in again at once with that date, or with the present time five minutes later.",
  guard: { caller: "siwa" },
  responses: {
    200: {
      description: "Ended",
      schema: z.object({
        success: z.literal(true),
        address,
        revokedBefore: moment.meta({ description: "Credentials dated before this are over; date the next one so" }),
      }),
    },
  },
  async handler({ deps, caller, now }, json) {
    const before = await revokeBefore(deps.db, {
      wallet: caller.wallet,
      before: new Date(firstDateAfterRevocation(now)),
    });
    return json({ success: true, address: checksum(caller.wallet), revokedBefore: before.toISOString() });
  },
});

export const identityProvider = endpoint({
  path: "/api/v2/auth/identity-provider",
  operationId: "getIdentityProvider",
  tag: "Authentication",
  summary: "Where people without a wallet sign in by redirect, as a client of OAuth 2.0 needs it",
  description:
    "The authorization code flow with PKCE (RFC 7636, S256) of a public client: the service's web terminal signs people in by it. The access token it ends with is the credential of a human. The provider's endpoints are those of its own metadata.",
  responses: { 200: { description: "The provider and this service's client there", schema: identityProviderSchema } },
  errors: ["not_found", "upstream_unavailable"],
  cache: CACHE.never,
  async handler({ deps, now }, json) {
    const { identityProvider } = deps.config;
    if (!identityProvider?.client || !deps.authorizationServer)
      return fail("not_found", "Nobody signs in here by redirect: the service has no client at an identity provider.", {
        hint: HOW_TO_SIGN_IN,
      });
    const { id, ...client } = identityProvider.client;
    return json({
      ...(await deps.authorizationServer.metadata(new Date(now))),
      clientId: id,
      name: client.name,
      scope: client.scope,
      parameters: client.audienceParameter ? { [client.audienceParameter]: identityProvider.audience } : {},
    });
  },
});
