/** Planted tests for the gate's own: run by it in a Vitest of their own, never by the project's. */
import { defineConfig } from "vitest/config";
import { FactsReporter } from "../../../harness/gate/facts-reporter.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.ts"],
    exclude: ["vitest.config.ts"],
    setupFiles: ["../../support/mark-worker.ts"],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 600_000,
    reporters: ["default", new FactsReporter()],
  },
});
