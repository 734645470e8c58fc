/** Outcomes of sessions with an agent, as holders of an API key report them. */
import { z } from "zod";
import { textSchema } from "../../core/text.ts";

const OUTCOMES = ["success", "failure", "partial"] as const;
/** Max duration in seconds, the limit of the column: 68 years. */
const MAX_DURATION_SECONDS = 2 ** 31 - 1;

export const sessionOutcomeBodySchema = z
  .object({
    outcome: z.enum(OUTCOMES),
    details: textSchema({ max: 2000, lines: true }).optional(),
    sessionId: textSchema({ min: 1, max: 128 })
      .optional()
      .meta({ description: "Your name of the session: reported twice, it counts once" }),
    duration: z.int().min(0).max(MAX_DURATION_SECONDS).optional().meta({ description: "Seconds" }),
  })
  .meta({ id: "SessionOutcome", examples: [{ outcome: "success", duration: 42 }] });

export const recordedSchema = z
  .object({
    success: z.literal(true),
    recorded: z.literal(true),
    duplicate: z
      .literal(true)
      .optional()
      .meta({ description: "Present when this session had been reported with this key: the first report stands" }),
  })
  .meta({ id: "Recorded" });
