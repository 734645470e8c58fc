/** Snapshots: what leaves the database, whether it can be replayed, and what a crash, a change and a stranger find. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { manifestSigner, type SnapshotManifest, snapshotId } from "../../core/snapshots/manifest.ts";
import { fullPass } from "../../db/cred/cred-passes.ts";
import { epochsState, storeEpoch } from "../../db/cred/store-cred-epoch.ts";
import { startCredTree } from "../../db/cred/tree/start-tree.ts";
import { beginSnapshot, removeSnapshots, snapshotIds, snapshotManifest } from "../../db/snapshots/folder.ts";
import { SNAPSHOT_TABLES } from "../../db/snapshots/tables.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { until } from "../../harness/until.ts";
import { openDuckDb } from "../../workers/snapshots/make-files.ts";
import { replaySnapshot } from "../../workers/snapshots/replay.ts";
import { makeSnapshot, SNAPSHOT_FAULT_POINTS } from "../../workers/snapshots/snapshots.ts";
import { randomAgents } from "../support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { shareOf } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { words } from "../support/words.ts";
import { CONTEXT, SIGNER, snapshotOf } from "./support/snapshot-context.ts";

const AGENTS = 300;
const HISTORIES = shareOf(100, 4);
const NOW = new Date("2026-11-21T12:00:00.500Z");
const OF = { chainId: 8453, registry: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" } as const;

const db = perFile(() => testDatabase({ indexed: true }));
const scratch = perFile(() => {
  const path = scratchDirectory("snapshots");
  return { path, stop: () => rmSync(path, { recursive: true }) };
});
let first: SnapshotManifest;
const folderOf = (id: string) => join(scratch.path, id);

/** Lines of a file as objects. */
const linesOf = (id: string, file: string): Record<string, unknown>[] =>
  gunzipSync(readFileSync(join(folderOf(id), file)))
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function publishRoot() {
  const tree = (await startCredTree(db.pool, { ...OF, url: db.url, knownRoot: null }))!;
  const seen = await epochsState(db.pool);
  const at = {
    computedAt: NOW,
    builtAt: NOW,
    buildMs: 1,
    contract: "0x00000000000000000000000000000000000c0de0",
  } as const;
  const { root, leaves, block, parts } = tree;
  await transaction(db.pool, (tx) =>
    storeEpoch(tx, { ...OF, ...at, epoch: (seen.highest ?? 0) + 1, root, leaves, block }, parts, {
      data: "0x00",
      seen,
    }),
  );
  return root;
}

beforeAll(async () => {
  await plantAgents(db.pool, randomAgents(AGENTS, NOW, inject("fuzz").seed));
  await fullPass(db.pool, { now: NOW, cause: "test" });
  await publishRoot();
  first = await makeSnapshot(CONTEXT, snapshotOf(db.url, scratch.path));
});

/** Ids are of seconds. */
const nextSecond = () =>
  until("the next second", () => (snapshotIds(scratch.path)[0] ?? "") < snapshotId(new Date()) || null);
async function nextSnapshot() {
  await nextSecond();
  return makeSnapshot(CONTEXT, snapshotOf(db.url, scratch.path));
}

describe("a snapshot", () => {
  it("has every table twice, with the same rows, and is signed", async () => {
    expect(snapshotManifest(scratch.path, first.id)).toEqual(first);
    expect(manifestSigner(first)).toBe(SIGNER.address);
    expect(readdirSync(folderOf(first.id)).sort()).toEqual(
      [...Object.keys(first.files), "README.md", "manifest.json"].sort(),
    );
    expect(Object.keys(first.files).sort()).toEqual(
      Object.keys(SNAPSHOT_TABLES)
        .flatMap((name) => [`${name}.ndjson.gz`, `${name}.parquet`])
        .sort(),
    );
    const duck = await openDuckDb(join(scratch.path, ".spill"));
    for (const table of Object.keys(SNAPSHOT_TABLES)) {
      const read = await duck.runAndReadAll(
        `select to_json(t)::varchar from read_parquet('${folderOf(first.id)}/${table}.parquet') t`,
      );
      const rows = read.getRows().map(([json]) => Object.keys(JSON.parse(json as string)));
      const lines = linesOf(first.id, `${table}.ndjson.gz`);
      expect(
        [rows.length, first.files[`${table}.parquet`]!.rows, first.files[`${table}.ndjson.gz`]!.rows],
        table,
      ).toEqual([lines.length, lines.length, lines.length]);
      for (const columns of rows.slice(0, 1)) expect(columns).toEqual(Object.keys(lines[0]!));
    }
    duck.closeSync();
    expect(linesOf(first.id, "agents.ndjson.gz")).toHaveLength(AGENTS);
  });

  it("gives every score again, and the root", async () => {
    expect(await replaySnapshot(folderOf(first.id))).toMatchObject({
      ...{ scores: AGENTS, pending: 0, unscored: 0, root: first.epoch!.root, problems: [] },
    });
  });

  it("can be queried by the three commands of its README", async () => {
    const readme = readFileSync(join(folderOf(first.id), "README.md"), "utf8");
    const commands = [...readme.matchAll(/^duckdb -c "(.*)"$/gm)].map(([, sql]) => sql!);
    expect(commands).toHaveLength(3);
    const duck = await openDuckDb(join(scratch.path, ".spill"));
    await duck.run(`set file_search_path = '${folderOf(first.id)}'`);
    const [best, , changes] = await Promise.all(
      commands.map(async (sql) => (await duck.runAndReadAll(sql)).getRowsJS()),
    );
    duck.closeSync();
    const { rows } = await db.pool.query(
      "select a.token_id, a.name, s.score from onchain.agent a join offchain.cred s using (token_id) order by s.score desc, a.token_id limit 10",
    );
    expect(best!.map((row) => row.map(String))).toEqual(rows.map((row) => Object.values(row).map(String)));
    expect(changes).toHaveLength(20);
  });
});

