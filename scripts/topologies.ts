/** `npm run topologies [-- redis|postgres|replica] [files]`: the tests that go over HTTP, on two of every process that may be two, once for each queue and once with a replica of Postgres. */
import { startVitest } from "vitest/node";
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
  const tests = vitest.state
    .getFiles()
    .map((file) => ({ name: file.name, state: file.result?.state, tests: tally(file.tasks) }));
  await vitest.close();
  await redis?.stop();
  const broken = tests.filter(({ state }) => state !== "pass");
  failed += broken.length;
  const passed = tests.reduce((sum, file) => sum + file.tests.pass, 0);
  const others = tests.reduce((sum, file) => sum + file.tests.fail, 0);
  summary.push(`${side}: ${tests.length} files, ${passed} tests passed, ${others} failed`);
  summary.push(...broken.map(({ name }) => `  failed: ${name}`));
}
console.log(`\n${summary.join("\n")}`);
process.exit(failed === 0 ? 0 : 1);

type Task = { type: string; tasks?: readonly Task[]; result?: { state: string } };

function tally(tasks: readonly Task[]): { pass: number; fail: number } {
  return tasks.reduce(
    (sum, task) => {
      const own = task.tasks
        ? tally(task.tasks)
        : { pass: Number(task.result?.state === "pass"), fail: Number(task.result?.state === "fail") };
      return { pass: sum.pass + own.pass, fail: sum.fail + own.fail };
    },
    { pass: 0, fail: 0 },
  );
}
