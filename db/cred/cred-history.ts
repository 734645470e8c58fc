/**
 * The history of scores: its points over time, and the one that held at a time or at a block.
 * Bound: one point for each change of a score, kept for ever unless CRED_HISTORY_RETENTION is set: 1,440 free changes of a
 * profile a day for each wallet that controls it (`updates-by-day`), others cost gas. A read takes the newest 5,000.
 */
import { CAUSES_IN_BLOCK } from "../../core/cred/cred-causes.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** One change of a score. `block`: the newest block of the agent's events that the score was computed from. */
export type CredPoint = { at: Date; score: number; cause: string; block: number };

/** Max points per answer: the score can change at every write, and the whole history is stored. */
const MAX_POINTS = 5_000;

const HISTORY = statement({
  name: "agents-cred-history",
  params: { tokenId: t.int8, days: t.float8, limit: t.int8 },
  text: `
      select h.at, h.score, h.cause, h.block
      from onchain.agent a left join lateral (
        select * from offchain.cred_history h
        where h.token_id = a.token_id and h.at >= now() - $days * interval '1 day'
        order by h.id desc limit $limit) h on true
      where a.token_id = $tokenId order by h.id`,
  columns: {
    at: t.nullable(t.timestamptz),
    score: t.nullable(t.int2),
    cause: t.nullable(t.text),
    block: t.nullable(t.int8),
  },
  prepared: true,
});

/** The newest changes of the score over the last `days`, oldest first; null for an unknown token. */
export async function credHistory(db: Queryable, tokenId: number, days: number): Promise<CredPoint[] | null> {
  const rows = await HISTORY.rows(db, { tokenId, days, limit: MAX_POINTS });
  if (rows.length === 0) return null;
  return rows.flatMap(({ at, score, cause, block }) =>
    at === null ? [] : [{ at, score: score!, cause: cause!, block: block! }],
  );
}

const IN_BLOCK = `h.cause in (${CAUSES_IN_BLOCK.map((cause) => `'${cause}'`).join(", ")})`;

/**
 * The point of an agent's history that held at a time, or at a block, with its neighbours: null where it was the first, those before
 * it are no longer kept, or it still holds. What a reorganisation took back is no part of the
 * history. A change that a block made counts from that block on, although it was computed some seconds later.
 * @param moment.at the time, or the time of the block @param moment.block null where a time is asked for
 * @returns null before the first point
 */
export const credHeld = statement({
  name: "cred-held",
  given: (tokenId: number, moment: { at: Date; block: number | null }) => ({ tokenId, ...moment }),
  params: { tokenId: t.int8, at: t.timestamptz, block: t.nullable(t.int8) },
  text: `
    select h.at, h.score, h.cause, h.block,
      (select p.score from offchain.cred_history p
       where p.token_id = h.token_id and p.id < h.id order by p.id desc limit 1) as previous,
      (select n.at from offchain.cred_history n
       where n.token_id = h.token_id and n.id > h.id order by n.id limit 1) as until
    from offchain.cred_history h
    where h.token_id = $tokenId
      and (h.at <= $at or $block::int8 is not null and ${IN_BLOCK})
      and ($block::int8 is null or h.block <= $block)
    order by h.id desc limit 1`,
  columns: {
    at: t.timestamptz,
    score: t.int2,
    cause: t.text,
    block: t.int8,
    previous: t.nullable(t.int2),
    until: t.nullable(t.timestamptz),
  },
  prepared: true,
}).maybeOne;

/** Milliseconds within which a change of a score is committed after its time. */
const COMMITTED_MS = 5_000;

/** The first published epochs whose snapshot was taken while a point held. */
export const provingEpochs = statement({
  name: "cred-proving-epochs",
  params: { at: t.timestamptz, until: t.nullable(t.timestamptz) },
  text: `
    select epoch from offchain.cred_epoch
    where state = 'published' and computed_at >= $at and ($until::timestamptz is null or computed_at < $until)
    order by epoch limit 3`,
  columns: { epoch: t.int8 },
}).rows;

const EPOCHS_SINCE = statement({
  name: "cred-epochs-since",
  params: { since: t.timestamptz },
  text: `
    select epoch, computed_at as "computedAt" from offchain.cred_epoch
    where state = 'published' and computed_at >= $since order by epoch`,
  columns: { epoch: t.int8, computedAt: t.timestamptz },
});

/** Adds to each point, oldest first, the first published epoch that was made while it held; null where there was none. */
export async function withEpochs(
  db: Queryable,
  points: readonly CredPoint[],
): Promise<(CredPoint & { epoch: number | null })[]> {
  const [first] = points;
  if (!first) return [];
  const epochs = await EPOCHS_SINCE.rows(db, { since: first.at });
  let next = 0;
  return points.map((point, i) => {
    const until = points[i + 1]?.at.getTime() ?? Number.POSITIVE_INFINITY;
    const from = point.at.getTime() + COMMITTED_MS;
    while (next < epochs.length && epochs[next]!.computedAt.getTime() < from) next++;
    const epoch = epochs[next];
    return { ...point, epoch: epoch && epoch.computedAt.getTime() < until ? epoch.epoch : null };
  });
}
