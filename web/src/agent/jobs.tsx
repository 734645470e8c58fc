/** The jobs that an agent was hired for by escrow: all and the organic ones side by side, why the others are not, and the newest of them. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { pagesOf } from "../api/queries.ts";
import type { AgentJobs } from "../api/types.ts";
import { count, counted } from "../formats.ts";
import { More } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { usdcExact } from "../parts/evidence.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
import { AgentPanel } from "./agent-panel.tsx";
import { backlogOf, Removed, Sums, TransactionOn, Why, Windows } from "./raw-organic.tsx";

/** The states of a job in words. */
const JOB_STATES = {
  open: "open",
  funded: "funded",
  submitted: "handed in",
  completed: "completed",
  rejected: "rejected",
  expired: "expired",
} as const;

/** Rows of a list as high as the card of an agent with jobs usually is, on a phone and in several columns. */
const USUAL_ROWS = 20;

export const jobPages = (agentRef: string, platform: string) =>
  pagesOf<AgentJobs>(
    `/api/v2/agent/${encodeURIComponent(agentRef)}/jobs?platform=${platform}&limit=5`,
    "cursor",
    (page) => page.nextCursor,
  );

/**
 * The card of an agent's jobs. Most agents have none, and then there is no card: of an own agent its view says so.
 * @param props.known whether there are any: then there is room for them while they are read
 */
export function Jobs({
  agentRef,
  platform,
  explorer,
  known,
  brief,
}: {
  agentRef: string;
  platform: string;
  explorer: string;
  known: boolean;
  brief: ReactNode;
}) {
  const { data, error, refetch, ...more } = useInfiniteQuery(jobPages(agentRef, platform));
  const first = data?.pages[0];
  if (!known && (first?.data.jobs.length ?? 0) === 0) return null;
  return (
    <AgentPanel id="jobs" title="What it was hired for" brief={brief}>
      {first ? (
        <div className="stack">
          <Figures of={first.data} block={first.block} />
          <h3>Newest jobs</h3>
          <ul className="reviews income-list">
            {data.pages
              .flatMap((page) => page.data.jobs)
              .map((job) => (
                <Line key={job.jobId} of={job} explorer={explorer} />
              ))}
          </ul>
          <More {...more} />
          <Source of={first.data} explorer={explorer} />
        </div>
      ) : (
        <NotYet error={error} refetch={refetch} rows={USUAL_ROWS} />
      )}
    </AgentPanel>
  );
}

function Figures({ of, block }: { of: AgentJobs; block: number | null }) {
  const { contract, readTo, windows, walletAgents } = of;
  if (contract === null) return <p className="muted">No jobs are read here.</p>;
  if (readTo === null) return <p className="muted">Its jobs are not read yet.</p>;
  const longest = windows.at(-1)!;
  const { raw, days } = longest;
  const behind = backlogOf(block, readTo);
  const byClient = raw.evaluatedByClient + raw.notEvaluated;
  return (
    <>
      {raw.clients === 0 ? (
        <p className="muted">No job of it in {count(days)} days.</p>
      ) : (
        <>
          <Sums of={longest} by={({ clients }) => `USDC by ${counted(clients, "client", "clients")}`} />
          <Windows
            of={windows}
            counts={[
              ["Funded", ({ funded }) => funded],
              ["Completed", ({ completed }) => completed],
              ["Rejected", ({ rejected }) => rejected],
              ["Expired", ({ expired }) => expired],
              ["Clients", ({ clients }) => clients],
            ]}
          />
          <Removed of={longest.removed} number={({ funded }) => counted(funded, "job", "jobs")} />
          {byClient > 0 && (
            <p className="muted">
              {count(byClient)} of {count(raw.completed)} completed{" "}
              {byClient === 1 ? "was evaluated by its" : "were evaluated by their"} client, or by nobody.
            </p>
          )}
        </>
      )}
      {walletAgents > 1 && (
        <p className="muted">
          {counted(walletAgents, "agent has this wallet", "agents have this wallet: nobody can say which worked")}.
        </p>
      )}
      {behind !== null && (
        <p className="muted">The newest {behind === 1 ? "block is" : `${count(behind)} blocks are`} not read yet.</p>
      )}
    </>
  );
}

type Job = AgentJobs["jobs"][number];

/** States that follow from a judgement: by an evaluator, or by none where the job has none. */
const JUDGED: ReadonlySet<string> = new Set(["completed", "rejected"]);

const Line = ({ of, explorer }: { of: Job; explorer: string }) => (
  <li data-counts={of.organic || undefined}>
    <b className="review-value">{of.usdc === null ? "–" : usdcExact(of.usdc)}</b>
    <div className="review-who">
      <p className="review-head">
        <Party address={of.client} explorer={explorer} />
        <span className="tag plain">{JOB_STATES[of.state]}</span>
        <TransactionOn hash={of.endTxHash ?? of.txHash} at={of.endedAt ?? of.fundedAt} explorer={explorer} />
      </p>
      {JUDGED.has(of.state) && of.evaluation.by !== "other" && <p className="review-why">{of.evaluation.says}</p>}
      <Why of={of.removed} explorer={explorer} />
    </div>
  </li>
);

const Source = ({ of: { contract, readTo }, explorer }: { of: AgentJobs; explorer: string }) =>
  contract !== null &&
  readTo !== null && (
    <p className="faint">
      Jobs with the money in escrow at <Address address={contract} explorer={explorer} />, up to block {count(readTo)}
      {"; "}
      their value is that of completed ones. A reason is no verdict: <Link href="/docs/guide/jobs">how jobs count</Link>
      .
    </p>
  );
