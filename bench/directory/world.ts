/** A process of its own that plants the directory by the million, set-based: own agents with their scores, and everybody else. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { openPool } from "../../db/sql/connect.ts";

/** One row in six is of the own registry, and is an agent with a stored score. */
export const OWN_SHARE = 6;

/** Words, platforms and scores as skewed as in a real directory; a fifth of the rows has a token that trades, a tenth an Ethos score. */
const PLANT = `
  select setseed(0.42);
  create temp table word as select * from unnest(
    array['Quantum','Trade','Bot','Oracle','Signal','Nova','Agent','Swap','Yield','Sentinel','Atlas','Pixel','Echo','Forge',
          'Lumen','Drift','Vector','Cipher','Orbit','Pulse','Raven','Delta','Helix','Zephyr','Kernel','Mosaic','Tide','Ember']
  ) with ordinality as w(word, n);
  insert into offchain.directory (platform, agent_id, address, token_id, chain_id, name, description, image_url, registry,
    owner_address, cred_score, x402_supported, wallet_proven, created_at, token_symbol, token_name, market_cap_usd,
    volume_24h_usd, price_change_24h, liquidity_usd, token_counts, uses, used_at, traded_at)
  select p.platform, case p.platform when 'helixa' then (i / ${OWN_SHARE})::text when 'agentverse' then 'agent1q' || md5(i::text) else i::text end,
    case when i % 7 > 0 then '0x' || left(md5(i::text) || md5((i + 1)::text), 40) end,
    case p.platform when 'helixa' then i / ${OWN_SHARE} when 'erc8004' then i end, 8453,
    case when i % 20 = 3 then a.word || ' ' || (array['Ångström','機器人','Łódź','Straße','Ñandú'])[1 + i % 5] || ' ' || i % 997
         else a.word || ' ' || b.word || ' ' || to_hex(i::int8 * 7919) end,
    'Agent number ' || i || ' watches ' || lower(b.word) || ' markets and answers questions about what it sees, day and night.',
    'https://images.example/' || md5(i::text) || '.png', '0x8004a169fb4a3325136eb29fa0ceb6d2e539a432',
    '0x' || left(md5((i / 3)::text) || md5('o' || i / 3), 40),
    case when p.platform = 'helixa' then coalesce(c.score, 10) else least(100, floor(5 + 70 * random() * random() + i % 7)) end,
    i % 9 = 0, p.platform = 'erc8004',
    case when i % 11 > 0 then now() - (i % 500) * interval '1 day' end,
    case when i % 5 = 0 then 'V' || i end, case when i % 5 = 0 then a.word || ' token' end,
    case when i % 5 = 0 then floor(1e7 * power(random(), 5)) end,
    case when i % 5 = 0 then floor(1e5 * power(random(), 5)) end,
    case when i % 5 = 0 then floor(1e4 * power(random() - 0.5, 3)) / 10 end,
    case when i % 5 = 0 then floor(1e6 * power(random(), 5)) end, i % 5 = 0,
    floor(1000 * power(random(), 8)),
    now() - (i % 300) * interval '1 hour', case when i % 5 = 0 then now() - (i % 30) * interval '1 hour' end
  from generate_series(0, $ROWS - 1) i
  cross join lateral (select (array['helixa','erc8004','erc8004','virtuals','agentverse','mcp-registry'])[1 + i % ${OWN_SHARE}] as platform) p
  join word a on a.n = 1 + (i * 31 + i / 28) % 28
  join word b on b.n = 1 + (i * 17 + i / 784) % 28
  left join offchain.cred c on p.platform = 'helixa' and c.token_id = i / ${OWN_SHARE};
  insert into offchain.ethos_score (wallet, score, fetched_at)
  select distinct on (owner_address) owner_address, 900 + id % 1500, now() from offchain.directory where id % 10 = 0`;

/** Indexes that are made of the rows when these are there, in a part of the time: those that no trigger reads. */
const LATER = `
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = any(array['offchain.directory', 'offchain.directory_score']::regclass[])
    and (c.relname like 'directory\\_by\\_%' or c.relname in ('directory_search', 'directory_score_up', 'directory_score_down'))`;

if (process.argv[1] === import.meta.filename) {
  const [url, rows] = process.argv.slice(2);
  const agents = Math.ceil(Number(rows) / OWN_SHARE);
  execFileSync(process.execPath, [join(import.meta.dirname, "../list/world.ts"), url!, String(agents)]);
  const pool = openPool({ connectionString: url, max: 1 });
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(LATER);
  for (const { name } of indexes) await pool.query(`drop index ${name}`);
  await pool.query(PLANT.replaceAll("$ROWS", String(Number(rows))));
  await pool.query("set maintenance_work_mem = '1GB'");
  for (const { definition } of indexes) await pool.query(definition);
  for (const table of ["directory", "ethos_score"]) await pool.query(`vacuum analyze offchain.${table}`);
  await pool.end();
}
