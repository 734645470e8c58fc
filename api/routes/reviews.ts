/** Reviews of an agent in the canonical ERC-8004 reputation registry, by the clients that wrote them. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { recordsAt } from "../../core/agents/registration-file.ts";
import { OWN_PLATFORM, type PlatformKey, readOwnTokenRef } from "../../core/directory/platforms.ts";
import { meanRating, reviewerView, reviewView } from "../../core/directory/reviews.ts";
import type { DirectoryRow } from "../../core/directory/row.ts";
import { canonicalIdentityOf } from "../../db/agents/canonical-identity.ts";
import { ERC8004 } from "../../db/directory/erc8004-rows.ts";
import {
  countingReviewers,
  otherReviewers,
  type ReviewedAgent,
  reviewCount,
  reviewers as reviewersOf,
  reviewsOf,
} from "../../db/directory/reviews.ts";
import { directoryDetail, findDirectoryId } from "../../db/directory/rows.ts";
import { endpoint, json } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { limit, minBlock, walletAddress } from "../parameters.ts";
import { reviewersSchema, reviewsSchema } from "../schemas/directory.ts";
import { waitForDirectory } from "../services/directory-at.ts";
import { ofPlatform, ref, unknownAgent } from "./directory-claims.ts";

const ownTokenOf = ({ platform, tokenId }: DirectoryRow) => (platform === OWN_PLATFORM ? tokenId : null);
const tokenIn = (ref: string) => readOwnTokenRef(ref) ?? (/^(0|[1-9]\d{0,14})$/.test(ref) ? Number(ref) : null);

/** The agent of a reference: an own one as the canonical registry has it. @returns null for one that has no reviews */
export async function reviewed(
  { db, config }: Pick<HandlerDeps, "db" | "config">,
  ref: string,
  platform: PlatformKey | undefined,
): Promise<ReviewedAgent | null> {
  const id = await findDirectoryId(db, ref, platform);
  const found = id === null ? null : await directoryDetail(db, id);
  // Of an own agent the chain's index decides: its row of the directory comes a moment later.
  const tokenId = found ? ownTokenOf(found.row) : (platform ?? OWN_PLATFORM) === OWN_PLATFORM ? tokenIn(ref) : null;
  if (tokenId !== null) {
    const own = await canonicalIdentityOf(db, tokenId, recordsAt(config.service.publicUrl));
    return own === "none" ? null : (own ?? unknownAgent());
  }
  if (found === null) return unknownAgent();
  const { row } = found;
  if (row.platform !== ERC8004 || row.registry === null) return null;
  return { registry: row.registry, agentId: row.agentId, owner: row.ownerAddress, wallet: row.address };
}

/** Where a page goes on: behind so many of the clients that count, or behind another client. */
const after = z
  .string()
  .transform((text, ctx) => {
    if (/^\d{1,3}$/.test(text)) return { counting: Number(text), other: "" };
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { counting: Number.POSITIVE_INFINITY, other: text.toLowerCase() };
    ctx.addIssue("must be `next_after` of the answer before");
    return z.NEVER;
  })
  .meta({
    documented: { type: "string", maxLength: 42 },
    description: "`next_after` of the answer before",
  })
  .optional();

export const terminalReviewers = endpoint({
  method: "get",
  path: "/api/terminal/agent/{ref}/reviews",
  operationId: "listReviewers",
  tag: "Terminal",
  summary: "Who reviewed an agent of the canonical ERC-8004 registry, those first that count",
  description:
    "One entry for each client, whatever it wrote: first those whose ratings count, by the score of their agent here, then all others by their address, each with the reason why it counts nothing. An agent of another registry has none.",
  data: true,
  params: z.object({ ref }),
  query: z.object({ minBlock, platform: ofPlatform, after, limit: limit({ default: 20, max: 100 }) }),
  responses: { 200: { description: "The reviewers", schema: reviewersSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }) {
    const { db } = deps;
    const { limit } = query;
    await waitForDirectory(deps, query.minBlock);
    const agent = await reviewed(deps, params.ref, query.platform);
    if (agent === null)
      return json({ total: 0, counting: { clients: 0, rating: null }, reviewers: [], limit, next_after: null });
    const [counting, total] = await Promise.all([countingReviewers(db, agent), reviewCount(db, agent)]);
    const start = Math.min(query.after?.counting ?? 0, counting.length);
    const first = counting.slice(start, start + limit).map(({ client }) => client);
    const room = limit - first.length;
    // One more than there is room for says whether there are others.
    const found = await otherReviewers(db, agent, {
      after: query.after?.other ?? "",
      counting: counting.map(({ client }) => client),
      limit: room + 1,
    });
    const others = found.slice(0, room);
    const isLast = found.length <= room && start + first.length === counting.length;
    const reviewers = await reviewersOf(db, agent, [...first, ...others]);
    return json({
      total,
      counting: { clients: counting.length, rating: meanRating(counting) },
      reviewers: reviewers.map((one, i) => reviewerView(one, i < first.length)),
      limit,
      next_after: isLast ? null : (others.at(-1) ?? String(start + first.length)),
    });
  },
});

const index = z
  .string()
  .regex(/^[1-9]\d{0,19}$/, "must be `next_before` of the answer before")
  .meta({ description: "`next_before` of the answer before" })
  .optional();

export const terminalReviews = endpoint({
  method: "get",
  path: "/api/terminal/agent/{ref}/reviews/{client}",
  operationId: "listReviews",
  tag: "Terminal",
  summary: "What one client wrote about an agent, the newest first, what it took back among it",
  data: true,
  params: z.object({ ref, client: walletAddress }),
  query: z.object({ minBlock, platform: ofPlatform, before: index, limit: limit({ default: 50, max: 200 }) }),
  responses: { 200: { description: "The entries", schema: reviewsSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }) {
    const { db } = deps;
    const { limit } = query;
    const client = params.client.toLowerCase();
    await waitForDirectory(deps, query.minBlock);
    const agent = await reviewed(deps, params.ref, query.platform);
    const page = { client, before: query.before ?? null, limit: limit + 1 };
    const found = agent === null ? [] : await reviewsOf(db, agent, page);
    const shown = found.slice(0, limit);
    return json({
      client: checksum(client as Address),
      reviews: shown.map(reviewView),
      limit,
      next_before: found.length > limit ? shown.at(-1)!.index : null,
    });
  },
});
