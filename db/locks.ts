/** Advisory locks in Postgres: their numbers, and the one way to take a lock by a text. */
import { statement, text } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

/** Numbers of the advisory locks: two uses of one number would wait for each other. */
export const ADVISORY_LOCKS = {
  migrations: 7_401_001,
  /** Class: agents whose scores are computed. */
  cred: 7_401_002,
  /** Class: principals. */
  principals: 7_401_003,
  /** Class: builds of the index. */
  indexBuild: 7_401_004,
  /** Class: sources of the directory. */
  pull: 7_401_010,
  erc8004Rows: 7_401_011,
  webhookCounts: 7_401_012,
} as const;

const LOCK_TEXT = statement({
  name: "lock-text",
  params: { name: text },
  text: "select from pg_advisory_xact_lock(hashtextextended($name, 0))",
});

/** Waits for the lock of a name, such as `agent:7`, and holds it until the transaction ends. */
export async function lockText(tx: Queryable, name: string): Promise<void> {
  await LOCK_TEXT.run(tx, { name });
}
