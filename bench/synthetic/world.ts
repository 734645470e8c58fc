/**
 * A process of its own that plants by the million, set-based: agents, and where it is told a number of rows for the directory
 * everybody else. What it imports must not count as memory of the lists.
 */
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { plantOnchain } from "../../harness/onchain.ts";
import { onchainTables } from "../../harness/onchain-tables.ts";
import { OWN_SHARE } from "../directory/questions.ts";
import { dropIndexes } from "./drop-indexes.ts";

/**
 * Words lie two to four in a name, one name in twenty has letters beyond ASCII, one in a hundred counts as spam.
 * Frameworks, points and scores are as skewed as those of a real registry.
 */
const AGENTS = `
  select setseed(0.42);
  create temp table word as select * from unnest(
    array['Quantum','Trade','Bot','Oracle','Signal','Nova','Agent','Swap','Yield','Sentinel','Atlas','Pixel','Echo','Forge',
          'Lumen','Drift','Vector','Cipher','Orbit','Pulse','Raven','Delta','Helix','Zephyr','Kernel','Mosaic','Tide','Ember']
  ) with ordinality as w(word, n);
  create temp table framework as select * from unnest(
    array['openclaw','openclaw','openclaw','custom','custom','eliza','eliza','langchain','crewai','autogpt','virtuals','agentkit','based','bankr']
  ) with ordinality as f(name, n);
  insert into onchain.agent (token_id, agent_address, owner, name, framework, minted_at, minted_block, mint_tx, verified,
    soulbound, origin, generation, parent_id, mutation_count, version, points, trait_count, updated_block)
  select i, '0x' || left(md5(i::text) || md5((i + 1)::text), 40), '0x' || left(md5((i / 3)::text) || md5('o' || i / 3), 40),
    case when i % 100 = 7 then repeat(chr(97 + i % 26), 1 + i % 3)
         when i % 20 = 3 then a.word || ' ' || (array['Ångström','機器人','Łódź','Straße','Ñandú'])[1 + i % 5] || ' ' || i % 997
         when i % 3 = 0 then a.word || ' ' || b.word || ' ' || to_hex(i::int8 * 7919)
         else a.word || b.word || ' ' || i end,
    f.name, 1740000000 + i * 20, 42254000 + i * 10, '0x' || repeat('0', 64), i % 7 = 0,
    i % 11 = 0, i % 4, 0, 0, 0, '1', floor(400 * power(random(), 4)), i % 3, 42254000 + i * 10
  from generate_series(0, $AGENTS - 1) i
  join word a on a.n = 1 + (i * 31 + i / 28) % 28
  join word b on b.n = 1 + (i * 17 + i / 784) % 28
  join framework f on f.n = 1 + (i * 13 + i / 14) % 14;
  insert into onchain.trait select i, n, 'trait ' || n, 'mood', 1740000000 + i * 20, '0x00'
  from generate_series(0, $AGENTS - 1) i, generate_series(0, i % 3 - 1) n;
  insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative, origin, soulbound, seen_block, computed_at)
  select i, least(100, floor(15 + 70 * random() * random() + i % 7)), 0, 0, 0, 0, 0, 0, 0, 0, 42254000 + i * 10, now()
  from generate_series(0, $AGENTS - 1) i where i % 50 <> 0;
  insert into offchain.profile_field (token_id, field, value) select i, 'narrative.mission', '"To be useful."'
  from generate_series(0, $AGENTS - 1, 10) i`;

/** Words, platforms and scores as skewed as in a real directory; a fifth of the rows has a token that trades, a tenth an Ethos score. */
const DIRECTORY = `
  select setseed(0.42);
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
  i.indrelid = any(array['offchain.directory', 'offchain.directory_score']::regclass[])
  and (c.relname like 'directory\\_by\\_%' or c.relname in ('directory_search', 'directory_score_up', 'directory_score_down'))`;

/** The indexes that Ponder makes of ponder.schema.ts. */
const INDEXES = [
  "agent_address, wallet_rank, token_id",
  "owner",
  "name",
  "minted_at",
  "points",
  "framework",
  "updated_block",
  "verified, soulbound",
];

const [url, agents, rows] = process.argv.slice(2);
const last = 42_254_000 + Number(agents) * 10;
await migrate(url!);
const pool = openPool({ connectionString: url, max: 1 });
const settled = async (tables: readonly string[]) => {
  for (const table of tables) await pool.query(`vacuum analyze ${table}`);
};
await plantOnchain(pool, { block: last, finalized: last - 30, ddl: onchainTables() });
await pool.query(AGENTS.replaceAll("$AGENTS", String(Number(agents))));
for (const column of INDEXES) await pool.query(`create index on onchain.agent (${column})`);
await settled(["onchain.agent", "onchain.trait", "offchain.cred", "offchain.profile_field"]);
if (rows !== undefined) {
  const indexes = await dropIndexes(pool, LATER);
  await pool.query(DIRECTORY.replaceAll("$ROWS", String(Number(rows))));
  await pool.query("set maintenance_work_mem = '1GB'");
  for (const index of indexes) await pool.query(index);
  await settled(["offchain.directory", "offchain.ethos_score"]);
}
await pool.end();
