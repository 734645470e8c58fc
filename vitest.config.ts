/** Test layers: `core` needs nothing, the others share one embedded PostgreSQL and start their own chains. */
import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/support/long-first.ts";

/** Crashes at every step, storms, simulations and load: `npm run test:deep`, which CI runs after `npm test`. */
const DEEP = "test/**/*.deep.test.ts";

/** What is installed for the clients of test/clients brings tests along. */
const INSTALLED = "**/node_modules/**";

/** Tests that need a database, a chain or processes of their own. */
const services = (name: string, files: { include: string[]; exclude?: string[] }) => ({
  extends: true as const,
  test: {
    name,
    ...files,
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/on-failure.ts"],
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});

export default defineConfig({
  test: {
    // Every run asks other questions; one that fails prints its seed.
    provide: { fuzz: { cases: 200, seed: Date.now() % 2 ** 31, whole: false } },
    // A file costs two seconds of imports where it has a process of its own; none keeps state in a module.
    isolate: false,
    // More than there are cores: tests of processes and chains wait half of their time.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: "core", include: ["test/core/**/*.test.ts", "test/*.test.ts"], testTimeout: 180_000 },
      },
      services("services", { include: ["test/*/**/*.test.ts"], exclude: ["test/core/**", DEEP, INSTALLED] }),
      services("deep", { include: [DEEP], exclude: [INSTALLED] }),
    ],
  },
});
