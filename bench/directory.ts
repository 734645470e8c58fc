/** `npm run bench -- directory [--rows N] [--short]`: every kind of page of the directory from memory and by indexed SQL, beside naive SQL in the same run. */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { boundsOf, DIRECTORY_FILTERS, DIRECTORY_SORTS } from "../core/terminal/filters.ts";
import { type DirectoryList, openDirectoryList } from "../db/columns/directory.ts";
import { type DirectoryQuery, listDirectory } from "../db/directory/list.ts";
import { directoryRows } from "../db/directory/rows.ts";
import { migrate } from "../db/migrate.ts";
import { startPostgres } from "../devnet/postgres.ts";

const LIMIT = 100;
const SEARCHES = [undefined, "e", "or", "bot", "Quantum", "helix 3fe", "9f3", "0xab", "4242", "V55", "qqqq"];
const PLACES = { first: 0, middle: 0.5, last: 1 };

/** Words, platforms and scores as skewed as in a real directory; a fifth of the rows has a token that trades. */
const PLANT = `
  create temp table word as select * from unnest(
    array['Quantum','Trade','Bot','Oracle','Signal','Nova','Agent','Swap','Yield','Sentinel','Atlas','Pixel','Echo','Forge',
          'Lumen','Drift','Vector','Cipher','Orbit','Pulse','Raven','Delta','Helix','Zephyr','Kernel','Mosaic','Tide','Ember']
  ) with ordinality as w(word, n);
  insert into offchain.directory (platform, agent_id, address, token_id, name, cred_score, x402_supported, created_at,
    token_symbol, market_cap_usd, volume_24h_usd, uses, used_at, traded_at)
  select (array['erc8004','erc8004','virtuals','helixa','agentverse','mcp-registry'])[1 + i % 6], i::text,
    case when i % 7 > 0 then '0x' || left(md5(i::text) || md5((i + 1)::text), 40) end, i,
    a.word || ' ' || b.word || ' ' || to_hex(i::int8 * 7919),
    least(100, floor(5 + 70 * random() * random() + i % 7)), i % 9 = 0,
    case when i % 11 > 0 then now() - (i % 500) * interval '1 day' end,
    case when i % 5 = 0 then 'V' || i end, case when i % 5 = 0 then floor(1e7 * power(random(), 5)) end,
    case when i % 5 = 0 then floor(1e5 * power(random(), 5)) end, floor(1000 * power(random(), 8)),
    now() - (i % 300) * interval '1 hour', case when i % 5 = 0 then now() - (i % 30) * interval '1 hour' end
  from generate_series(0, $ROWS - 1) i
  join word a on a.n = 1 + (i * 31 + i / 28) % 28
  join word b on b.n = 1 + (i * 17 + i / 784) % 28`;

