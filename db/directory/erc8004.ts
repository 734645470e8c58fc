/** Agents of the canonical ERC-8004 registry as the index has them, and their registration files: which are due, and what came of looking. */
import type pg from "pg";
import { type Defect, defect, defectView } from "../../core/directory/file-defects.ts";
import type { Registration } from "../../core/directory/foreign-registration-file.ts";
import { int8, json, jsonb, nullable, numeric, type RowOf, statement, text, timestamptz } from "../sql/statement.ts";
import { refusalReason, storeSet } from "../sql/store-set.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { ERC8004, lockErc8004Rows, showErc8004 } from "./erc8004-rows.ts";
import { quarantine, releaseItems } from "./quarantine.ts";
import { removeEntries, type ScoreRules } from "./write.ts";

export { ERC8004 } from "./erc8004-rows.ts";

/** An agent to bring up to date, with what is known of its file. */
export type Erc8004Agent = RowOf<typeof AGENT_COLUMNS>;
export type StoredFile = {
  uri: string;
  content: Registration | null;
  etag: string | null;
  lastModified: string | null;
  errors: Defect[];
  failures: number;
  status: FileStatus;
  /** When to look again, ISO 8601; null for a file that the URI itself contains. */
  nextTryAt: string | null;
  /** Whether it is time for that. */
  due: boolean;
};
/** `waiting`: the file is somewhere else, and was not fetched yet. */
type FileStatus = "parsed" | "unreadable" | "unreachable" | "refused" | "waiting";

/** Raised with what is read of a file: each is read again then, by a worker that reads so. */
const READER_VERSION = 4;

/** An agent `a` with its file `f`, in the shape of `Erc8004Agent`; `$now` is the time. */
const AGENT = `a.registry, a.agent_id::text as "agentId", a.agent_uri as uri, a.updated_block::text as "updatedBlock",
  case when f.uri is not null then json_build_object('uri', f.uri, 'content', f.content, 'etag', f.etag,
    'lastModified', f.last_modified, 'errors', f.errors, 'failures', f.failures, 'status', f.status,
    'nextTryAt', f.next_try_at, 'due', coalesce(f.next_try_at <= $now, false)) end as file`;
const AGENT_COLUMNS = {
  registry: text,
  agentId: text,
  uri: text,
  updatedBlock: text,
  file: nullable(json<StoredFile>()),
};

const STALE = statement({
  name: "erc8004-stale",
  params: { now: timestamptz, after: numeric, limit: int8 },
  text: `
    select ${AGENT}
    from onchain.erc8004_agent a
    left join offchain.directory_item i on i.source = '${ERC8004}' and i.source_id = a.agent_id::text
    left join offchain.registration_file f on f.registry = a.registry and f.agent_id = a.agent_id
    where a.agent_id > $after and (i.digest is distinct from '${READER_VERSION}:' || a.updated_block or f.uri is null)
    order by a.agent_id limit $limit`,
  columns: AGENT_COLUMNS,
});

/** Agents whose row is missing or older than the index or the reader, lowest ids first. @param after their ids are above this one */
export const staleErc8004 = (db: Queryable, now: Date, limit: number, after = "-1"): Promise<Erc8004Agent[]> =>
  STALE.rows(db, { now, after, limit });

/**
 * Agents whose file is due, one of each owner before a second of any: an owner of thousands of agents whose servers are
 * slow delays its own only. Of an owner those that failed least come first.
 */
export const dueErc8004 = statement({
  name: "erc8004-due",
  params: { now: timestamptz, limit: int8 },
  text: `
    select ${AGENT}
    from (
      select f.registry, f.agent_id, f.next_try_at,
        row_number() over (partition by a.owner order by f.failures, f.next_try_at, f.agent_id) as turn
      from offchain.registration_file f
      join onchain.erc8004_agent a on a.registry = f.registry and a.agent_id = f.agent_id
      where f.next_try_at <= $now
      order by turn, f.next_try_at limit $limit) due
    join onchain.erc8004_agent a on a.registry = due.registry and a.agent_id = due.agent_id
    join offchain.registration_file f on f.registry = due.registry and f.agent_id = due.agent_id
    order by due.turn, due.next_try_at`,
  columns: AGENT_COLUMNS,
}).rows;

/** What came of looking for an agent's file. */
export type FileResult = {
  agent: Erc8004Agent;
  status: FileStatus;
  registration: Registration | null;
  errors: Defect[];
  etag: string | null;
  lastModified: string | null;
  failures: number;
  nextTryAt: Date | null;
};

/**
 * Stores files and rows of some agents.
 * One item: an agent whose file the database refuses (`storeSet`) is stored without it.
 * @returns how many rows are different
 */
