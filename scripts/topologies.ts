/** `npm run topologies [-- redis|postgres|replica] [files]`: the tests that go over HTTP, on two of every process that may be two, once for each queue and once with a replica of Postgres. */
import { startVitest } from "vitest/node";
import { sum } from "../harness/figures.ts";
import { startRedis } from "../harness/redis.ts";

/** What is asked over HTTP: in processes of their own, or in this one over real sockets. */
const FILES = ["test/api/", "test/payments/", "test/stack/"];
const SIDES = { postgres: "the queue in Postgres", redis: "the queue in Redis", replica: "reads from a replica" };
type Side = keyof typeof SIDES;
const ALL = Object.keys(SIDES) as Side[];

const [first, ...rest] = process.argv.slice(2);
const named = ALL.find((side) => side === first);
const files = (named ? rest : process.argv.slice(2)).filter((file) => file !== "");
const summary: string[] = [];
let failed = 0;
for (const side of named ? [named] : ALL) {
  console.log(`\n# two of the API, two workers, one indexer; ${SIDES[side]}\n`);
  const redis = side === "redis" ? await startRedis() : undefined;
  const topology = { ...(redis && { redisUrl: redis.url }), ...(side === "replica" && { replica: true as const }) };
  const vitest = await startVitest(
    "test",
    files.length > 0 ? files : FILES,
    // Two of everything, with the queue in Postgres, take twice the connections of the one server that all tests share.
    { run: true, watch: false, maxWorkers: 2 },
    { test: { provide: { topology } } },
  );
  const modules = vitest.state.getTestModules();
  await vitest.close();
  await redis?.stop();
  const broken = modules.filter((module) => module.state() !== "passed");
  failed += broken.length;
  const count = (state: "passed" | "failed") =>
    sum(modules.map(({ children }) => [...children.allTests(state)].length));
  summary.push(`${side}: ${modules.length} files, ${count("passed")} tests passed, ${count("failed")} failed`);
  summary.push(...broken.map(({ relativeModuleId }) => `  failed: ${relativeModuleId}`));
}
console.log(`\n${summary.join("\n")}`);
process.exit(failed === 0 ? 0 : 1);
