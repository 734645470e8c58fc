/** Outcomes of sessions with agents, as holders of an API key report them. */
import type { SessionCounts } from "../core/cred-report/view.ts";
import type { Queryable } from "./transaction.ts";

/** How many sessions of an agent ended how. */
export async function sessionCounts(db: Queryable, tokenId: number): Promise<SessionCounts> {
  const { rows } = await db.query({
    name: "session-counts",
    text: `
      select count(*) filter (where outcome = 'success')::int as success,
             count(*) filter (where outcome = 'failure')::int as failure,
             count(*) filter (where outcome = 'partial')::int as partial
      from offchain.session_outcome where token_id = $1`,
    values: [tokenId],
  });
  return rows[0];
}