export async function storeErc8004(
  pool: pg.Pool,
  results: readonly FileResult[],
  chainId: number,
  rules: ScoreRules,
): Promise<number> {
  if (results.length === 0) return 0;
  return storeSet(pool, results, {
    async store(tx, items) {
      await releaseItems(tx, { source: ERC8004, ids: items.map(({ agent }) => agent.agentId) });
      return writeErc8004(tx, items, chainId, rules);
    },
    async settle(tx, different, refused) {
      const bare = refused.map(
        ({ item, error }): FileResult => ({
          ...item,
          status: "unreadable",
          registration: null,
          errors: [defect("unstorable", refusalReason(error))],
          etag: null,
          lastModified: null,
          nextTryAt: new Date(rules.now.getTime() + REFUSED_MS),
        }),
      );
      await quarantine(
        tx,
        ERC8004,
        bare.map(({ agent, errors }) => ({
          id: agent.agentId,
          reason: defectView(errors[0]!).says,
          raw: { uri: cut(agent.uri) },
        })),
        { now: rules.now, sweep: 0 },
      );
      return different + (await writeErc8004(tx, bare, chainId, rules));
    },
  });
}

/** Milliseconds until the file of an agent that could not be stored is read again. */
const REFUSED_MS = 86_400_000;
/** Characters of a URI that are kept with an item. */
const cut = (uri: string) => uri.slice(0, 2_000).toWellFormed();

/** A file as the statement takes it. */
type FileRow = {
  registry: string;
  agent: string;
  uri: string;
  status: FileStatus;
  content: Registration | null;
  errors: Defect[];
  warnings: string[];
  etag: string | null;
  modified: string | null;
  failures: number;
  next_try: Date | null;
};
type ItemRow = { agent: string; registry: string; uri: string; warnings: string[]; block: string };

const STORE_FILES = statement({
  name: "erc8004-files-store",
  params: { files: jsonb<readonly FileRow[]>(), now: timestamptz },
  text: `
    insert into offchain.registration_file (registry, agent_id, uri, status, content, errors, warnings, etag,
      last_modified, fetched_at, failures, next_try_at)
    select r.registry, r.agent, r.uri, r.status, r.content, array(select jsonb_array_elements_text(r.errors)),
      array(select jsonb_array_elements_text(r.warnings)), r.etag, r.modified, $now, r.failures, r.next_try
    from jsonb_to_recordset($files) as r(registry text, agent numeric, uri text, status text, content jsonb,
      errors jsonb, warnings jsonb, etag text, modified text, failures int4, next_try timestamptz)
    on conflict (registry, agent_id) do update set uri = excluded.uri, status = excluded.status,
      content = excluded.content, errors = excluded.errors, warnings = excluded.warnings, etag = excluded.etag,
      last_modified = excluded.last_modified, fetched_at = $now, failures = excluded.failures,
      next_try_at = excluded.next_try_at`,
});
const STORE_ITEMS = statement({
  name: "erc8004-items-store",
  params: { items: jsonb<readonly ItemRow[]>(), now: timestamptz },
  text: `
    insert into offchain.directory_item (source, source_id, platform, agent_id, raw, warnings, digest, fetched_at, sweep)
    select '${ERC8004}', r.agent, '${ERC8004}', r.agent, jsonb_build_object('registry', r.registry, 'uri', r.uri),
      array(select jsonb_array_elements_text(r.warnings)), '${READER_VERSION}:' || r.block, $now, 0
    from jsonb_to_recordset($items) as r(agent text, registry text, uri text, warnings jsonb, block text)
    on conflict (source, source_id) do update set raw = excluded.raw, warnings = excluded.warnings,
      digest = excluded.digest, fetched_at = $now`,
});

const fileRow = ({ agent, registration, lastModified, nextTryAt, ...file }: FileResult): FileRow => ({
  registry: agent.registry,
  agent: agent.agentId,
  uri: agent.uri,
  status: file.status,
  content: registration,
  errors: file.errors,
  warnings: registration?.warnings ?? [],
  etag: file.etag,
  modified: lastModified,
  failures: file.failures,
  next_try: nextTryAt,
});

const itemRow = ({ agent, registration, errors }: FileResult): ItemRow => ({
  agent: agent.agentId,
  registry: agent.registry,
  uri: cut(agent.uri),
  warnings: [...errors, ...(registration?.warnings ?? [])].map((each) => defectView(each).says),
  block: agent.updatedBlock,
});

async function writeErc8004(
  tx: pg.ClientBase,
  results: readonly FileResult[],
  chainId: number,
  rules: ScoreRules,
): Promise<number> {
  if (results.length === 0) return 0;
  const { now } = rules;
  await lockErc8004Rows(tx);
  await STORE_FILES.run(tx, { files: results.map(fileRow), now });
  await STORE_ITEMS.run(tx, { items: results.map(itemRow), now });
  return showErc8004(
    tx,
    results.map(({ agent }) => agent.agentId),
    chainId,
    rules,
  );
}

const FORGET_VANISHED = statement({
  name: "erc8004-forget-vanished",
  text: `
    delete from offchain.directory_item i where i.source = '${ERC8004}'
      and not exists (select from onchain.erc8004_agent a where a.agent_id = i.source_id::numeric)
    returning source_id`,
  columns: { source_id: text },
});

/** Removes the rows of agents that a reorganisation took back. @returns how many there were */
export async function removeVanished(pool: pg.Pool, now: Date): Promise<number> {
  return transaction(pool, async (tx) => {
    const gone = (await FORGET_VANISHED.rows(tx)).map((row) => row.source_id);
    return removeEntries(tx, ERC8004, gone, now);
  });
}
