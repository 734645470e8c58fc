/**
 * `npm run trial -- flakes FILE [--times 20] [--burn 3] [--after FILE…]`: runs a test file again and again while processes keep
 * the processor busy, on the seed of `npm test`. The files behind `--after`, of the same project, run before it, in their
 * order and its worker.
 */
import { existsSync } from "node:fs";
import { BaseSequencer, startVitest, type TestSpecification, type Vitest } from "vitest/node";
import { burn } from "../harness/held-cpu.ts";
import { commandLine, refuse } from "../harness/options.ts";

const { words, numbers, others } = commandLine(
  { times: { absent: 20, least: 1 }, burn: { absent: 3 } },
  { after: { type: "string" } },
);
const [file, ...more] = words;
if (file === undefined) refuse("Which test file? npm run trial -- flakes test/core/text.test.ts");
const files = [...(others.after === undefined ? [] : [others.after]), ...more, file];
for (const one of files) if (!existsSync(one)) refuse(`There is no file ${one}.`);
const { times } = numbers;

burn(numbers.burn);

class AsGiven extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => files.findIndex((one) => moduleId.endsWith(one));
    return specifications.toSorted((a, b) => place(a) - place(b));
  }
}

/** What failed in a run, a message each. */
function failuresOf({ state }: Vitest): string[] {
  const modules = state.getTestModules();
  if (modules.length < files.length) return ["a file is in no project of vitest.config.ts"];
  if (new Set(modules.map(({ project }) => project.name)).size > 1)
    return ["files of several projects share no worker"];
  return [
    ...modules.flatMap((module) => [
      ...module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`),
      ...[...module.children.allTests("failed")].map(
        (test) => `${module.relativeModuleId} > ${test.fullName}: ${test.result().errors?.[0]?.message}`,
      ),
      ...[...module.children.allSuites()].flatMap((suite) =>
        suite.errors().map(({ message }) => `${module.relativeModuleId} > ${suite.fullName}: ${message}`),
      ),
    ]),
    ...state.getUnhandledErrors().map((error) => `unhandled: ${(error as Error).message}`),
  ];
}

let failed = 0;
for (let run = 1; run <= times; run++) {
  const began = performance.now();
  const vitest = await startVitest(
    "test",
    files,
    { run: true, watch: false, maxWorkers: 1, isolate: false, reporters: [{}] },
    { test: { sequence: { sequencer: AsGiven } } },
  );
  const failures = failuresOf(vitest);
  await vitest.close();
  if (failures.length > 0) failed++;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`run ${run} of ${times}: ${failures.length === 0 ? "passed" : "FAILED"} (${seconds} s)`);
  for (const failure of failures) console.log(failure);
}
console.log(`\n${times - failed} runs passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