/** Every column that leaves the database. A new one is shown by a public read before it stands here. */
const PUBLIC: Record<string, string> = {
  agents: `agent_address agent_name framework generation mint_tx minted_at minted_block minted_to mutation_count
    name narrative narrative_at operator origin owner parent_id personality personality_at points soulbound
    token_id trait_count updated_block verified version`,
  traits: "added_at category name position source token_id tx_hash",
  profile_fields: "field token_id value written_at",
  proofs: "checked_at handle platform status token_id tx_hash username verified_at",
  exchange_attestations: "attestation_uid expires_at recipient revoked_at token_id verified_at",
  scores: `activity age age_input coinbase coinbase_input computed_at narrative origin score seen_block soulbound
    token_id traits verify`,
  score_history: "block cause changed_at id score token_id",
  epoch_leaves: "block computed_at score token_id",
  directory: `active address agent_id chain_id created_at cred_score description id image_url liquidity_usd
    market_cap_usd name owner_address platform price_change_24h protocols registry services token_address
    token_counts token_id token_name token_symbol trait_count updated_at volume_24h_usd wallet_confirmed
    wallet_proven x402_supported`,
  offers: "description directory_id endpoint input_schema kind method name position price price_usd source tags",
  endpoints: "answered_at checked_at confirmed_by directory_id is_signed kind silent_since status url why",
  reviews: `agent_id block client endpoint feedback_hash feedback_index feedback_uri given_at registry revoked tag1
    tag2 tx_hash value value_decimals`,
  review_responses:
    "agent_id client feedback_index id registry responded_at responder response_hash response_uri tx_hash",
  review_weights: "agent_id client cluster nothing rank registry share standing",
  review_figures: `adjusted agent_id clusters computed_at crowd dimensions high inflation low raw registry reviewers rules
    voices`,
  validations: `agent_id block registry request_hash request_uri requested_at responded_at response response_hash
    response_uri tag tx_hash validator`,
  payments: "block directory_id log_index paid_at payer rule through tx_hash units",
  payment_figures: "computed_at directory_id figures wallet",
  jobs: "block client ended_at evaluator funded_at job_id log_index provider state token units",
  job_weights: "directory_id job_id rule through",
  job_figures: "computed_at directory_id figures wallet",
};

describe("what leaves the database", () => {
  it("is a list of public columns, and no other", () => {
    const columns = Object.entries(SNAPSHOT_TABLES).map(([name, of]) => [
      name,
      Object.keys(of.columns).sort().join(" "),
    ]);
    expect(Object.fromEntries(columns)).toEqual(
      Object.fromEntries(Object.entries(PUBLIC).map(([name, of]) => [name, words(of).join(" ")])),
    );
  });

  it("is read from no table of messages, keys, sessions, queues or the ledger", () => {
    const read = Object.values(SNAPSHOT_TABLES).flatMap(({ select }) => select.match(/\b(off|on)chain\.\w+/g)!);
    expect([...new Set(read)].sort()).toEqual(
      words(`
      offchain.attestation_lookup offchain.commerce_figures offchain.commerce_job offchain.commerce_weighed offchain.cred
      offchain.cred_epoch offchain.cred_epoch_part offchain.cred_history offchain.directory offchain.exchange_verification
      offchain.income_figures offchain.income_payment offchain.offer offchain.offer_source offchain.profile_field
      offchain.profile_trait offchain.proof offchain.review_figures offchain.review_weight onchain._ponder_checkpoint onchain.agent
      onchain.attestation onchain.erc8004_feedback onchain.erc8004_response onchain.erc8004_validation onchain.trait`),
    );
  });

  it("has no row of the directory that is shown nowhere, nor what belongs to it, nor what belongs to a token that is gone", async () => {
    await db.pool.query(`
      insert into offchain.directory (id, platform, agent_id, name, cred_score, removed_at) values
        (900001, 'virtuals', 'shown', 'Shown', 5, null), (900002, 'virtuals', 'removed', 'Removed', 5, now());
      insert into offchain.offer (directory_id, kind, source, position, name)
        select id, 'skill', 'registry', 0, name || ' skill' from offchain.directory where id > 900000;
      insert into offchain.profile_field (token_id, field, value) values
        (0, 'secret.draft', '"not public"'), (999999, 'social.x', '"of no token"')`);
    const { id } = await nextSnapshot();
    expect(linesOf(id, "directory.ndjson.gz").map((row) => row.name)).toEqual(["Shown"]);
    expect(linesOf(id, "offers.ndjson.gz").map((row) => row.name)).toEqual(["Shown skill"]);
    const fields = linesOf(id, "profile_fields.ndjson.gz").map((row) => row.field);
    expect(fields).not.toContain("secret.draft");
    expect(fields).not.toContain("social.x");
  });
});

