/** Agents of the canonical ERC-8004 registry as the index has them, and their registration files: which are due, and what came of looking. */
import type pg from "pg";
import { type Defect, defect, defectView } from "../../core/directory/file-defects.ts";
import type { Registration } from "../../core/directory/foreign-registration-file.ts";
import { registrationFile } from "../schema/directory.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { refusalReason, storeSet } from "../sql/store-set.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { transaction } from "../sql/transaction.ts";
import { ERC8004, lockErc8004Rows, showErc8004 } from "./erc8004-rows.ts";
import { quarantine, releaseItems } from "./quarantine.ts";
import { removeEntries, type ScoreRules } from "./write.ts";

export { ERC8004 } from "./erc8004-rows.ts";

/** An agent to bring up to date, with what is known of its file. */
export type Erc8004Agent = t.RowOf<typeof AGENT_COLUMNS>;
export type StoredFile = {
  uri: string;
  content: Registration | null;
  etag: string | null;
  lastModified: string | null;
  errors: Defect[];
  failures: number;
  status: t.RowOf<typeof FILE>["status"];
  /** When to look again, ISO 8601; null for a file that the URI itself contains. */
  nextTryAt: string | null;
  /** Whether it is time for that. */
  due: boolean;
};
/** `waiting`: the file is somewhere else, and was not fetched yet. */

/** Raised with what is read of a file: each is read again then, by a worker that reads so. */
const READER_VERSION = 4;

/** An agent `a` with its file `f`, in the shape of `Erc8004Agent`; `$now` is the time. */
const AGENT = `a.registry, a.agent_id::text as "agentId", a.agent_uri as uri, a.updated_block::text as "updatedBlock",
  case when f.uri is not null then json_build_object('uri', f.uri, 'content', f.content, 'etag', f.etag,
    'lastModified', f.last_modified, 'errors', f.errors, 'failures', f.failures, 'status', f.status,
    'nextTryAt', f.next_try_at, 'due', coalesce(f.next_try_at <= $now, false)) end as file`;
const AGENT_COLUMNS = {
  registry: t.text,
  agentId: t.text,
  uri: t.text,
  updatedBlock: t.text,
  file: t.nullable(t.json<StoredFile>()),
};

const STALE = statement({
  name: "erc8004-stale",
  params: { now: t.timestamptz, after: t.numeric, limit: t.int8 },
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
  params: { now: t.timestamptz, limit: t.int8 },
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
export type FileResult = Pick<StoredFile, "status" | "errors" | "etag" | "lastModified" | "failures"> & {
  agent: Erc8004Agent;
  registration: Registration | null;
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

/** A file as it is stored, without the texts of what is wrong with it. */
const FILE = columnsOf(registrationFile, { without: ["errors", "warnings", "fetchedAt"] });

const STORE_FILES = statement({
  name: "erc8004-files-store",
  params: {
    files: t.records({ ...FILE, errors: t.jsonb<Defect[]>(), warnings: t.jsonb<string[]>() }),
    now: t.timestamptz,
  },
  text: `
    insert into offchain.registration_file (${t.namesOf(FILE)}, errors, warnings, fetched_at)
    select ${t.namesOf(FILE)}, array(select jsonb_array_elements_text(errors)),
      array(select jsonb_array_elements_text(warnings)), $now
    from $files
    on conflict (registry, agent_id) do update set ${t.excludedOf(FILE)}, errors = excluded.errors,
      warnings = excluded.warnings, fetched_at = excluded.fetched_at`,
});
const STORE_ITEMS = statement({
  name: "erc8004-items-store",
  params: {
    items: t.records({ agentId: t.text, registry: t.text, uri: t.text, warnings: t.jsonb<string[]>(), block: t.text }),
    now: t.timestamptz,
  },
  text: `
    insert into offchain.directory_item (source, source_id, platform, agent_id, raw, warnings, digest, fetched_at, sweep)
    select '${ERC8004}', agent_id, '${ERC8004}', agent_id, jsonb_build_object('registry', registry, 'uri', uri),
      array(select jsonb_array_elements_text(warnings)), '${READER_VERSION}:' || block, $now, 0
    from $items
    on conflict (source, source_id) do update set raw = excluded.raw, warnings = excluded.warnings,
      digest = excluded.digest, fetched_at = $now`,
});

const fileRow = ({ agent: { registry, agentId, uri }, registration: content, ...file }: FileResult) => ({
  ...{ ...file, registry, agentId, uri, content },
  warnings: content?.warnings ?? [],
});

const itemRow = ({ agent: { agentId, registry, uri, updatedBlock }, registration, errors }: FileResult) => ({
  ...{ agentId, registry, uri: cut(uri), block: updatedBlock },
  warnings: [...errors, ...(registration?.warnings ?? [])].map((each) => defectView(each).says),
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
  columns: { source_id: t.text },
});

/** Removes the rows of agents that a reorganisation took back. @returns how many there were */
export async function removeVanished(pool: pg.Pool, now: Date): Promise<number> {
  return transaction(pool, async (tx) => {
    const gone = (await FORGET_VANISHED.rows(tx)).map((row) => row.source_id);
    return removeEntries(tx, { platform: ERC8004, agentIds: gone, now });
  });
}

const COMPARE = statement({
  name: "erc8004-compare",
  params: { source: t.text },
  text: `
    with listed as (
      select agent_id::numeric as agent_id, lower(raw->>'owner_address') as owner
      from offchain.directory_item where source = $source)
    select count(*) filter (where a.agent_id is null) as unknown,
      count(*) filter (where l.agent_id is null) as unlisted,
      count(*) filter (where l.owner <> a.owner) as otherwise
    from listed l full join onchain.erc8004_agent a on a.agent_id = l.agent_id`,
  columns: { unknown: t.int8, unlisted: t.int8, otherwise: t.int8 },
});

/** @returns one sentence about the differences; null when there are none @param source whose items are compared */
export async function compareErc8004(db: Queryable, source: string): Promise<string | null> {
  const { unknown, unlisted, otherwise } = await COMPARE.one(db, { source });
  const found = [
    ...(unknown > 0 ? [`lists ${agents(unknown)} that the index has not`] : []),
    ...(unlisted > 0 ? [`does not list ${agents(unlisted)} that the index has`] : []),
    ...(otherwise > 0 ? [`names another owner of ${agents(otherwise)}`] : []),
  ];
  if (found.length === 0) return null;
  const last = found.pop();
  return `${source} ${found.length > 0 ? `${found.join(", ")} and ` : ""}${last}.`;
}

const agents = (n: number) => `${n} ${n === 1 ? "agent" : "agents"}`;
