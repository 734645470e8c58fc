/** The frameworks a registration may name. On-chain values are free text and shown as they are. */

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

/** Other names in use → the framework they mean. */
export const FRAMEWORK_ALIASES: Record<string, Framework> = { elizaos: "eliza" };

/** The framework meant by an input in any case, or null when there is none. */
export function canonicalFramework(input: string): Framework | null {
  const key = input.trim().toLowerCase();
  return (
    FRAMEWORKS.find((framework) => framework === key) ??
    (Object.hasOwn(FRAMEWORK_ALIASES, key) ? FRAMEWORK_ALIASES[key]! : null)
  );
}
