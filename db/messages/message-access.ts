/** Rights of wallets in groups at this moment: membership, the agent of a wallet with its cred, and revoked credentials, in one statement. */
import type { Address } from "../../core/agents/facts.ts";
import { shownCred } from "../../core/cred/cred.ts";
import type { Speaker } from "../../core/messages/message-groups.ts";
import { loadFacts } from "../agents/facts.ts";
import { ownAgentOf } from "../agents/wallets.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";

export type Access = Omit<Row<typeof ACCESS>, keyof ScoredAgent> & {
  /** The wallet's own agent with its present score; null without one. A token that only names the wallet grants no right. */
  speaker: Speaker | null;
};

const ACCESS = statement({
  name: "message-access",
  params: { groupIds: t.array(t.text), wallets: t.array(t.text) },
  text: `
    select asked.group_id as "groupId", asked.wallet, g.min_cred as "minCred", m.wallet is not null as member,
      r.revoked_before as "revokedBefore", a.token_id as "tokenId", a.name, c.score
    from (
      select group_id, wallet, place, ${ownAgentOf("pairs.wallet")} as token_id
      from unnest((select $groupIds::text[]), (select $wallets::text[])) with ordinality as pairs(group_id, wallet, place)) asked
    join offchain.message_group g on g.group_id = asked.group_id
    left join offchain.group_member m on m.group_id = asked.group_id and m.wallet = asked.wallet
    left join offchain.credential_revocation r on r.wallet = asked.wallet
    left join onchain.agent a on a.token_id = asked.token_id
    left join offchain.cred c on c.token_id = a.token_id
    order by asked.place`,
  columns: {
    groupId: t.text,
    wallet: t.narrow<Address>(t.text),
    minCred: t.int2,
    member: t.bool,
    /** Credentials of the wallet that were issued before this time are revoked. */
    revokedBefore: t.nullable(t.timestamptz),
    tokenId: t.nullable(t.int8),
    name: t.nullable(t.text),
    score: t.nullable(t.int2),
  },
  prepared: true,
});

const SPEAKERS = statement({
  name: "message-speakers",
  params: { wallets: t.array(t.text) },
  text: `
    select asked.wallet, a.token_id as "tokenId", a.name, c.score
    from (select wallet, ${ownAgentOf("wallets.wallet")} as token_id
          from unnest((select $wallets::text[])) as wallets(wallet)) asked
    join onchain.agent a on a.token_id = asked.token_id
    left join offchain.cred c on c.token_id = a.token_id`,
  columns: { wallet: t.narrow<Address>(t.text), tokenId: t.int8, name: t.text, score: t.nullable(t.int2) },
  prepared: true,
});

type ScoredAgent = Pick<Row<typeof ACCESS>, "tokenId" | "name" | "score">;

/**
 * One answer for each known group that is asked about, in the order asked.
 * @param now for scores that are not stored yet
 * @throws the driver's error; see `isNoIndex` for the time before the first index
 */
export async function accessOf(
  db: Queryable,
  members: readonly { groupId: string; wallet: Address }[],
  now: Date,
): Promise<Access[]> {
  if (members.length === 0) return [];
  const groupIds = members.map(({ groupId }) => groupId);
  const rows = await ACCESS.rows(db, { groupIds, wallets: members.map(({ wallet }) => wallet) });
  const scored = await missingScores(db, rows, now);
  return rows.map(({ tokenId, name, score, ...access }) => ({
    ...access,
    speaker: speakerOf({ tokenId, name, score }, scored),
  }));
}

/** The own agents of wallets with their present scores; wallets without one are left out. */
export async function speakersOf(
  db: Queryable,
  wallets: readonly Address[],
  now: Date,
): Promise<Map<Address, Speaker>> {
  if (wallets.length === 0) return new Map();
  const rows = await SPEAKERS.rows(db, { wallets });
  const scored = await missingScores(db, rows, now);
  return new Map(rows.map((row) => [row.wallet, speakerOf(row, scored)!]));
}

/** Scores that are not stored yet, by token id: the formula over the facts. */
async function missingScores(
  db: Queryable,
  rows: readonly Pick<ScoredAgent, "tokenId" | "score">[],
  now: Date,
): Promise<Map<number, number>> {
  const missing = rows.flatMap(({ tokenId, score }) => (tokenId !== null && score === null ? [tokenId] : []));
  const facts = await loadFacts(db, missing);
  return new Map(facts.map((agent) => [agent.tokenId, shownCred(agent, now).score]));
}

function speakerOf({ tokenId, name, score }: ScoredAgent, scored: Map<number, number>): Speaker | null {
  if (tokenId === null) return null;
  // An agent that vanished between two statements has no cred left.
  return { tokenId, name: name!, score: score ?? scored.get(tokenId) ?? 0 };
}
