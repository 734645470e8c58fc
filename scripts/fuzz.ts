/** `npm run trial -- fuzz [--cases N] [--seed N]`: all that the tests ask at random, every operation under as many requests as wanted, or the same again. */
import { globSync } from "node:fs";
import { startVitest } from "vitest/node";
import { commandLine } from "../harness/options.ts";

const { numbers } = commandLine({ cases: { absent: 10_000 }, seed: { absent: Date.now() % 2 ** 31 } }, {});
const fuzz = { ...numbers, share: 1 };
console.log(`npm run trial -- fuzz --cases ${fuzz.cases} --seed ${fuzz.seed}`);
// vitest.config.ts takes it from here.
Object.assign(globalThis, { fuzz });
/** The files that ask a share of their cases in `npm test`. */
const files = [
  "api/fuzz",
  "api/cost.deep",
  "api/agent-list",
  "api/signature",
  "core/found-in-short",
  "columns/agents",
  "db/cred",
  "db/income-places",
  "discovery/words",
  "workers/hostile-data",
  "workers/hostile-profiles",
  "workers/snapshot-histories.deep",
  "indexer/events",
  "core/cred-tree",
  "contracts/cred-roots",
  "stack/seeded.deep",
  // Flows of the terminal, at both widths.
  "web/*.deep",
].flatMap((name) => {
  const files = globSync(`test/${name}.test.ts`);
  if (files.length === 0) throw new Error(`No test is called ${name}: a test that was renamed is renamed here too`);
  return files;
});
// However many cases were asked for.
await startVitest("test", files, { run: true, watch: false, testTimeout: 0 });
