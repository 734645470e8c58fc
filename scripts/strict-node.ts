/**
 * `npm run trial -- strict-node [--profile NAME,NAME] [--short]`: the main job, a paid mint, a recovery from a crash while
 * settling and a backfill of 20,000 events on each profile of the strict node, and a table of what each one took.
 */
import { sum, table } from "../harness/figures.ts";
import { commandLine, refuse, WITH_SHORT } from "../harness/options.ts";
import { FULL, runStrict, SHORT } from "../harness/strict/run.ts";
import { PROFILES, type ProfileName } from "../harness/strict-node/profiles.ts";

const { others } = commandLine({}, { profile: { type: "string" }, ...WITH_SHORT });
const plan = others.short ? SHORT : FULL;
const profiles = (others.profile?.split(",") as ProfileName[] | undefined) ?? plan.profiles;
const unknown = profiles.find((name) => !(name in PROFILES));
if (unknown !== undefined) refuse(`There is no profile ${unknown}. Profiles: ${Object.keys(PROFILES).join(", ")}.`);

const listed = (counts: Record<string, number>) =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "none";
const all = (counts: Record<string, number>) => sum(Object.values(counts));
function added(all: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const counts of all) for (const [name, n] of Object.entries(counts)) total[name] = (total[name] ?? 0) + n;
  return total;
}

const results = await runStrict({ ...plan, profiles }, (line) => console.log(line));
const rows = results.map(({ profile, step, wrong, seconds, counts: { requests, batches, refused, retried } }) => [
  ...[profile, step, wrong === null ? "passed" : "FAILED", seconds.toFixed(1)],
  ...[all(requests), batches, all(refused), retried],
]);
const head = ["profile", "step", "", "seconds", "requests", "batches", "refused", "retried"];
console.log(`\n${table(head, rows)}`);
for (const [profile, steps] of Map.groupBy(results, (result) => result.profile)) {
  const counts = steps.map((step) => step.counts);
  console.log(`${profile}\n  requests: ${listed(added(counts.map(({ requests }) => requests)))}`);
  console.log(`  refused: ${listed(added(counts.map(({ refused }) => refused)))}`);
}
const wrong = results.filter((result) => result.wrong !== null);
const sentence = wrong.map(({ profile, step }) => `${profile}: ${step}`).join("; ");
console.log(`\n${profiles.length} profiles, ${wrong.length} steps failed${sentence && `: ${sentence}`}`);
process.exit(wrong.length > 0 ? 1 : 0);
