/** The top 100 agents, by cred or by points. */
import { useQuery } from "@tanstack/react-query";
import { type LeaderboardSort, leaderboard, leaderboardPath } from "../api/queries.ts";
import { age, count, short } from "../formats.ts";
import { Cred, Named, Sigil } from "../parts/cred.tsx";
import { Page } from "../parts/panel.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";

export default function LeaderboardPage() {
  const [params, setParams] = useSearchParams();
  const sort: LeaderboardSort = params.get("sort") === "points" ? "points" : "cred";
  const { data: answer, error, refetch } = useQuery(leaderboard(sort));
  return (
    <Page
      title="Leaderboard"
      lead="The best hundred. Equal values share a rank."
      beside={
        <span className="actions">
          <span className="segments">
            {(["cred", "points"] as const).map((by) => (
              <button
                key={by}
                type="button"
                aria-pressed={by === sort}
                onClick={() => setParams(by === "cred" ? {} : { sort: by })}
              >
                By {by}
              </button>
            ))}
          </span>
          <ApiButton paths={[leaderboardPath(sort)]} />
        </span>
      }
    >
      {!answer ? (
        <NotYet error={error} refetch={refetch} rows={12} />
      ) : answer.data.agents.length === 0 ? (
        <Empty title="No agents yet" />
      ) : (
        <ol className="ranks" data-by={sort}>
          {answer.data.agents.map((agent) => (
            <li key={agent.tokenId} className="rank-row">
              <b className="rank-number" data-top={agent.rank <= 3 || undefined}>
                {agent.rank}
              </b>
              <span className="agent-cell">
                <Sigil seed={`helixa:${agent.tokenId}`} score={agent.credScore} size={40} />
                <span className="agent-words">
                  <Named href={`/agent/${agent.tokenId}`} className="row-link clip" name={agent.name} />
                  <span className="agent-id clip">
                    #{agent.tokenId} · <bdi>{agent.framework}</bdi> · {short(agent.agentAddress)} ·{" "}
                    {age(agent.mintedAt)}
                  </span>
                </span>
              </span>
              <Cred score={agent.credScore} />
              <span className="number points">
                {count(agent.points)} <span className="faint">pts</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Page>
  );
}
