/** The jobs that an agent was hired for by escrow: all and the organic ones side by side, why the others are not, and the newest of them. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { pagesOf } from "../api/pages.ts";
import type { AgentJobs } from "../api/types.ts";
import { count } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { More } from "../parts/more.tsx";
import { Panel } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { usdcExact } from "./amounts.ts";
import { backlogOf, Removed, Sums, TransactionOn, Why, Windows } from "./raw-organic.tsx";

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
}: {
  agentRef: string;
  platform: string;
  explorer: string;
  known: boolean;
}) {
  const { data, error, refetch, ...more } = useInfiniteQuery(jobPages(agentRef, platform));
  const first = data?.pages[0];
  if (!known && (first?.data.jobs.length ?? 0) === 0) return null;
  return (
    <Panel title={say("agent.jobs")}>
      {first ? (
        <div className="stack">
          <Figures of={first.data} block={first.block} />
          <h3>{say("jobs.newest")}</h3>
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
      ) : error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : (
        <Loading rows={USUAL_ROWS} />
      )}
    </Panel>
  );
}

function Figures({ of, block }: { of: AgentJobs; block: number | null }) {
  const { contract, readTo, windows, walletAgents } = of;
  if (contract === null) return <p className="muted">{say("jobs.noContract")}</p>;
  if (readTo === null) return <p className="muted">{say("jobs.notRead")}</p>;
  const longest = windows.at(-1)!;
  const { raw, days } = longest;
  const behind = backlogOf(block, readTo);
  const byClient = raw.evaluatedByClient + raw.notEvaluated;
  return (
    <>
      {raw.clients === 0 ? (
        <p className="muted">{say("jobs.none", { days })}</p>
      ) : (
        <>
          <Sums of={longest} by={({ clients }) => say("jobs.byClients", { n: clients })} />
          <Windows
            of={windows}
            counts={[
              [say("jobs.funded"), ({ funded }) => funded],
              [say("jobs.completed"), ({ completed }) => completed],
              [say("jobs.rejected"), ({ rejected }) => rejected],
              [say("jobs.expired"), ({ expired }) => expired],
              [say("jobs.clients"), ({ clients }) => clients],
            ]}
          />
          <Removed of={longest.removed} number={({ funded }) => say("jobs.fundedOf", { n: funded })} />
          {byClient > 0 && <p className="muted">{say("jobs.byClient", { n: byClient, all: count(raw.completed) })}</p>}
        </>
      )}
      {walletAgents > 1 && <p className="muted">{say("jobs.sharedWallet", { n: walletAgents })}</p>}
      {behind !== null && <p className="muted">{say("income.behind", { n: behind })}</p>}
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
        <Address address={of.client} explorer={explorer} />
        <span className="tag plain">{say(`jobs.state.${of.state}`)}</span>
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
      <Say
        k="jobs.source"
        block={count(readTo)}
        contract={() => <Address address={contract} explorer={explorer} />}
        guide={(text) => <Link href="/docs/guide/jobs">{text}</Link>}
      />
    </p>
  );
