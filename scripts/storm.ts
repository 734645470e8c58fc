/** `npm run storm -- [--seed N] [--payments N]`: payments under faults until the books must balance; a seed again is the same storm. */
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values } = parseArgs({ options: { seed: { type: "string" }, payments: { type: "string" } } });
const number = (name: "seed" | "payments", absent: number) => {
  const value = Number(values[name] ?? absent);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} takes a whole number.`);
  process.exit(1);
};
const storm = { seed: number("seed", Date.now() % 2 ** 31), payments: number("payments", 200), loud: true };
console.log(`npm run storm -- --seed ${storm.seed} --payments ${storm.payments}`);
await startVitest(
  "test",
  ["test/payments/storm.nightly.test.ts"],
  { run: true, watch: false, disableConsoleIntercept: true, testTimeout: 3_600_000 },
  { test: { provide: { storm } } },
);
