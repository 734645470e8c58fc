/** Simulated registries for tests of the directory's pulls: how they are told, pulled, interrupted, and what they hold in truth. */
import { expect } from "vitest";
import { type Http, openHttp } from "../../../clients/http.ts";
import type { Registry, RegistryPage } from "../../../clients/ports.ts";
import { PAGES as OPEN_PAGES } from "../../../clients/registries.ts";
import type { ReadItem, RegistryReader } from "../../../core/directory/registry-readers/reader.ts";
import { REGISTRY_READERS } from "../../../core/directory/registry-readers.ts";
import { type RunningSimulators, startSimulators } from "../../../devnet/simulators/server.ts";
import { testLog } from "../../../harness/log.ts";
import { LONG } from "../../../harness/patience.ts";
import { type PullOptions, pullRegistry } from "../../../workers/directory/pull-registry.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { sql } from "../../support/sql.ts";
import { declaredTimeout, PATIENT } from "../../support/time-limits.ts";

const CANONICAL = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const upstream = (http: Http, baseUrl: string, limits: { maxBytes: number; maxMs?: number }) =>
  http.upstream({ name: "It", baseUrl, rate: { burst: 10_000, perSecond: 10_000 }, ...limits });

export type Row = { agentId: string; name: string; description: string | null };

export type Pull = PullOptions & {
  registry?: Registry;
  reader?: RegistryReader;
  fault?: (point: string) => void;
};

/** The simulators and a database into which they are pulled. */
export type RegistryWorld = {
  db: TestDatabase;
  simulators: RunningSimulators;
  /** Empties the directory. */
  clear(): Promise<void>;
  plant(source: string, body: unknown): Promise<unknown>;
  fault(source: string, plan: object): Promise<unknown>;
  /** Rows of a registry whose pages never come or fail. */
  troubles(source: string, troubles: readonly object[]): Promise<unknown>;
  /** A registry whose connections know nothing of earlier troubles; 16 MB. By default it is waited for, but not for what hangs. */
  registry(source: string, options?: { maxBytes?: number; maxMs?: number }): Registry;
  pull(source: string, options?: Pull): Promise<number | null>;
  /** Rows of the directory that a source shows or enriches, by agent id. */
  rows(source: string): Promise<Row[]>;
  /** What these rows are when the source is read as a whole at this moment. */
  truth(source: string): Promise<Row[]>;
  stop(): Promise<void>;
};

/** Max items of a source's pages. */
export const pageSizeOf = (source: string): number => readerOf(source).pageSize;

export const readerOf = (source: string): RegistryReader => REGISTRY_READERS.find(({ key }) => key === source)!;

