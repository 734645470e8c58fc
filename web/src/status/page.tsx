/** State of the service: the verdict, what is not well, then the figures; healthy work is folded. */
import { useQuery } from "@tanstack/react-query";
import { status } from "../api/queries.ts";
import type { Status } from "../api/types.ts";
import { age, count, counted, decimals, duration } from "../formats.ts";
import { Icon } from "../parts/button.tsx";
import { NoData } from "../parts/cred.tsx";
import { type FactEntry, Facts, Page } from "../parts/panel.tsx";
import { NotYet } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { ApiButton } from "../shell/api-button.tsx";
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
  const figures: FactEntry[] = [
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
    <Page
      title="Status"
      lead="Whether what you see here is up to date, and what is not as it should be."
      beside={<ApiButton paths={["/api/v2/status"]} />}
    >
      <Verdict of={problems} />
      <Facts className="totals big" of={figures} />
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
    </Page>
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
  <Table
    label={`${counted(of.length, "kind of work that is", "kinds of work that are")} repeated`}
    of={of}
    columns={[
      ["Name", (source) => <SourceName of={source} />],
      [
        "Last success",
        ({ lastSuccessAt }) => (lastSuccessAt ? `${age(lastSuccessAt)} ago` : <NoData reason="never yet" />),
      ],
      ["Next", ({ nextRunAt }) => <span className="muted">{until(nextRunAt)}</span>],
      ["Rows", ({ rows }) => (rows === null ? <NoData reason="it counts none" /> : count(rows)), "number"],
    ]}
  />
);

const SourceName = ({ of: { key, progress, error } }: { of: Status["sources"][number] }) => (
  <>
    <span title={key}>{workName(key)}</span>
    {progress && (
      <span className="faint hint">
        {progress.expected === null
          ? `${count(progress.done)} items read in this pull`
          : `${count(progress.done)} of ${count(progress.expected)} items read in this pull`}
      </span>
    )}
    {error && (
      <span className="hint warn-text">
        <bdi>Problem: {error}</bdi>
      </span>
    )}
  </>
);

const Queues = ({ of }: { of: Status["queues"] }) =>
  of.length === 0 ? (
    <p className="muted">No queue has reported its state.</p>
  ) : (
    <Table
      label={counted(of.length, "queue", "queues")}
      of={of}
      columns={[
        ["Name", ({ name }) => <span title={name}>{workName(name)}</span>],
        ["Waiting", ({ waiting }) => count(waiting), "number"],
        ["Active", ({ active }) => count(active), "number"],
        ["Failed", ({ failed }) => count(failed), ({ failed }) => (failed > 0 ? "number warn-text" : "number")],
        [
          "Oldest",
          ({ oldestSeconds: seconds }) => (seconds === null ? <NoData reason="nothing waits" /> : duration(seconds)),
          "number",
        ],
      ]}
    />
  );

const BACKFILL_STATES = {
  starting: "The indexer starts.",
  running: "The indexer reads the chain's history.",
  stalled: "The indexer makes no progress.",
  stopped: "No indexer runs.",
  done: "The history is indexed.",
} as const;

function Backfill({ of }: { of: NonNullable<Status["backfill"]> }) {
  return (
    <section className="panel wide">
      <div className="panel-head">
        <h2>Backfill</h2>
      </div>
      <p className="muted">{BACKFILL_STATES[of.state]}</p>
      <p className="progress">
        <progress aria-label="Progress of the backfill" max={1} value={of.progress} /> {decimals(of.progress * 100, 1)}{" "}
        %
      </p>
      {of.state === "running" && (
        <p className="muted">
          {count(Math.round(of.eventsPerSecond))} events/s, {count(Math.round(of.requestsPerSecond))} requests/s,{" "}
          {of.secondsLeft === null ? "time left not known" : `${duration(of.secondsLeft)} left`}
        </p>
      )}
      <Table
        label="Backfill"
        of={of.contracts}
        columns={[
          ["Contract", ({ name }) => name],
          ["From block", ({ fromBlock }) => count(fromBlock), "number"],
          ["Fetched", (one) => `${decimals((100 * one.fetchedBlocks) / Math.max(1, one.totalBlocks), 1)} %`, "number"],
          ["Events", ({ events }) => count(events), "number"],
        ]}
      />
      {of.nodes.length > 0 && (
        <Table
          label="Nodes it asks"
          of={of.nodes}
          columns={[
            ["Node", ({ host }) => <bdi>{host}</bdi>],
            ["State", ({ state }) => state],
            ["Requests", ({ requests }) => count(requests), "number"],
            ["Failed", ({ failed }) => count(failed), ({ failed }) => (failed > 0 ? "number warn-text" : "number")],
          ]}
        />
      )}
    </section>
  );
}
