/** The stored figures of one agent, and its reviews in pages: those by reviewers with proof first. */
import { MAX_URI, type Review } from "../../core/directory/reviews.ts";
import type { EvidenceLevel, NothingKey } from "../../core/reviews/rules.ts";
import type { ReviewResponse, StoredFeedbackFile } from "../../core/reviews/view.ts";
import { registrationsOf } from "../agents/canonical-identity.ts";
import { REVIEW } from "../directory/reviews-sql.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { IS_USED, isOf, newestBy, type RegistryAgent, SUBJECTS, VALUE } from "./review-facts.ts";
import { FILE_DIGEST, OF_REVIEW } from "./review-files.ts";
import { FIGURES } from "./review-stats.ts";

const AGENT = { registry: t.text, agentId: t.numeric };

/** What is stored about an agent's reviews; null before they were weighed, and for an agent without any. */
export const statsOf = statement({
  name: "review-figures-of-agent",
  params: AGENT,
  text: `
    select ${t.fieldsOf(FIGURES)}, computed_at as "computedAt" from offchain.review_figures
    where registry = $registry and agent_id = $agentId::numeric and computed_at is not null`,
  columns: { ...FIGURES, computedAt: t.filtered(t.timestamptz) },
}).maybeOne;

/** Whether the figures of an agent are of the index as it is. */
export const statsAreCurrent = statement({
  name: "review-figures-current",
  params: AGENT,
  text: `
    select not exists (
      select from ${SUBJECTS} s
      left join offchain.review_figures g on g.registry = s.registry and g.agent_id = s.agent_id
      where s.registry = $registry and s.agent_id = $agentId::numeric
        and (s.reviews > 0 or g.agent_id is not null) and g.seen is distinct from s.seen) as current`,
  columns: { current: t.bool },
}).onlyValue;

/** The entry after which a page of reviews begins. `rank` as in the table, `of` is the number of the registration. */
export type ReviewPlace = { rank: number; client: string; of: string; index: string };

const MAX_RESPONSES = 5;
/** Entries of one reviewer that are counted. */
const MAX_WRITTEN = 1_000;

/** The first responses to an entry `f`, the agent's own first: anybody can write any number. */
const RESPONSES = `(
  select coalesce(json_agg(json_build_object('responder', s.responder, 'own', s.own,
    'uri', left(s.response_uri, ${MAX_URI}), 'at', s.responded_at, 'txHash', s.tx_hash) order by s.own desc, s.responded_at, s.id), '[]')
  from (
    select s.*, s.responder in (a.owner, a.agent_wallet) is true as own from onchain.erc8004_response s
    join onchain.erc8004_agent a on a.registry = s.registry and a.agent_id = s.agent_id
    where s.registry = f.registry and s.agent_id = f.agent_id and s.client = f.client and s.feedback_index = f.feedback_index
    order by own desc, s.responded_at, s.id limit ${MAX_RESPONSES}) s)`;

/** The file of an entry `f` as it was read, where that was what the entry names. */
const FILE = `(
  select json_build_object('state', r.state, 'why', r.why, 'readAt', extract(epoch from r.read_at)::int8,
    'proof', case when r.proof_state is not null then json_build_object(
      'state', case when r.proof_state = 'paid' and ${IS_USED} then 'used' else r.proof_state end,
      'txHash', r.proof_tx, 'payer', r.payer, 'units', r.units::text, 'paidAt', r.paid_at) end)
  from offchain.review_file r where ${OF_REVIEW} and r.digest = ${FILE_DIGEST})`;

const ENTRY = `f.agent_id::text as of, ${REVIEW} as review, ${FILE} as file, ${VALUE} as scaled, w.rank, w.nothing, w.standing as "evidenceLevel",
  w.share, w.cluster, w.entries, ${RESPONSES} as answers, not exists (
    select from ${newestBy("f.client", "o")} n
    where n.agent_id = f.agent_id and n.feedback_index = f.feedback_index) as older`;
const ASKED = `(select $registry::text as registry, $agentId::numeric as agent_id) r cross join lateral ${registrationsOf("r")} o`;
const WEIGHTS = "offchain.review_weight w on w.registry = r.registry and w.agent_id = r.agent_id";
/** The entries of the reviewer of a weight `w`, the first `limit` in the order of registrations and numbers. @param from SQL of the number after which */
const entries = (from: string) => `(
  select f.* from unnest(o.ids) u(id) cross join lateral (
    select * from onchain.erc8004_feedback f
    where f.registry = o.contract and f.agent_id = u.id and f.client = w.client and f.feedback_index > ${from}
    order by f.feedback_index limit $limit) f
  order by f.agent_id, f.feedback_index limit $limit) f`;
