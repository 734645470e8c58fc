/** The score of an agent at a time or at a block of the past. */
import type { AgentFacts } from "../../core/agents/facts.ts";
import type { Who } from "../../core/callers/shares.ts";
import { causeSays } from "../../core/cred/cred-causes.ts";
import { tierOf, tierWord } from "../../core/cred/tiers.ts";
import { fail } from "../../core/errors.ts";
import { credHeld } from "../../db/cred/cred-history.ts";
import { historyState } from "../../db/cred/cred-history-months.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { epochOfScore } from "./cred-proofs.ts";

/** What is asked for: a block's number, or a time. */
export type PastMoment = number | Date;

/**
 * The score that an agent had, with the reason of its last change before.
 * @param by.now milliseconds since the epoch @param by.reader whose allowance is used where a node has to be asked
 * @throws Failure invalid_input (the future), indexer_behind, not_found (before the first score), gone (no longer kept),
 * rate_limited, upstream_unavailable
 */
export async function credAt(
  deps: Pick<HandlerDeps, "db" | "index" | "chainHead" | "blockTimes">,
  { tokenId, name, mintedAt }: AgentFacts,
  asked: PastMoment,
  { now, reader }: { now: number; reader: Who },
) {
  const block = typeof asked === "number" ? asked : null;
  const at = typeof asked === "number" ? await timeOfBlock(deps, asked, reader) : pastTime(asked, now);
  const held = await credHeld(deps.db, tokenId, { at, block });
  if (held === null) await refuseForgotten(deps.db, { at, mintedAt });
  if (held === null)
    return fail(
      "not_found",
      `Agent ${tokenId} had no score at ${block === null ? at.toISOString() : `block ${block}`}.`,
      {
        hint: `GET /api/v2/agent/${tokenId}/cred/history lists its scores.`,
      },
    );
  const tier = tierOf(held.score);
  return {
    tokenId,
    name,
    credScore: held.score,
    tier: tierWord(tier),
    tierLabel: tier.label,
    asked: { at: at.toISOString(), block },
    computedAt: held.at.toISOString(),
    block: held.block,
    cause: held.cause,
    why: causeSays(held.cause),
    previousScore: held.previous,
    until: held.until?.toISOString() ?? null,
    onchain: await epochOfScore(deps.db, tokenId, held),
  };
}

/** An agent that existed may have had a score whose point is no longer kept. */
async function refuseForgotten(db: HandlerDeps["db"], { at, mintedAt }: { at: Date; mintedAt: number }) {
  const { keptSince } = await historyState(db);
  if (keptSince === null || at >= keptSince || at.getTime() < mintedAt * 1000) return;
  fail("gone", `The scores of that time are no longer kept; those since ${keptSince.toISOString()} are.`);
}

function pastTime(at: Date, now: number): Date {
  if (at.getTime() > now)
    return fail("invalid_input", "That time is in the future.", {
      details: [{ path: "at", message: `must not be after ${new Date(now).toISOString()}` }],
    });
  // The years before 1970 have no score; Postgres reads some of them in another way than JavaScript writes them.
  return new Date(Math.max(0, at.getTime()));
}

/** The time of an indexed block. */
async function timeOfBlock(
  { index, chainHead, blockTimes }: Pick<HandlerDeps, "index" | "chainHead" | "blockTimes">,
  number: number,
  reader: Who,
): Promise<Date> {
  if (number > index.block) {
    const head = await chainHead();
    if (number <= head)
      fail("indexer_behind", `Block ${number} is not indexed yet.`, {
        retryAfter: 5,
        extra: { indexedBlock: index.block },
      });
    fail("invalid_input", `There is no block ${number} yet.`, {
      details: [{ path: "at", message: `must not be above block ${Math.max(head, index.block)}` }],
    });
  }
  return new Date(await blockTimes.of(number, index.block, reader));
}
