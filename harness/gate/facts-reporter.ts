/** Notes what Vitest does as facts of the gate. */
import { loadavg } from "node:os";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSpecification } from "vitest/node";
import { note } from "./facts.ts";

type Failure = { message?: string; stack?: string };

export class FactsReporter implements Reporter {
  /** Files by the process that ran them. */
  readonly #ran = new Map<number, string[]>();

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { moduleId, project } of specifications) note({ kind: "planned", ...placeOf(moduleId, project.name) });
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === "pending") return;
    const { module } = test;
    note({
      kind: "test",
      ...placeOf(module.moduleId, module.project.name),
      test: test.fullName,
      state,
      ...(errors?.length && { message: textOf(errors) }),
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const place = placeOf(module.moduleId, module.project.name);
    const { pid, rssMb } = module.meta();
    const before = (pid !== undefined && this.#ran.get(pid)) || [];
    if (pid !== undefined) this.#ran.set(pid, [...before, place.file]);
    const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
    note({
      kind: "file",
      ...place,
      state: module.state() === "failed" ? "failed" : "passed",
      ...(errors.length > 0 && { message: textOf(errors) }),
      ...{ load: loadavg()[0]!, before, rssMb },
    });
  }

  onTestRunEnd(_: unknown, errors: readonly Failure[]): void {
    for (const error of errors) {
      // Vitest knows the file that ran when the error came.
      const path = (error as { VITEST_TEST_PATH?: string }).VITEST_TEST_PATH;
      note({ kind: "error", message: textOf([error]), ...(path && { file: relative(process.cwd(), path) }) });
    }
  }
}

const placeOf = (moduleId: string, project: string) => ({ file: relative(process.cwd(), moduleId), project });

/** Without the frames of what runs the tests. */
const textOf = (errors: readonly Failure[]): string =>
  errors
    .flatMap(({ message, stack }) => (stack ?? message ?? "without a message").split("\n"))
    .filter((line) => !/^\s+at .*(node_modules|node:|new Promise)/.test(line))
    .join("\n");
