/** Loads of a live table: one at a time, and none while a loaded table waits to be taken. */
import { beforeEach, expect, test } from "vitest";
import { TableLoader } from "../../columns/table-loader.ts";
import { source } from "../../db/lists/agents-source.ts";
import { plantOnchain } from "../../harness/onchain.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";

const db = perTest(testDatabase);
beforeEach(() => plantOnchain(db.pool, { block: 1000, finalized: 900 }));

test("a table that was loaded and not yet taken is not loaded again", async () => {
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let ended = 0;
  const loader = new TableLoader(source, {
    url: db.url,
    processFile: "",
    onFailure: (error) => ends[ended]!.reject(error),
    onEnd: () => ends[ended++]!.resolve(),
  });
  loader.start(0);
  await ends[0]!.promise;
  // A follower whose comparison of totals began before the load ended starts one here.
  loader.start(0);
  expect(loader.isLoading).toBe(false);
  expect(loader.take()?.image).toBeDefined();
  loader.start(0);
  expect(loader.isLoading).toBe(true);
  await ends[1]!.promise;
  expect(loader.take()).toBeDefined();
  expect(loader.take()).toBeUndefined();
  await loader.close();
});
