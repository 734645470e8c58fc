/** `npm run verify`: lint, types, what is unused, architecture and pure tests, side by side, and the budget; seconds, no services. */
import { join } from "node:path";
import { outputOf, startProgram } from "../devnet/start-program.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { isWithinBudget } from "./budget.ts";

const tool = (name: string, bin: string) => join(PROJECT_ROOT, "node_modules", name, bin);

const CHECKS: [string, string[]][] = [
  ["lint and format", [tool("@biomejs/biome", "bin/biome"), "check", "--error-on-warnings", "."]],
  ["nothing unused", [tool("knip", "bin/knip.js"), "--no-progress"]],
  ["types", [tool("typescript", "bin/tsc")]],
  ["types of the web terminal", [tool("typescript", "bin/tsc"), "-p", "web"]],
  ["architecture and pure tests", [tool("vitest", "vitest.mjs"), "run", "--project", "core"]],
];

/** Runs it and prints how it went; its output where it failed. @returns whether it did not */
const passes = ([name, args]: [string, string[]]) =>
  new Promise<boolean>((done) => {
    const started = performance.now();
    const child = startProgram(process.execPath, args, { wholeGroup: true, stdio: ["ignore", "pipe", "pipe"] });
    const output = outputOf(child);
    child.on("close", (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
      if (code !== 0) console.log(output());
      done(code === 0);
    });
  });

// The others read what it writes.
const generated = await passes(["types of the client library", [join(PROJECT_ROOT, "scripts/sdk.ts"), "--types"]]);
const results = await Promise.all(CHECKS.map(passes));
process.exit([generated, ...results, isWithinBudget()].every(Boolean) ? 0 : 1);
