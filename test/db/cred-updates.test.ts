/** The feed of score changes under writers that commit in any order. */
import { afterEach, describe, expect, it } from "vitest";
import { credUpdates } from "../../db/cred/cred-updates.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(testDatabase);
afterEach(async () => {
  for (const end of open) await end("rollback");
  await database.pool.query("truncate offchain.cred_history, offchain.cred_correction");
});

const INSERT =
  "insert into offchain.cred_history (token_id, score, cause, block, at) values ($1, 50, 'test', 7, now()) returning id";

/** Ends the transactions that a failed test has left open. */
const open = new Set<(how: "commit" | "rollback") => Promise<void>>();

/** A transaction that has written a change about a token and is still open. */
async function openWriter(tokenId: number) {
  const client = await database.pool.connect();
  await client.query("begin");
  const write = async (about: number) => Number((await client.query(INSERT, [about])).rows[0].id);
  const end = async (how: "commit" | "rollback") => {
    open.delete(end);
    await client.query(how);
    client.release();
  };
  open.add(end);
  await write(tokenId);
  return { write, end, query: (sql: string) => client.query(sql) };
}
const write = async (tokenId: number) => Number((await database.rows(INSERT, [tokenId]))[0].id);
const tokensAfter = async (after = 0) =>
  (await credUpdates(database.pool, { after, limit: 1000 })).updates.map(({ tokenId }) => tokenId);

describe("the feed", () => {
  it("is empty before the first change", async () => {
    expect(await credUpdates(database.pool, { after: 0, limit: 10 })).toEqual({ updates: [], more: false });
  });

  it("gives every field, and says whether there is more", async () => {
    const id = await write(0);
    await write(1);
    const { updates, more } = await credUpdates(database.pool, { after: id - 1, limit: 1 });
    expect(more).toBe(true);
    expect(updates).toEqual([{ id, tokenId: 0, score: 50, cause: "test", at: expect.any(Date) }]);
    expect(await credUpdates(database.pool, { after: id, limit: 1 })).toMatchObject({ more: false });
  });

  it("holds back what was committed after an id that is still to come", async () => {
    const first = await write(1);
    const slow = await openWriter(2);
    await write(3);
    expect(await tokensAfter()).toEqual([1]);
    await slow.end("commit");
    expect(await tokensAfter(first)).toEqual([2, 3]);
  });

  it("goes on when the writer gives up", async () => {
    const slow = await openWriter(2);
    await write(3);
    expect(await tokensAfter()).toEqual([]);
    await slow.end("rollback");
    expect(await tokensAfter()).toEqual([3]);
  });

  it("waits for the writer that began first, whichever wrote last", async () => {
    const [one, two] = [await openWriter(1), await openWriter(2)];
    await one.write(3);
    await two.end("commit");
    expect(await tokensAfter()).toEqual([]);
    await one.end("commit");
    expect(await tokensAfter()).toEqual([1, 2, 3]);
  });

  it("is not held back by transactions that write elsewhere, nor by other databases", async () => {
    const other = await testDatabase();
    const elsewhere = await database.pool.connect();
    const far = await other.pool.connect();
    try {
      await elsewhere.query("begin");
      await elsewhere.query("insert into offchain.token_stats (holders, updated_at) values (1, now())");
      await far.query("begin");
      await far.query(INSERT, [1]);
      await write(5);
      expect(await tokensAfter()).toEqual([5]);
    } finally {
      await elsewhere.query("rollback");
      elsewhere.release();
      await far.query("rollback");
      far.release();
      await other.drop();
    }
  });

  it("tells of scores that a reorganisation took back: the one there is now, or that the agent is gone", async () => {
    const { pool } = database;
    await database.plant("cred", { token_id: 1, score: 44, seen_block: 7 });
    await write(1);
    await write(2);
    const last = await write(3);
    await pool.query("delete from offchain.cred_history where token_id in (1, 2)");
    const { updates } = await credUpdates(pool, { after: last, limit: 10 });
    expect(updates.toSorted((a, b) => a.tokenId - b.tokenId)).toMatchObject([
      { tokenId: 1, score: 44, cause: "reorganisation", at: expect.any(Date) },
      { tokenId: 2, score: null, cause: "reorganisation" },
    ]);
    expect(await tokensAfter()).toEqual([3, ...updates.map(({ tokenId }) => tokenId)]);
  });

  it("holds back what came after a correction that is still to come", async () => {
    const first = await write(1);
    const slow = await openWriter(2);
    await slow.query("delete from offchain.cred_history where token_id = 1");
    await slow.query("delete from offchain.cred_history where token_id = 2");
    await write(3);
    expect(await tokensAfter(first)).toEqual([]);
    await slow.end("commit");
    expect(await tokensAfter(first)).toEqual([1, 2, 3]);
  });

  it("misses nothing of 200 racing writers, read along by its cursor", async () => {
    const seen: number[] = [];
    let cursor = 0;
    let writing = true;
    const reader = (async () => {
      for (let last = false; !last; ) {
        last = !writing;
        const { updates } = await credUpdates(database.pool, { after: cursor, limit: 7 });
        seen.push(...updates.map(({ tokenId }) => tokenId));
        cursor = updates.at(-1)?.id ?? cursor;
        if (updates.length > 0) last = false;
      }
    })();
    const kept: number[] = [];
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let turn = 0; turn < 34; turn++) {
        const tokenId = writer * 1000 + turn;
        const transaction = await openWriter(tokenId);
        if (turn % 3 === 0) await transaction.write(tokenId + 500);
        if (turn % 5 === 4) await transaction.end("rollback");
        else {
          await transaction.end("commit");
          kept.push(tokenId, ...(turn % 3 === 0 ? [tokenId + 500] : []));
        }
      }
    });
    await Promise.all(writers);
    writing = false;
    await reader;
    expect(seen.toSorted((a, b) => a - b)).toEqual(kept.toSorted((a, b) => a - b));
  });
});
