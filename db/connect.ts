/** Connections to Postgres. Pools and clients are made here only, so that all of them read the same types alike. */
import pg from "pg";

/**
 * Reads an int8. Ids, blocks and counts stay far below 2^53; amounts of money are numeric, which stays a string.
 * @throws RangeError beyond 2^53 - 1: a rounded number would be another id
 */
export function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`int8 ${text} does not fit in a number: it is beyond 2^53 - 1`);
  return value;
}

/** Runs one statement at a time: a pool, a client, or the client of a transaction. */
export type Queryable = Pick<pg.ClientBase, "query">;

const { INT8 } = pg.types.builtins;
/** The type id of int8[], which pg does not name. */
const INT8_ARRAY = 1016;

const parseArray = pg.types.getTypeParser(INT8_ARRAY as number) as (text: string) => (string | null)[];
const parseInt8Array = (text: string) => parseArray(text).map((item) => (item === null ? null : parseInt8(item)));

/** How values of Postgres become values of JavaScript: int8 as a number, everything else as pg does it. */
export const PG_TYPES: pg.CustomTypesConfig = {
  getTypeParser(type, format) {
    if (format !== "binary") {
      if (type === INT8) return parseInt8;
      if ((type as number) === INT8_ARRAY) return parseInt8Array;
    }
    return pg.types.getTypeParser(type, format as "text");
  },
};

/**
 * A pool of connections. The caller ends it. The loss of an idle connection ends no process, even where it comes after the
 * end of the pool: a pool opens another connection when it needs one. Who wants to log the loss listens to "error".
 */
export const openPool = (config: pg.PoolConfig): pg.Pool =>
  new pg.Pool({ ...config, types: PG_TYPES }).on("error", () => {});

/** A pool whose transactions cannot write, for commands that only examine. */
export const openReadOnlyPool = (config: pg.PoolConfig): pg.Pool =>
  openPool({
    ...config,
    verify: (client, done) => void client.query("set default_transaction_read_only = on").then(() => done(), done),
  });

/** One connection of its own, not yet connected. */
export const openClient = (config: pg.ClientConfig): pg.Client => new pg.Client({ ...config, types: PG_TYPES });
