/** Checks a snapshot by its files alone: digests, signature, every score by the formula, and the Merkle root of its epoch. */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { AgentFacts } from "../../core/agents/facts.ts";
import { credOf, scoreOf } from "../../core/cred/cred.ts";
import { buildTree } from "../../core/cred/tree/tree.ts";
import { type RawSignals, SIGNALS } from "../../core/signals/signals.ts";
import {
  MANIFEST_FILE,
  manifestSigner,
  readManifest,
  SNAPSHOT_FILE,
  SNAPSHOT_SCHEMA_VERSION,
  type SnapshotManifest,
} from "../../core/snapshots/manifest.ts";
import { FORMULA, SNAPSHOT_COLUMNS } from "../../db/snapshots/tables.ts";
import { fileDigest } from "../../runtime/file-digest.ts";
import { openDuckDb } from "./make-files.ts";

/** Megabytes of DuckDB, and agents whose facts are put together at once. */
const READING_MB = 256;
const AGENTS_AT_ONCE = 20_000;
/** Differences that are told in words, of any number. */
const MAX_TOLD = 10;

export type Replay = {
  manifest: SnapshotManifest | null;
  /** Scores that the formula gives from the files, and those whose agent has changed since they were computed. */
  scores: number;
  pending: number;
  /** Agents without a score yet. */
  unscored: number;
  /** The root that the leaves in the files give; null where there are none. */
  root: string | null;
  /** What is wrong, a sentence each, the first of any number; none: the snapshot is what it says. */
  problems: string[];
};

/** @param folder of one snapshot */
export async function replaySnapshot(folder: string): Promise<Replay> {
  const problems = new Problems();
  const replay = { manifest: null, scores: 0, pending: 0, unscored: 0, root: null, problems: problems.told };
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST_FILE), "utf8");
  } catch {
    problems.add(`${MANIFEST_FILE} cannot be read: this is no whole snapshot`);
    return replay;
  }
  const manifest = readManifest(text);
  if (manifest === null) problems.add(`${MANIFEST_FILE} is none that this version reads`);
  else if (manifest.signature !== null && manifestSigner(manifest) === null)
    problems.add("the manifest was changed after it was signed");
  if (manifest !== null) await checkFiles(folder, manifest, problems);
  // What is not what was signed is not computed with.
  if (manifest === null || problems.told.length > 0) return { ...replay, manifest };
  const spill = join(tmpdir(), `replay-${process.pid}`);
  const duck = await openDuckDb(spill, READING_MB);
  try {
    for (const name of Object.keys(SNAPSHOT_COLUMNS))
      await duck.run(
        `create view ${name} as select * from read_parquet('${join(folder, name).replaceAll("'", "''")}.parquet')`,
      );
    const counted = await checkScores(duck, problems);
    return { ...replay, ...counted, manifest, root: await checkRoot(duck, manifest, problems) };
  } finally {
    duck.closeSync();
    rmSync(spill, { recursive: true, force: true });
  }
}

class Problems {
  readonly told: string[] = [];
  #more = 0;

  add(problem: string): void {
    if (this.told.length < MAX_TOLD) this.told.push(problem);
    else this.told[MAX_TOLD] = `and ${++this.#more} more`;
  }
}

/** Files and columns are those of this version, and the bytes those of the manifest. */
async function checkFiles(folder: string, manifest: SnapshotManifest, problems: Problems): Promise<void> {
  const { files, columns, formula, schemaVersion } = manifest;
  if (schemaVersion !== SNAPSHOT_SCHEMA_VERSION || !isDeepStrictEqual(columns, SNAPSHOT_COLUMNS))
    problems.add(`its schema is ${schemaVersion}, and this version reads ${SNAPSHOT_SCHEMA_VERSION}`);
  if (formula.version !== FORMULA.version)
    problems.add(`its scores follow formula ${formula.version}, and this version has ${FORMULA.version}`);
  for (const table of Object.keys(SNAPSHOT_COLUMNS))
    if (!Object.hasOwn(files, `${table}.parquet`)) problems.add(`there is no file of table ${table}`);
  for (const [name, { sha256 }] of Object.entries(files)) {
    if (!SNAPSHOT_FILE.test(name)) {
      problems.add(`${JSON.stringify(name)} is no name of a file of a snapshot`);
      continue;
    }
    const digest = await fileDigest(join(folder, name)).catch(() => null);
    if (digest === null) problems.add(`${name} cannot be read`);
    else if (digest !== sha256) problems.add(`${name} is not the file of the manifest: its SHA-256 differs`);
  }
}

/** The last token of so many from one on; null where there is none. Files are in the order of tokens: few row groups are read. */
const LAST_OF = `
  select max(token_id) from (select token_id from agents where token_id >= $from order by token_id limit ${AGENTS_AT_ONCE})`;

