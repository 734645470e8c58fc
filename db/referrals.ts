/** Referrals as they are shown: whose code it is, and what it has brought. */
import { BONUSES } from "../core/bonuses.ts";
import type { Address } from "../core/facts.ts";
import { ogByCode } from "../core/og-wallets.ts";
import type { Queryable } from "./transaction.ts";
import { ownAgentOf, walletConfirmed } from "./wallets.ts";

/** Who a code belongs to. A V1 wallet has its code before it has an agent: then there is no token yet. */
export type Referrer = {
  code: string;
  tokenId: number | null;
  /** The agent's name, else the V1 one. */
  name: string;
  /** The agent's wallet where it is confirmed and its owner, or the V1 wallet: none of them can use the code. */
  wallets: Address[];
  stats: ReferralStats;
};

export type ReferralStats = {
  /** Agents registered with the code; each counts once. */
  totalReferrals: number;
  /** Points awarded on chain for them. */
  pointsEarned: number;
};

const AGENT = `
  a.token_id, a.name, a.agent_address, a.owner, ${walletConfirmed("a")} as confirmed, r.code,
  (select count(*) from offchain.referral f join onchain.agent n on n.token_id = f.token_id
   where f.referrer_token_id = a.token_id)::int8 as total,
  (select coalesce(sum(p.amount), 0) from onchain.points_award p
   where p.token_id = a.token_id and p.reason = '${BONUSES.referrer.reason}')::text as points`;

type Row = {
  token_id: string;
  name: string;
  agent_address: Address;
  owner: Address;
  confirmed: boolean;
  code: string | null;
  total: string;
  points: string;
};

/** A wallet that the token only names is not its own. */
const walletsOf = ({ agent_address, owner, confirmed }: Row): Address[] =>
  confirmed ? [agent_address, owner] : [owner];

const statsOf = ({ total, points }: Row): ReferralStats => ({
  totalReferrals: Number(total),
  pointsEarned: Number(points),
});

/**
 * The referrer of a code; null for an unknown one.
 * @param code in its stored form (core/referral-codes.ts)
 */
export async function referrerOf(db: Queryable, code: string): Promise<Referrer | null> {
  const og = ogByCode(code);
  const { rows } = await db.query<Row>({
    name: "referrals-referrer",
    text: `
      select ${AGENT} from onchain.agent a left join offchain.referral_code r on r.token_id = a.token_id
      where a.token_id = coalesce(
        (select token_id from offchain.referral_code where code = $1),
        ${ownAgentOf("$2")})`,
    values: [code, og?.wallet ?? null],
  });
  const row = rows[0];
  if (row)
    return {
      code,
      tokenId: Number(row.token_id),
      name: row.name,
      wallets: walletsOf(row),
      stats: statsOf(row),
    };
  return og
    ? { code, tokenId: null, name: og.v1Name, wallets: [og.wallet], stats: { totalReferrals: 0, pointsEarned: 0 } }
    : null;
}

export type AgentReferral = {
  tokenId: number;
  name: string;
  agentAddress: Address;
  /** As of `Referrer`. */
  wallets: Address[];
  /** Null until the worker has given it one, moments after the agent was indexed. */
  code: string | null;
  stats: ReferralStats;
};

/** An agent's own code and what it has brought; null for an unknown agent. */
export async function referralOfAgent(db: Queryable, tokenId: number): Promise<AgentReferral | null> {
  const { rows } = await db.query<Row>({
    name: "referrals-of-agent",
    text: `
      select ${AGENT} from onchain.agent a left join offchain.referral_code r on r.token_id = a.token_id
      where a.token_id = $1`,
    values: [tokenId],
  });
  const row = rows[0];
  return row
    ? {
        tokenId: Number(row.token_id),
        name: row.name,
        agentAddress: row.agent_address,
        wallets: walletsOf(row),
        code: row.code,
        stats: statsOf(row),
      }
    : null;
}
