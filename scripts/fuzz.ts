/** `npm run fuzz -- [--cases N] [--seed N]`: every operation under as many generated requests as wanted, or the same ones again. */
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values } = parseArgs({ options: { cases: { type: "string" }, seed: { type: "string" } } });
const number = (name: "cases" | "seed", absent: number) => {
  const value = Number(values[name] ?? absent);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} takes a whole number.`);
  process.exit(1);
};
const fuzz = { cases: number("cases", 10_000), seed: number("seed", Date.now() % 2 ** 31) };
await startVitest("test", ["test/api/fuzz.test.ts"], { run: true, watch: false }, { test: { provide: { fuzz } } });
