/** A schema of a database as text, from the catalogue: two databases are alike where the texts are equal. */
import type pg from "pg";

/** Each part: SQL of one text per line, for the schema whose name is `$1`. */
const PARTS = {
  schemas: `select format('%s owner=%s acl=%s', nspname, nspowner::regrole, nspacl) from pg_namespace where nspname = $1`,
  extensions: `select format('%s %s schema=%s', extname, extversion, extnamespace::regnamespace) from pg_extension`,
  relations: `select format('%s kind=%s persistence=%s options=%s toast=%s replica=%s rls=%s am=%s tablespace=%s owner=%s acl=%s comment=%s',
      c.relname, c.relkind, c.relpersistence, c.reloptions, t.reloptions, c.relreplident, c.relrowsecurity,
      am.amname, c.reltablespace, c.relowner::regrole, c.relacl, obj_description(c.oid, 'pg_class'))
    from pg_class c left join pg_class t on t.oid = c.reltoastrelid left join pg_am am on am.oid = c.relam
    where c.relnamespace = $1::regnamespace`,
  columns: `select format('%s.%s type=%s null=%s default=%s identity=%s generated=%s collation=%s storage=%s compression=%s statistics=%s options=%s acl=%s comment=%s',
      c.relname, a.attname, format_type(a.atttypid, a.atttypmod), not a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
      a.attidentity, a.attgenerated, nullif(a.attcollation, 0)::regcollation, a.attstorage, a.attcompression,
      a.attstattarget, a.attoptions, a.attacl, col_description(c.oid, a.attnum))
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = $1::regnamespace and a.attnum > 0 and not a.attisdropped`,
  indexes: `select format('%s valid=%s replica=%s clustered=%s', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisreplident, i.indisclustered)
    from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = $1::regnamespace`,
  constraints: `select format('%s on %s %s validated=%s', conname, conrelid::regclass, pg_get_constraintdef(oid), convalidated)
    from pg_constraint where connamespace = $1::regnamespace`,
  sequences: `select format('%s type=%s start=%s min=%s max=%s by=%s cycle=%s cache=%s last=%s owned_by=%s.%s', s.sequencename, s.data_type,
      s.start_value, s.min_value, s.max_value, s.increment_by, s.cycle, s.cache_size, s.last_value,
      d.refobjid::regclass, a.attname)
    from pg_sequences s
    left join pg_depend d on d.objid = format('%I.%I', s.schemaname, s.sequencename)::regclass and d.deptype in ('a', 'i')
      and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
    left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where s.schemaname = $1`,
  functions: `select format('%s acl=%s comment=%s', pg_get_functiondef(p.oid), proacl, obj_description(p.oid, 'pg_proc'))
    from pg_proc p where pronamespace = $1::regnamespace and prokind in ('f', 'p')
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
  triggers: `select format('%s enabled=%s', pg_get_triggerdef(t.oid), tgenabled) from pg_trigger t
    join pg_class c on c.oid = t.tgrelid where c.relnamespace = $1::regnamespace and not tgisinternal`,
  types: `select format('%s %s', typname, typtype) from pg_type t where typnamespace = $1::regnamespace
      and not exists (select from pg_depend where objid = t.oid and deptype = 'e')`,
  views: `select format('%s %s', viewname, definition) from pg_views where schemaname = $1
    union all select format('%s %s', matviewname, definition) from pg_matviews where schemaname = $1`,
  rules: `select definition from pg_rules where schemaname = $1`,
  policies: `select p::text from pg_policies p where schemaname = $1`,
  statistics: `select pg_get_statisticsobjdef(oid) from pg_statistic_ext where stxnamespace = $1::regnamespace`,
  "default privileges": `select format('%s %s %s', defaclrole::regrole, defaclobjtype, defaclacl) from pg_default_acl
    where defaclnamespace = $1::regnamespace`,
  "event triggers": `select evtname from pg_event_trigger`,
};

/**
 * Everything that the catalogue knows of a schema, and the rows of its tables, times left out; sorted lines under
 * headings. Columns are in the order of their names, for a column that a migration adds is always its table's last.
 * @param options.grants false leaves out who may do what: roles are the server's, and any test may make one
 */
export async function schemaDump(
  db: pg.Pool | pg.Client,
  { schema = "offchain", grants = true } = {},
): Promise<string> {
  const lines: string[] = [];
  for (const [part, sql] of Object.entries(PARTS)) {
    const { rows } = await db.query<[string]>({
      text: `select line from (${sql}) part (line) order by line collate "C"`,
      values: sql.includes("$1") ? [schema] : [],
      rowMode: "array",
    });
    if (part === "default privileges" && !grants) continue;
    lines.push(`-- ${part}`, ...rows.map(([line]) => (grants ? line : line.replaceAll(/ acl=\S*/g, ""))), "");
  }
  const { rows: tables } = await db.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = $1::regnamespace order by 1`,
    [schema],
  );
  lines.push("-- rows");
  for (const { name } of tables) {
    const { rows } = await db.query(`
      select (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t))
              where jsonb_typeof(value) <> 'string' or value #>> '{}' !~ '^\\d{4}-\\d\\d-\\d\\dT')::text as line
      from "${schema}"."${name}" t order by 1`);
    lines.push(...rows.map(({ line }) => `${name} ${line}`));
  }
  return `${lines.join("\n")}\n`;
}
