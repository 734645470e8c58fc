/** Who may do what in which group at this moment: membership, the agent of a wallet with its cred, and revoked credentials, in one statement. */
import { shownCred } from "../core/cred.ts";
import type { Address } from "../core/facts.ts";
import type { Speaker } from "../core/messaging/groups.ts";
import { loadFacts } from "./facts.ts";
import type { Queryable } from "./transaction.ts";
import { ownAgentOf } from "./wallets.ts";

export type Access = {
  groupId: string;
  wallet: Address;
  minCred: number;
  member: boolean;
  /** The wallet's own agent with its present score; null without one. A token that only names the wallet opens nothing. */
  speaker: Speaker | null;
  /** Credentials of the wallet dated before this are over. */
  revokedBefore: Date | null;
};

type Row = {
  group_id: string;
  wallet: Address;
  min_cred: number;
  member: boolean;
  revoked_before: Date | null;
  token_id: string | null;
  name: string | null;
  score: number | null;
};

/**
 * One answer for each known group that is asked about, in the order asked.
 * @param now for scores that are not stored yet
 * @throws the driver's error; see `isNoIndex` for the time before the first index
 */
export async function accessOf(
  db: Queryable,
  asked: readonly { groupId: string; wallet: Address }[],
  now: Date,
): Promise<Access[]> {
  if (asked.length === 0) return [];
  const { rows } = await db.query<Row>({
    name: "message-access",
    text: `
      select asked.group_id, asked.wallet, g.min_cred, m.wallet is not null as member, r.revoked_before,
             a.token_id, a.name, c.score
      from (
        select group_id, wallet, place, ${ownAgentOf("pairs.wallet")} as token_id
        from unnest((select $1::text[]), (select $2::text[])) with ordinality as pairs(group_id, wallet, place)) asked
      join offchain.message_group g on g.group_id = asked.group_id
      left join offchain.group_member m on m.group_id = asked.group_id and m.wallet = asked.wallet
      left join offchain.credential_revocation r on r.wallet = asked.wallet
      left join onchain.agent a on a.token_id = asked.token_id
      left join offchain.cred c on c.token_id = a.token_id
      order by asked.place`,
    values: [asked.map(({ groupId }) => groupId), asked.map(({ wallet }) => wallet)],
  });
  const scored = await missingScores(db, rows, now);
  return rows.map((row) => ({
    groupId: row.group_id,
    wallet: row.wallet,
    minCred: row.min_cred,
    member: row.member,
    speaker: speakerOf(row, scored),
    revokedBefore: row.revoked_before,
  }));
}

/** The own agents of wallets with their present scores; wallets without one are left out. */
export async function speakersOf(
  db: Queryable,
  wallets: readonly Address[],
  now: Date,
): Promise<Map<Address, Speaker>> {
  if (wallets.length === 0) return new Map();
  const { rows } = await db.query<Pick<Row, "wallet" | "token_id" | "name" | "score">>({
    name: "message-speakers",
    text: `
      select asked.wallet, a.token_id, a.name, c.score
      from (select wallet, ${ownAgentOf("wallets.wallet")} as token_id from unnest((select $1::text[])) as wallets(wallet)) asked
      join onchain.agent a on a.token_id = asked.token_id
      left join offchain.cred c on c.token_id = a.token_id`,
    values: [wallets],
  });
  const scored = await missingScores(db, rows, now);
  return new Map(rows.map((row) => [row.wallet, speakerOf(row, scored)!]));
}

/** Scores that are not stored yet, by token id: the formula over the facts. */
async function missingScores(
  db: Queryable,
  rows: readonly Pick<Row, "token_id" | "score">[],
  now: Date,
): Promise<Map<number, number>> {
  const missing = rows.filter((row) => row.token_id !== null && row.score === null).map((row) => Number(row.token_id));
  const facts = await loadFacts(db, missing);
  return new Map(facts.map((agent) => [agent.tokenId, shownCred(agent, now).score]));
}

function speakerOf({ token_id, name, score }: Pick<Row, "token_id" | "name" | "score">, scored: Map<number, number>) {
  if (token_id === null) return null;
  const tokenId = Number(token_id);
  // An agent that vanished between two statements has no cred left.
  return { tokenId, name: name!, score: score ?? scored.get(tokenId) ?? 0 };
}
