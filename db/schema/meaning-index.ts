/** The index over the signs of vectors, where Postgres has the extension `vector`: questions then read a part of them. */
import type pg from "pg";
import { statement, t } from "../sql/statement.ts";

/** The extension has distances of bit strings from this version on. */
const MIN_VERSION = [0, 7];
/** Documents that the index gives at most; a question that needs more compares all. */
export const INDEX_REACH = 400;

const EXTENSION = statement({
  name: "meaning-extension",
  text: `
    select e.extversion as version, quote_ident(n.nspname) as schema
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`,
  columns: { version: t.text, schema: t.text },
});

const OTHER_INDEXES = statement({
  name: "meaning-other-indexes",
  params: { index: t.nullable(t.text) },
  text: `
    select quote_ident(indexname) as name from pg_indexes
    where schemaname = 'offchain' and indexname like 'discovery_meaning_near%' and ($index::text is null or indexname <> $index)`,
  columns: { name: t.text },
});

/**
 * Makes the index for vectors of a size, and lets `discovery_near` read it; without the extension, or without a size, lets
 * it compare all. Part of the caller's transaction, which may change the schema.
 * @param dimensions null where there is no provider of embeddings @param exact makes `discovery_near` compare all again
 * @returns whether there is an index
 */
export async function indexMeanings(
  client: pg.ClientBase,
  dimensions: number | null,
  exact: () => Promise<unknown>,
): Promise<boolean> {
  const row = await EXTENSION.maybeOne(client);
  const index = `discovery_meaning_near_${dimensions}`;
  const isUsable = dimensions !== null && row !== null && isAtLeast(row.version, MIN_VERSION);
  const old = await OTHER_INDEXES.rows(client, { index: isUsable ? index : null });
  for (const { name } of old) await client.query(`drop index offchain.${name}`);
  if (isUsable) await client.query(indexed(index, dimensions, row.schema));
  else if (old.length > 0) await exact();
  return isUsable;
}

const isAtLeast = (version: string, [major = 0, minor = 0]: number[]): boolean => {
  const [ofMajor = 0, ofMinor = 0] = version.split(".").map(Number);
  return ofMajor > major || (ofMajor === major && ofMinor >= minor);
};

const indexed = (name: string, dimensions: number, schema: string) => `
  create index if not exists ${name} on offchain.discovery_meaning
    using hnsw ((signs::bit(${dimensions})) ${schema}.bit_hamming_ops) where signs is not null;
  create or replace function offchain.discovery_near(asked varbit, of_model text, most int)
  returns table (directory_id int8, digest bytea, distance int8)
  language plpgsql stable parallel safe set hnsw.ef_search = ${INDEX_REACH} as $$
  begin
    if most > ${INDEX_REACH} or length(asked) <> ${dimensions} then
      return query select * from offchain.discovery_near_exact(asked, of_model, most);
    else
      return query
        select m.directory_id, m.digest, bit_count(m.signs # asked) from (
          select * from offchain.discovery_meaning m where m.signs is not null
          order by (m.signs::bit(${dimensions})) operator(${schema}.<~>) asked::bit(${dimensions}) limit most) m
        where m.model = of_model;
    end if;
  end $$`;
