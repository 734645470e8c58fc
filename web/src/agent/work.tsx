/** What an agent was paid and what it was hired for by escrow: figures, and the newest payments and jobs. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { pagesOf } from "../api/queries.ts";
import type { AgentJobs, AgentPayments } from "../api/types.ts";
import { count, counted } from "../formats.ts";
import { More } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
import { AgentPanel } from "./agent-panel.tsx";
import { Earned, EarnedLine, Removed, Sums, TransactionOn, Windows } from "./earned.tsx";

export const paymentsPath = (agentRef: string, platform: string): string =>
  `/api/v2/agent/${encodeURIComponent(agentRef)}/payments?platform=${platform}&limit=5`;

/** The payments at a path. A page requests them with the rest, so that their card appears at once, also without payments. */
export const paymentPages = (path: string) => pagesOf<AgentPayments>(path);

/** `path`: of the payments in the API, with its query. */
export function Payments({ path }: { path: string }) {
  const { data, error, refetch, ...more } = useInfiniteQuery(paymentPages(path));
  // Of most agents there is one sentence to say, which takes as much room.
  if (!data) return <NotYet error={error} refetch={refetch} rows={1} />;
  const [{ data: income, block }] = data.pages as [(typeof data.pages)[number]];
  const { wallet, readTo, windows } = income;
  if (wallet === null)
    return <p className="muted">Its registry has shown no wallet to be its own: what it was paid is not known.</p>;
  if (readTo === null)
    return (
      <p className="muted">The payments to its wallet are not read yet. A new wallet is followed within ten minutes.</p>
    );
  const { raw, days } = windows.at(-1)!;
  return (
    <div className="stack">
      <Earned
        of={{ ...income, readTo }}
        block={block}
        none={raw.payments === 0 ? `Nothing was paid to its wallet in ${count(days)} days.` : null}
        unclear="was paid"
        figures={(longest) => (
          <>
            <Sums of={longest} by={({ payers }) => `USDC by ${counted(payers, "payer", "payers")}`} />
            <Windows
              of={windows}
              money={[["Given back", (window) => window.raw.refunds.usdc]]}
              counts={[
                ["Payments", ({ payments }) => payments],
                ["Payers", ({ payers }) => payers],
                ["Repeat payers", ({ repeatPayers }) => repeatPayers],
              ]}
            />
            <Removed of={longest.removed} number={({ payments }) => counted(payments, "payment", "payments")} />
            <h3>Newest payments</h3>
            <ul className="reviews income-list">
              {data.pages
                .flatMap((page) => page.data.payments)
                .map((payment) => (
                  <PaymentLine key={`${payment.block} ${payment.logIndex}`} of={payment} />
                ))}
            </ul>
            <More {...more} />
          </>
        )}
      />
      <p className="faint">
        What payers signed over to <Address address={wallet} /> in USDC, as by x402, up to block {count(readTo)}. A
        reason is no verdict: <Link href="/docs/guide/income">how payments count</Link>.
      </p>
    </div>
  );
}

type Payment = AgentPayments["payments"][number];

const PaymentLine = ({ of }: { of: Payment }) => (
  <EarnedLine of={of} usdc={of.usdc}>
    <Party address={of.payer} />
    <TransactionOn hash={of.txHash} at={of.paidAt} />
  </EarnedLine>
);

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
  pagesOf<AgentJobs>(`/api/v2/agent/${encodeURIComponent(agentRef)}/jobs?platform=${platform}&limit=5`);

type JobsProps = { agentRef: string; platform: string; known: boolean; brief: ReactNode };

/**
 * The card of an agent's jobs. Most agents have none, and then there is no card: of an own agent its view says so.
 * @param props.known whether there are any: then there is room for them while they are read
 */
export function Jobs({ agentRef, platform, known, brief }: JobsProps) {
  const { data, error, refetch, ...more } = useInfiniteQuery(jobPages(agentRef, platform));
  const first = data?.pages[0];
  if (!known && (first ? first.data.jobs.length === 0 : !error)) return null;
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
                <JobLine key={job.jobId} of={job} />
              ))}
          </ul>
          <More {...more} />
          <Source of={first.data} />
        </div>
      ) : (
        <NotYet error={error} refetch={refetch} rows={USUAL_ROWS} />
      )}
    </AgentPanel>
  );
}

function Figures({ of, block }: { of: AgentJobs; block: number | null }) {
  const { contract, readTo, windows } = of;
  if (contract === null) return <p className="muted">No jobs are read here.</p>;
  if (readTo === null) return <p className="muted">Its jobs are not read yet.</p>;
  const { raw, days } = windows.at(-1)!;
  const byClient = raw.evaluatedByClient + raw.notEvaluated;
  return (
    <Earned
      of={{ ...of, readTo }}
      block={block}
      none={raw.clients === 0 ? `No job of it in ${count(days)} days.` : null}
      unclear="worked"
      figures={(longest) => (
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
    />
  );
}

type Job = AgentJobs["jobs"][number];

/** States that follow from a judgement: by an evaluator, or by none where the job has none. */
const JUDGED: ReadonlySet<string> = new Set(["completed", "rejected"]);

const JobLine = ({ of }: { of: Job }) => (
  <EarnedLine of={of} usdc={of.usdc} says={JUDGED.has(of.state) && of.evaluation.by !== "other" && of.evaluation.says}>
    <Party address={of.client} />
    <span className="tag plain">{JOB_STATES[of.state]}</span>
    <TransactionOn hash={of.endTxHash ?? of.txHash} at={of.endedAt ?? of.fundedAt} />
  </EarnedLine>
);

const Source = ({ of: { contract, readTo } }: { of: AgentJobs }) =>
  contract !== null &&
  readTo !== null && (
    <p className="faint">
      Jobs with the money in escrow at <Address address={contract} />, up to block {count(readTo)}
      {"; "}
      their value is that of completed ones. A reason is no verdict: <Link href="/docs/guide/jobs">how jobs count</Link>
      .
    </p>
  );
