/** Limits of the database for a query over the index. */

/** Ponder's own limit: memory for each step of a reader's query. */
export const PONDER_LIMITS = "SET work_mem = '512MB';";
/** Limits for many readers at once: memory per step, one process per query, temporary files where the role may limit them. */
const READER_LIMITS = `SET work_mem = '32MB';
  SET max_parallel_workers_per_gather = 0;
  DO $$ BEGIN SET temp_file_limit = '1GB'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;`;

/** Replaces the limits in the statement with which Ponder opens a reader's connection; returns any other unchanged. */
export const withReaderLimits = (text: string): string => text.replace(PONDER_LIMITS, () => READER_LIMITS);
