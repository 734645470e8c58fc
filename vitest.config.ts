/** Test layers: `core` needs nothing, the others share one embedded PostgreSQL and start their own chains. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Every run asks other questions; one that fails prints its seed.
    provide: { fuzz: { cases: 200, seed: Date.now() % 2 ** 31, whole: false } },
    projects: [
      { test: { name: "core", include: ["test/core/**/*.test.ts", "test/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "services",
          include: ["test/*/**/*.test.ts"],
          exclude: ["test/core/**"],
          globalSetup: ["test/support/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          // Real processes and chains on a shared machine: a failure is looked at once more, and the report says so.
          retry: 1,
        },
      },
    ],
  },
});
