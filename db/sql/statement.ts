/**
 * SQL statements with a declared row type. What Drizzle's builder cannot say well is declared here, once, at module
 * level; test/db/statements.test.ts prepares every declared statement and compares it with what Postgres describes.
 */
import { createHash } from "node:crypto";
import type pg from "pg";
import { type AnyColumn, array, type Columns, inSnakeCase, type ParamsOf, type RowOf } from "./columns.ts";
import type { Queryable } from "./connect.ts";

export * as t from "./columns.ts";
export type { Queryable };

type None = Record<never, never>;
/** Arguments after the connection: none where a statement has no parameters. */
type StatementArguments<P> = keyof P extends never ? [] : [params: P];

/** The value of the only column of a row. */
type ValueOf<R> = R[keyof R];

/** A declared statement, with the types of what it is given and of its rows. Its methods run it on a pool, a client or a transaction. */
export type Statement<A extends readonly unknown[], R> = {
  readonly name: string;
  rows(db: Queryable, ...given: A): Promise<R[]>;
  /** @throws when the result is not exactly one row */
  one(db: Queryable, ...given: A): Promise<R>;
  /** The first row; null when there is none. */
  maybeOne(db: Queryable, ...given: A): Promise<R | null>;
  /** The only column of all rows. */
  values(db: Queryable, ...given: A): Promise<ValueOf<R>[]>;
  /** The only column of the first row; null when there is none. */
  value(db: Queryable, ...given: A): Promise<ValueOf<R> | null>;
  /** The only column of the only row. @throws when the result is not exactly one row */
  onlyValue(db: Queryable, ...given: A): Promise<ValueOf<R>>;
  /** @returns the number of rows that were written, or read */
  run(db: Queryable, ...given: A): Promise<number>;
  /** @returns whether a row was written, or read */
  found(db: Queryable, ...given: A): Promise<boolean>;
};

/** The type of a row of a statement, or of the method of it that is called by a name of its own: `Row<typeof BY_PAYER>`. */
export type Row<S> = S extends { maybeOne(...given: never[]): Promise<infer R | null> }
  ? R
  : S extends (...given: never[]) => Promise<infer Found>
    ? Found extends (infer R)[]
      ? R
      : NonNullable<Found>
    : never;

/** What the test prepares: a text, the types of its parameters where they are declared, and its columns. */
type DeclaredStatement = {
  name: string;
  variants: () => { text: string; params: AnyColumn[] | null }[];
  columns: Columns;
};
const declared = new Map<string, DeclaredStatement>();
/** Every statement of the modules that are loaded. */
export const declaredStatements = (): readonly DeclaredStatement[] => [...declared.values()];

function register(statement: DeclaredStatement) {
  if (declared.has(statement.name)) throw new Error(`two SQL statements are named ${statement.name}`);
  declared.set(statement.name, statement);
}

type Query = { name?: string; text: string; values: unknown[] };

const onlyOf = <R>(row: R): ValueOf<R> => Object.values(row as object)[0];

function executable<A extends readonly unknown[], R>(
  name: string,
  queryOf: (...given: A) => Query | null,
  toRow: ((row: never) => R) | null,
): Statement<A, R> {
  const answer = async (db: Queryable, ...given: A): Promise<Pick<pg.QueryResult, "rows" | "rowCount">> => {
    const query = queryOf(...given);
    return query === null ? { rows: [], rowCount: 0 } : db.query(query);
  };
  const rows = async (db: Queryable, ...given: A): Promise<R[]> => {
    const { rows: read } = await answer(db, ...given);
    return toRow === null ? read : read.map((row) => toRow(row as never));
  };
  const run = async (db: Queryable, ...given: A) => (await answer(db, ...given)).rowCount ?? 0;
  const one = async (db: Queryable, ...given: A): Promise<R> => {
    const [row, ...others] = await rows(db, ...given);
    if (row === undefined || others.length > 0)
      throw new Error(`${name}: ${row ? 1 + others.length : 0} rows where one is expected`);
    return row;
  };
  return {
    name,
    rows,
    one,
    maybeOne: async (db, ...given) => (await rows(db, ...given))[0] ?? null,
    values: async (db, ...given) => (await rows(db, ...given)).map(onlyOf),
    value: async (db, ...given) => (await rows(db, ...given)).map(onlyOf)[0] ?? null,
    onlyValue: (db, ...given) => one(db, ...given).then((row) => onlyOf(row)),
    run,
    found: async (db, ...given) => (await run(db, ...given)) > 0,
  };
}

/** A value that is sent: a parameter, or of a list of records one member of all. */
type Sent = { column: AnyColumn; of(given: Record<string, unknown>): unknown };

function sentOf(name: string, param: AnyColumn): Sent[] {
  const encoded = ({ encode }: AnyColumn, value: unknown) => encode?.(value as never) ?? value;
  if (!param.members) return [{ column: param, of: (given) => encoded(param, given[name]) }];
  return Object.entries(param.members).map(([member, column]) => ({
    column: array(column),
    of: (given) => (given[name] as Record<string, unknown>[]).map((record) => encoded(column, record[member])),
  }));
}

