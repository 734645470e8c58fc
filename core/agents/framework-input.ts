/** The framework that a registration names. */
import { z } from "zod";
import { canonicalFramework, FRAMEWORK_ALIASES, FRAMEWORKS } from "./frameworks.ts";

/** Accepts any case; the output is the canonical name. */
export const frameworkSchema = z
  .string()
  .transform((input, ctx) => {
    const framework = canonicalFramework(input);
    if (framework) return framework;
    ctx.addIssue(`must be one of ${FRAMEWORKS.join(", ")}`);
    return z.NEVER;
  })
  .meta({ enum: [...FRAMEWORKS, ...Object.keys(FRAMEWORK_ALIASES)], description: "In any case" });
