/**
 * What the repository weighs, against what it may: printed by `npm run verify`, which fails above `most`. A change that makes
 * something smaller lowers its `most`, towards the goal; one that adds pays by what it removes.
 */
import { execSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

const BUDGET = {
  "lines of product": { most: 124_144, goal: 106_000 },
  "lines of support": { most: 30_629, goal: 25_000 },
  "lines of tests": { most: 89_396, goal: 72_000 },
  "bytes of Markdown": { most: 420_000, goal: 420_000 },
  "environment variables": { most: 129, goal: 130 },
  "npm scripts": { most: 25, goal: 25 },
  "bytes of binary files": { most: 1_275_766, goal: 3_000_000 },
};
type Weighed = keyof typeof BUDGET;

/** @returns what is weighed of a file; null for generated files and what is neither source nor document */
function kindOf(path: string): Weighed | null {
  if (path.endsWith(".md")) return "bytes of Markdown";
  if (!/\.tsx?$/.test(path) || /^(contracts|sdk\/src\/openapi)/.test(path)) return null;
  if (path.startsWith("test/")) return "lines of tests";
  return /^(harness|bench|devnet|scripts)\//.test(path) ? "lines of support" : "lines of product";
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** What the files weigh now, with those that are not added yet. */
function weigh(): Record<Weighed, number> {
  const now = Object.fromEntries(Object.keys(BUDGET).map((name) => [name, 0])) as Record<Weighed, number>;
  for (const path of execSync("git ls-files -coz --exclude-standard", { cwd: PROJECT_ROOT }).toString().split("\0")) {
    if (path === "" || !existsSync(join(PROJECT_ROOT, path))) continue;
    const bytes = readFileSync(join(PROJECT_ROOT, path));
    const kind = kindOf(path);
    if (bytes.includes(0)) now["bytes of binary files"] += bytes.length;
    else if (kind) now[kind] += kind.startsWith("bytes") ? bytes.length : count(bytes.toString(), /\n/g);
    if (path === ".env.example") now["environment variables"] = count(bytes.toString(), /^(# ?)?[A-Z][A-Z0-9_]+=/gm);
    if (path === "package.json") now["npm scripts"] = Object.keys(JSON.parse(bytes.toString()).scripts).length;
  }
  return now;
}

/** Prints what the repository weighs. @returns whether nothing weighs more than it may */
export function isWithinBudget(): boolean {
  const rows = Object.entries(weigh()).map(([name, now]) => ({ name, now, ...BUDGET[name as Weighed] }));
  for (const { name, now, most, goal } of rows)
    console.log(`${now > most ? "FAIL" : "ok  "} ${name}: ${now}, at most ${most} (goal ${goal})`);
  return rows.every(({ now, most }) => now <= most);
}
