/** Section: the agent's referral link, its bonus, and the agents that registered with it. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { BONUSES } from "../../../core/mints/bonuses.ts";
import { pagesOf } from "../api/pages.ts";
import { agentPath, referral } from "../api/queries.ts";
import type { ReferredAgents, Summary } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { Copy } from "../parts/copy.tsx";
import { Cred } from "../parts/cred.tsx";
import { More } from "../parts/more.tsx";
import { Panel } from "../parts/panel.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { say } from "../say.tsx";
import { tierOf } from "../tiers.ts";
import type { SectionProps } from "./section-props.ts";

export default function ReferralSection({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useQuery(referral(agent.tokenId));
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading rows={6} />;
  const { link, code, stats } = answer.data;
  return (
    <>
      <section className="panel stack" id="referral">
        <h2>{say("prove.referral")}</h2>
        <p className="muted">
          {say("prove.referral.lead", { minter: BONUSES.minter.points, referrer: BONUSES.referrer.points })}
        </p>
        <p className="exact">
          <span className="faint">{say("prove.referral.link")}</span>
          <code>{link}</code>
          <Copy text={link} />
        </p>
        <p className="exact">
          <span className="faint">{say("prove.referral.code")}</span>
          <code>{code}</code>
          <Copy text={code} />
        </p>
        <dl className="totals">
          <div>
            <dt>{say("prove.referral.agents")}</dt>
            <dd>{count(stats.totalReferrals)}</dd>
          </div>
          <div>
            <dt>{say("prove.referral.points")}</dt>
            <dd>{count(stats.pointsEarned)}</dd>
          </div>
        </dl>
      </section>
      <Panel title={say("prove.referral.who")}>
        <Came tokenId={agent.tokenId} />
      </Panel>
    </>
  );
}

/** Agents that registered with the code, the newest first, with more on demand. */
function Came({ tokenId }: { tokenId: number }) {
  const { data, error, refetch, ...more } = useInfiniteQuery(
    pagesOf<ReferredAgents>(`${agentPath(String(tokenId))}/referrals?limit=20`, "before", (page) => page.nextBefore),
  );
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const agents = data.pages.flatMap((page) => page.data.agents);
  if (agents.length === 0) return <Empty title={say("prove.referral.none")} />;
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
      <Link className="row-link clip" href={`/agent/${agent.tokenId}`}>
        <bdi>{agent.name}</bdi>
      </Link>
      <span className="agent-id">
        {say("prove.referral.row", { id: String(agent.tokenId), date: date(agent.mintedAt) })}
      </span>
    </span>
    <Cred score={agent.credScore} />
  </li>
);
