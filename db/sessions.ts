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

export type SessionOutcome = {
  tokenId: number;
  /** The API key that reports it. */
  apiKeyId: string;
  /** The reporter's own name of the session; null when it has none. */
  sessionId: string | null;
  outcome: keyof SessionCounts;
  details: string | null;
  durationSeconds: number | null;
};

/** Keeps an outcome. @returns false when the same key has reported this session before: the first report stands */
export async function recordOutcome(db: Queryable, session: SessionOutcome): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "record-outcome",
    text: `
      insert into offchain.session_outcome (token_id, api_key_id, session_id, outcome, details, duration_seconds)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (api_key_id, session_id) do nothing`,
    values: [
      session.tokenId,
      session.apiKeyId,
      session.sessionId,
      session.outcome,
      session.details,
      session.durationSeconds,
    ],
  });
  return rowCount === 1;
}
