/** Samples of a running stack: memory and handles of each process, after a full collection by its inspector, connections and rows, at one time. */
import { openClient } from "../../db/sql/connect.ts";
import { listeningPorts, openFiles, residentBytes } from "../../harness/running-processes.ts";
import { partsBelow } from "../../harness/stack-parts.ts";

/** The NODE_OPTIONS of processes that can be looked at: each opens an inspector on a free port of this machine. */
export const INSPECTABLE = "--inspect=127.0.0.1:0";

/** Bytes; `handles` are the resources that keep the process's event loop busy: sockets, timers, servers. */
type Heap = { usedBytes: number; externalBytes: number; handles: number };

type Inspector = Awaited<ReturnType<typeof connect>>;

const ANSWER_MS = 20_000;
const LOOK = `(() => {
  const { heapUsed, external } = process.memoryUsage();
  return JSON.stringify({ usedBytes: heapUsed, externalBytes: external, handles: process.getActiveResourcesInfo().length });
})()`;

/** @returns undefined when the process has no inspector (yet) */
async function inspect(pid: number): Promise<Inspector | undefined> {
  for (const port of listeningPorts(pid)) {
    const url = await debuggerAt(port);
    if (url) return connect(url);
  }
  return undefined;
}

/** Ports of other servers answer something else, or nothing. */
async function debuggerAt(port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(2_000) });
    const targets = (await response.json()) as { webSocketDebuggerUrl?: string }[];
    return Array.isArray(targets) ? targets[0]?.webSocketDebuggerUrl : undefined;
  } catch {
    return undefined;
  }
}

type Answered = { id: number; result: { result?: { value?: string } } };

async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (answer: Answered) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as Answered;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  await new Promise<void>((done, failed) => {
    socket.addEventListener("open", () => done());
    socket.addEventListener("error", () => failed(new Error("the inspector cannot be reached")));
  });
  const ask = (method: string, params: object = {}) =>
    new Promise<Answered>((done, failed) => {
      const id = ++lastId;
      const timer = setTimeout(() => {
        waiting.delete(id);
        failed(new Error(`the inspector did not answer ${method}`));
      }, ANSWER_MS);
      waiting.set(id, (answer) => {
        clearTimeout(timer);
        done(answer);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    /** Collects all garbage, then looks. @throws Error when the process is gone or does not answer within 20 s */
    async heap(): Promise<Heap> {
      await ask("HeapProfiler.collectGarbage");
      const { result } = await ask("Runtime.evaluate", { expression: LOOK, returnByValue: true });
      return JSON.parse(result.result?.value ?? "") as Heap;
    },
    close: () => socket.close(),
  };
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
  const inspectors = new Map<number, Inspector>();

  async function heapOf(pid: number): Promise<Partial<Heap>> {
    try {
      const inspector = inspectors.get(pid) ?? (await inspect(pid));
      if (!inspector) return {};
      inspectors.set(pid, inspector);
      return await inspector.heap();
    } catch {
      // The report shows the end of a process by its new process id.
      inspectors.delete(pid);
      return {};
    }
  }
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
    async close() {
      for (const inspector of inspectors.values()) inspector.close();
      await db.end();
    },
  };
}

async function waitingAt(apiUrl: string): Promise<number | undefined> {
  const answer = fetch(`${apiUrl}/api/v2/status`).then((response) => response.json());
  const status = (await answer.catch(() => null)) as { queues: { waiting: number }[] } | null;
  return status?.queues?.reduce((sum, { waiting }) => sum + waiting, 0);
}
