/** State of the service: chain, scores, scheduled work, queues. */

import { useQuery } from "@tanstack/react-query";
import { status } from "../api/queries.ts";
import type { Status } from "../api/types.ts";
import { NoData } from "../parts/cred.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { say } from "../say.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { age, count, decimals, duration } from "../words.ts";

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
  const figures: [string, React.ReactNode][] = [
    [
      say("status.chainHead"),
      chain.head === null ? <NoData reason={say("status.theChainCannotBeAsked")} /> : count(chain.head),
    ],
    [
      say("status.indexed"),
      chain.indexed === null ? <NoData reason={say("status.noIndexYet")} /> : count(chain.indexed),
    ],
    [
      say("status.behind"),
      chain.lagSeconds === null ? <NoData reason={say("status.notKnown")} /> : duration(chain.lagSeconds),
    ],
    [say("status.scoresToRefresh"), count(cred.stale)],
  ];
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{say("status.status")}</h1>
          <p>{chain.synced ? say("status.theIndexFollowsTheChain") : say("status.theIndexIsCatchingUp")}</p>
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
          <progress aria-label={say("status.progressOfTheIndex")} max={1} value={chain.progress} />{" "}
          {decimals(chain.progress * 100, 1)} %
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
  starting: say("status.theIndexerStarts"),
  running: say("status.theIndexerReadsTheChain"),
  stalled: say("status.theIndexerMakesNoProgress"),
  stopped: say("status.noIndexerRuns"),
  done: say("status.theHistoryIsIndexed"),
};

/** The indexer's own work while it is not done: rates, time left, its problem, and each contract's share. */
function Backfill({ of }: { of: BackfillStatus }) {
  const left =
    of.secondsLeft === null ? say("status.timeLeftNotKnown") : say("status.left", { time: duration(of.secondsLeft) });
  const isTrouble = of.state === "stalled" || of.state === "stopped";
  return (
    <section className="panel wide">
      <div className="panel-head">
        <h2>{say("status.backfill")}</h2>
      </div>
      <p className={isTrouble ? "warn-text" : "muted"}>
        {BACKFILL_STATES[of.state]}
        {isTrouble &&
          of.lastFailure &&
          ` ${say("status.lastFailure", { age: age(of.lastFailure.at), reason: of.lastFailure.reason })}`}
      </p>
      <p className="progress">
        <progress aria-label={say("status.progressOfTheBackfill")} max={1} value={of.progress} />{" "}
        {decimals(of.progress * 100, 1)} %
      </p>
      {of.state === "running" && (
        <p className="muted">
          {say("status.eventsSRequestsS", {
            eventsPerSecond: count(Math.round(of.eventsPerSecond)),
            requestsPerSecond: count(Math.round(of.requestsPerSecond)),
            left,
          })}
        </p>
      )}
      <Scroll label={say("status.backfill")}>
        <table className="plain-table fits">
          <thead>
            <tr>
              <th scope="col">{say("status.contract")}</th>
              <th scope="col" className="number">
                {say("status.fromBlock")}
              </th>
              <th scope="col" className="number">
                {say("status.fetched")}
              </th>
              <th scope="col" className="number">
                {say("status.events")}
              </th>
            </tr>
          </thead>
          <tbody>
            {of.contracts.map((contract) => (
              <tr key={contract.name}>
                <th scope="row">{contract.name}</th>
                <td className="number">{count(contract.fromBlock)}</td>
                <td className="number">
                  {decimals((100 * contract.fetchedBlocks) / Math.max(1, contract.totalBlocks), 1)} %
                </td>
                <td className="number">{count(contract.events)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

/** Scheduled work: when it last succeeded, when it runs next, and its problem. */
const Sources = ({ of }: { of: Status["sources"] }) => (
  <section className="panel wide">
    <div className="panel-head">
      <h2>{say("status.workThatIsRepeated")}</h2>
    </div>
    <Scroll label={say("status.workThatIsRepeated")}>
      <table className="plain-table fits">
        <thead>
          <tr>
            <th scope="col">{say("status.name")}</th>
            <th scope="col">{say("status.lastSuccess")}</th>
            <th scope="col">{say("status.next")}</th>
            <th scope="col" className="number">
              {say("status.rows")}
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map((source) => (
            <tr key={source.key}>
              <th scope="row">
                <span className="mono">{source.key}</span>
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
  </section>
);

const Queues = ({ of }: { of: Status["queues"] }) => (
  <section className="panel wide">
    <div className="panel-head">
      <h2>{say("status.queues")}</h2>
    </div>
    {of.length === 0 ? (
      <p className="muted">{say("status.noQueueHasToldIts")}</p>
    ) : (
      <Scroll label={say("status.queues")}>
        <table className="plain-table fits">
          <thead>
            <tr>
              <th scope="col">{say("status.name")}</th>
              <th scope="col" className="number">
                {say("status.waiting")}
              </th>
              <th scope="col" className="number">
                {say("status.active")}
              </th>
              <th scope="col" className="number">
                {say("status.failed")}
              </th>
              <th scope="col" className="number">
                {say("status.oldest")}
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
    )}
  </section>
);
