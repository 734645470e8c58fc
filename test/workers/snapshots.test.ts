/** Snapshots: what leaves the database, whether it can be replayed, and what a crash, a change and a stranger find. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { manifestSigner, type SnapshotManifest, snapshotId } from "../../core/snapshots/manifest.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { fullPass } from "../../db/cred/cred-passes.ts";
import { epochsState, storeEpoch } from "../../db/cred/store-cred-epoch.ts";
import { startCredTree } from "../../db/cred/tree/start-tree.ts";
import { snapshotFolder } from "../../db/snapshots/folder.ts";
import { SNAPSHOT_TABLES } from "../../db/snapshots/tables.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { JOBS } from "../../workers/jobs.ts";
import { openDuckDb } from "../../workers/snapshots/make-files.ts";
import { replaySnapshot } from "../../workers/snapshots/replay.ts";
import { makeSnapshot, removeSnapshots, SNAPSHOT_FAULT_POINTS, snapshots } from "../../workers/snapshots/snapshots.ts";
import { randomAgents } from "../support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { folderOfTest, folderPerFile } from "../support/folders.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { perFile } from "../support/started.ts";
import { words } from "../support/words.ts";
import { CONTEXT, SIGNER, snapshotOf } from "./support/snapshot-context.ts";

const AGENTS = 300;
const NOW = new Date("2026-11-21T12:00:00.500Z");
const OF = { chainId: 8453, registry: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" } as const;

const db = perFile(() => testDatabase({ indexed: true }));
const scratch = folderPerFile("snapshots");
let first: SnapshotManifest;
const folderOf = (id: string) => join(scratch, id);
const place = () => snapshotFolder(scratch);
/** The snapshots that are there, by their names alone. */
const snapshotIds = () =>
  readdirSync(scratch)
    .filter((name) => /^\d/.test(name))
    .sort()
    .reverse();

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
  first = await makeSnapshot(CONTEXT, snapshotOf(db.url, scratch));
});

/** Ids are of seconds. */
const nextSecond = () => until("the next second", () => (snapshotIds()[0] ?? "") < snapshotId(new Date()) || null);
async function nextSnapshot() {
  await nextSecond();
  return makeSnapshot(CONTEXT, snapshotOf(db.url, scratch));
}

describe("a snapshot", () => {
  it("has every table twice, with the same rows, and is signed", async () => {
    expect(await place().manifest(first.id)).toEqual(first);
    expect(manifestSigner(first)).toBe(SIGNER.address);
    expect(readdirSync(folderOf(first.id)).sort()).toEqual(
      [...Object.keys(first.files), "README.md", "manifest.json"].sort(),
    );
    expect(Object.keys(first.files).sort()).toEqual(
      Object.keys(SNAPSHOT_TABLES)
        .flatMap((name) => [`${name}.ndjson.gz`, `${name}.parquet`])
        .sort(),
    );
    const duck = await openDuckDb(join(scratch, ".spill"), 128);
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
    const duck = await openDuckDb(join(scratch, ".spill"), 128);
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
    const duck = await openDuckDb(join(scratch, ".spill"), 128);
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
    const copy = folderOfTest("tampered");
    cpSync(folderOf(first.id), copy, { recursive: true });
    await change(copy);
    const { problems } = await replaySnapshot(copy);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(11);
    expect(problems.join("\n")).toMatch(new RegExp(reason, "m"));
  });
});

describe("a crash", () => {
  const KILLED = fileURLToPath(new URL("support/make-snapshot.ts", import.meta.url));

  it.each(SNAPSHOT_FAULT_POINTS)("at %s leaves the earlier snapshot, or the whole new one", async (point) => {
    await nextSecond();
    const before = snapshotIds();
    const { signal } = spawnSync(process.execPath, [KILLED, db.url, scratch, point]);
    expect(signal).toBe("SIGKILL");
    const after = snapshotIds();
    expect(after.length).toBe(before.length + Number(point === "snapshot.finished"));
    expect((await replaySnapshot(folderOf(after[0]!))).problems).toEqual([]);
  });

  it("leaves nothing for long: a run removes what shows no sign of life any more, and nothing else", async () => {
    const unfinished = () => readdirSync(scratch).filter((name) => name.startsWith(".unfinished"));
    const left = unfinished();
    expect(left).toHaveLength(SNAPSHOT_FAULT_POINTS.length - 1);
    for (const name of left) utimesSync(join(scratch, name), new Date(), new Date(Date.now() - 600_000));
    const living = place().begin(0);
    await place().tidy();
    expect(unfinished().map((name) => join(scratch, name))).toEqual([living.folder]);
    living.end();
    expect(unfinished()).toEqual([]);
  });
});

