/** What a query over the index may use of the database. */

/** What Ponder lets each step of a reader's query take. */
export const GENEROUS = "SET work_mem = '512MB';";
/** Bounds that many readers fit into: memory of a step, one process for a query, temporary files where the role may bound them. */
const MODEST = `SET work_mem = '32MB';
  SET max_parallel_workers_per_gather = 0;
  DO $$ BEGIN SET temp_file_limit = '1GB'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;`;

/** The statement with which Ponder opens a reader's connection, with modest bounds; every other comes back as it is. */
export const modest = (text: string): string => text.replace(GENEROUS, () => MODEST);
