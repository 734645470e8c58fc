/** Credentials themselves: where people get them, and ending them; and what holders of an API key report of sessions. */
import { object, z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { firstDateAfterRevocation, HOW_TO_SIGN_IN } from "../../core/callers/wallet-credential.ts";
import { fail } from "../../core/errors.ts";
import { textSchema } from "../../core/text.ts";
import { address, moment } from "../../core/views/fields.ts";
import { revokeBefore } from "../../db/callers/revocations.ts";
import { recordOutcome } from "../../db/callers/sessions.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import { identityProviderSchema } from "../schemas/principals.ts";
import { factsOf, writtenTokenId } from "../services/agent-facts.ts";

/** Max duration in seconds, the limit of the column: 68 years. */
const MAX_DURATION_SECONDS = 2 ** 31 - 1;

const sessionOutcomeBodySchema = object({
  outcome: z.enum(["success", "failure", "partial"]),
  details: textSchema({ max: 2000, lines: true }).optional(),
  sessionId: textSchema({ min: 1, max: 128 })
    .optional()
    .meta({ description: "Your name of the session: reported twice, it counts once" }),
  duration: z.int().min(0).max(MAX_DURATION_SECONDS).optional().meta({ description: "Seconds" }),
}).meta({ id: "SessionOutcome", examples: [{ outcome: "success", duration: 42 }] });

const recordedSchema = object({
  success: z.literal(true),
  recorded: z.literal(true),
  duplicate: z
    .literal(true)
    .optional()
    .meta({ description: "Present when this session had been reported with this key: the first report is kept" }),
}).meta({ id: "Recorded" });

/**
 * Outcomes of sessions with an agent, reported by holders of an API key.
 * Check then write: the agent exists, then the insert; its token may go, the report come twice: the session is unique.
 */
export const sessionOutcome = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/session-outcome",
  operationId: "reportSessionOutcome",
  tag: "Sessions",
  summary: "Report how a session with the agent went",
  description:
    "Shown in the agent's cred report; it moves no score. A session reported twice with one key counts once.",
  guard: { caller: "apiKey" },
  data: true,
  params: object({ ref: agentRef }),
  body: sessionOutcomeBodySchema,
  responses: { 200: { description: "Recorded", schema: recordedSchema } },
  errors: ["not_found", "conflict"],
  async handler({ deps, params: { ref }, body, caller }, json) {
    const { tokenId } = await factsOf(deps.facts, { tokenId: await writtenTokenId(deps, ref) });
    const fresh = await recordOutcome(deps.db, {
      tokenId,
      apiKeyId: caller.apiKeyId,
      sessionId: body.sessionId ?? null,
      outcome: body.outcome,
      details: body.details ?? null,
      durationSeconds: body.duration ?? null,
    });
    return json({ success: true, recorded: true, ...(!fresh && { duplicate: true }) });
  },
});

/** Check then write: now, then the upsert of a revocation; a parallel one may come: `greatest` never moves back. */
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
      schema: object({
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
  async handler({ deps, at }, json) {
    const { identityProvider } = deps.config;
    if (!identityProvider?.client || !deps.authorizationServer)
      return fail("not_found", "Nobody signs in here by redirect: the service has no client at an identity provider.", {
        hint: HOW_TO_SIGN_IN,
      });
    const { id, ...client } = identityProvider.client;
    return json({
      ...(await deps.authorizationServer.metadata(at)),
      clientId: id,
      name: client.name,
      scope: client.scope,
      parameters: client.audienceParameter ? { [client.audienceParameter]: identityProvider.audience } : {},
    });
  },
});
