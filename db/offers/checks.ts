/** Checks on demand: has an agent's endpoints asked at once, and reads everything that says why one is not found, or not as it should be. */
import { TEXT_FACTOR } from "../../core/discovery/weights.ts";
import type { AgentCheckFacts } from "../../core/views/agent-check.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** The job that asks them. */
export const CHECKS_JOB = "endpoint-checks";

/** Time in which a URL is asked on demand once, however many agents name it. */
const AGAIN = "60 seconds";

/** Endpoints of an agent that may be asked now; their rows are locked, in the order of all that write several. */
export const sourcesToAsk = statement({
  name: "check-sources",
  params: { id: t.int8, now: t.timestamptz },
  text: `
    select s.kind, s.url, s.confirmed_by is not null as "isConfirmed" from offchain.offer_source s
    where s.directory_id = $id and s.asked_at is null and ${isRested("s")}
    order by s.kind, s.url for no key update`,
  columns: { kind: t.text, url: t.text, isConfirmed: t.bool },
}).rows;

/** Has endpoints of an agent asked by the job of checks. */
export const askSources = statement({
  name: "check-ask",
  params: { id: t.int8, sources: t.records({ kind: t.text, url: t.text }), now: t.timestamptz },
  text: `
    update offchain.offer_source s set asked_at = $now from (select * from $sources) r
    where s.directory_id = $id and s.kind = r.kind and s.url = r.url`,
}).run;

/** Nobody waits for some endpoints any more, whichever of their rows was asked for. */
export const answerAsked = statement({
  name: "check-answer",
  params: { sources: t.records({ kind: t.text, url: t.text }) },
  text: `
    with locked as (
      select s.directory_id, s.kind, s.url from offchain.offer_source s join (select * from $sources) r using (kind, url)
      where s.asked_at is not null order by s.directory_id, s.kind, s.url for no key update of s)
    update offchain.offer_source s set asked_at = null from locked r
    where s.directory_id = r.directory_id and s.kind = r.kind and s.url = r.url`,
}).run;

/**
 * Has those endpoints of an agent that are asked for waited for since another time, or by nobody.
 * @param since absent: whoever waits for them @param now absent: nobody waits any more
 */
export const moveAsked = statement({
  name: "check-move",
  params: { id: t.int8, since: t.optional(t.timestamptz), now: t.optional(t.timestamptz) },
  text: `
    with locked as (
      select kind, url from offchain.offer_source
      where directory_id = $id and asked_at = coalesce($since, asked_at) order by kind, url for no key update)
    update offchain.offer_source s set asked_at = $now from locked r
    where s.directory_id = $id and s.kind = r.kind and s.url = r.url`,
}).run;

/** Whether endpoints of an agent still have to be asked. */
export const isAsking = statement({
  name: "check-is-asking",
  params: { id: t.int8 },
  text: `
    select exists (select from offchain.offer_source where directory_id = $id and asked_at is not null) as asking`,
  columns: { asking: t.bool },
}).onlyValue;

/** SQL: no row of its URL was asked lately, however many have it: those of its host that were asked lately are few. */
function isRested(of: string): string {
  return `not exists (
      select from offchain.offer_source o where o.host = ${of}.host and o.url = ${of}.url and o.kind = ${of}.kind
        and o.checked_at > $now::timestamptz - interval '${AGAIN}')`;
}

const FACTS = statement({
  name: "check-facts",
  params: { id: t.int8 },
  text: `
    select d.active, d.address, d.owner_address as "ownerAddress", d.x402_stated as "x402Stated", d.name, d.description,
      json_array_length(case when jsonb_typeof(d.services) = 'array' then d.services::json else '[]' end) as "serviceCount",
      f.status as "fileStatus", coalesce(f.errors || f.warnings, '{}') as defects,
      case when jsonb_typeof(f.content -> 'skills') = 'array'
        then array(select jsonb_array_elements_text(f.content -> 'skills')) else '{}' end as declared,
      case when w.directory_id is null then null
        else json_build_object('copy', w.copy, 'imitation', w.imitation, 'text', w.factors[${TEXT_FACTOR}]) end as document,
      coalesce((
        select json_agg(json_build_object('kind', s.kind, 'url', s.url, 'status', s.status, 'why', s.why,
          'checkedAt', ${t.isoTime("s.checked_at")}, 'silentSince', ${t.isoTime("s.silent_since")},
          'isConfirmed', s.confirmed_by is not null,
          'found', array(select o.name from offchain.offer o
            where o.directory_id = s.directory_id and o.source = s.kind || ' ' || s.url order by o.position),
          'payees', array(select distinct lower(p.accept ->> 'payTo') from offchain.offer o, jsonb_array_elements(o.price) p(accept)
            where o.directory_id = s.directory_id and o.source = s.kind || ' ' || s.url and jsonb_typeof(o.price) = 'array'
              and p.accept ->> 'payTo' is not null))
          order by s.kind, s.url)
        from offchain.offer_source s where s.directory_id = d.id), '[]') as endpoints
    from offchain.directory d
    left join offchain.registration_file f on f.registry = d.registry
      and f.agent_id = case when d.platform = '${ERC8004}' and d.agent_id ~ '^[0-9]{1,78}$' then d.agent_id::numeric end
    left join offchain.discovery_document w on w.directory_id = d.id
    where d.id = $id and d.removed_at is null`,
  columns: {
    active: t.bool,
    address: t.nullable(t.text),
    ownerAddress: t.nullable(t.text),
    x402Stated: t.bool,
    name: t.text,
    description: t.nullable(t.text),
    serviceCount: t.int4,
    fileStatus: t.nullable(t.text),
    defects: t.array(t.text),
    declared: t.array(t.text),
    document: t.nullable(t.json<NonNullable<AgentCheckFacts["document"]>>()),
    endpoints: t.json<AgentCheckFacts["endpoints"]>(),
  },
});

/** @param id of the directory @returns null for a row that is gone */
export const checkFacts = (db: Queryable, id: number): Promise<AgentCheckFacts | null> => FACTS.maybeOne(db, { id });

/** Why an agent has no row that is shown: its registry no longer has it, or what its registry says cannot be read. */
export const unlistedAgent = statement({
  name: "check-unlisted",
  params: { agentId: t.text, platforms: t.array(t.text) },
  text: `
    select null::text as reason, ${t.isoTime("d.removed_at")} as at from offchain.directory d
    where d.platform = any($platforms) and d.agent_id = $agentId and d.removed_at is not null
    union all
    select q.reason, ${t.isoTime("q.last_seen_at")} as at from offchain.directory_quarantine q
    where q.source = any($platforms) and q.source_id = $agentId
    order by at desc limit 1`,
  columns: { reason: t.nullable(t.text), at: t.text },
}).maybeOne;