/** Entries after the last of a page: of the same registration those behind it, of later ones all. */
const REST = "case when u.id = $of::numeric then $index::numeric when u.id > $of::numeric then -1 else 'infinity' end";
const ENTRY_COLUMNS = {
  of: t.text,
  review: t.json<Review>(),
  file: t.nullable(t.json<StoredFeedbackFile>()),
  scaled: t.nullable(t.float8),
  rank: t.int2,
  nothing: t.nullable(t.narrow<NothingKey>(t.text)),
  evidenceLevel: t.narrow<EvidenceLevel>(t.text),
  share: t.float8,
  cluster: t.nullable(t.text),
  entries: t.int4,
  answers: t.json<ReviewResponse[]>(),
  older: t.bool,
};

const PAGE = statement({
  name: "review-page",
  params: { ...AGENT, rank: t.int2, client: t.text, of: t.numeric, index: t.numeric, limit: t.int8 },
  // Two walks of one index: through the rest of the reviewer that the page before ended with, and through those behind.
  text: `
    select * from (
      (select ${ENTRY} from ${ASKED} join ${WEIGHTS} cross join lateral ${entries(REST)}
       where w.rank = $rank and w.client = $client
       order by f.agent_id, f.feedback_index limit $limit)
      union all
      (select ${ENTRY} from ${ASKED} join ${WEIGHTS} cross join lateral ${entries("-1")}
       where (w.rank, w.client) > ($rank::int2, $client::text)
       order by w.rank, w.client, f.agent_id, f.feedback_index limit $limit)) all_of_them
    limit $limit`,
  columns: ENTRY_COLUMNS,
});

const NEWEST = statement({
  name: "review-page-newest",
  params: { ...AGENT, rank: t.int2, client: t.text, limit: t.int8 },
  text: `
    select ${ENTRY}, (
      select count(*)::int4 from (
        select from onchain.erc8004_feedback f where ${isOf("f", "o")} and f.client = w.client limit ${MAX_WRITTEN}) f) as written
    from ${ASKED} cross join lateral (
      select * from offchain.review_weight w
      where w.registry = r.registry and w.agent_id = r.agent_id and (w.rank, w.client) > ($rank::int2, $client::text)
        and exists (select from onchain.erc8004_feedback f where ${isOf("f", "o")} and f.client = w.client)
      order by w.rank, w.client limit $limit) w
    cross join lateral (select * from ${newestBy("w.client", "o")} f limit 1) f
    order by w.rank, w.client`,
  columns: { ...ENTRY_COLUMNS, written: t.int4 },
});

const OF_CLIENT = statement({
  name: "review-page-of-client",
  params: { ...AGENT, client: t.text, of: t.nullable(t.numeric), before: t.nullable(t.numeric), limit: t.int8 },
  text: `
    select ${ENTRY} from ${ASKED} join ${WEIGHTS}
    join onchain.erc8004_feedback f on ${isOf("f", "o")} and f.client = w.client
    where w.client = $client
      and ($of::numeric is null or (f.agent_id, f.feedback_index) < ($of::numeric, $before::numeric))
    order by f.agent_id desc, f.feedback_index desc limit $limit`,
  columns: ENTRY_COLUMNS,
});

/** Which reviews: all; the newest of each reviewer; or those of one reviewer, of each registration the newest first. */
export type ReviewChoice = "all" | "newest" | { client: string };

/**
 * Reviews of an agent that were weighed, in the order of rank, reviewer, registration and index.
 * @param after null for the first page
 */
export async function reviewPage(
  db: Queryable,
  { registry, agentId }: RegistryAgent,
  { choice, after, limit }: { choice: ReviewChoice; after: ReviewPlace | null; limit: number },
) {
  const agent = { registry, agentId };
  const { rank, client, of, index } = after ?? { rank: -1, client: "", of: "0", index: "0" };
  if (choice === "newest") return NEWEST.rows(db, { ...agent, rank, client, limit });
  const place = after && { of, before: index };
  const found =
    choice === "all"
      ? await PAGE.rows(db, { ...agent, rank, client, of, index, limit })
      : await OF_CLIENT.rows(db, { ...agent, ...(place ?? { of: null, before: null }), client: choice.client, limit });
  return found.map((one) => ({ ...one, written: null }));
}
