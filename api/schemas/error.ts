/** The one error body. */
import { z } from "zod";

export const errorSchema = z
  .looseObject({
    error: z.string().meta({ description: "A plain sentence" }),
    code: z.string().meta({ description: "A stable word for programs", examples: ["not_found"] }),
    requestId: z.string().meta({ description: "Names this request in our log; also in X-Request-Id" }),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    hint: z.string().optional().meta({ description: "What the caller can do about it" }),
  })
  .meta({ id: "Error" });
