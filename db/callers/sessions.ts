/** Outcomes of sessions with agents, as holders of an API key report them. */
import type { SessionCounts } from "../../core/cred/report/cred-report.ts";
import { int4, int8, namesOf, narrow, nullable, statement, text, valuesOf } from "../sql/statement.ts";

/** The number of sessions of an agent by their outcome. */
export const sessionCounts = statement({
  name: "session-counts",
  params: { tokenId: int8 },
  text: `
    select count(*) filter (where outcome = 'success')::int as success,
           count(*) filter (where outcome = 'failure')::int as failure,
           count(*) filter (where outcome = 'partial')::int as partial
    from offchain.session_outcome where token_id = $tokenId`,
  columns: { success: int4, failure: int4, partial: int4 },
  prepared: true,
}).one;

const OUTCOME = {
  tokenId: int8,
  /** The API key that reports it. */
  apiKeyId: text,
  /** The reporter's own name of the session; null when it has none. */
  sessionId: nullable(text),
  outcome: narrow<keyof SessionCounts>(text),
  details: nullable(text),
  durationSeconds: nullable(int4),
};

/** Keeps an outcome. @returns false when the same key has reported this session before: the first report stays */
export const recordOutcome = statement({
  name: "record-outcome",
  params: OUTCOME,
  text: `
    insert into offchain.session_outcome (${namesOf(OUTCOME)}) values (${valuesOf(OUTCOME)})
    on conflict (api_key_id, session_id) do nothing`,
  prepared: true,
}).found;
