/** The gate over planted tests: what it lets through, what it refuses, and what its last lines say. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Fact } from "../../harness/gate/facts.ts";
import { BROKEN, DEFECT, PASSED, runGate, type Stage } from "../../harness/gate/gate.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { folderPerFile } from "../support/folders.ts";

const scratch = folderPerFile("agents-gate");
beforeEach(() => rmSync(join(scratch, "mark"), { force: true }));

const NODE = relative(process.cwd(), process.execPath);
const VITEST = [NODE, "node_modules/vitest/vitest.mjs", "run", "--config", "test/gate/planted/vitest.config.ts"];
const planted = (name: string, minutes = 5): Stage => ({
  ...{ name, minutes, command: [...VITEST, name], again: ({ file }) => [...VITEST, file] },
});

/** @returns the exit code and all that was printed, without the lines of the stages' progress */
async function gate(...stages: Stage[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((text) => void lines.push(...String(text).split("\n")));
  onTestFinished(() => log.mockRestore());
  const env = { PLANTED_MARK: join(scratch, "mark") };
  const code = await runGate(stages, { folder: join(scratch, "log"), minutes: { stages: 30, looks: 30 }, env });
  return { code, lines: lines.slice(lines.indexOf("")) };
}
const last = (lines: string[], n: number) => lines.slice(-n).join("\n");

describe("the gate", () => {
  it("lets through what passes, and counts it", async () => {
    const { code, lines } = await gate(planted("good"));
    expect(code).toBe(PASSED);
    expect(last(lines, 1)).toBe("1 passed, 0 failed, 1 skipped");
  });

  it("refuses a defect with its file, name, message and command, after all stages ran", async () => {
    const { code, lines } = await gate(planted("defect"), planted("good"));
    expect(code).toBe(DEFECT);
    const told = last(lines, 40);
    for (const part of [
      "DEFECT test/gate/planted/defect.ts > is false",
      "expected 'the moon' to be 'a cheese'",
      `again: ${VITEST.join(" ")} test/gate/planted/defect.ts`,
    ])
      expect(told).toContain(part);
    expect(last(lines, 1)).toBe("1 passed, 1 failed, 1 skipped");
  });

  it("lets a flake through in one line that says what was around it", async () => {
    const { code, lines } = await gate(planted("flake"));
    expect(code).toBe(PASSED);
    const flakes = lines.filter((line) => line.startsWith("FLAKE "));
    expect(flakes.map((line) => JSON.parse(line.slice("FLAKE ".length)))).toEqual([
      {
        file: "test/gate/planted/flake.ts",
        test: "is red once",
        message: expect.stringContaining("expected false to be true"),
        load: expect.any(Number),
        before: [],
        rssMb: expect.any(Number),
      },
    ]);
    expect(last(lines, 1)).toBe("1 passed, 0 failed, 0 skipped");
  });

  it("looks again at the file that an error outside of tests points at", async () => {
    const { code, lines } = await gate(planted("stray"));
    expect(code).toBe(PASSED);
    expect(lines.filter((line) => line.startsWith("FLAKE "))).toEqual([
      expect.stringContaining("nobody waited for this"),
    ]);
  });

  describe("after a file that failed and passes later", () => {
    const place = { file: "a.ts", project: "p" };
    const ran = (state: "passed" | "failed" | "skipped"): Fact[] => [
      { kind: "planned", ...place },
      { kind: "test", ...place, test: "is", state },
      { kind: "file", ...place, state: state === "failed" ? "failed" : "passed", load: 0, before: [], rssMb: 1 },
    ];
    /** A command that notes the facts, prints a line, and ends with the code. */
    const noting = (facts: Fact[], code: number, said = "") => [
      "bash",
      "-c",
      `printf '%s\\n' '${facts.map((fact) => JSON.stringify(fact)).join("' '")}' >> "$GATE_FACTS"; echo '${said}'; exit ${code}`,
    ];
    const flaky = noting(ran("failed"), 1);
    const passing = () => noting(ran("passed"), 0);
    const stage = { name: "stage", minutes: 1 };

    it.each([
      [
        "an error of no file",
        noting([...ran("failed"), { kind: "error", message: "of the runner" }], 1),
        "of the runner",
      ],
      [
        "an error of a file of no stage",
        noting([...ran("failed"), { kind: "error", message: "of b", file: "b.ts" }], 1),
        "of b",
      ],
      ["an end that failed", noting(ran("failed"), 1, "error during close"), "error during close"],
    ])("refuses %s", async (_, command, told) => {
      const { code, lines } = await gate({ ...stage, command, again: passing });
      expect(code).toBe(DEFECT);
      expect(last(lines, 40)).toContain("DEFECT stage: ");
      expect(last(lines, 40)).toContain(told);
      expect(last(lines, 1)).toBe("1 passed, 1 failed, 0 skipped");
    });

    it.each([
      ["did not run", ["true"]],
      ["left out", noting(ran("skipped"), 0)],
    ])("refuses what the second look %s", async (_, look) => {
      const { code } = await gate({ ...stage, command: flaky, again: () => look });
      expect(code).toBe(DEFECT);
    });

    it("lets it through where nothing else was wrong", async () => {
      expect((await gate({ ...stage, command: flaky, again: passing })).code).toBe(PASSED);
    });
  });

  it("refuses a stage of tests that ran none", async () => {
    const { code, lines } = await gate({ name: "stage", minutes: 1, command: ["true"], again: () => ["true"] });
    expect(code).toBe(DEFECT);
    expect(last(lines, 40)).toContain("DEFECT stage: nothing was run");
  });

  it("cuts off a stage that hangs, refuses it, and runs the others", async () => {
    const { code, lines } = await gate(planted("hang", 0.2), planted("good"));
    expect(code).toBe(DEFECT);
    expect(last(lines, 40)).toContain("hang      cut off after");
    expect(last(lines, 40)).toContain("DEFECT test/gate/planted/hang.ts > did not end");
    expect(last(lines, 1)).toBe("1 passed, 1 failed, 1 skipped");
  });

  it("calls a file that kills its worker twice broken", async () => {
    const { code, lines } = await gate(planted("death"));
    expect(code).toBe(BROKEN);
    expect(last(lines, 40)).toContain("DEFECT test/gate/planted/death.ts > did not end");
  });

  it("refuses a stage that ends badly without a test that failed", async () => {
    const { code, lines } = await gate({ name: "check", command: ["bash", "-c", "echo a word; exit 7"], minutes: 1 });
    expect(code).toBe(DEFECT);
    expect(last(lines, 40)).toContain("DEFECT check: ended with 7\na word\nagain: bash -c");
    expect(last(lines, 1)).toBe("0 passed, 1 failed, 0 skipped");
  });
});

describe("the installs of .ci/run", () => {
  /** A folder with .ci/run, an npm that fails so often, and a Node that only says what it was asked to run. */
  function clone(failures: number): { code: number | null; output: string } {
    const root = join(scratch, `clone-${failures}`);
    for (const folder of [".ci", "bin", "node_modules/.bin"]) mkdirSync(join(root, folder), { recursive: true });
    const program = (path: string, lines: string) => {
      writeFileSync(join(root, path), `#!/bin/bash\n${lines}\n`);
      chmodSync(join(root, path), 0o755);
    };
    writeFileSync(join(root, ".ci/run"), readFileSync(join(PROJECT_ROOT, ".ci/run")));
    for (const name of ["redis-server", "caddy", "chromium-headless-shell"]) program(`bin/${name}`, "");
    program(
      "bin/npm",
      `echo try >> tries; [ "$(wc -l < tries)" -gt ${failures} ] || { echo "npm error 500"; exit 1; }`,
    );
    program("node_modules/.bin/node", 'echo "ran $*"');
    const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin` };
    const { status, stdout, stderr } = spawnSync("bash", [join(root, ".ci/run")], { env, encoding: "utf8" });
    return { code: status, output: stdout + stderr };
  }

  it("take a registry that answers at the third try", () => {
    const { code, output } = clone(2);
    expect(output.trimEnd().split("\n").at(-1)).toBe("ran scripts/gate.ts");
    expect(code).toBe(0);
  });

  it("end with a code of their own, before any test, when there is no third answer", () => {
    const { code, output } = clone(3);
    expect(output).not.toContain("scripts/gate.ts");
    expect(output).toContain("could not install: npm");
    expect(code).toBe(3);
  });
});
