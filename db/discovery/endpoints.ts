/** Reads the state of an agent's endpoints as JSON, beside its row. */
import type { EndpointState } from "../../core/offers/liveness.ts";
import { isoTime } from "../fragments.ts";

type Times = "answeredAt" | "silentSince" | "checkedAt";
/** An endpoint as JSON has it: times in ISO 8601. */
export type EndpointRow = Pick<EndpointState, "status"> & Record<Times, string | null>;

/** Endpoints of one row that are read. */
const MAX_SOURCES = 50;

/** SQL of an array of `EndpointRow`; null for none. @param id SQL of the row's id in the directory */
export const endpointsOf = (id: string): string => `(
  select json_agg(json_build_object('status', s.status, 'answeredAt', ${isoTime("s.answered_at")},
    'silentSince', ${isoTime("s.silent_since")}, 'checkedAt', ${isoTime("s.checked_at")}))
  from (select * from offchain.offer_source where directory_id = ${id} order by kind, url limit ${MAX_SOURCES}) s)`;

const timeOf = (iso: string | null): Date | null => (iso === null ? null : new Date(iso));

export const endpointStates = (rows: readonly EndpointRow[] | null): EndpointState[] =>
  (rows ?? []).map(({ status, answeredAt, silentSince, checkedAt }) => ({
    status,
    answeredAt: timeOf(answeredAt),
    silentSince: timeOf(silentSince),
    checkedAt: timeOf(checkedAt),
  }));
