/** The answer of a write waits until every plain read shows it: the index, the score, the row of the directory, the lists. */
import type pg from "pg";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createApi } from "../../api/app.ts";
import { isShown, listsShow, writesShown } from "../../api/services/until-shown.ts";
import { staleOwnRows } from "../../db/directory/own.ts";
import { markOutdated } from "../../db/directory/own-shown.ts";
import { openAgentList } from "../../db/lists/agents.ts";
import { openDirectoryList } from "../../db/lists/directory.ts";
import { trackIndexedBlock } from "../../db/operations/index-state.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { testLog } from "../../harness/log.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { LONG } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import type { JobContext } from "../../workers/context.ts";
import { directoryOwn } from "../../workers/directory/directory-own.ts";
import { runSchedules } from "../../workers/operations/schedules.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";
import { plantAgents, plantFollowed, walletOf } from "./support/agents.ts";
import { apiForFile, HOST, serverForTest } from "./support/api.ts";

const BLOCK = 1_002;
const SHOWN = { shows: () => true } as never;

const database = perTest(() => testDatabase({ indexed: true }));
const index = perTest(() => trackIndexedBlock(database.url, { pollMs: 50 }));
let db: pg.Pool;
beforeEach(async () => {
  db = database.pool;
  await plantAgents(db, [{ tokenId: 7, updatedBlock: BLOCK, score: 10 }, { tokenId: 8 }]);
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

describe("the row of an agent after a write off chain", () => {
  const mark = () => markOutdated(db, { tokenId: 7 });
  const shown = (within = 0, tokenId = 7) => writesShown({ db, directory: SHOWN }, tokenId, performance.now() + within);

  it("is waited for no longer than the bound, and until the job has made it of the write", async () => {
    await rows(BLOCK, BLOCK);
    expect(await shown()).toBe(true);
    await mark();
    expect(await shown()).toBe(false);
    expect(await staleOwnRows(db)).toContain(7);
    const waiting = shown(LONG);
    await rows(BLOCK, BLOCK);
    expect(await waiting).toBe(true);
  });

  it("that there is not is made of the write, once it is there", async () => {
    await mark();
    expect(await shown(0, 8)).toBe(true);
  });
});

describe("lists in memory", () => {
  it("show what is committed before the answer, without a notification and before the next poll", async () => {
    await indexed();
    const options = { url: database.url, db, pollMs: LONG, maxAgeMs: LONG };
    const agentList = openAgentList(options);
    const directory = openDirectoryList(options);
    onTestFinished(async () => void (await Promise.all([agentList.close(), directory.close()])));
    await until("memory answers", () => agentList.ready && directory.ready);
    await db.query("update offchain.cred set score = 90, changed_xid = pg_current_xact_id() where token_id = 7");
    expect(await listsShow({ agentList, directory }, performance.now() + LONG)).toBe(true);
    const all = { spam: true, sort: "credScore", order: "desc", limit: 2, position: { offset: 0 } } as const;
    expect((await agentList.recall(all))?.tokenIds).toEqual([7, 8]);
  });

  it("that do not follow are waited for no longer than the bound", async () => {
    const stuck = { recall: async () => undefined, shows: () => false };
    expect(await listsShow({ agentList: stuck, directory: SHOWN }, performance.now())).toBe(false);
  });

  it("that are not loaded leave the answer to SQL", async () => {
    expect(await listsShow({ directory: openDirectoryList({ url: "", db, enabled: false }) })).toBe(true);
  });
});

describe("a write off chain", () => {
  const api = apiForFile({}, { provoked: true });
  const owner = agentWallet({ host: HOST });
  const context = () =>
    ({
      ...{ db: api.pool, log: testLog(), config: api.deps.config, clock: () => new Date() },
      queue: { add: async () => {} },
    }) as unknown as JobContext;
  const row = async () => (await api.get("/api/terminal/agent/helixa-7")).body;
  const update = async (description: string) =>
    api.postAs(owner, "/api/v2/agent/7/update", { narrative: { mission: description } });

  beforeAll(async () => {
    await plantAgents(api.pool, [
      { tokenId: 7, owner: owner.address.toLowerCase() as `0x${string}`, agentAddress: walletOf(7) },
    ]);
    await plantCheckpoint(api.pool);
    await api.deps.index.refresh();
    await directoryOwn.run(context(), {});
  });

  it("is a 200 when the directory shows it, which its job does at once", async () => {
    const schedules = runSchedules(context(), [directoryOwn], (job) => job.run(context(), {}));
    onTestFinished(() => schedules.stop(LONG));
    for (const text of ["First text", "Second text"]) {
      expect(await update(text)).toMatchObject({ status: 200, body: { storage: "offchain" } });
      expect(JSON.stringify(await row())).toContain(text);
    }
  });

  it("is a 202 when the directory does not follow in time, and a 200 to the same request once it does", async () => {
    expect(await update("Third text")).toMatchObject({ status: 202, body: { status: "pending", tokenId: 7 } });
    expect(JSON.stringify(await row())).not.toContain("Third text");
    const schedules = runSchedules(context(), [directoryOwn], (job) => job.run(context(), {}));
    onTestFinished(() => schedules.stop(LONG));
    expect((await update("Third text")).status).toBe(200);
    expect(JSON.stringify(await row())).toContain("Third text");
  });

  it("that is a claim is a 202 where lists do not follow in time", async () => {
    const directory = { ...api.deps.directory, shows: () => false } as never;
    const slow = await serverForTest(createApi({ ...api.deps, directory }));
    const { status } = await slow.write("POST", "/api/terminal/agent/helixa-7/token", { token_symbol: "SEVEN" });
    expect(status).toBe(202);
  });
});
