/** `npm run generate -- <name> [arguments]`, `npm run trial -- <name> [arguments]`: one command of the set of package.json's script. */
import { once } from "node:events";
import { join } from "node:path";
import { startProgram } from "../devnet/start-program.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

const SETS: Record<string, Record<string, string>> = {
  /** Write what follows from sources. */
  generate: {
    contracts: "contracts/compile.ts",
    "env-example": "scripts/env-example.ts",
    lock: "scripts/complete-lock.ts",
    migration: "scripts/migration.ts",
    screenshots: "scripts/screenshots.ts",
    sdk: "scripts/sdk.ts",
    web: "web/build.ts",
  },
  /** Take long, draw at random, or judge real time. */
  trial: {
    flakes: "scripts/flakes.ts",
    fuzz: "scripts/fuzz.ts",
    load: "scripts/load.ts",
    replay: "scripts/replay.ts",
    simulate: "scripts/simulate.ts",
    soak: "scripts/soak.ts",
    storm: "scripts/storm.ts",
    "strict-node": "scripts/strict-node.ts",
  },
};

const [set = "", name = "", ...args] = process.argv.slice(2);
const files = SETS[set] ?? {};
const file = files[name];
if (file === undefined) {
  console.error(`Usage: npm run ${set} -- <name> [arguments]. There are ${Object.keys(files).join(", ")}.`);
  process.exit(1);
}
// The image is built by this command, from a folder without harness/.
const child = startProgram(process.execPath, [join(PROJECT_ROOT, file), ...args], { stdio: "inherit" });
const [code] = await once(child, "exit");
process.exit(code ?? 1);
