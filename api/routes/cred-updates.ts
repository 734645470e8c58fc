/** The feed of score changes, for clients that keep a copy of the scores. */
import { z } from "zod";
import { tierOf, tierWord } from "../../core/cred/tiers.ts";
import { credUpdates as readUpdates } from "../../db/cred/cred-updates.ts";
import { endpoint } from "../endpoint.ts";
import { integer, limit } from "../parameters.ts";
import { credUpdatesSchema } from "../schemas/cred-updates.ts";

export const credUpdates = endpoint({
  path: "/api/v2/cred/updates",
  operationId: "getCredUpdates",
  tag: "Cred",
  summary: "Every change of a score after the one you know last, oldest first",
  description:
    "Begin with `after=0`, go on with `nextAfter`, at once while `more` is true. Nothing is passed over and nothing given twice, however many changes are written at the same time. The last entry of an agent is its score; `score` null says that it does not exist any more.",
  data: true,
  query: z.object({
    after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what: "`nextAfter` of the answer before; 0 by default" })
      .optional()
      .transform((after) => after ?? 0),
    limit: limit({ default: 100, max: 1000 }),
  }),
  responses: { 200: { description: "Changes in the order of their ids", schema: credUpdatesSchema } },
  async handler({ deps, query: { after, limit } }, json) {
    const { updates, more } = await readUpdates(deps.db, { after, limit });
    return json({
      updates: updates.map(({ id, tokenId, score, cause, at }) => ({
        id,
        tokenId,
        score,
        tier: score === null ? null : tierWord(tierOf(score)),
        cause,
        at: at.toISOString(),
      })),
      after,
      limit,
      nextAfter: updates.at(-1)?.id ?? after,
      more,
    });
  },
});
