/** Reads the state of an agent's endpoints as JSON, with its row. */
import type { EndpointState } from "../../core/offers/liveness.ts";
import { COUNTS } from "../directory/offers-sql.ts";
import { isoTime } from "../sql/columns.ts";

type Times = "answeredAt" | "silentSince" | "checkedAt";
/** An endpoint as JSON has it: times in ISO 8601. */
export type EndpointRow = Pick<EndpointState, "status" | "named"> & Record<Times, string | null>;

/** Endpoints of one row that are read. */
const MAX_SOURCES = 50;

/** SQL of an array of `EndpointRow`; null for none. @param id SQL of the row's id in the directory */
export const endpointsOf = (id: string): string => `(
  select json_agg(json_build_object('status', s.status, 'answeredAt', ${isoTime("s.answered_at")},
    'silentSince', ${isoTime("s.silent_since")}, 'checkedAt', ${isoTime("s.checked_at")}, 'named', s.confirmed_by is null))
  from (select * from offchain.offer_source where directory_id = ${id} order by kind, url limit ${MAX_SOURCES}) s)`;

/** SQL of whether an offer `o` was read at a host, or is called at one, where an endpoint is shown to be another agent's. */
export const OF_ANOTHER = `exists (
  select from offchain.offer_source s
  where s.host in (split_part(o.source, '/', 3), split_part(o.endpoint, '/', 3)) and s.confirmed_by is not null
    and s.directory_id <> o.directory_id)`;

/** SQL of the first offers of a row that count. @param id SQL of the row's id @param limit of offers */
export const countingOffers = (id: string, limit: number): string => `
  select * from offchain.offer o where o.directory_id = ${id} and ${COUNTS} order by o.kind, o.source, o.position limit ${limit}`;

/**
 * SQL of an array of the kinds of endpoints that a row names and of which none answered in its protocol. A demand for
 * credentials is no answer of an endpoint that is only self-declared.
 * @param id SQL of the row's id in the directory
 */
export const unspokenBy = (id: string): string => `array(
  select s.kind from offchain.offer_source s where s.directory_id = ${id} group by s.kind
  having not bool_or(s.answered_at is not null and (s.status <> 'needs_credentials' or s.confirmed_by is not null)))`;

const timeOf = (iso: string | null): Date | null => (iso === null ? null : new Date(iso));

export const endpointStates = (rows: readonly EndpointRow[] | null): EndpointState[] =>
  (rows ?? []).map(({ status, named, answeredAt, silentSince, checkedAt }) => ({
    status,
    named,
    answeredAt: timeOf(answeredAt),
    silentSince: timeOf(silentSince),
    checkedAt: timeOf(checkedAt),
  }));
