/** Test layers: `core` needs nothing, the others share one embedded PostgreSQL and start their own chains. */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ProvidedContext } from "vitest";
import { defineConfig } from "vitest/config";
import { FACTS } from "./harness/gate/facts.ts";
import { FactsReporter } from "./harness/gate/facts-reporter.ts";
import { LONG } from "./harness/patience.ts";
import { CostReporter } from "./test/support/cost-reporter.ts";
import { LongFirst } from "./test/support/long-first.ts";
import { renewedForks } from "./test/support/renewed-forks.ts";
import { SEED } from "./test/support/seed.ts";

/** Crashes at every step, storms and whole stacks: `npm run test:deep`. */
const DEEP_ENDING = ".deep.test.ts";
const DEEP = `test/**/*${DEEP_ENDING}`;

/** Judges real time, so it has the machine to itself: `npm run nightly`. */
const NIGHTLY = "test/**/*.nightly.test.ts";

/** Of a test, and of what it prepares. */
const TEST_MS = 4 * LONG;

/** What is installed for the clients of test/clients brings tests along. */
const INSTALLED = "**/node_modules/**";

/**
 * Files that start whole stacks or many requests at once disturb others that run at the same time: two of them run at a
 * time, the deep ones each in a process of its own. Names without the ending, for quick and deep files.
 */
const HEAVY = [
  "api/{event-stream,events,exports,message-processes,sigterm}",
  "client-libraries/*",
  "db/{migrate,replicas}",
  "events/subscribers",
  "indexer/{backfill,events,queries,reorg,restart}",
  "ops/image",
  "payments/{crash,early,mpp-crash,races}",
  "stack/{crash,events,log-secrets,main-job,postgres,service,start,topology}",
  "web/terminal",
];
const heavy = (ending: string) => HEAVY.map((name) => `test/${name}${ending}`);

/** Quick files that a deep one imports, and so runs: `npm test` leaves them to it, and they are here to be run by name. */
const CONTAINED = globSync(DEEP)
  .filter((path) => readFileSync(path, "utf8").includes(`\nimport "./${basename(path, DEEP_ENDING)}.test.ts"`))
  .map((path) => path.replace(DEEP_ENDING, ".test.ts"));

/** The gate has a stage of its own for clients. */
export const ELSEWHERE = FACTS ? globSync("test/client-libraries/*.deep.test.ts") : [];

/** Tests that need a database, a chain or processes of their own. */
const services = (
  name: string,
  files: { include: string[]; exclude: string[] },
  options: {
    provide?: Partial<ProvidedContext>;
    isolate?: true;
    maxWorkers?: number;
    sequence?: { groupOrder: number };
  } = {},
) => ({
  extends: true as const,
  test: {
    name,
    ...files,
    ...options,
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/mark-worker.ts", "test/support/seeded.ts", "test/support/on-failure.ts"],
    // Longer than a wait that fails, because the failed wait names what did not happen.
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
  },
});
const IN_PAIRS = { maxWorkers: 2, sequence: { groupOrder: 1 } } as const;
/** Each in a process of its own. */
const APART = { ...IN_PAIRS, isolate: true } as const;
/** Options of `npm run trial -- fuzz`, in the same process: as options of Vitest's call they would not reach what a project provides itself. */
const { fuzz } = globalThis as { fuzz?: ProvidedContext["fuzz"] };
const random = (cases: number, share: number) => ({ fuzz: fuzz ?? { cases, seed: SEED, share } });
/** They keep the cores busy as they are. */
const BUSY = { maxWorkers: 3, sequence: { groupOrder: 3 } } as const;
const DEEPLY = { provide: random(200, 1 / 4) };

export default defineConfig({
  test: {
    provide: random(40, 1 / 20),
    // A file costs two seconds of imports where it has a process of its own; none keeps state in a module.
    isolate: false,
    pool: renewedForks,
    // More than there are cores: tests wait for processes, chains and one another more than half of their time.
    maxWorkers: 5,
    // One second, the default, is a timed assertion on a busy machine.
    expect: { poll: { timeout: LONG } },
    reporters: ["default", new CostReporter(), ...(FACTS ? [new FactsReporter()] : [])],
    setupFiles: ["test/support/mark-worker.ts", "test/support/seeded.ts"],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: "core", include: ["test/core/**/*.test.ts", "test/*.test.ts"], testTimeout: TEST_MS },
      },
      services("services", {
        include: ["test/*/**/*.test.ts"],
        exclude: ["test/core/**", DEEP, NIGHTLY, INSTALLED, ...heavy(".test.ts"), ...CONTAINED],
      }),
      services("heavy", { include: heavy(".test.ts"), exclude: [DEEP, ...CONTAINED] }, IN_PAIRS),
      services("contained", { include: CONTAINED, exclude: [] }, APART),
      services("deep", { include: [DEEP], exclude: [INSTALLED, ...heavy(DEEP_ENDING)] }, { ...DEEPLY, ...BUSY }),
      services("deep-heavy", { include: heavy(DEEP_ENDING), exclude: ELSEWHERE }, { ...DEEPLY, ...APART }),
      services(
        "nightly",
        { include: [NIGHTLY], exclude: [INSTALLED] },
        { ...DEEPLY, maxWorkers: 1, sequence: { groupOrder: 2 } },
      ),
    ],
  },
});
