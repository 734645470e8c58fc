/** Cred as the API shows it. */
import { z } from "zod";
import { SIGNALS } from "../../core/cred.ts";
import { SCALE, TIERS } from "../../core/tiers.ts";
import { address, block, moment, score, tier, tierLabel, tokenId, usdc, walletConfirmed } from "./fields.ts";

const shapeOf = <K extends string, T extends z.ZodType>(keys: readonly K[], value: T) =>
  Object.fromEntries(keys.map((key) => [key, value])) as Record<K, T>;

const weighted = z
  .object({ weight: z.number().min(0).max(1), rawScore: score, weightedScore: z.number().min(0).max(100) })
  .meta({ id: "WeightedSignal" });

export const credByTokenSchema = z
  .object({
    tokenId,
    name: z.string(),
    credScore: score,
    tier,
    tierLabel,
    scale: z
      .object(
        shapeOf(
          TIERS.map(({ key }) => key),
          z.string(),
        ),
      )
      .meta({ examples: [SCALE] }),
    fullReportEndpoint: z.string(),
    fullReportPrice: usdc,
    computedAt: moment,
  })
  .meta({ id: "Cred" });

export const credByAddressSchema = z
  .object({
    address,
    walletConfirmed,
    credScore: score,
    tier: z.enum(TIERS.map(({ addressWord }) => addressWord) as unknown as [string, ...string[]]),
    factors: z.object(
      shapeOf(
        SIGNALS.map(({ key }) => key),
        weighted,
      ),
    ),
    credTier: tier,
    tokenId,
    name: z.string(),
  })
  .meta({ id: "CredByAddress" });

const cause = z.string().meta({ description: "What changed the score: a kind of event, `age`, `profile`, …" });
const seenBlock = block.meta({
  description: "The newest block with an event of the agent that the score was computed from",
});

export const credAtSchema = z
  .object({
    tokenId,
    name: z.string(),
    credScore: score,
    tier,
    tierLabel,
    asked: z
      .object({ at: moment, block: block.nullable() })
      .meta({ description: "The time asked for, or the block and its time" }),
    computedAt: moment.meta({ description: "When this score was computed" }),
    block: seenBlock,
    cause,
    why: z.string().meta({ description: "The cause in words" }),
    previousScore: score.nullable().meta({ description: "The score before; null: it was the first" }),
    until: moment.nullable().meta({ description: "When the next change was computed; null: the score still holds" }),
  })
  .meta({ id: "CredAt" });

export const credHistorySchema = z
  .object({
    tokenId,
    points: z.array(z.object({ at: moment, score, tier, cause, block: seenBlock })),
  })
  .meta({ id: "CredHistory" });
