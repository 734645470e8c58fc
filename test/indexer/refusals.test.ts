/** What the indexer refuses to start on, in one clear sentence and with exit code 1. */
import pino from "pino";
import { expect, test } from "vitest";
import { loadConfig } from "../../config/config.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { launchIndexer } from "../../indexer/launcher.ts";
import { PONDER_VERSION, unverifiedVersion, VERIFIED_VERSIONS } from "../../indexer/preload/ponder-package.ts";
import { LaunchError } from "../../indexer/schema-name.ts";
import { testDatabase } from "../support/database.ts";
import { runIndexer } from "../support/index-world.ts";
import { perFile } from "../support/started.ts";

const anvil = perFile(startAnvil);
const db = perFile(() => testDatabase({ migrated: false }));

const env = (more: Record<string, string>) => ({
  ...CHILD_ENV,
  DATA_DIR: "/nonexistent",
  LOG_LEVEL: "warn",
  ...more,
});

const cases: [what: string, env: () => Record<string, string>, sentence: string][] = [
  [
    "a node of another chain",
    () => ({ DATABASE_URL: db.url, RPC_URL: anvil.url, CHAIN_ID: "10" }),
    "is of chain 8453 and not of chain 10: it is not used.",
  ],
  [
    "a second node of another chain",
    () => ({ DATABASE_URL: db.url, RPC_URL: "http://127.0.0.1:9", RPC_URLS: anvil.url, CHAIN_ID: "10" }),
    "is of chain 8453 and not of chain 10: it is not used.",
  ],
  ["no node", () => ({ DATABASE_URL: db.url }), "RPC_URL is not set and no local stack is running."],
  ["no database", () => ({ RPC_URL: anvil.url }), "DATABASE_URL is not set and no local stack is running."],
  ["a bad variable", () => ({ DATABASE_URL: db.url, RPC_LANES: "many" }), "RPC_LANES must be a whole number"],
];
test.each(cases)("%s", async (_, more, sentence) => {
  const indexer = runIndexer(env(more()));
  expect(await indexer.ended).toBe(1);
  expect(indexer.output()).toContain("The indexer cannot start: ");
  expect(indexer.output()).toContain(sentence);
  expect(indexer.output()).not.toMatch(/\n\s+at /);
});

test("the installed version of Ponder is one that indexer/preload/ was checked against", () => {
  expect(VERIFIED_VERSIONS).toContain(PONDER_VERSION);
  expect(unverifiedVersion(PONDER_VERSION)).toBeNull();
});

test("the launcher refuses another version before it connects to anything, and says what to do", async () => {
  const config = loadConfig({ DATABASE_URL: "postgres://127.0.0.1:9/none", RPC_URL: "http://127.0.0.1:9" });
  const { done } = launchIndexer({ config, env: {}, log: pino({ enabled: false }), ponderVersion: "0.17.8" });
  await expect(done).rejects.toBeInstanceOf(LaunchError);
  await expect(done).rejects.toThrow(
    /^Ponder 0\.17\.8 is installed, but only 0\.17\.7 is verified\. Install that version, or check indexer\/preload\//,
  );
});
