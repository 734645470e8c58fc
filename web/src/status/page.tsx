/** State of the service: the verdict, what is not well, then the figures; healthy work is folded. */
import { useQuery } from "@tanstack/react-query";
import { status } from "../api/queries.ts";
import type { Status } from "../api/types.ts";
import { age, count, counted, decimals, duration } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";
import { Fact } from "../parts/facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { Heads, Scroll } from "../parts/panel.tsx";
import { NotYet } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { Backfill } from "./backfill.tsx";
import { type Problem, problemsOf, workName } from "./problems.ts";

const until = (iso: string) => {
  const seconds = Math.round((Date.parse(iso) - Date.now()) / 1000);
  return seconds <= 0 ? "due" : `in ${age(new Date(Date.now() - seconds * 1000).toISOString())}`;
};

export default function StatusPage() {
  const { data: answer, error, refetch } = useQuery(status);
  if (!answer)
    return (
      <div className="page">
        <NotYet error={error} refetch={refetch} rows={8} />
      </div>
    );
  const { chain, sources, queues, cred, backfill } = answer.data;
  const problems = problemsOf(answer.data);
  const figures: [string, React.ReactNode][] = [
    ["Indexed", chain.indexed === null ? <NoData reason="no index yet" /> : count(chain.indexed)],
    ["Behind", chain.lagSeconds === null ? <NoData reason="not known" /> : duration(chain.lagSeconds)],
    ["Scores to refresh", count(cred.stale)],
    [
      "Scores on chain",
      cred.epoch?.publishedAt ? (
        `${age(cred.epoch.publishedAt)} ago`
      ) : (
        <NoData reason="no root of the scores is on chain yet" />
      ),
    ],
  ];
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>Status</h1>
          <p>Whether what you see here is up to date, and what is not as it should be.</p>
        </div>
        <ApiButton paths={["/api/v2/status"]} />
      </div>
      <Verdict of={problems} />
      <dl className="totals big">
        {figures.map(([label, value]) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
      </dl>
      {backfill && backfill.state !== "done" ? (
        <Backfill of={backfill} />
      ) : (
        !chain.synced && (
          <p className="progress">
            <progress aria-label="Progress of the index" max={1} value={chain.progress} />{" "}
            {decimals(chain.progress * 100, 1)} %
          </p>
        )
      )}
      <Folded title={`${counted(sources.length, "kind of work that is", "kinds of work that are")} repeated`}>
        <Sources of={sources} />
      </Folded>
      <Folded title={counted(queues.length, "queue", "queues")}>
        <Queues of={queues} />
      </Folded>
    </div>
  );
}

function Verdict({ of }: { of: Problem[] }) {
  const bad = of.filter(({ level }) => level === "bad").length;
  return (
    <section className="panel verdict" data-level={bad > 0 ? "bad" : "good"} role="status">
      <h2>
        <Icon name={bad > 0 ? "warn" : "check"} />{" "}
        {bad > 0
          ? `${bad === 1 ? "One thing is not as it" : `${count(bad)} things are not as they`} should be.`
          : "Everything works, and the index follows the chain."}
      </h2>
      {of.length > 0 && (
        <ul className="plain-list">
          {of.map(({ level, text }) => (
            <li key={text} className={level === "bad" ? "warn-text" : "muted"}>
              <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const Folded = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <details className="panel folded">
    <summary>
      <h2>{title}</h2>
    </summary>
    {children}
  </details>
);

/** Scheduled work: when it last succeeded, when it runs next, and its problem. */
const Sources = ({ of }: { of: Status["sources"] }) => (
  <Scroll label={`${counted(of.length, "kind of work that is", "kinds of work that are")} repeated`}>
    <table className="plain-table fits">
      <Heads texts={["Name", "Last success", "Next"]} numbers={["Rows"]} />
      <tbody>
        {of.map((source) => (
          <tr key={source.key}>
            <th scope="row">
              <span title={source.key}>{workName(source.key)}</span>
              {source.progress && (
                <span className="faint hint">
                  {source.progress.expected === null
                    ? `${count(source.progress.done)} items read in this pull`
                    : `${count(source.progress.done)} of ${count(source.progress.expected)} items read in this pull`}
                </span>
              )}
              {source.error && (
                <span className="hint warn-text">
                  <bdi>Problem: {source.error}</bdi>
                </span>
              )}
            </th>
            <td>{source.lastSuccessAt ? `${age(source.lastSuccessAt)} ago` : <NoData reason="never yet" />}</td>
            <td className="muted">{until(source.nextRunAt)}</td>
            <td className="number">{source.rows === null ? <NoData reason="it counts none" /> : count(source.rows)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const Queues = ({ of }: { of: Status["queues"] }) =>
  of.length === 0 ? (
    <p className="muted">No queue has reported its state.</p>
  ) : (
    <Scroll label={counted(of.length, "queue", "queues")}>
      <table className="plain-table fits">
        <Heads texts={["Name"]} numbers={["Waiting", "Active", "Failed", "Oldest"]} />
        <tbody>
          {of.map((queue) => (
            <tr key={queue.name}>
              <th scope="row">
                <span title={queue.name}>{workName(queue.name)}</span>
              </th>
              <td className="number">{count(queue.waiting)}</td>
              <td className="number">{count(queue.active)}</td>
              <td className={queue.failed > 0 ? "number warn-text" : "number"}>{count(queue.failed)}</td>
              <td className="number">
                {queue.oldestSeconds === null ? <NoData reason="nothing waits" /> : duration(queue.oldestSeconds)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
