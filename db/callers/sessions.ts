/** Outcomes of sessions with agents, as holders of an API key report them. */
import { sessionOutcome } from "../schema/agents.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** The number of sessions of an agent by their outcome. */
export const sessionCounts = statement({
  name: "session-counts",
  params: { tokenId: t.int8 },
  text: `
    select count(*) filter (where outcome = 'success')::int as success,
           count(*) filter (where outcome = 'failure')::int as failure,
           count(*) filter (where outcome = 'partial')::int as partial
    from offchain.session_outcome where token_id = $tokenId`,
  columns: { success: t.int4, failure: t.int4, partial: t.int4 },
  prepared: true,
}).one;

const OUTCOME = columnsOf(sessionOutcome, { without: ["id", "recordedAt"] });

/** Keeps an outcome. @returns false when the same key has reported this session before: the first report stays */
export const recordOutcome = statement({
  name: "record-outcome",
  params: OUTCOME,
  text: `
    insert into offchain.session_outcome (${t.namesOf(OUTCOME)}) values (${t.valuesOf(OUTCOME)})
    on conflict (api_key_id, session_id) do nothing`,
  prepared: true,
}).found;
