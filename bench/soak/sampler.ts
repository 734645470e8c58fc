/** Samples of a running stack: memory and handles of each process, after a full collection, connections and rows, at one time. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { openClient } from "../../db/sql/connect.ts";
import { openFiles, residentBytes } from "../../harness/running-processes.ts";
import { partsBelow } from "../../harness/stack-parts.ts";
import { type Heap, socketOf } from "./heap-on-request.ts";

/** Without its types: what reads them takes 15 MB of each process. */
const PRELOADED = stripTypeScriptTypes(readFileSync(new URL("heap-on-request.ts", import.meta.url), "utf8"));
/** The NODE_OPTIONS of processes that can be looked at. */
export const INSPECTABLE = `--expose-gc --import=data:text/javascript;base64,${Buffer.from(PRELOADED).toString("base64")}`;

const ANSWER_MS = 20_000;

/** Collects all garbage of a process, then looks; nothing of one that is gone, cannot be asked yet, or does not answer in time. */
async function heapOf(pid: number): Promise<Partial<Heap>> {
  const socket = connect(socketOf(pid));
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`process ${pid} does not answer`)));
  return (await json(socket).catch(() => ({}))) as Partial<Heap>;
}

export type PartSample = { pid: number; rssBytes: number; openFiles: number } & Partial<Heap>;

export type Sample = {
  /** Seconds since the traffic began. */
  second: number;
  /** By the name of the part. */
  parts: Record<string, PartSample>;
  /** Connections to the database, by the name of who holds them. */
  connections: Record<string, number>;
  /** Rows, by `schema.table`; null where they were not counted this time. */
  rows: Record<string, number> | null;
  /** Of all queues; undefined when the API did not tell. */
  waitingJobs: number | undefined;
};

/** Everything that is no table of Postgres itself. Exact numbers: estimates lag by minutes. */
const ROWS = `
  select table_schema || '.' || table_name as name,
    (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', table_schema, table_name),
      false, true, '')))[1]::text::float8 as n
  from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    and table_name !~ '^_ponder'`;
const CONNECTIONS = `
  select coalesce(nullif(split_part(application_name, ' ', 1), ''), 'unnamed') as name, count(*)::int as n from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid() group by 1`;

/** @param root process id of the stack's supervisor */
export async function openSampler({ root, databaseUrl }: { root: number; databaseUrl: string }) {
  const db = openClient({ connectionString: databaseUrl, application_name: "soak" });
  db.on("error", () => {});
  await db.connect();
  const byName = ({ rows }: { rows: { name: string; n: number }[] }) =>
    Object.fromEntries(rows.map(({ name, n }) => [name, n]));

  return {
    async sample(second: number, { countRows, apiUrl }: { countRows: boolean; apiUrl: string }): Promise<Sample> {
      const parts: Sample["parts"] = {};
      for (const { name, pid } of partsBelow(root)) {
        // Before the collection: this is what the machine sees.
        const seen = { pid, rssBytes: residentBytes(pid), openFiles: openFiles(pid) };
        parts[name] = { ...seen, ...(await heapOf(pid)) };
      }
      const connections = byName(await db.query(CONNECTIONS));
      const rows = countRows ? byName(await db.query(ROWS)) : null;
      return { second, parts, connections, rows, waitingJobs: await waitingAt(apiUrl) };
    },
    close: () => db.end(),
  };
}

async function waitingAt(apiUrl: string): Promise<number | undefined> {
  const answer = fetch(`${apiUrl}/api/v2/status`).then((response) => response.json());
  const status = (await answer.catch(() => null)) as { queues: { waiting: number }[] } | null;
  return status?.queues?.reduce((sum, { waiting }) => sum + waiting, 0);
}