describe("a snapshot that is not what it says", () => {
  const forged = (change: (manifest: SnapshotManifest) => void) => (folder: string) => {
    const path = join(folder, "manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    change(manifest);
    writeFileSync(path, JSON.stringify(manifest));
  };
  const unsigned = (change: (manifest: SnapshotManifest) => void) =>
    forged((manifest) => {
      change(manifest);
      manifest.signature = null;
    });
  const flip = (folder: string, file: string) => {
    const bytes = readFileSync(join(folder, file));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(join(folder, file), bytes);
  };
  /** Writes another Parquet file, with its true digest. */
  const rewritten = (table: string, select: string) => async (folder: string) => {
    const duck = await openDuckDb(join(scratch.path, ".spill"));
    const path = join(folder, `${table}.parquet`);
    await duck.run(`create temp table t as select * ${select} from read_parquet('${path}')`);
    await duck.run(`copy t to '${path}' (format parquet)`);
    duck.closeSync();
    const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
    unsigned(({ files }) => Object.assign(files[`${table}.parquet`]!, { sha256 }))(folder);
  };

  it.each<[string, (folder: string) => void | Promise<void>, RegExp]>([
    ["a file changed", (folder) => flip(folder, "scores.parquet"), /^scores.parquet is not the file/],
    ["lines changed", (folder) => flip(folder, "agents.ndjson.gz"), /^agents.ndjson.gz is not the file/],
    ["a file gone", (folder) => rmSync(join(folder, "traits.parquet")), /^traits.parquet cannot be read/],
    ["no manifest", (folder) => rmSync(join(folder, "manifest.json")), /no whole snapshot/],
    ["no JSON", (folder) => writeFileSync(join(folder, "manifest.json"), "{"), /none that this version reads/],
    ["another block", forged((manifest) => Object.assign(manifest, { block: 999 })), /changed after it was signed/],
    ["a later schema", unsigned((manifest) => Object.assign(manifest, { schemaVersion: 99 })), /its schema is 99/],
    ["another formula", unsigned(({ formula }) => Object.assign(formula, { version: "0" })), /follow formula 0/],
    ["a table less", unsigned(({ columns }) => void delete columns.scores), /its schema is 1/],
    ["a path", unsigned(({ files }) => Object.assign(files, { "../x": files["agents.parquet"] })), /no name of a file/],
    ["another root", unsigned(({ epoch }) => Object.assign(epoch!, { root: `0x${"ab".repeat(32)}` })), /give root 0x/],
    ["other scores", rewritten("scores", "replace (score + 1 as score)"), /^agent \d+: the files give/],
    ["other points", rewritten("agents", "replace (origin + 1 as origin)"), /^agent \d+: the files give/],
    ["other leaves", rewritten("epoch_leaves", "replace (score + 1 as score)"), /the leaves of epoch 1 give root/],
  ])("is refused with its reason: %s", async (_, change, reason) => {
    const copy = scratchDirectory("tampered");
    cpSync(folderOf(first.id), copy, { recursive: true });
    await change(copy);
    const { problems } = await replaySnapshot(copy);
    rmSync(copy, { recursive: true });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(11);
    expect(problems.join("\n")).toMatch(new RegExp(reason, "m"));
  });
});

describe("a crash", () => {
  const KILLED = fileURLToPath(new URL("support/make-snapshot.ts", import.meta.url));

  it.each(SNAPSHOT_FAULT_POINTS)("at %s leaves the earlier snapshot, or the whole new one", async (point) => {
    await nextSecond();
    const before = snapshotIds(scratch.path);
    const { signal } = spawnSync(process.execPath, [KILLED, db.url, scratch.path, point]);
    expect(signal).toBe("SIGKILL");
    const after = snapshotIds(scratch.path);
    expect(after.length).toBe(before.length + Number(point === "snapshot.finished"));
    expect((await replaySnapshot(folderOf(after[0]!))).problems).toEqual([]);
  });

  it("leaves nothing for long: a later run removes what was abandoned an hour ago, and nothing younger", () => {
    const unfinished = () => readdirSync(scratch.path).filter((name) => name.startsWith(".unfinished"));
    const [old, ...young] = unfinished();
    utimesSync(join(scratch.path, old!), 0, 0);
    rmSync(beginSnapshot(scratch.path, new Date()), { recursive: true });
    expect(unfinished()).toEqual(young);
  });
});

describe("deltas", () => {
  /** Changes that index, services and reorganisations make: rows come, change, go, and come back. */
  const CHANGES: readonly ((random: () => number) => string)[] = [
    (random) =>
      `update onchain.agent set points = points + 1, name = E'\\u2028 a\\nb "c" \\\\ ' || name, updated_block = updated_block + 1 where token_id % 7 = ${random() % 7}`,
    (random) => `delete from onchain.agent where token_id % 31 = ${random() % 31}`,
    (random) => `delete from onchain.trait where position % 5 = ${random() % 5}`,
    (
      random,
    ) => `insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at, checked_at)
      select token_id, 'x', 'of ' || token_id, 'it''s "', '{}', 'stale', now(), now() from onchain.agent
      where token_id % 9 = ${random() % 9} on conflict (token_id, platform) do update set handle = 'another ' || proof.token_id`,
    (random) => `insert into offchain.directory (platform, agent_id, name, cred_score)
      select 'virtuals', 'd' || i, E'Ünï \\ \n "' || i, i from generate_series(${random() % 20}, 30) i
      on conflict (platform, agent_id) do update set cred_score = 70, removed_at = case when directory.id % 3 = 0 then now() end`,
    () => "truncate offchain.cred_history",
    () => "",
  ];
  /** Keys of a table to its rows, as lines of JSON have them. */
  type State = Map<string, string>;
  const keyOf = (table: string, row: Record<string, unknown>) =>
    JSON.stringify(SNAPSHOT_TABLES[table]!.key.map((column) => row[column]));
  const stateOf = (id: string, table: string): State =>
    new Map(linesOf(id, `${table}.ndjson.gz`).map((row) => [keyOf(table, row), JSON.stringify(row)]));

  it(`lead from each of ${HISTORIES} snapshots to the next, row by row, whatever a history does`, async () => {
    let previous = await nextSnapshot();
    const start = previous;
    const followed = new Map(Object.keys(SNAPSHOT_TABLES).map((table) => [table, stateOf(start.id, table)]));
    let seed = inject("fuzz").seed;
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed >>> 8;
    };
    for (let i = 0; i < HISTORIES; i++) {
      for (let n = random() % 4; n >= 0; n--) await db.pool.query(CHANGES[random() % CHANGES.length]!(random));
      await fullPass(db.pool, { now: new Date(), cause: "test" });
      const next = await nextSnapshot();
      expect(next.previous).toBe(previous.id);
      for (const [table, state] of followed) {
        const changes = linesOf(next.id, `${table}.delta.ndjson.gz`);
        expect(changes).toHaveLength(next.files[`${table}.delta.ndjson.gz`]!.rows);
        for (const { op, ...row } of changes)
          if (op === "delete") expect(state.delete(keyOf(table, row)), "a row that was there").toBe(true);
          else state.set(keyOf(table, row), JSON.stringify(row));
        expect([...state].sort(), `${table}, history ${i}, seed ${inject("fuzz").seed}`).toEqual(
          [...stateOf(next.id, table)].sort(),
        );
      }
      previous = next;
    }
  });

  it("are not pruned before the snapshot that they lead on from", async () => {
    const ids = snapshotIds(scratch.path);
    removeSnapshots(scratch.path, new Date(Date.now() - 1_000 * ids.length));
    const kept = snapshotIds(scratch.path);
    for (const [at, id] of kept.slice(0, -1).entries()) {
      const { previous, files } = snapshotManifest(scratch.path, id)!;
      expect([previous, "agents.delta.ndjson.gz" in files]).toEqual([kept[at + 1], true]);
    }
  });
});

it("keeps snapshots as long as it is told, and the newest one always", async () => {
  const { id } = await nextSnapshot();
  expect(removeSnapshots(scratch.path, new Date(0))).toBe(0);
  expect(removeSnapshots(scratch.path, new Date(Date.now() + 86_400_000))).toBeGreaterThan(0);
  expect(snapshotIds(scratch.path)).toEqual([id]);
});
