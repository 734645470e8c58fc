/** The answer of a write waits until every plain read shows it: the index, the score, the row of the directory, the lists. */
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isShown, listsShow } from "../../api/services/shown-write.ts";
import { openAgentList } from "../../db/lists/agents.ts";
import { openDirectoryList } from "../../db/lists/directory.ts";
import { type IndexTracker, trackIndexedBlock } from "../../db/operations/index-state.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { LONG } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { plantAgents, plantFollowed } from "./support/agents.ts";

const BLOCK = 1_002;
const SHOWN = { shows: () => true } as never;

let database: TestDatabase;
let db: pg.Pool;
let index: IndexTracker;
beforeEach(async () => {
  database = await testDatabase({ indexed: true });
  db = database.pool;
  index = await trackIndexedBlock(database.url, { pollMs: 50 });
  await plantAgents(db, [{ tokenId: 7, updatedBlock: BLOCK, score: 10 }, { tokenId: 8 }]);
});
afterEach(async () => {
  await index.close();
  await database.drop();
});

const rows = (scored: number, block: number) => plantFollowed(db, { tokenId: 7, block, scored });
const indexed = async () => {
  await plantCheckpoint(db, { block: BLOCK });
  await until("the block is indexed", () => index.block === BLOCK);
};
const look = (within = 0, tokenId = 7) =>
  isShown({ db, index, directory: SHOWN }, { tokenId, block: BLOCK }, performance.now() + within);

describe("an agent as of a block", () => {
  it.each([
    ["no score and no row", () => Promise.resolve(), false],
    ["an older score", () => rows(BLOCK - 1, BLOCK), false],
    ["an older row", () => rows(BLOCK, BLOCK - 1), false],
    ["both as of it", () => rows(BLOCK, BLOCK), true],
    ["both of a later one", () => rows(BLOCK + 1, BLOCK + 1), true],
  ])("with %s", async (_what, plant, shown) => {
    await indexed();
    await plant();
    expect(await look()).toBe(shown);
  });

  it("is not shown before its block is indexed", async () => {
    await rows(BLOCK, BLOCK);
    expect(await look()).toBe(false);
    const waiting = look(LONG);
    await indexed();
    expect(await waiting).toBe(true);
  });

  it("is waited for until score and row have followed", async () => {
    await indexed();
    const waiting = look(LONG);
    await rows(BLOCK, BLOCK);
    expect(await waiting).toBe(true);
  });

  it("that did not change in it waits for nothing", async () => {
    await indexed();
    expect(await look(0, 8)).toBe(true);
  });
});

describe("lists in memory", () => {
  it("show what is committed before the answer, without a notification and before the next poll", async () => {
    await indexed();
    const options = { url: database.url, db, pollMs: LONG, maxAgeMs: LONG };
    const agentList = openAgentList(options);
    const directory = openDirectoryList(options);
    try {
      await until("memory answers", () => agentList.ready && directory.ready);
      await db.query("update offchain.cred set score = 90, changed_xid = pg_current_xact_id() where token_id = 7");
      expect(await listsShow({ agentList, directory }, performance.now() + LONG)).toBe(true);
      const all = { spam: true, sort: "credScore", order: "desc", limit: 2, position: { offset: 0 } } as const;
      expect((await agentList.recall(all))?.tokenIds).toEqual([7, 8]);
    } finally {
      await Promise.all([agentList.close(), directory.close()]);
    }
  });

  it("that do not follow are waited for no longer than the bound", async () => {
    const stuck = { recall: async () => undefined, shows: () => false };
    expect(await listsShow({ agentList: stuck, directory: SHOWN }, performance.now())).toBe(false);
  });

  it("that are not loaded leave the answer to SQL", async () => {
    expect(await listsShow({ directory: openDirectoryList({ url: "", db, enabled: false }) })).toBe(true);
  });
});
