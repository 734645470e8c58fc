/** What the reviews of an agent are worth: figures, clusters, and why each review counts how much. */
import { z } from "zod";
import { reviewFiguresView, weighedReviewView } from "../../core/reviews/view.ts";
import { figuresOf, type ReviewPlace, reviewPage } from "../../db/reviews/review-pages.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import { flag, limit, minBlock, walletAddress } from "../parameters.ts";
import { agentReviewsSchema } from "../schemas/reviews.ts";
import { waitForDirectory } from "../services/directory-at.ts";
import { reviewed } from "../services/reviewed-agent.ts";
import { waitForFigures } from "../services/reviews-at.ts";
import { ofPlatform, ref } from "./directory-claims.ts";

const CURSOR = /^([0-2])-(0x[0-9a-f]{40})-(\d{1,78})-([1-9]\d{0,19})$/;

const cursor = z
  .string()
  .transform((text, ctx): ReviewPlace => {
    const [, rank, client, of, index] = CURSOR.exec(text) ?? [];
    if (rank !== undefined) return { rank: Number(rank), client: client!, of: of!, index: index! };
    ctx.addIssue("must be `nextCursor` of the answer before");
    return z.NEVER;
  })
  .meta({
    documented: { type: "string", maxLength: 145 },
    description: "`nextCursor` of the answer before",
  })
  .optional();

export const agentReviews = endpoint({
  path: "/api/v2/agent/{ref}/reviews",
  operationId: "listAgentReviews",
  tag: "Agents",
  summary: "What the reviews of an agent are worth: raw and adjusted value, clusters, why each counts how much",
  description:
    "Reviews of the canonical ERC-8004 reputation registry, of an agent there or of an own agent, of all registrations there that are or ever were its own. Anybody writes any number of them for less than a cent; the registry's average counts all alike. Here a reviewer counts by what the chain proves about it, reviewers that share two evidences count as one, and all without proof together move the value by less than five points. Reviews by reviewers with proof come first, then all others that count, then those that count nothing; each with its reasons. No figure is part of a cred score.",
  data: true,
  params: z.object({ ref }),
  query: z.object({
    minBlock,
    platform: ofPlatform,
    cursor,
    newest: flag("true: of each reviewer its newest review, with the number of all that it wrote"),
    client: walletAddress.optional().meta({ description: "Only what this account wrote, the newest first" }),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Figures and reviews", schema: agentReviewsSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }, json) {
    const { limit } = query;
    await waitForDirectory(deps, query.minBlock);
    const found = await reviewed(deps, params.ref, { platform: query.platform });
    const none = { reviews: [], limit, nextCursor: null };
    if (found === null) {
      const unknown = { registry: null, agentId: params.ref, registrations: [] };
      return json({ ...unknown, ...reviewFiguresView(null), ...none });
    }
    const { agent, registry, registrations } = found;
    await waitForFigures(deps, agent, query.minBlock);
    return snapshot(deps.db, async (tx) => {
      const figures = await figuresOf(tx, agent);
      const head = { registry, agentId: registrations[0]!, registrations, ...reviewFiguresView(figures) };
      if (figures === null) return json({ ...head, ...none });
      const client = query.client?.toLowerCase();
      const choice = client !== undefined ? { client } : query.newest ? "newest" : "all";
      const page = await reviewPage(tx, agent, { choice, after: query.cursor ?? null, limit: limit + 1 });
      const last = page.length > limit ? page[limit - 1]! : null;
      return json({
        ...head,
        reviews: page.slice(0, limit).map((one) => weighedReviewView(one, figures)),
        limit,
        nextCursor: last && `${last.rank}-${last.review.client}-${last.of}-${last.review.index}`,
      });
    });
  },
});
