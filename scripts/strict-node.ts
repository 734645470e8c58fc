/**
 * `npm run trial -- strict-node [--profile NAME,NAME] [--short]`: the main job, a paid mint, a recovery from a crash while
 * settling and a backfill of 20,000 events on each profile of the strict node, and a table of what each one took.
 */
import { sum } from "../harness/figures.ts";
import { commandLine, refuse } from "../harness/options.ts";
import { FULL, runStrict, SHORT } from "../harness/strict/run.ts";
import { PROFILES, type ProfileName } from "../harness/strict-node/profiles.ts";

const { others } = commandLine({}, { profile: { type: "string" }, short: { type: "boolean" } });
const plan = others.short ? SHORT : FULL;
const profiles = (others.profile?.split(",") as ProfileName[] | undefined) ?? plan.profiles;
const unknown = profiles.find((name) => !(name in PROFILES));
if (unknown !== undefined) refuse(`There is no profile ${unknown}. Profiles: ${Object.keys(PROFILES).join(", ")}.`);

const listed = (counts: Record<string, number>) =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "none";
const cells = (texts: readonly (string | number)[]) =>
  texts.map((text, column) => (column < 2 ? String(text).padEnd(14) : String(text).padStart(9))).join(" ");
const all = (counts: Record<string, number>) => sum(Object.values(counts));
function added(all: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const counts of all) for (const [name, n] of Object.entries(counts)) total[name] = (total[name] ?? 0) + n;
  return total;
}

const results = await runStrict({ ...plan, profiles }, (line) => console.log(line));
console.log(`\n${cells(["profile", "step", "", "seconds", "requests", "batches", "refused", "retried"])}`);
for (const [profile, steps] of Map.groupBy(results, (result) => result.profile)) {
  for (const { step, wrong, seconds, counts } of steps) {
    const { requests, batches, refused, retried } = counts;
    const passed = wrong === null ? "passed" : "FAILED";
    console.log(cells([profile, step, passed, seconds.toFixed(1), all(requests), batches, all(refused), retried]));
  }
  const counts = steps.map((step) => step.counts);
  console.log(`  requests: ${listed(added(counts.map(({ requests }) => requests)))}`);
  console.log(`  refused: ${listed(added(counts.map(({ refused }) => refused)))}`);
}
const wrong = results.filter((result) => result.wrong !== null);
const sentence = wrong.map(({ profile, step }) => `${profile}: ${step}`).join("; ");
console.log(`\n${profiles.length} profiles, ${wrong.length} steps failed${sentence && `: ${sentence}`}`);
process.exit(wrong.length > 0 ? 1 : 0);
