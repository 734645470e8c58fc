/** An agent of another registry: what that registry says, and where it was read. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { get } from "../api/answer.ts";
import type { Detail } from "../api/types.ts";
import { platformLabel, TokenCell } from "../directory/cells.tsx";
import { NoData, ScoreRing } from "../parts/cred.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { tierOf } from "../tiers.ts";
import { age, date, short } from "../words.ts";

export default function ForeignPage({ agentRef }: { agentRef: string }) {
  const path = `/api/terminal/agent/${encodeURIComponent(agentRef)}`;
  const { data: answer, error, refetch } = useQuery({ queryKey: [path], queryFn: get<Detail>(path) });
  if (error && !answer)
    return (
      <div className="page">
        <ProblemNote error={error} retry={() => void refetch()} />
      </div>
    );
  if (!answer)
    return (
      <div className="page">
        <Loading rows={8} />
      </div>
    );
  const row = answer.data;
  return (
    <div className="page agent" data-tier={tierOf(row.cred_score).key}>
      <header className="agent-head foreign">
        <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} size={120} />
        <div className="agent-who">
          <p className="muted">
            {platformLabel(row.platform)} ·{" "}
            {row.created_at ? `registered ${date(row.created_at)}` : "its registry does not say since when"}
          </p>
          <h1>
            <bdi>{row.name}</bdi>
          </h1>
          <p className="muted">
            <bdi>{row.description ?? "No description."}</bdi>
          </p>
          <dl className="facts">
            <div>
              <dt>Id there</dt>
              <dd className="mono">{short(row.agent_id)}</dd>
            </div>
            <div>
              <dt>Address</dt>
              <dd className="mono">{row.address ? short(row.address) : <NoData reason="none is known" />}</dd>
            </div>
            <div>
              <dt>Wallet</dt>
              <dd>{row.verified ? "proven by its registry" : "claimed"}</dd>
            </div>
            <div>
              <dt>Token</dt>
              <dd>
                <TokenCell row={row} />
              </dd>
            </div>
          </dl>
          <p className="actions">
            <ApiButton paths={[path]} />
          </p>
        </div>
        <ScoreRing score={row.cred_score} size={168} />
      </header>
      <div className="agent-grid">
        <section className="panel wide">
          <div className="panel-head">
            <h2>Services</h2>
          </div>
          {row.services.length === 0 ? (
            <p className="muted">Its registry names none.</p>
          ) : (
            <ul className="stack">
              {row.services.map(({ name, endpoint, version }) => (
                <li key={`${name}${endpoint}`}>
                  <span className="tag">{name}</span>{" "}
                  <code className="wrap">
                    <bdi>{endpoint}</bdi>
                  </code>{" "}
                  <span className="faint">{version}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section className="panel">
          <div className="panel-head">
            <h2>Also known as</h2>
          </div>
          {row.same_as.length === 0 ? (
            <p className="muted">No other row shares its proven wallet.</p>
          ) : (
            <ul className="stack">
              {row.same_as.map((other) => (
                <li key={other.id}>
                  <Link
                    href={
                      other.platform === "helixa"
                        ? `/agent/${other.agent_id}`
                        : `/terminal/${encodeURIComponent(other.agent_id)}`
                    }
                  >
                    <bdi>{other.name}</bdi>
                  </Link>{" "}
                  <span className="faint">
                    {platformLabel(other.platform)}, cred {other.cred_score}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section className="panel wide">
          <div className="panel-head">
            <h2>Where this was read</h2>
          </div>
          <ul className="stack">
            {row.provenance.map(({ source, source_id, fetched_at, warnings }) => (
              <li key={`${source}${source_id}`}>
                {platformLabel(source)} · <code>{short(source_id)}</code> ·{" "}
                <span className="faint">{age(fetched_at)} ago</span>
                {warnings.map((warning) => (
                  <p key={warning} className="warn-text">
                    {warning}
                  </p>
                ))}
              </li>
            ))}
          </ul>
          <p className="faint small">The score of an agent without an identity token counts up to 50.</p>
        </section>
      </div>
    </div>
  );
}
