/**
 * Conservation: after a storm of payments, cheats, faults and restarts, what the payees hold is what the ledger says was
 * fulfilled or is owed, to the unit, and every token was paid for once. `npm run trial -- storm` runs longer ones.
 */
import { expect, inject, it } from "vitest";
import { runPaymentLoad } from "./support/storm.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Set by `npm run trial -- storm`. */
    storm: { seed: number; payments: number; loud: boolean } | undefined;
  }
}

it("a storm of payments leaves the books balanced", async () => {
  const { seed, payments, loud } = inject("storm") ?? { seed: inject("fuzz").seed, payments: 12, loud: false };
  const replay = `npm run trial -- storm --seed ${seed} --payments ${payments}`;
  const lines: string[] = [replay];
  const say = (line: string) => void (loud ? console.log(line) : lines.push(line));
  const { differences, summary } = await runPaymentLoad({ seed, payments, say }).catch((error) => {
    throw new Error(`${lines.join("\n")}\n${error}`, { cause: error });
  });
  say(JSON.stringify(summary));
  expect(differences, lines.join("\n")).toEqual([]);
});
