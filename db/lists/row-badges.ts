/** What is known about agents of the directory in addition to their rows: proofs, feedback, activity and where the score came from. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import type { RowBadges } from "../../core/directory/row-badges.ts";
import { liveness } from "../../core/offers/liveness.ts";
import { reviewSummaryView, type SummaryStats } from "../../core/reviews/view.ts";
import { registrationsOf, summaryStats } from "../agents/canonical-identity.ts";
import { dayOf, RANK_DAYS } from "../directory/daily-ranks.ts";
import { reviewedNumber, reviewedRegistry } from "../directory/reviews-sql.ts";
import { ownerAttested } from "../directory/score-sql.ts";
import { type EndpointRow, endpointStates, endpointsOf, unspokenBy } from "../offers/endpoints.ts";
import { isOf } from "../reviews/review-facts.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Max points of the score's history in an answer, the newest. */
const MAX_POINTS = 32;

/** The token of an own row, and whose reviews are a row's own, as `offchain.review_figures` names it: null for all others, which then join nothing. */
const KEYS = `case when d.platform = '${OWN_PLATFORM}' then d.token_id end as own,
  ${reviewedRegistry("d")} as registry, ${reviewedNumber("d")} as agent_id`;

type StoredBadges = Omit<RowBadges, "liveness" | "reviews"> & {
  endpoints: EndpointRow[] | null;
  reviews: SummaryStats | null;
};

const BADGES = statement({
  name: "directory-marks",
  params: { ids: t.array(t.int8), now: t.int8, exchangeSchema: t.text },
  text: `
      select json_build_object(
        'id', d.id, 'score', d.cred_score, 'walletProven', d.wallet_proven, 'x402Supported', d.x402_supported,
        'proofs', array(select p.platform from offchain.proof p where p.token_id = t.own and p.status <> 'lapsed'),
        'coinbase', case when t.own is null then ${ownerAttested("d", "$now::int8", "$exchangeSchema")}
          else coalesce((select c.coinbase > 0 from offchain.cred c where c.token_id = t.own), false) end,
        'services', array(
          select distinct lower(s ->> 'name') from jsonb_array_elements(
            case jsonb_typeof(d.services) when 'array' then d.services else '[]' end) s limit 64),
        'feedback', (
          select json_build_object('count', count(f.client), 'reviewers', count(distinct f.client))
          from ${registrationsOf("t")} o
          left join onchain.erc8004_feedback f on ${isOf("f", "o")} and not f.revoked
          having count(o.contract) > 0),
        'reviews', (
          select ${summaryStats("g")} from offchain.review_figures g
          where g.registry = t.registry and g.agent_id = t.agent_id),
        'unspoken', ${unspokenBy("d.id")},
        'framework', (select a.framework from onchain.agent a where a.token_id = t.own),
        'soulbound', (select a.soulbound from onchain.agent a where a.token_id = t.own),
        'endpoints', ${endpointsOf("d.id")},
        'activeAt', ${t.isoTime(`greatest(d.active_at,
          (select max(p.verified_at) from offchain.proof p where p.token_id = t.own),
          (select max(w.written_at) from offchain.profile_field w where w.token_id = t.own),
          (select max(s.recorded_at) from offchain.session_outcome s where s.token_id = t.own),
          (select to_timestamp(max(o.added_at)) from onchain.trait o where o.token_id = t.own),
          (select to_timestamp(greatest(a.minted_at, a.personality_at,
             (select max(n.at::int8) from jsonb_each_text(a.narrative_at::jsonb) n(field, at))))
           from onchain.agent a where a.token_id = t.own))`)},
        'points', (
          select coalesce(json_agg(json_build_object('at', ${t.isoTime("h.at")}, 'score', h.score) order by h.id), '[]')
          from (select * from offchain.cred_history where token_id = t.own order by id desc limit ${MAX_POINTS}) h),
        'weekAgo', (
          select h.score from offchain.cred_history h
          where h.token_id = t.own and h.at <= to_timestamp($now::int8) - interval '7 days' order by h.id desc limit 1),
        'rankWeekAgo', (
          select k.rank from offchain.directory_rank k
          where k.id = d.id and k.day = ${dayOf("to_timestamp($now::int8)")} - ${RANK_DAYS})
      ) as badges
      from unnest((select $ids::int8[])) with ordinality as asked(id, place)
      join offchain.directory d on d.id = asked.id and d.removed_at is null
      cross join lateral (select ${KEYS}) t
      order by asked.place`,
  columns: { badges: t.json<StoredBadges>() },
  prepared: true,
});

/**
 * @param ids of the directory; those that are gone are left out
 * @param exchangeSchema EAS schema of the exchange's verified account
 * @throws the driver's error; 42P01 or 3F000 while there is no index
 */
export async function directoryBadges(
  db: Queryable,
  ids: readonly number[],
  { now, exchangeSchema }: { now: Date; exchangeSchema: string },
): Promise<RowBadges[]> {
  const rows = await BADGES.rows(db, { ids, now: Math.floor(now.getTime() / 1000), exchangeSchema });
  return rows.map(({ badges: { endpoints, reviews, ...badges } }) => ({
    ...badges,
    reviews: reviews && reviewSummaryView(reviews),
    liveness: liveness(endpointStates(endpoints), now),
  }));
}
