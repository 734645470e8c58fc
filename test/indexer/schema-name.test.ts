/** The name of an index schema follows from what decides its rows, and from nothing else. */
import { expect, test } from "vitest";
import { loadConfig } from "../../config/config.ts";
import { indexBuild, indexSchema } from "../../indexer/schema-name.ts";

const build = (env: Record<string, string> = {}) => indexBuild(loadConfig({ DATABASE_URL: "postgres://x/y", ...env }));

test("the same inputs give the same name, short enough for Ponder", () => {
  expect(build()).toMatch(/^index_[0-9a-f]{10}$/);
  expect(build()).toBe(build());
  expect(indexSchema(build(), 12)).toBe(`${build()}_12`);
  expect(indexSchema(build(), 1_000_000).length).toBeLessThanOrEqual(45);
});

const address = `0x${"12".repeat(20)}`;
const hash = `0x${"34".repeat(32)}`;
test.each([
  ["CHAIN_ID", "84532"],
  ["CONTRACTS", `identity=${address}`],
  ["CONTRACTS", "identity=@1"],
  ["CONTRACTS", `erc8004Identity=${address}`],
  ["CONTRACTS", `erc8004Reputation=${address}`],
  ["CONTRACTS", "erc8004Reputation=@1"],
  ["CONTRACTS", `eas=${address}`],
  ["CONTRACTS", "eas=@1"],
  ["CONTRACTS", `handshakes=${address}`],
  ["CONTRACTS", `serviceToken=${address}`],
  ["ATTESTERS", address],
  ["ATTESTATION_SCHEMAS", hash],
  ["BACKFILL_END_BLOCK", "50000000"],
])("%s (%s) decides rows: another name", (name, value) => {
  expect(build({ [name]: value })).not.toBe(build());
});

test.each([
  ["RPC_URL", "http://127.0.0.1:1"],
  ["RPC_URLS", "http://127.0.0.1:1,http://127.0.0.1:2"],
  ["RPC_WS_URL", "ws://127.0.0.1:1"],
  ["RPC_LANES", "200"],
  ["RPC_CACHE", "false"],
  ["POLL_INTERVAL_MS", "100"],
  ["LOG_LEVEL", "trace"],
  ["PORT", "4999"],
])("%s decides no row: the same name, no re-index", (name, value) => {
  expect(build({ [name]: value })).toBe(build());
});

test("the order of attesters and schemas, and the case of addresses, do not matter", () => {
  const [one, two] = [`0x${"aB".repeat(20)}`, address];
  expect(build({ ATTESTERS: `${one},${two}` })).toBe(build({ ATTESTERS: `${two},${one.toLowerCase()}` }));
});
