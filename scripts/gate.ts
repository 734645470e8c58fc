/** Whether the checkout as it is may land: what .ci/run runs after its installs. docs/engineering/testing.md says how it decides. */
import { runGate, type Stage } from "../harness/gate/gate.ts";
import { missingInWords } from "../harness/programs.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

/** With the installs before them less than CI's own limit of 90. */
const MINUTES = { stages: 62, looks: 18 };

const NODE = "node_modules/.bin/node";
const tests = (...projects: string[]) => [
  ...[NODE, "node_modules/vitest/vitest.mjs", "run"],
  ...projects.map((name) => `--project=${name}`),
];
const again: Stage["again"] = ({ file, project }) => [...tests(project), file];

/** Looked at again as a whole: a flake among its tests must not hide what lint or types say. */
const VERIFY = [NODE, "scripts/verify.ts"];

const STAGES: Stage[] = [
  { name: "static", command: VERIFY, minutes: 10, again: () => VERIFY },
  { name: "services", command: tests("services", "heavy"), minutes: 25, again },
  {
    name: "clients",
    command: [NODE, "scripts/clients.ts"],
    minutes: 15,
    again: ({ file }) => [NODE, "scripts/clients.ts", "--exactly", file],
  },
  { name: "deep", command: tests("deep", "deep-heavy"), minutes: 45, again },
];

process.chdir(PROJECT_ROOT);
process.exitCode = await runGate(STAGES, {
  ...{ folder: "gate-log", minutes: MINUTES, env: { CI: "true", PATIENCE: "3" } },
  notes: missingInWords(),
});
