/** State of the service: the verdict, what is not well, then the figures; healthy work is folded. */

import { useQuery } from "@tanstack/react-query";
import { status } from "../api/queries.ts";
import type { Status } from "../api/types.ts";
import { age, count, decimals, duration } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Heads, Scroll } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { say } from "../say.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { Backfill } from "./backfill.tsx";
import { type Problem, problemsOf, workName } from "./problems.ts";

const until = (iso: string) => {
  const seconds = Math.round((Date.parse(iso) - Date.now()) / 1000);
  return seconds <= 0
    ? say("status.due")
    : say("status.in", { time: age(new Date(Date.now() - seconds * 1000).toISOString()) });
};

export default function StatusPage() {
  const { data: answer, error, refetch } = useQuery(status);
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
  const { chain, sources, queues, cred, backfill } = answer.data;
  const problems = problemsOf(answer.data);
  const figures: [string, React.ReactNode][] = [
    [
      say("status.indexed"),
      chain.indexed === null ? <NoData reason={say("status.noIndexYet")} /> : count(chain.indexed),
    ],
    [
      say("status.behind"),
      chain.lagSeconds === null ? <NoData reason={say("status.notKnown")} /> : duration(chain.lagSeconds),
    ],
    [say("status.scoresToRefresh"), count(cred.stale)],
    [
      say("status.root"),
      cred.epoch?.publishedAt ? (
        say("status.ago", { age: age(cred.epoch.publishedAt) })
      ) : (
        <NoData reason={say("status.noRoot")} />
      ),
    ],
  ];
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{say("status.status")}</h1>
          <p>{say("status.lead")}</p>
        </div>
        <ApiButton paths={["/api/v2/status"]} />
      </div>
      <Verdict of={problems} />
      <dl className="totals big">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {backfill && backfill.state !== "done" ? (
        <Backfill of={backfill} />
      ) : (
        !chain.synced && (
          <p className="progress">
            <progress aria-label={say("status.progressOfTheIndex")} max={1} value={chain.progress} />{" "}
            {decimals(chain.progress * 100, 1)} %
          </p>
        )
      )}
      <Folded title={say("status.work", { n: sources.length })}>
        <Sources of={sources} />
      </Folded>
      <Folded title={say("status.queues", { n: queues.length })}>
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
        {bad > 0 ? say("status.verdict.bad", { n: bad }) : say("status.verdict.good")}
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
  <Scroll label={say("status.work", { n: of.length })}>
    <table className="plain-table fits">
      <Heads
        texts={[say("status.name"), say("status.lastSuccess"), say("status.next")]}
        numbers={[say("status.rows")]}
      />
      <tbody>
        {of.map((source) => (
          <tr key={source.key}>
            <th scope="row">
              <span title={source.key}>{workName(source.key)}</span>
              {source.progress && (
                <span className="faint hint">
                  {source.progress.expected === null
                    ? say("status.pulled", { done: source.progress.done })
                    : say("status.pulledOf", { done: source.progress.done, expected: source.progress.expected })}
                </span>
              )}
              {source.error && (
                <span className="hint warn-text">
                  <bdi>{say("status.problemIs", { problem: source.error })}</bdi>
                </span>
              )}
            </th>
            <td>
              {source.lastSuccessAt ? (
                say("status.ago", { age: age(source.lastSuccessAt) })
              ) : (
                <NoData reason={say("status.neverYet")} />
              )}
            </td>
            <td className="muted">{until(source.nextRunAt)}</td>
            <td className="number">
              {source.rows === null ? <NoData reason={say("status.itCountsNone")} /> : count(source.rows)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const Queues = ({ of }: { of: Status["queues"] }) =>
  of.length === 0 ? (
    <p className="muted">{say("status.noQueueHasToldIts")}</p>
  ) : (
    <Scroll label={say("status.queues", { n: of.length })}>
      <table className="plain-table fits">
        <Heads
          texts={[say("status.name")]}
          numbers={[say("status.waiting"), say("status.active"), say("status.failed"), say("status.oldest")]}
        />
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
                {queue.oldestSeconds === null ? (
                  <NoData reason={say("status.nothingWaits")} />
                ) : (
                  duration(queue.oldestSeconds)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