it("has deltas that lead on from the snapshot before it, and are not pruned before that", async () => {
  const [earlier, later] = [await nextSnapshot(), await nextSnapshot()];
  expect(await removeSnapshots(place(), new Date(earlier.takenAt))).toBeGreaterThan(0);
  expect(snapshotIds()).toEqual([later.id, earlier.id]);
  expect(later.previous).toBe(earlier.id);
  for (const table of Object.keys(SNAPSHOT_TABLES)) expect(linesOf(later.id, `${table}.delta.ndjson.gz`)).toEqual([]);
});

it("needs room on the disk before it begins, twice of what the newest one takes", async () => {
  const id = "20991231T000000Z";
  cpSync(folderOf(snapshotIds()[0]!), folderOf(id), { recursive: true });
  const files = { "agents.parquet": { ...first.files["agents.parquet"]!, bytes: 2 ** 52 } };
  writeFileSync(join(folderOf(id), "manifest.json"), JSON.stringify({ ...first, id, files }));
  const before = readdirSync(scratch);
  await expect(makeSnapshot(CONTEXT, snapshotOf(db.url, scratch))).rejects.toThrow(
    new RegExp(`bytes free, and a snapshot may need ${2 ** 53}$`),
  );
  expect(readdirSync(scratch)).toEqual(before);
  rmSync(folderOf(id), { recursive: true });
});

it("has rows of any length", async () => {
  const LONG = 20 * 2 ** 20;
  await db.pool.query(
    `insert into offchain.profile_field (token_id, field, value) values (1, 'narrative.lore', to_jsonb(repeat('Ü', $1 / 2)))
     on conflict (token_id, field) do update set value = excluded.value`,
    [LONG],
  );
  await recomputeCred(db.pool, { tokenIds: [1] }, { now: new Date(), cause: "test" });
  const { id } = await nextSnapshot();
  const duck = await openDuckDb(join(scratch, ".spill"), 512);
  const parquet = await duck.runAndReadAll(
    `select max(strlen(value->>'$')) from read_parquet('${folderOf(id)}/profile_fields.parquet')`,
  );
  expect(parquet.getRowsJS()).toEqual([[BigInt(LONG)]]);
  duck.closeSync();
  const changes = linesOf(id, "profile_fields.delta.ndjson.gz");
  expect(changes).toEqual([expect.objectContaining({ op: "put", token_id: 1, value: "Ü".repeat(LONG / 2) })]);
  expect((await replaySnapshot(folderOf(id))).problems).toEqual([]);
  await db.pool.query("delete from offchain.profile_field where field = 'narrative.lore' and token_id = 1");
});

it("is made by the job once a day, which removes old ones and what crashes have left", async () => {
  expect(JOBS).toContain(snapshots);
  await nextSecond();
  const left = place().begin(0).folder;
  utimesSync(left, 0, 0);
  const retentionMs = 3_600_000;
  const of = snapshotOf(db.url, scratch);
  const config = {
    ...{ snapshots: { retentionMs }, database: { url: db.url }, chain: { id: of.chainId } },
    ...{ contracts: { identity: { address: of.registry } }, service: { publicUrl: of.publicUrl } },
  };
  const run = (indexedAt = Date.now()) =>
    plantCheckpoint(db.pool, { at: Math.floor(indexedAt / 1_000) }).then(() =>
      snapshots.run({ ...CONTEXT, clock: () => new Date(), db: db.pool, config, snapshots: place() } as never, {}),
    );
  const before = snapshotIds();
  expect(await run()).toBe(0);
  expect([snapshotIds(), existsSync(left)]).toEqual([before, false]);
  const yesterday = snapshotId(new Date(Date.now() - 90_000_000));
  for (const id of before.slice(1)) rmSync(folderOf(id), { recursive: true });
  renameSync(folderOf(before[0]!), folderOf(yesterday));
  const manifest = readFileSync(join(folderOf(yesterday), "manifest.json"), "utf8");
  writeFileSync(join(folderOf(yesterday), "manifest.json"), manifest.replace(before[0]!, yesterday));
  // An index that is far behind says nothing of today.
  expect(await run(Date.now() - 86_400_000)).toBe(0);
  expect(await run()).toBe(1);
  const [id, ...others] = snapshotIds();
  expect(others).toEqual([yesterday]);
  expect(await run()).toBe(1);
  expect(snapshotIds()).toEqual([id]);
  expect(await snapshots.run({ ...CONTEXT, clock: () => new Date(), db: db.pool, config } as never, {})).toBe(0);
});

it("keeps snapshots as long as it is told, and the newest one always", async () => {
  const { id } = await nextSnapshot();
  expect(await removeSnapshots(place(), new Date(0))).toBe(0);
  expect(await removeSnapshots(place(), new Date(Date.now() + 86_400_000))).toBeGreaterThan(0);
  expect(snapshotIds()).toEqual([id]);
});
