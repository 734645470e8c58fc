/** Referrals as they are shown: whose code it is, and what it has brought. */
import type { Address } from "../../core/agents/facts.ts";
import { ogByCode } from "../../core/agents/og-wallets.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { ownAgentOf, walletConfirmed } from "./wallets.ts";

/** The owner of a code. A V1 wallet has its code before it has an agent: then `tokenId` is null. */
export type Referrer = {
  code: string;
  tokenId: number | null;
  /** The agent's name, else the V1 one. */
  name: string;
  /** The agent's confirmed wallet and its owner, or the V1 wallet: none of them can use the code. */
  wallets: Address[];
  stats: t.RowOf<typeof STATS>;
};

const STATS = {
  /** Agents registered with the code; each counts once. */
  totalReferrals: t.int8,
  /** Points awarded on chain for them. */
  pointsEarned: t.float8,
};

const OF_AGENT = {
  tokenId: t.int8,
  name: t.text,
  agentAddress: t.narrow<Address>(t.text),
  owner: t.narrow<Address>(t.text),
};
const AGENT_COLUMNS = {
  ...OF_AGENT,
  /** Null until the worker has given it one, moments after the agent was indexed. */
  code: t.nullable(t.text),
  confirmed: t.bool,
  ...STATS,
};
const AGENT = `
  ${t.fieldsOf(OF_AGENT, { of: "a" })}, r.code, ${walletConfirmed("a")} as confirmed,
  (select count(*) from offchain.referral f join onchain.agent n on n.token_id = f.token_id
   where f.referrer_token_id = a.token_id)::int8 as "totalReferrals",
  (select coalesce(sum(p.amount), 0)::float8 from onchain.points_award p
   where p.token_id = a.token_id and p.reason = '${BONUSES.referrer.reason}') as "pointsEarned"`;
/** A wallet that the token only names is not its own. */
const referralOf = ({ owner, confirmed, totalReferrals, pointsEarned, ...agent }: t.RowOf<typeof AGENT_COLUMNS>) => ({
  ...agent,
  wallets: confirmed ? [agent.agentAddress, owner] : [owner],
  stats: { totalReferrals, pointsEarned },
});

const REFERRER = statement({
  name: "referrals-referrer",
  params: { code: t.text, ogWallet: t.nullable(t.text) },
  text: `
    select ${AGENT} from onchain.agent a left join offchain.referral_code r on r.token_id = a.token_id
    where a.token_id = coalesce(
      (select token_id from offchain.referral_code where code = $code),
      ${ownAgentOf("$ogWallet")})`,
  columns: AGENT_COLUMNS,
  row: referralOf,
  prepared: true,
});

/** An agent's own code and what it has brought; null for an unknown agent. */
export const referralOfAgent = statement({
  name: "referrals-of-agent",
  given: (tokenId: number) => ({ tokenId }),
  params: { tokenId: t.int8 },
  text: `
    select ${AGENT} from onchain.agent a left join offchain.referral_code r on r.token_id = a.token_id
    where a.token_id = $tokenId`,
  columns: AGENT_COLUMNS,
  row: referralOf,
  prepared: true,
}).maybeOne;

/**
 * The referrer of a code; null for an unknown one.
 * @param code in its stored form (core/agents/referral-codes.ts)
 */
export async function referrerOf(db: Queryable, code: string): Promise<Referrer | null> {
  const og = ogByCode(code);
  const row = await REFERRER.maybeOne(db, { code, ogWallet: og?.wallet ?? null });
  if (row) {
    const { agentAddress: _, ...agent } = row;
    return { ...agent, code };
  }
  return og
    ? { code, tokenId: null, name: og.v1Name, wallets: [og.wallet], stats: { totalReferrals: 0, pointsEarned: 0 } }
    : null;
}

/**
 * Token ids of the agents that came by an agent's code, the newest first.
 * @param before only those of a lower token id; null: from the newest
 */
export const referredBy = statement({
  name: "referrals-referred",
  params: { tokenId: t.int8, before: t.nullable(t.int8), limit: t.int8 },
  text: `
    select f.token_id from offchain.referral f join onchain.agent a on a.token_id = f.token_id
    where f.referrer_token_id = $tokenId and ($before::int8 is null or f.token_id < $before)
    order by f.token_id desc limit $limit`,
  columns: { token_id: t.int8 },
}).values;
