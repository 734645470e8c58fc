/** The statement that shows that a server answers. */
import { int4, statement } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

const ANSWERS = statement({ name: "answers", text: "select 1 as one", columns: { one: int4 } });

/** Resolves when the server has answered. @throws the connection's error */
export async function answers(db: Queryable): Promise<void> {
  await ANSWERS.one(db);
}
