/** The frameworks a registration may name. On-chain values are free text and shown as they are. */
import { z } from "zod";

export const FRAMEWORKS = [
  "openclaw",
  "eliza",
  "langchain",
  "crewai",
  "autogpt",
  "bankr",
  "virtuals",
  "based",
  "agentkit",
  "custom",
] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export const DEFAULT_FRAMEWORK: Framework = "custom";

/** Other names people write → the framework meant. */
const ALIASES: Record<string, Framework> = { elizaos: "eliza" };

/** The framework meant by an input in any case, or null when there is none. */
export function canonicalFramework(input: string): Framework | null {
  const key = input.trim().toLowerCase();
  return FRAMEWORKS.find((framework) => framework === key) ?? (Object.hasOwn(ALIASES, key) ? ALIASES[key]! : null);
}

/** Any case in, the canonical name out. */
export const frameworkSchema = z
  .string()
  .transform((input, ctx) => {
    const framework = canonicalFramework(input);
    if (framework) return framework;
    ctx.addIssue(`must be one of ${FRAMEWORKS.join(", ")}`);
    return z.NEVER;
  })
  .meta({ enum: [...FRAMEWORKS, ...Object.keys(ALIASES)], description: "In any case" });