/** @param args `--rows N` (default 1,000,000), `--short` for 50,000 and a part of the questions */
export default async function directory(args: string[]): Promise<void> {
  const short = args.includes("--short");
  const wanted = args.indexOf("--rows");
  const rows = wanted >= 0 ? Number(args[wanted + 1]) : short ? 50_000 : 1_000_000;
  if (!Number.isSafeInteger(rows) || rows < 1000) throw new Error("--rows takes a number of rows from 1000 on");
  const place = mkdtempSync(join(tmpdir(), "bench-directory-"));
  const server = await startPostgres({ dataDir: join(place, "pg"), fast: true });
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  pool.on("error", () => {});
  try {
    console.log(
      `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
    );
    await migrate(server.url);
    const planter = await pool.connect();
    await planter.query(PLANT.replaceAll("$ROWS", String(rows)));
    await planter.query("vacuum analyze offchain.directory");
    planter.release();
    await measure(server.url, pool, rows, short);
  } finally {
    await pool.end();
    await server.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

type Cell = { place: keyof typeof PLACES; query: Omit<DirectoryQuery, "offset" | "limit"> };

/** Every sort, direction, filter, search and place, shuffled the same way every time. */
function matrix(now: number): Cell[] {
  const cells = DIRECTORY_SORTS.flatMap((sort) =>
    [true, false].flatMap((descending) =>
      DIRECTORY_FILTERS.flatMap((filter) =>
        SEARCHES.flatMap((q) =>
          (Object.keys(PLACES) as Cell["place"][]).map((place) => ({
            place,
            query: { sort, descending, filter, q, now },
          })),
        ),
      ),
    ),
  );
  return cells
    .map((cell, i) => ({ cell, key: (i * 7919 + 13) % 10_007 }))
    .sort((a, b) => a.key - b.key)
    .map(({ cell }) => cell);
}

async function measure(url: string, pool: pg.Pool, rows: number, short: boolean): Promise<void> {
  const before = process.memoryUsage().rss;
  const began = performance.now();
  const memory = openDirectoryList({ url, db: pool, maxBytes: 2 ** 30 });
  try {
    while (!memory.ready) await new Promise((done) => setTimeout(done, 10));
    const { readMs, sortMs, bytes } = memory.stats()!;
    console.log(
      `${rows.toLocaleString("en")} rows: ready after ${((performance.now() - began) / 1000).toFixed(1)} s (read ${(readMs / 1000).toFixed(1)} s, sorted ${(sortMs / 1000).toFixed(1)} s)`,
    );
    console.log(
      `memory: ${Math.round(bytes / 1e6)} MB of arrays, ${Math.round((process.memoryUsage().rss - before) / 1e6)} MB more RSS\n`,
    );
    const cells = matrix(Date.now()).slice(0, short ? 400 : undefined);
    for (const cell of cells.slice(0, 100)) await memory.list(await placed(memory, cell));
    const own: number[] = [];
    const whole: number[] = [];
    for (const cell of cells) {
      const query = await placed(memory, cell);
      const start = performance.now();
      const { ids } = await memory.list(query);
      own.push(performance.now() - start);
      await directoryRows(pool, ids);
      whole.push(performance.now() - start);
    }
    const indexed: number[] = [];
    const naive: number[] = [];
    let unequal = 0;
    for (const cell of cells.slice(0, short ? 40 : 200)) {
      const query = await placed(memory, cell);
      let start = performance.now();
      const answer = await listDirectory(pool, query);
      indexed.push(performance.now() - start);
      start = performance.now();
      await naively(pool, query);
      naive.push(performance.now() - start);
      if (!isDeepStrictEqual(answer, await memory.list(query))) unequal++;
    }
    console.log("a page of 100 with its exact total, milliseconds     p50     p95     p99   worst");
    console.log(line("from memory, ids alone", own));
    console.log(line("from memory, with all rows", whole));
    console.log(line("by indexed SQL, ids alone", indexed));
    console.log(line("by naive SQL, with totals and average", naive));
    console.log(`naive against memory, worst against worst: ${(quantile(naive, 1) / quantile(own, 1)).toFixed(0)}×`);
    console.log(unequal === 0 ? "every sampled answer is the same both ways" : `${unequal} answers differ!`);
  } finally {
    await memory.close();
  }
}

async function placed(memory: DirectoryList, { place, query }: Cell): Promise<DirectoryQuery> {
  const { total } = await memory.list({ ...query, limit: 1, offset: 0 });
  return { ...query, limit: LIMIT, offset: Math.max(0, Math.floor((total - LIMIT) * PLACES[place])) };
}

const KEYS: Record<string, string> = {
  cred_score: "cred_score",
  name: "lower(name)",
  created_at: "created_at",
  platform: "platform",
  token_market_cap: "market_cap_usd",
  volume_24h: "volume_24h_usd",
};

/** As anybody would write it first: no index but the key, OFFSET, and the totals computed with every page. */
async function naively(
  pool: pg.Pool,
  { filter, q, sort, descending, offset, limit, now }: DirectoryQuery,
): Promise<void> {
  const { x402, tier, createdSince, activeSince } = boundsOf(filter, now);
  const where = ["removed_at is null"];
  const values: unknown[] = [];
  const $ = (value: unknown) => `$${values.push(value)}`;
  if (x402) where.push("x402_supported");
  if (tier) where.push(`cred_score between ${tier.from} and ${tier.to}`);
  if (createdSince !== undefined) where.push(`created_at >= ${$(new Date(createdSince))}`);
  if (activeSince !== undefined) where.push(`greatest(used_at, traded_at) >= ${$(new Date(activeSince))}`);
  if (q !== undefined) {
    const text = $(q.toLowerCase());
    where.push(
      `(lower(name) like '%' || ${text} || '%' or address like ${text} || '%' or agent_id = ${text} or lower(token_symbol) = ${text})`,
    );
  }
  const client = await pool.connect();
  try {
    await client.query(
      "begin; set local enable_indexscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off",
    );
    await client.query(
      `select * from offchain.directory where ${where.join(" and ")}
       order by ${KEYS[sort]} ${descending ? "desc" : "asc"} nulls last, id limit ${limit} offset ${offset}`,
      values,
    );
    await client.query(`select count(*) from offchain.directory where ${where.join(" and ")}`, values);
    await client.query(
      "select count(*), avg(cred_score), count(*) filter (where x402_supported) from offchain.directory",
    );
    await client.query("rollback");
  } finally {
    client.release();
  }
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
const line = (name: string, values: number[]) =>
  `${name.padEnd(47)} ${[0.5, 0.95, 0.99, 1].map((q) => quantile(values, q).toFixed(2).padStart(7)).join(" ")}`;
