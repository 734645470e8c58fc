/** `npm run trial -- storm [--seed N] [--payments N]`: payments under faults until the books must balance; a seed again is the same storm. */
import { startVitest } from "vitest/node";
import { commandLine } from "../harness/options.ts";

const { numbers } = commandLine({ seed: { absent: Date.now() % 2 ** 31 }, payments: { absent: 200 } }, {});
const storm = { ...numbers, loud: true };
console.log(`npm run trial -- storm --seed ${storm.seed} --payments ${storm.payments}`);
await startVitest(
  "test",
  ["test/payments/storm.nightly.test.ts"],
  { run: true, watch: false, disableConsoleIntercept: true, testTimeout: 3_600_000 },
  { test: { provide: { storm } } },
);
