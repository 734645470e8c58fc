/** Types of columns and parameters in Postgres and TypeScript, and the SQL that follows from the columns of a row. */

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
  /** Turns what pg read into what a row holds; absent where that is the same. */
  readonly decode?: (value: never) => unknown;
  /** Of a list of records: the columns of a record. */
  readonly members?: Columns;
  readonly types?: { out: Out; in: (value: In) => void };
};
export type AnyColumn = Column<unknown, never>;

/** A type by its name in pg_type; arrays begin with an underscore. */
export const pgType = <Out, In = Out>(type: string): Column<Out, In> => ({ type, nullable: false });

export const int2 = pgType<number>("int2");
export const int4 = pgType<number>("int4");
/** A number in a row; a bigint is as good in a parameter. */
export const int8 = pgType<number, number | bigint>("int8");
/** An int8 as a bigint, in a row too. */
export const bigint8: Column<bigint, number | bigint> = { ...pgType("int8"), decode: BigInt };
export const float8 = pgType<number>("float8");
/** Money and 256-bit numbers: a decimal string in a row; a bigint is as good in a parameter. */
export const numeric = pgType<string, string | bigint | number>("numeric");
/** The same without a fraction, a bigint in a row too. */
export const uint256: Column<bigint, string | bigint | number> = { ...pgType("numeric"), decode: BigInt };
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
/** A parameter that is NULL where it is left out. */
export const optional = <O, I>(column: Column<O, I>): Column<O | null, I | null | undefined> =>
  nullable(column) as Column<O | null, I | null | undefined>;
/** A column that is not NULL in any row of the result, although the table's column may be: a condition leaves those out. */
export const filtered = <O, I>(column: Column<O, I>): Column<O, I> => ({ ...column, filtered: true });
/** An array of a type. */
export const array = <O, I>({ type, decode }: Column<O, I>): Column<O[], readonly I[]> => ({
  ...pgType<O[], readonly I[]>(`_${type}`),
  ...(decode && { decode: (values: never[]) => values.map((value) => (value === null ? null : decode(value))) }),
});
/**
 * A list of records as a parameter. Where a text has `$moves`, it is a table `moves` with a column for each member, in snake case.
 */
export const records = <C extends Columns>(members: C): Column<never, readonly ParamsOf<C>[]> => ({
  ...pgType<never, readonly ParamsOf<C>[]>("record"),
  members,
});
/** The same Postgres type with a narrower type in TypeScript: `narrow<Address>(text)`. */
export const narrow = <T extends string | number>(column: Column<T extends string ? string : number>): Column<T> =>
  column as unknown as Column<T>;

export const inSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** SQL of the columns of a row, each under its name: `i.tx_hash as "txHash"`. @param of alias of the table @param as SQL of those that have another name there */
export const fieldsOf = <C extends Columns>(
  row: C,
  { of, as = {} }: { of?: string; as?: { readonly [K in keyof C]?: string } } = {},
): string =>
  Object.keys(row)
    .map((name) => `${as[name] ?? (of ? `${of}.${inSnakeCase(name)}` : inSnakeCase(name))} as "${name}"`)
    .join(", ");
/** SQL of the names of columns in their table. */
export const namesOf = (row: Columns): string => Object.keys(row).map(inSnakeCase).join(", ");
/** SQL of parameters, in the order of `namesOf`. */
export const valuesOf = (params: Columns): string =>
  Object.keys(params)
    .map((name) => `$${name}`)
    .join(", ");
/** SQL that takes the columns of a row from the one that conflicts with it. */
export const excludedOf = (row: Columns): string =>
  Object.keys(row)
    .map((name) => `${inSnakeCase(name)} = excluded.${inSnakeCase(name)}`)
    .join(", ");

export type Columns = Record<string, AnyColumn>;
export type RowOf<C extends Columns> = { [K in keyof C]: C[K] extends Column<infer O, never> ? O : never };
type InOf<C> = C extends Column<unknown, infer I> ? I : never;
type IsOptional<C> = unknown extends InOf<C> ? false : undefined extends InOf<C> ? true : false;
export type ParamsOf<P extends Columns> = {
  readonly [K in keyof P as IsOptional<P[K]> extends true ? never : K]: InOf<P[K]>;
} & { readonly [K in keyof P as IsOptional<P[K]> extends true ? K : never]?: InOf<P[K]> };

/** A timestamptz as the API writes it: ISO 8601 in UTC with milliseconds. @param at SQL of the time */
export const isoTime = (at: string): string => `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