/** @param registered so many ERC-8004 agents the index has, ids from 1, none of whose files can be had */
export async function registryWorld({ registered = 0 } = {}): Promise<RegistryWorld> {
  const timeout = declaredTimeout();
  const simulators = await startSimulators({ onHang: timeout.reach });
  const db = await testDatabase({ indexed: true });
  await db.pool.query(sql`insert into onchain.erc8004_agent (registry, agent_id, owner, agent_uri, registered_at,
      registered_block, tx_hash, feedback_count, updated_block)
    select ${CANONICAL}, i, '0x' || lpad(to_hex(i), 40, '0'), '', 1760000000, 900, '0x00', 0, 900
    from generate_series(1, ${registered}::int) i`);
  const opened: Http[] = [];
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${simulators.url}/_control/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const platformOf = (source: string) => REGISTRY_READERS.find(({ key }) => key === source)?.enriches ?? source;

  const world: RegistryWorld = {
    db,
    simulators,
    async clear() {
      await db.pool.query(
        `truncate offchain.directory, offchain.directory_item, offchain.directory_quarantine, offchain.directory_page,
           offchain.directory_pull cascade`,
      );
    },
    plant: (source, body) => control("PUT", `registries/${source}/agents`, body),
    fault: (source, plan) => control("POST", "fail", { source, ...plan }),
    troubles: (source, troubles) => control("PUT", `registries/${source}/troubles`, troubles),
    registry(source, { maxBytes = 16_000_000, maxMs } = {}) {
      const { signal } = timeout;
      const http = openHttp({
        userAgent: "tests",
        maxWaitMs: LONG,
        limits: PATIENT,
        ...(maxMs === undefined && { signal }),
      });
      opened.push(http);
      const opening = upstream(http, `${simulators.url}/${source}`, { maxBytes, ...(maxMs && { maxMs }) });
      return OPEN_PAGES[source as keyof typeof OPEN_PAGES](opening, { chainId: 8453, pageSize: pageSizeOf(source) });
    },
    pull(source, { registry = world.registry(source), reader = readerOf(source), fault = () => {}, ...rest } = {}) {
      const context = {
        db: db.pool,
        clock: () => new Date(),
        log: testLog(),
        fault,
        exchangeSchema: `0x${"f".repeat(64)}`,
        chainId: 8453,
        everyMs: 1_000_000,
      };
      return pullRegistry(context, registry, reader, rest);
    },
    async rows(source) {
      const { rows } = await db.pool.query(sql`select agent_id as "agentId", name, description from offchain.directory
        where platform = ${platformOf(source)} and removed_at is null order by agent_id collate "C"`);
      return rows;
    },
    async truth(source) {
      const reader = readerOf(source);
      const items = new Map<string, ReadItem>();
      for (const raw of (await control("GET", `registries/${source}/agents`)) as unknown[]) {
        const read = reader.read(raw);
        if (read && read !== "gone") items.set(read.sourceId, read);
      }
      const byAgent = Map.groupBy(items.values(), ({ entry }) => entry.agentId);
      return [...byAgent.values()]
        .map((of) => {
          const { agentId, name, description } = reader.gather ? reader.gather(of) : of[0]!.entry;
          return { agentId, name, description };
        })
        .sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
    },
    async stop() {
      for (const http of opened) await http.close();
      await simulators.stop();
      await db.drop();
    },
  };
  return world;
}

/** A registry to which something happens before one of its pages, counted from 0. */
export function interrupted(registry: Registry, at: number, happen: () => Promise<unknown>): Registry {
  let pages = 0;
  return {
    ...registry,
    async page(...asked) {
      if (pages++ === at) await happen();
      return registry.page(...asked);
    },
  };
}

export const readPage = async (registry: Registry, cursor: unknown): Promise<RegistryPage> => {
  const page = await registry.page(cursor, null);
  if (page === "unchanged") throw new Error("unchanged, and nothing was known");
  return page;
};

/** Where a page of each source is, and under which name it holds its rows. */
const PAGES: Record<string, { at(n: number): [path: string, init?: RequestInit]; rows: string }> = {
  virtuals: { at: (n) => [`/api/agents?pagination[page]=${n + 1}&pagination[pageSize]=100`], rows: "data" },
  agentverse: {
    at: (n) => [
      "/v1/search/agents",
      {
        method: "POST",
        body: JSON.stringify({
          offset: n * 50,
          limit: 50,
          sort: "created-at",
          direction: "asc",
          exclude_geo_agents: false,
        }),
      },
    ],
    rows: "agents",
  },
  "mcp-registry": { at: (n) => [`/v0.1/servers?limit=100${n ? `&cursor=after:${n * 100}` : ""}`], rows: "servers" },
  "x402-bazaar": {
    at: (n) => [`/platform/v2/x402/discovery/resources?limit=100&offset=${n * 100}`],
    rows: "items",
  },
  "8004scan": { at: (n) => [`/agents?limit=100&offset=${n * 100}&sort_order=asc`], rows: "items" },
};
export type Rows = Record<string, unknown>[];
/** The body that a source has for a page, and the same with other rows. */
export async function bodyOf(
  world: RegistryWorld,
  source: string,
  page: number,
): Promise<{ rows: Rows; with(rows: Rows): object }> {
  const { at, rows } = PAGES[source]!;
  const [path, init] = at(page);
  const answer = await fetch(`${world.simulators.url}/${source}${path}`, init);
  const body = (await answer.json()) as Record<string, Rows>;
  return { rows: body[rows]!, with: (other) => ({ ...body, [rows]: other }) };
}
