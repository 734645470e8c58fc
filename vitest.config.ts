/** Test layers: `core` needs nothing, the others share one embedded PostgreSQL and start their own chains. */
import type { ProvidedContext } from "vitest";
import { defineConfig } from "vitest/config";
import { CostReporter } from "./test/support/cost-reporter.ts";
import { LongFirst } from "./test/support/long-first.ts";

/** Crashes at every step, storms, simulations and load: `npm run test:deep`, which CI runs after `npm test`. */
const DEEP = "test/**/*.deep.test.ts";

const SEED = Date.now() % 2 ** 31;

/** What is installed for the clients of test/clients brings tests along. */
const INSTALLED = "**/node_modules/**";

/** Tests that need a database, a chain or processes of their own. */
const services = (
  name: string,
  files: { include: string[]; exclude?: string[]; provide?: Partial<ProvidedContext> },
) => ({
  extends: true as const,
  test: {
    name,
    ...files,
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/mark-worker.ts", "test/support/on-failure.ts"],
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});

export default defineConfig({
  test: {
    // Every run draws other random cases; one that fails prints its seed.
    provide: { fuzz: { cases: 40, seed: SEED, share: 1 / 20 } },
    // A file costs two seconds of imports where it has a process of its own; none keeps state in a module.
    isolate: false,
    // More than there are cores: tests of processes and chains wait half of their time.
    maxWorkers: 3,
    // One second, the default, is a timed assertion on a busy machine.
    expect: { poll: { timeout: 25_000 } },
    reporters: ["default", new CostReporter()],
    setupFiles: ["test/support/mark-worker.ts"],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: "core", include: ["test/core/**/*.test.ts", "test/*.test.ts"], testTimeout: 180_000 },
      },
      services("services", { include: ["test/*/**/*.test.ts"], exclude: ["test/core/**", DEEP, INSTALLED] }),
      services("deep", {
        include: [DEEP],
        exclude: [INSTALLED],
        provide: { fuzz: { cases: 200, seed: SEED, share: 1 / 4 } },
      }),
    ],
  },
});
