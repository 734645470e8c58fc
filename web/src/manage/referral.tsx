/** Section: the agent's referral link, its bonus, and the agents that registered with it. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { BONUSES } from "../../../core/mints/bonuses.ts";
import { agentPath, pagesOf, referral } from "../api/queries.ts";
import type { ReferredAgents, Summary } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { More } from "../parts/button.tsx";
import { Exact } from "../parts/copy.tsx";
import { Cred, Named, Sigil } from "../parts/cred.tsx";
import { Fact, Panel } from "../parts/panel.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { tierOf } from "../tiers.ts";
import type { SectionProps } from "./write.tsx";

export default function ReferralSection({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useQuery(referral(agent.tokenId));
  if (!answer) return <NotYet error={error} refetch={refetch} rows={6} />;
  const { link, code, stats } = answer.data;
  return (
    <>
      <section className="panel stack" id="referral">
        <h2>Referrals</h2>
        <p className="muted">
          An agent that is registered by this link gets {count(BONUSES.minter.points)} points on chain, and this agent
          gets {count(BONUSES.referrer.points)}.
        </p>
        <Exact label="Link" text={link} />
        <Exact label="Code" text={code} />
        <dl className="totals">
          <Fact label="Agents that came">{count(stats.totalReferrals)}</Fact>
          <Fact label="Points earned">{count(stats.pointsEarned)}</Fact>
        </dl>
      </section>
      <Panel title="Who came by it">
        <Came tokenId={agent.tokenId} />
      </Panel>
    </>
  );
}

/** Agents that registered with the code, the newest first, with more on demand. */
function Came({ tokenId }: { tokenId: number }) {
  const { data, error, refetch, ...more } = useInfiniteQuery(
    pagesOf<ReferredAgents>(`${agentPath(String(tokenId))}/referrals?limit=20`),
  );
  if (!data) return <NotYet error={error} refetch={refetch} rows={3} />;
  const agents = data.pages.flatMap((page) => page.data.agents);
  if (agents.length === 0) return <Empty title="No agent has come by this link yet" />;
  return (
    <>
      <ul className="ranks">
        {agents.map((one) => (
          <Row key={one.tokenId} agent={one} />
        ))}
      </ul>
      <More {...more} />
    </>
  );
}

const Row = ({ agent }: { agent: Summary }) => (
  <li className="rank-row me-row" data-tier={tierOf(agent.credScore).key}>
    <Sigil seed={`helixa:${agent.tokenId}`} score={agent.credScore} />
    <span className="agent-words">
      <Named className="row-link clip" href={`/agent/${agent.tokenId}`} name={agent.name} />
      <span className="agent-id">
        #{agent.tokenId} · registered {date(agent.mintedAt)}
      </span>
    </span>
    <Cred score={agent.credScore} />
  </li>
);
