/**
 * `npm run topologies [-- parts|redis|postgres|replica] [files]`: the service beside the real parts that operators have, with a
 * table of them and their versions; then the tests that go over HTTP, on two of every process that may be two, once for each
 * queue and once with a replica of Postgres.
 */
import { startVitest } from "vitest/node";
import { sum } from "../harness/figures.ts";
import { startRedis } from "../harness/redis.ts";

/** What is asked over HTTP: in processes of their own, or in this one over real sockets. */
const FILES = ["test/api/", "test/payments/", "test/stack/"];
/** Entries `name: part and version: what is done with it`. */
const PARTS = ["test/topologies/"];
const RUNS = {
  parts: "one of each process; the parts of operators",
  postgres: "two of the API, two workers, one indexer; the queue in Postgres",
  redis: "two of the API, two workers, one indexer; the queue in Redis",
  replica: "two of the API, two workers, one indexer; reads from a replica",
};
type Run = keyof typeof RUNS;
const ALL = Object.keys(RUNS) as Run[];

const [first, ...rest] = process.argv.slice(2);
const named = ALL.find((run) => run === first);
const files = (named ? rest : process.argv.slice(2)).filter((file) => file !== "");
const summary: string[] = [];
let failed = 0;
for (const run of named ? [named] : ALL) {
  console.log(`\n# ${RUNS[run]}\n`);
  const redis = run === "redis" ? await startRedis() : undefined;
  const topology = { ...(redis && { redisUrl: redis.url }), ...(run === "replica" && { replica: true as const }) };
  const isParts = run === "parts";
  const vitest = await startVitest(
    "test",
    isParts ? PARTS : files.length > 0 ? files : FILES,
    // Two of everything, with the queue in Postgres, take twice the connections of the one server that all tests share.
    { run: true, watch: false, ...(isParts ? { project: ["nightly"] } : { maxWorkers: 2 }) },
    isParts ? {} : { test: { provide: { topology } } },
  );
  const modules = vitest.state.getTestModules();
  await vitest.close();
  await redis?.stop();
  const broken = modules.filter((module) => module.state() !== "passed");
  failed += broken.length;
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  const count = (state: "passed" | "failed") => sum(tests.map((test) => Number(test.result().state === state)));
  summary.push(`${run}: ${modules.length} files, ${count("passed")} tests passed, ${count("failed")} failed`);
  if (isParts) summary.push(...tests.map((test) => row(test.result().state, test.name, test.meta().figures)));
  summary.push(...broken.map(({ relativeModuleId }) => `  failed: ${relativeModuleId}`));
}
console.log(`\n${summary.join("\n")}`);
process.exit(failed === 0 ? 0 : 1);

/** A line of the table of parts, and one of what was measured. */
function row(state: string, name: string, figures?: string): string {
  const [, part = "", does = ""] = /^[\w-]+: (.*?): (.*)$/s.exec(name) ?? [];
  const line = `  ${(state === "skipped" ? "not run" : state).padEnd(8)} ${part.padEnd(36)} ${does}`;
  return figures === undefined ? line : `${line}\n${" ".repeat(48)}${figures}`;
}
