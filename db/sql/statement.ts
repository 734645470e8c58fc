/**
 * SQL statements with a declared row type. What Drizzle's builder cannot say well is declared here, once, at module
 * level; test/db/statements.test.ts prepares every declared statement and compares it with what Postgres describes.
 */
import { createHash } from "node:crypto";
import type { Queryable } from "./connect.ts";

/**
 * A column of a result, or a parameter: its name in pg_type, and its types in TypeScript.
 * `Out` is what a row holds, `In` is what a parameter takes.
 */
export type Column<Out, In = Out> = {
  readonly type: string;
  readonly nullable: boolean;
  /** True where the table's column may be NULL and the statement leaves such rows out. */
  readonly filtered?: boolean;
  /** Turns a parameter into what pg sends; absent where pg takes the value as it is. */
  readonly encode?: (value: In) => unknown;
  readonly types?: { out: Out; in: (value: In) => void };
};
type AnyColumn = Column<unknown, never>;

/** A type by its name in pg_type; arrays begin with an underscore. */
export const pgType = <Out, In = Out>(type: string): Column<Out, In> => ({ type, nullable: false });

export const int2 = pgType<number>("int2");
export const int4 = pgType<number>("int4");
/** A number in a row; a bigint is as good in a parameter. */
export const int8 = pgType<number, number | bigint>("int8");
export const float8 = pgType<number>("float8");
/** Money and 256-bit numbers: a decimal string in a row; a bigint is as good in a parameter. */
export const numeric = pgType<string, string | bigint | number>("numeric");
export const text = pgType<string>("text");
export const bool = pgType<boolean>("bool");
export const uuid = pgType<string>("uuid");
export const bytea = pgType<Buffer, Uint8Array>("bytea");
export const timestamptz = pgType<Date, Date | string>("timestamptz");

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));
/** JSON of a declared shape. As a parameter it takes the value, not its text. */
export const json = <T>(): Column<T> => ({ type: "json", nullable: false, encode: toJson });
export const jsonb = <T>(): Column<T> => ({ type: "jsonb", nullable: false, encode: toJson });

/** A column or parameter that may be NULL. */
export const nullable = <O, I>(column: Column<O, I>): Column<O | null, I | null> =>
  ({ ...column, nullable: true }) as Column<O | null, I | null>;
/** A column that is not NULL in any row of the result, although the table's column may be: a condition leaves those out. */
export const filtered = <O, I>(column: Column<O, I>): Column<O, I> => ({ ...column, filtered: true });
/** An array of a type. */
export const array = <O, I>({ type }: Column<O, I>): Column<O[], readonly I[]> => pgType(`_${type}`);
/** The same Postgres type with a narrower type in TypeScript: `narrow<Address>(text)`. */
export const narrow = <T extends string | number>(column: Column<T extends string ? string : number>): Column<T> =>
  column as unknown as Column<T>;

type Columns = Record<string, AnyColumn>;
type None = Record<never, never>;
export type RowOf<C extends Columns> = { [K in keyof C]: C[K] extends Column<infer O, never> ? O : never };
type ParamsOf<P extends Columns> = { readonly [K in keyof P]: P[K] extends Column<unknown, infer I> ? I : never };
/** Arguments after the connection: none where a statement has no parameters. */
type StatementArguments<P> = keyof P extends never ? [] : [params: P];

/** The value of the only column of a row. */
type ValueOf<R> = R[keyof R];

/** A declared statement. Its methods run it on a pool, a client or a transaction. */
export type Statement<P, R> = {
  readonly name: string;
  rows(db: Queryable, ...given: StatementArguments<P>): Promise<R[]>;
  /** @throws when the result is not exactly one row */
  one(db: Queryable, ...given: StatementArguments<P>): Promise<R>;
  /** The first row; null when there is none. */
  maybeOne(db: Queryable, ...given: StatementArguments<P>): Promise<R | null>;
  /** The only column of all rows. */
  values(db: Queryable, ...given: StatementArguments<P>): Promise<ValueOf<R>[]>;
  /** The only column of the first row; null when there is none. */
  value(db: Queryable, ...given: StatementArguments<P>): Promise<ValueOf<R> | null>;
  /** The only column of the only row. @throws when the result is not exactly one row */
  onlyValue(db: Queryable, ...given: StatementArguments<P>): Promise<ValueOf<R>>;
  /** @returns the number of rows that were written, or read */
  run(db: Queryable, ...given: StatementArguments<P>): Promise<number>;
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

const onlyOf = <R extends object>(row: R): ValueOf<R> => Object.values(row)[0];

function executable<P, R extends object>(name: string, queryOf: (given: P) => Query): Statement<P, R> {
  const result = async (db: Queryable, given: unknown): Promise<{ rows: R[]; rowCount: number | null }> =>
    db.query(queryOf(given as P));
  const rows = async (db: Queryable, given: unknown) => (await result(db, given)).rows;
  const one = async (db: Queryable, given: unknown): Promise<R> => {
    const [row, ...others] = await rows(db, given);
    if (row === undefined || others.length > 0)
      throw new Error(`${name}: ${row ? 1 + others.length : 0} rows where one is expected`);
    return row;
  };
  return {
    name,
    rows: (db, ...given) => rows(db, given[0]),
    one: (db, ...given) => one(db, given[0]),
    maybeOne: async (db, ...given) => (await rows(db, given[0]))[0] ?? null,
    values: async (db, ...given) => (await rows(db, given[0])).map(onlyOf),
    value: async (db, ...given) => (await rows(db, given[0])).map(onlyOf)[0] ?? null,
    onlyValue: (db, ...given) => one(db, given[0]).then((row) => onlyOf(row)),
    run: async (db, ...given) => (await result(db, given[0])).rowCount ?? 0,
  };
}

/**
 * Declares a statement. `$name` in its text is the parameter of that name.
 * @param declaration.prepared keeps the plan on each connection under the statement's name: for hot statements
 * @throws at load time when the text names a parameter that is not declared, or the name is taken
 */
export function statement<const P extends Columns = None, const C extends Columns = None>(declaration: {
  name: string;
  text: string;
  params?: P;
  columns?: C;
  prepared?: boolean;
}): Statement<ParamsOf<P>, RowOf<C>> {
  const { name, params = {} as P, columns = {}, prepared = false } = declaration;
  const names = Object.keys(params);
  const text = declaration.text.replaceAll(/\$([a-z]\w*)/gi, (_, param) => {
    if (!names.includes(param)) throw new Error(`${name}: $${param} is not declared`);
    return `$${names.indexOf(param) + 1}`;
  });
  register({ name, columns, variants: () => [{ text, params: Object.values(params) }] });
  const encoders = names.map((key) => params[key]!.encode);
  const valuesOf = (given: Record<string, unknown>) =>
    names.map((key, i) => encoders[i]?.(given[key] as never) ?? given[key]);
  return executable(name, (given) => {
    const values = given === undefined ? [] : valuesOf(given as Record<string, unknown>);
    return prepared ? { name, text, values } : { text, values };
  });
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
}): Statement<O, RowOf<C>> {
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
  return executable(name, queryOf);
}

/** Digests of texts whose plans are kept, which are few. */
const digests = new Map<string, string>();
function digestOf(text: string): string {
  const known = digests.get(text) ?? createHash("sha1").update(text).digest("base64url").slice(0, 20);
  digests.set(text, known);
  return known;
}