/** What the formula takes of each agent of a range, and the stored score, as one JSON object. Times of the chain in Unix seconds. */
const factsOf = (from: number, to: number) => `
  with ${["agents", "scores", "exchange_attestations", "traits", "proofs", "profile_fields"]
    .map((table) => `${table} as (select * from main.${table} where token_id between ${from} and ${to})`)
    .join(", ")}
  select to_json({
    tokenId: a.token_id, owner: a.owner, points: coalesce(try_cast(a.points as bigint), 9007199254740991), verified: a.verified, soulbound: a.soulbound, origin: a.origin,
    mintedAt: epoch(a.minted_at)::bigint, onchainNarrative: a.narrative, narrativeAt: a.narrative_at, updatedBlock: a.updated_block,
    traits: coalesce(t.traits, []), proofs: coalesce(p.proofs, []), profile: coalesce(f.fields, []),
    exchange: case when e.token_id is not null then
      {recipient: e.recipient, expiresAt: e.expires_at, revokedAt: e.revoked_at, verifiedAt: epoch_ms(e.verified_at)} end,
    stored: case when s.token_id is not null then
      {score: s.score, seenBlock: s.seen_block, computedAt: epoch_ms(s.computed_at), raw: {${SIGNALS.map(({ key }) => `${key}: s.${key}`)}}} end
  })::varchar
  from agents a left join scores s using (token_id) left join exchange_attestations e using (token_id)
    left join (select token_id, list({name: name, category: category}) as traits from traits group by token_id) t using (token_id)
    left join (select token_id, list({platform: platform, status: status}) as proofs from proofs group by token_id) p using (token_id)
    left join (select token_id, list({field: field, value: value,
      writtenAt: strftime(written_at, '%Y-%m-%dT%H:%M:%S.%gZ')}) as fields from profile_fields where starts_with(field, 'narrative.')
      group by token_id) f using (token_id)`;

type Row = AgentFacts & {
  exchange: { verifiedAt: number; revokedAt: number } | null;
  stored: { score: number; seenBlock: number; computedAt: number; raw: RawSignals } | null;
};

async function checkScores(duck: DuckDBConnection, problems: Problems) {
  const counted = { scores: 0, pending: 0, unscored: 0 };
  for (let from = 0; ; ) {
    const [[last] = [null]] = (await duck.runAndReadAll(LAST_OF, { from })).getRowsJS();
    if (last === null || last === undefined) return counted;
    const rows = (await duck.runAndReadAll(factsOf(from, Number(last)))).getRowsJS();
    for (const [json] of rows) {
      const facts = JSON.parse(json as string) as Row;
      const { tokenId, stored } = facts;
      if (stored === null) {
        counted.unscored++;
        continue;
      }
      const { score, raw } = credOf(facts, new Date(stored.computedAt));
      const isSame = score === stored.score && SIGNALS.every(({ key }) => raw[key] === stored.raw[key]);
      if (isSame) counted.scores++;
      else if (scoreOf(stored.raw) === stored.score && isPending(facts, stored)) counted.pending++;
      else
        problems.add(
          `agent ${tokenId}: the files give ${score} ${JSON.stringify(raw)}, the score is ${stored.score} ${JSON.stringify(stored.raw)}`,
        );
    }
    from = Number(last) + 1;
  }
}

/** The agent has changed since its score was computed: the service computes it again within seconds. */
function isPending({ updatedBlock, exchange }: Row, { seenBlock, computedAt }: NonNullable<Row["stored"]>): boolean {
  return seenBlock < updatedBlock || (exchange !== null && exchange.revokedAt * 1_000 >= computedAt);
}

/** @returns the root of the leaves */
async function checkRoot(
  duck: DuckDBConnection,
  manifest: SnapshotManifest,
  problems: Problems,
): Promise<string | null> {
  const { epoch, chainId, registry } = manifest;
  if (epoch === null) return null;
  const read = await duck.runAndReadAll(
    "select token_id, score, computed_at, block from epoch_leaves order by token_id",
  );
  const [tokenIds = [], scores = [], computedAt = [], blocks = []] = read.getColumnsJS() as (number | bigint)[][];
  if (tokenIds.length !== epoch.leaves)
    problems.add(`epoch ${epoch.epoch} has ${epoch.leaves} leaves, the file ${tokenIds.length}`);
  if (tokenIds.length === 0) return null;
  const numbers = (column: (number | bigint)[]) => Float64Array.from(column, Number);
  const { root } = buildTree({
    ...{ chainId, registry },
    ...{ tokenIds: numbers(tokenIds), scores: Uint8Array.from(scores, Number) },
    ...{ computedAt: numbers(computedAt), blocks: numbers(blocks) },
  });
  if (root !== epoch.root)
    problems.add(`the leaves of epoch ${epoch.epoch} give root ${root}, the manifest says ${epoch.root}`);
  const other = await duck.runAndReadAll(`
    select l.token_id, l.score, s.score from epoch_leaves l join scores s using (token_id)
    where l.computed_at = floor(epoch(s.computed_at)) and l.block = s.seen_block and l.score <> s.score`);
  for (const [tokenId, leaf, score] of other.getRowsJS())
    problems.add(`agent ${tokenId}: its leaf has score ${leaf}, the file of the same computation ${score}`);
  return root;
}
