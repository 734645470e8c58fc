/** Advisory locks in Postgres: all their numbers, and the functions that take a lock by a name. */
import { type Queryable, statement, t } from "./statement.ts";

/** Numbers of the advisory locks. Two uses of one number would wait for each other. */
export const ADVISORY_LOCKS = {
  /** One process applies migrations. */
  migrations: 7_401_001,
  /** Class; the second key is a share of the agents whose scores are computed (`token id % 128`). */
  cred: 7_401_002,
  /** Class; the second key is the hash of a principal. */
  principals: 7_401_003,
  /** Class; the second key is the hash of the name of an index build. */
  indexBuild: 7_401_004,
  /** Writers of directory rows of ERC-8004 agents. */
  erc8004Rows: 7_401_011,
  /** Transactions that create webhooks, whose number is limited. */
  webhookCounts: 7_401_012,
  /** Upper 24 bits of the locks of writers of `cred_history` (db/triggers.sql); the lower 40 bits are an id. */
  credHistory: 4_411_972,
} as const;

const LOCK_TEXT = statement({
  name: "lock-text",
  params: { name: t.text },
  text: "select from pg_advisory_xact_lock(hashtextextended($name, 0))",
});

/** Waits for the lock of a name, such as `agent:7`. The lock lasts until the transaction ends. */
export async function lockText(tx: Queryable, name: string): Promise<void> {
  await LOCK_TEXT.run(tx, { name });
}

const LOCK_TEXTS = statement({
  name: "lock-texts",
  params: { names: t.array(t.text) },
  text: `
    select pg_advisory_xact_lock(hashtextextended(ordered.name, 0))
    from (select name from unnest($names::text[]) with ordinality n(name, place) order by place) ordered`,
  columns: { pg_advisory_xact_lock: t.pgType<string>("void") },
});

/** Waits for several locks in the given order, which must be the same for all that take them together. */
export async function lockTexts(tx: Queryable, names: readonly string[]): Promise<void> {
  await LOCK_TEXTS.run(tx, { names });
}

/**
 * Takes the locks of names, such as `sender:0x…`, that are free. They last until `unlockTexts`, or until the connection
 * ends. The first parameter is one connection, never a pool.
 * @returns the names whose lock no other connection has
 */
export const tryLockTexts = statement({
  name: "try-lock-texts",
  params: { names: t.array(t.text) },
  text: "select name from unnest($names::text[]) name where pg_try_advisory_lock(hashtextextended(name, 0))",
  columns: { name: t.text },
}).values;

/** Releases locks that `tryLockTexts` took on the same connection. */
export const unlockTexts = statement({
  name: "unlock-texts",
  params: { names: t.array(t.text) },
  text: "select pg_advisory_unlock(hashtextextended(name, 0)) from unnest($names::text[]) name",
  columns: { pg_advisory_unlock: t.bool },
}).rows;
