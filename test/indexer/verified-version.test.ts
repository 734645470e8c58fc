/** The indexer starts only on a version of Ponder that indexer/preload/ was checked against. */
import pino from "pino";
import { expect, test } from "vitest";
import { loadConfig } from "../../config/config.ts";
import { launchIndexer } from "../../indexer/launcher.ts";
import { PONDER_VERSION, unverifiedVersion, VERIFIED_VERSIONS } from "../../indexer/preload/ponder-package.ts";
import { LaunchError } from "../../indexer/schema-name.ts";

test("the installed version is verified", () => {
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
