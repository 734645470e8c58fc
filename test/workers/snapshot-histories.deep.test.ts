/** Snapshots and their deltas: after any history of the tables, with crashes and reorganisations, both together are the live tables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, inject, it } from "vitest";
import { snapshotId } from "../../core/snapshots/manifest.ts";
import { retractCred } from "../../db/cred/cred.ts";
import { fullPass } from "../../db/cred/cred-passes.ts";
import { snapshotFolder } from "../../db/snapshots/folder.ts";
import type { SnapshotPlace } from "../../db/snapshots/place.ts";
import { readSnapshot } from "../../db/snapshots/read-tables.ts";
import { SNAPSHOT_TABLES } from "../../db/snapshots/tables.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { until } from "../../harness/until.ts";
import { makeFiles } from "../../workers/snapshots/make-files.ts";
import type { SnapshotRequest } from "../../workers/snapshots/snapshot-process.ts";
import { makeSnapshot, SNAPSHOT_FAULT_POINTS } from "../../workers/snapshots/snapshots.ts";
import { randomAgents } from "../support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { folderPerFile } from "../support/folders.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { shareOf } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { CONTEXT, snapshotOf } from "./support/snapshot-context.ts";

const AGENTS = 60;
/** A hundred in `npm run test:deep`. */
const HISTORIES = shareOf(400);
/** Ids are of seconds: each place gets every fourth history's snapshot, and its delta spans all four. */
const PLACES = 4;
const TABLES = Object.keys(SNAPSHOT_TABLES);
const SEED = inject("fuzz").seed;

const db = perFile(() => testDatabase({ indexed: true }));
const scratch = folderPerFile("histories");

type Random = (below: number) => number;
function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

/** What indexer, services and reorganisations do to the tables: rows come, change, go, and come back as others. */
const CHANGES: readonly ((random: Random) => string | Promise<unknown>)[] = [
  (random) =>
    `update onchain.agent set points = points + 1, name = E'\\u2028 a\\nb "c" \\\\ ' || name, updated_block = updated_block + 1
     where token_id % 7 = ${random(7)}`,
  (random) => `delete from onchain.agent where token_id % 31 = ${random(31)}`,
  (random) => `insert into onchain.agent select * from before where token_id % 5 = ${random(5)} on conflict do nothing`,
  // The same token, minted by another transaction of another branch.
  (random) =>
    `update onchain.agent set owner = '0x' || repeat('${random(10)}', 40), mint_tx = '0x' || repeat('${random(10)}', 64),
     minted_block = minted_block + 1, minted_at = minted_at + 2 where token_id % 11 = ${random(11)}`,
  (random) => `delete from onchain.trait where position % 5 = ${random(5)}`,
  (random) =>
    `insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at, checked_at)
     select token_id, 'x', 'of ' || token_id, 'it''s "', '{}', 'stale', now(), now() from onchain.agent
     where token_id % 9 = ${random(9)} on conflict (token_id, platform) do update set handle = 'another ' || proof.token_id`,
  (random) =>
    `insert into offchain.directory (platform, agent_id, name, cred_score)
     select 'virtuals', 'd' || i, E'Ünï \\ \n "' || i, i from generate_series(${random(20)}, 30) i
     on conflict (platform, agent_id) do update set cred_score = 70, removed_at = case when directory.id % 3 = 0 then now() end`,
  // Reviews from a block on are those of another branch: fewer, more, or with other contents under the same keys.
  (random) => {
    const from = random(40);
    return `
      delete from onchain.erc8004_feedback where block >= ${from};
      insert into onchain.erc8004_feedback (registry, agent_id, client, feedback_index, value, value_decimals, tag1, tag2,
        endpoint, feedback_uri, feedback_hash, revoked, given_at, block, tx_hash)
      select '0x01', i % 6, '0x' || i % 9, 18446744073709551000 + i, -(10 ^ 30)::numeric * ${random(3)}, 18, E'a\\tb', '', '', '', '0x',
        i % 4 = ${random(4)}, 1700000000 + i, i, '0x' || ${random(100)} from generate_series(${from}, ${from + random(30)}) i`;
  },
  (random) => {
    const retractions = Array.from({ length: AGENTS }, (_, tokenId) => ({ tokenId, block: random(1_200) }));
    return retractCred(db.pool, retractions.slice(random(AGENTS)), new Date());
  },
  () => "truncate offchain.cred_history",
  () => "",
];

/** Keys of a table to its rows, as lines of JSON have them. */
type State = Map<string, string>;
const keyOf = (table: string, row: Record<string, unknown>) =>
  JSON.stringify(SNAPSHOT_TABLES[table]!.key.map((column) => row[column]));