/** SQL of a list of records as a table of their members, whose arrays are sent at these places. */
function tableOf(param: string, members: Columns, places: readonly number[]): string {
  const arrays = Object.values(members).map(({ type }, i) => `$${places[i]}::${type}[]`);
  const names = Object.keys(members).map((member) => `"${inSnakeCase(member)}"`);
  return `unnest(${arrays}) as ${inSnakeCase(param)}(${names})`;
}

/** Decodes the columns of a row, and makes of it what the statement says; null where the row is good as it is. */
function rowReader<R>(columns: Columns, row: ((row: never) => R) | undefined): ((row: never) => R) | null {
  const decoders = Object.entries(columns).flatMap(([key, { decode }]) => (decode ? [[key, decode] as const] : []));
  if (decoders.length === 0) return row ?? null;
  return (read: Record<string, unknown>) => {
    for (const [key, decode] of decoders) if (read[key] !== null) read[key] = decode(read[key] as never);
    return row ? row(read as never) : (read as R);
  };
}

/**
 * Declares a statement. `$name` in its text is the parameter of that name.
 * @param declaration.given makes the parameters of what callers give; absent where they give the parameters
 * @param declaration.unlessEmpty the list without whose items there is nothing to ask: no row is read or written then
 * @param declaration.row makes of a row what callers get
 * @param declaration.prepared keeps the plan on each connection under the statement's name: for hot statements
 * @throws at load time when the text names a parameter that is not declared, or the name is taken
 */
export function statement<
  const P extends Columns = None,
  const C extends Columns = None,
  A extends readonly unknown[] = StatementArguments<ParamsOf<P>>,
  R = RowOf<C>,
>(declaration: {
  name: string;
  params?: P;
  given?: (...given: A) => ParamsOf<P>;
  unlessEmpty?: keyof P & string;
  text: string;
  columns?: C;
  row?: (row: RowOf<C>) => R;
  prepared?: boolean;
}): Statement<A, R> {
  const { name, params = {} as P, given: paramsOf, unlessEmpty, columns = {}, prepared = false } = declaration;
  const sent: Sent[] = [];
  const inText = new Map<string, string>();
  for (const [param, column] of Object.entries(params)) {
    const places = sentOf(param, column).map((one) => sent.push(one));
    inText.set(param, column.members ? tableOf(param, column.members, places) : `$${places[0]}`);
  }
  const text = declaration.text.replaceAll(/\$([a-z]\w*)/gi, (_, param) => {
    const replaced = inText.get(param);
    if (replaced === undefined) throw new Error(`${name}: $${param} is not declared`);
    return replaced;
  });
  register({ name, columns, variants: () => [{ text, params: sent.map(({ column }) => column) }] });
  const queryOf = (...given: A): Query | null => {
    const values = (paramsOf ? paramsOf(...given) : given[0]) as Record<string, unknown>;
    if (unlessEmpty !== undefined && (values[unlessEmpty] as readonly unknown[]).length === 0) return null;
    const query = { text, values: sent.map(({ of }) => of(values)) };
    return prepared ? { name, ...query } : query;
  };
  return executable(name, queryOf, rowReader(columns, declaration.row));
}

/**
 * Declares statements whose text follows from options, such as a list's filters and sort. The columns are the same in all.
 * @param declaration.text writes the text; `$(value)` adds a value and returns its placeholder
 * @param declaration.examples options that together reach every part of the text: the test prepares each of them
 * @param declaration.prepared keeps a plan for each text: for hot statements with few texts, or for the options that make few
 */
export function family<O, const C extends Columns = None>(declaration: {
  name: string;
  text: (options: O, $: (value: unknown) => string) => string;
  columns?: C;
  examples: readonly O[];
  prepared?: boolean | ((options: O) => boolean);
}): Statement<[options: O], RowOf<C>> {
  const { name, text: write, columns = {}, examples, prepared = false } = declaration;
  const queryOf = (options: O): Query => {
    const values: unknown[] = [];
    const text = write(options, (value) => `$${values.push(value)}`);
    const isKept = typeof prepared === "function" ? prepared(options) : prepared;
    return isKept ? { name: `${name}-${digestOf(text)}`, text, values } : { text, values };
  };
  register({
    name,
    columns,
    variants: () => examples.map((options) => ({ text: queryOf(options).text, params: null })),
  });
  return executable(name, queryOf, rowReader<RowOf<C>>(columns, undefined));
}

/** Digests of texts whose plans are kept, which are few. */
const digests = new Map<string, string>();
function digestOf(text: string): string {
  const digest = digests.get(text) ?? createHash("sha1").update(text).digest("base64url").slice(0, 20);
  digests.set(text, digest);
  return digest;
}
