/** State of the service: chain, scores, scheduled work, queues. */
import { useQuery } from "@tanstack/react-query";
import { status } from "../api/queries.ts";
import type { Status } from "../api/types.ts";
import { NoData } from "../parts/cred.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { age, count } from "../words.ts";

const until = (iso: string) => {
  const seconds = Math.round((Date.parse(iso) - Date.now()) / 1000);
  return seconds <= 0 ? "due" : `in ${age(new Date(Date.now() - seconds * 1000).toISOString())}`;
};

/** Seconds with one decimal below a minute, then minutes, then hours. */
const behind = (seconds: number): string =>
  seconds < 60
    ? `${seconds.toFixed(1)} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;

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
  const figures: [string, React.ReactNode][] = [
    ["Chain head", chain.head === null ? <NoData reason="the chain cannot be asked" /> : count(chain.head)],
    ["Indexed", chain.indexed === null ? <NoData reason="no index yet" /> : count(chain.indexed)],
    ["Behind", chain.lagSeconds === null ? <NoData reason="not known" /> : behind(chain.lagSeconds)],
    ["Scores to refresh", count(cred.stale)],
  ];
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>Status</h1>
          <p>{chain.synced ? "The index follows the chain." : "The index is catching up with the chain."}</p>
        </div>
        <ApiButton paths={["/api/v2/status"]} />
      </div>
      <dl className="totals big">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {!chain.synced && (
        <p className="progress">
          <progress aria-label="Progress of the index" max={1} value={chain.progress} />{" "}
          {(chain.progress * 100).toFixed(1)} %
        </p>
      )}
      {backfill && backfill.state !== "done" && <Backfill of={backfill} />}
      <Sources of={sources} />
      <Queues of={queues} />
    </div>
  );
}

type BackfillStatus = NonNullable<Status["backfill"]>;

const BACKFILL_STATES: Record<BackfillStatus["state"], string> = {
  starting: "The indexer starts.",
  running: "The indexer reads the chain's history.",
  stalled: "The indexer makes no progress.",
  stopped: "No indexer runs.",
  done: "The history is indexed.",
};

/** The indexer's own work while it is not done: rates, time left, its problem, and each contract's share. */
function Backfill({ of }: { of: BackfillStatus }) {
  const left = of.secondsLeft === null ? "time left not known" : `${behind(of.secondsLeft)} left`;
  const isTrouble = of.state === "stalled" || of.state === "stopped";
  return (
    <section className="panel wide">
      <div className="panel-head">
        <h2>Backfill</h2>
      </div>
      <p className={isTrouble ? "warn-text" : "muted"}>
        {BACKFILL_STATES[of.state]}
        {isTrouble && of.lastFailure && ` Last failure ${age(of.lastFailure.at)} ago: ${of.lastFailure.reason}`}
      </p>
      <p className="progress">
        <progress aria-label="Progress of the backfill" max={1} value={of.progress} /> {(of.progress * 100).toFixed(1)}{" "}
        %
      </p>
      {of.state === "running" && (
        <p className="muted">
          {count(Math.round(of.eventsPerSecond))} events/s, {count(Math.round(of.requestsPerSecond))} requests/s, {left}
        </p>
      )}
      <div className="compare-scroll">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Contract</th>
              <th scope="col" className="number">
                From block
              </th>
              <th scope="col" className="number">
                Fetched
              </th>
              <th scope="col" className="number">
                Events
              </th>
            </tr>
          </thead>
          <tbody>
            {of.contracts.map((contract) => (
              <tr key={contract.name}>
                <th scope="row">{contract.name}</th>
                <td className="number">{count(contract.fromBlock)}</td>
                <td className="number">
                  {((100 * contract.fetchedBlocks) / Math.max(1, contract.totalBlocks)).toFixed(1)} %
                </td>
                <td className="number">{count(contract.events)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Scheduled work: when it last succeeded, when it runs next, and its problem. */
const Sources = ({ of }: { of: Status["sources"] }) => (
  <section className="panel wide">
    <div className="panel-head">
      <h2>Work that is repeated</h2>
    </div>
    <div className="compare-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Last success</th>
            <th scope="col">Next</th>
            <th scope="col" className="number">
              Rows
            </th>
            <th scope="col">Problem</th>
          </tr>
        </thead>
        <tbody>
          {of.map((source) => (
            <tr key={source.key}>
              <th scope="row" className="mono">
                {source.key}
              </th>
              <td>{source.lastSuccessAt ? `${age(source.lastSuccessAt)} ago` : <NoData reason="never yet" />}</td>
              <td className="muted">{until(source.nextRunAt)}</td>
              <td className="number">
                {source.rows === null ? <NoData reason="it counts none" /> : count(source.rows)}
              </td>
              <td>
                {source.error ? <span className="warn-text">{source.error}</span> : <span className="faint">none</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const Queues = ({ of }: { of: Status["queues"] }) => (
  <section className="panel wide">
    <div className="panel-head">
      <h2>Queues</h2>
    </div>
    {of.length === 0 ? (
      <p className="muted">No queue has told its state.</p>
    ) : (
      <div className="compare-scroll">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" className="number">
                Waiting
              </th>
              <th scope="col" className="number">
                Active
              </th>
              <th scope="col" className="number">
                Failed
              </th>
              <th scope="col" className="number">
                Oldest
              </th>
            </tr>
          </thead>
          <tbody>
            {of.map((queue) => (
              <tr key={queue.name}>
                <th scope="row" className="mono">
                  {queue.name}
                </th>
                <td className="number">{count(queue.waiting)}</td>
                <td className="number">{count(queue.active)}</td>
                <td className={queue.failed > 0 ? "number warn-text" : "number"}>{count(queue.failed)}</td>
                <td className="number">
                  {queue.oldestSeconds === null ? (
                    <NoData reason="nothing waits" />
                  ) : (
                    `${queue.oldestSeconds.toFixed(0)} s`
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);