const stateOf = (table: string, rows: Record<string, unknown>[]): State =>
  new Map(rows.map((row) => [keyOf(table, row), JSON.stringify(row)]));

const live = (): Promise<[table: string, State][]> =>
  transaction(
    db.pool,
    async (tx) => {
      const all: [string, State][] = [];
      for (const table of TABLES) {
        const { rows } = await tx.query(`select row_to_json(s) as row from (${SNAPSHOT_TABLES[table]!.select}) s`);
        all.push([
          table,
          stateOf(
            table,
            rows.map(({ row }) => row),
          ),
        ]);
      }
      return all;
    },
    "begin isolation level repeatable read read only; set local timezone = 'UTC'",
  );

/** Somebody who has taken one snapshot of a place, and since then its deltas alone. */
function follower(folder: string) {
  const state = new Map<string, State>();
  let last: string | undefined;
  const rowsOf = (id: string, file: string): Record<string, unknown>[] =>
    gunzipSync(readFileSync(join(folder, id, file)))
      .toString()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    state,
    async follow(place: SnapshotPlace) {
      for (const id of (await place.ids()).reverse().filter((id) => last === undefined || id > last)) {
        const { previous, files } = (await place.manifest(id))!;
        if (last !== undefined) expect(previous).toBe(last);
        for (const table of TABLES) {
          if (last === undefined) {
            state.set(table, stateOf(table, rowsOf(id, `${table}.ndjson.gz`)));
            continue;
          }
          const changes = rowsOf(id, `${table}.delta.ndjson.gz`);
          expect(changes).toHaveLength(files[`${table}.delta.ndjson.gz`]!.rows);
          const rows = state.get(table)!;
          for (const { op, ...row } of changes)
            if (op === "delete") expect(rows.delete(keyOf(table, row)), "a row that was there").toBe(true);
            else rows.set(keyOf(table, row), JSON.stringify(row));
        }
        last = id;
      }
    },
  };
}

class Killed extends Error {}

/** Makes the files in this process. @param tables after so many it dies */
const makeHere =
  (tables = Number.POSITIVE_INFINITY) =>
  ({ url, folder, previous }: SnapshotRequest) =>
    readSnapshot(url, async ({ lines, ...head }) => {
      let left = tables;
      const reader: typeof lines = async (...of) => (left-- > 0 ? lines(...of) : Promise.reject(new Killed()));
      const files = await makeFiles({ lines: reader, ...head }, folder, previous);
      return { result: { head, files }, cost: { peakBytes: 0, cpuMs: 0 } };
    });

it(`are the live tables after each of ${HISTORIES} histories, whatever died in between`, async () => {
  await plantAgents(db.pool, randomAgents(AGENTS, new Date(), SEED));
  await fullPass(db.pool, { now: new Date(), cause: "test" });
  await db.pool.query("create table before as select * from onchain.agent");
  const places = Array.from({ length: PLACES }, (_, n) => {
    const folder = join(scratch, String(n));
    return { folder, place: snapshotFolder(folder), follower: follower(folder) };
  });
  let died = 0;
  for (let i = 0; i < HISTORIES; i++) {
    const random = randomOf(SEED + i);
    const { folder, place, follower } = places[i % PLACES]!;
    const make = async (options: { dies?: string | number } = {}) => {
      const { dies } = options;
      const id = (await place.ids())[0] ?? "";
      await until("the next second", () => id < snapshotId(new Date()) || null);
      const fault = (point: string) => {
        if (point === dies) throw new Killed();
      };
      // What is killed cleans nothing up.
      const left = { ...place, begin: (bytes: number) => ({ ...place.begin(bytes), end() {} }) };
      const of = { ...snapshotOf(db.url, folder), ...(dies !== undefined && { place: left }) };
      await makeSnapshot({ ...CONTEXT, fault }, of, makeHere(typeof dies === "number" ? dies : undefined));
    };
    const change = async () => {
      for (let n = random(4); n >= 0; n--) {
        const made = CHANGES[random(CHANGES.length)]!(random);
        await (typeof made === "string" ? db.pool.query(made) : made);
      }
      await fullPass(db.pool, { now: new Date(), cause: "test" });
    };
    await change();
    if (random(2) === 0) {
      const dies =
        random(2) === 0 ? random(TABLES.length) : SNAPSHOT_FAULT_POINTS[random(SNAPSHOT_FAULT_POINTS.length)]!;
      await expect(make({ dies })).rejects.toThrow(Killed);
      died++;
      await change();
    }
    await make();
    await follower.follow(place);
    for (const [table, state] of await live())
      expect([...follower.state.get(table)!].sort(), `${table}, history ${i}, seed ${SEED}`).toEqual([...state].sort());
  }
  expect(died).toBeGreaterThan(HISTORIES / 4);
});
