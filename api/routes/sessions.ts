/**
 * Outcomes of sessions with an agent, reported by holders of an API key.
 * Check then write: the agent exists, then the insert; its token may go, the report come twice: the session is unique.
 */
import { z } from "zod";
import { recordOutcome } from "../../db/callers/sessions.ts";
import { endpoint } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import { recordedSchema, sessionOutcomeBodySchema } from "../schemas/sessions.ts";
import { factsOf, writtenTokenId } from "../services/agent-facts.ts";

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
  params: z.object({ ref: agentRef }),
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
