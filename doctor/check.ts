/** A check of the doctor, and what it finds. */
import type { Need, World } from "./world.ts";

/** `skipped`: nothing is known, because something that the check needs is absent. */
export const LEVELS = ["ok", "warning", "error", "skipped"] as const;
export type Level = (typeof LEVELS)[number];

/** One result of a check. Texts are plain sentences or values, and may contain secrets: the report redacts them. */
export type Finding = {
  level: Level;
  /** Which of several things it is about: a host, a contract, a variable. */
  subject?: string;
  /** The measured value, with its unit. */
  found: string;
  /** What the operator should do. */
  advice?: string;
};

/** A check reads and never writes. It may throw: the error is its finding then. */
export type Check = {
  name: string;
  /** Without one of these the check is skipped, with the reason. */
  needs?: readonly Need[];
  /** Max milliseconds; by default `LIMIT_MS` of run.ts. */
  limitMs?: number;
  run(world: World): Promise<Finding | Finding[]> | Finding | Finding[];
};

/** A check under the heading of the report that it is listed in. */
export type GroupedCheck = Check & { group: string };

const finding = (level: Level, found: string, subject?: string, advice?: string): Finding => ({
  ...{ level, found },
  ...(advice !== undefined && { advice }),
  ...(subject !== undefined && { subject }),
});
export const ok = (found: string, subject?: string): Finding => finding("ok", found, subject);
export const warning = (found: string, advice: string, subject?: string): Finding =>
  finding("warning", found, subject, advice);
export const error = (found: string, advice: string, subject?: string): Finding =>
  finding("error", found, subject, advice);
export const skipped = (found: string, subject?: string): Finding => finding("skipped", found, subject);

/** The first lines of an error and of its causes: `X cannot be asked: status 401`. */
export function reasonOf(thrown: unknown): string {
  const words: string[] = [];
  for (let each = thrown; each instanceof Error && words.length < 4; each = each.cause) {
    const code = (each as { code?: unknown }).code;
    const line = each.message.split("\n")[0]!.trim() || (typeof code === "string" ? code : each.name);
    if (!words.includes(line)) words.push(line);
  }
  return words.length > 0 ? words.join(": ") : String(thrown);
}
