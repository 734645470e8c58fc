/** Settlements for payers that are contracts: how many may fail, and whose places they take. */
import { expect, it } from "vitest";
import { unprovenContracts } from "../../clients/facilitator-local.ts";
import type { Address } from "../../core/agents/facts.ts";

const [HOSTILE, NEWCOMER]: [Address, Address] = ["0x01", "0x02"];
const settled = async () => ({ kind: "settled", txHash: "0x", payer: HOSTILE }) as const;
const failed = async () => ({ kind: "unknown", cause: new Error("reverted") }) as const;

it("a contract that paid once makes five settlements fail at most, however many it presents at once", async () => {
  const contracts = unprovenContracts({ perDay: 2, now: () => 0 });
  await contracts.settle(HOSTILE, settled);
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => contracts.settle(HOSTILE, failed)));
  expect(Object.groupBy(outcomes, ({ kind }) => kind)).toMatchObject({
    unknown: { length: 5 },
    refused: { length: 25 },
  });
});

it("settlements of a contract that paid take no place of others while they are under way", async () => {
  const contracts = unprovenContracts({ perDay: 1, now: () => 0 });
  await contracts.settle(HOSTILE, settled);
  const gate = Promise.withResolvers<void>();
  const open = Array.from({ length: 9 }, () => contracts.settle(HOSTILE, () => gate.promise.then(settled)));
  expect(await contracts.settle(NEWCOMER, settled)).toMatchObject({ kind: "settled" });
  gate.resolve();
  expect((await Promise.all(open)).every(({ kind }) => kind === "settled")).toBe(true);
});
