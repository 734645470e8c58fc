/** A process of its own that plants agents by the million, set-based: what it imports must not count as memory of the lists. */
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { plantOnchain } from "../../harness/onchain.ts";
import { onchainTables } from "../../harness/onchain-tables.ts";

/**
 * Words lie two to four in a name, one name in twenty has letters beyond ASCII, one in a hundred counts as spam.
 * Frameworks, points and scores are as skewed as those of a real registry.
 */
const PLANT = `
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

const [url, agents] = process.argv.slice(2);
const last = 42_254_000 + Number(agents) * 10;
await migrate(url!);
const pool = openPool({ connectionString: url, max: 1 });
await plantOnchain(pool, { block: last, finalized: last - 30, ddl: onchainTables() });
await pool.query(PLANT.replaceAll("$AGENTS", String(Number(agents))));
for (const column of INDEXES) await pool.query(`create index on onchain.agent (${column})`);
for (const table of ["onchain.agent", "onchain.trait", "offchain.cred", "offchain.profile_field"])
  await pool.query(`vacuum analyze ${table}`);
await pool.end();
