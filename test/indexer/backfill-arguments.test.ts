/** The command line of `npm run backfill`: what it asks for, and what is refused in a sentence. */
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../config/config.ts";
import { CommandError, indexedContracts, selectionOf, taskOf } from "../../scripts/backfill/arguments.ts";

const CONTRACTS = indexedContracts(loadConfig({ DATABASE_URL: "postgres://x/y" }));
const NAMES = CONTRACTS.map(({ name }) => name);
const task = (line: string) => taskOf(line.split(" ").filter(Boolean), NAMES);
const part = (line: string) => {
  const found = task(line);
  if (!("part" in found)) throw new Error("no part");
  return found.part;
};

it("asks for the whole history, a part of it, or an estimate of either", () => {
  expect(task("")).toEqual({ kind: "index" });
  expect(task("--watch")).toEqual({ kind: "watch" });
  expect(task("--estimate")).toMatchObject({ kind: "estimate", part: { contract: undefined } });
  expect(task("--contract identity --to 42_300_000")).toEqual({
    kind: "fetch",
    part: { contract: "Identity", from: undefined, to: 42_300_000 },
  });
  expect(task("--estimate --from 42,254,000")).toMatchObject({ kind: "estimate", part: { from: 42_254_000 } });
});

describe("refuses", () => {
  it.each([
    ["--contract Nothing", /There is no contract Nothing\. The contracts are Identity, Eas, /],
    ["--from x", /--from x is not a block number/],
    ["--from -1", /ambiguous/],
    ["--from 10 --to 9", /--from 10 is above --to 9/],
    ["--watch --to 9", /takes no other option/],
    ["--everything", /Unknown option '--everything'.*\n.*Usage/],
    ["now", /Unexpected argument 'now'/],
  ])("%s", (line, message) => {
    expect(() => task(line)).toThrow(message);
    expect(() => task(line)).toThrow(CommandError);
  });
});

it("a part begins where each contract's history begins and ends where the chain is final", () => {
  const { contracts, to } = selectionOf(part("--from 42000000"), CONTRACTS, 43_000_000);
  expect(to).toBe(43_000_000);
  expect(Object.fromEntries(contracts.map(({ name, from }) => [name, from]))).toEqual({
    Identity: 42_254_000,
    Eas: 42_254_000,
    Erc8004Identity: 42_000_000,
    Erc8004Reputation: 42_000_000,
    Handshakes: 42_254_000,
    ServiceToken: 42_254_000,
  });
  // A contract whose history begins later is left out.
  expect(selectionOf(part("--to 42000000"), CONTRACTS, 43_000_000).contracts.map(({ name }) => name)).toEqual([
    "Erc8004Identity",
    "Erc8004Reputation",
  ]);
  expect(() => selectionOf(part("--to 43000001"), CONTRACTS, 43_000_000)).toThrow("is not final yet");
  expect(() => selectionOf(part("--contract Eas --to 42000000"), CONTRACTS, 43_000_000)).toThrow(
    "The history of Eas begins at block 42254000",
  );
  expect(() => selectionOf(part("--from 43000001"), CONTRACTS, 43_000_000)).toThrow("above block 43000000");
});
