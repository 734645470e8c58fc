/** What an agent's wallet was paid: all payments and the organic ones side by side, why the others are not, and the newest of them. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { pagesOf } from "../api/pages.ts";
import type { AgentPayments } from "../api/types.ts";
import { count, date, moment } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { More } from "../parts/more.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { usdcExact, usdcShort } from "./amounts.ts";

export const paymentsPath = (agentRef: string, platform: string): string =>
  `/api/v2/agent/${encodeURIComponent(agentRef)}/payments?platform=${platform}&limit=5`;

/** Payments are read about a minute behind: so many blocks are no backlog. */
const BLOCKS_BEHIND = 300;

/** `path`: of the payments in the API, with its query. */
export function Payments({ path, explorer }: { path: string; explorer: string }) {
  const { data, error, refetch, ...more } = useInfiniteQuery(
    pagesOf<AgentPayments>(path, "cursor", (page) => page.nextCursor),
  );
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  // Of most agents there is one sentence to say, which takes as much room.
  if (!data) return <Loading rows={1} />;
  const [{ data: income, block }] = data.pages as [(typeof data.pages)[number]];
  const { wallet, walletAgents, readTo, windows } = income;
  if (wallet === null) return <p className="muted">{say("income.noWallet")}</p>;
  if (readTo === null) return <p className="muted">{say("income.notRead")}</p>;
  const { days, raw, organic, removed } = windows.at(-1)!;
  const behind = block === null ? 0 : block - readTo;
  return (
    <div className="stack">
      {raw.payments === 0 ? (
        <p className="muted">{say("income.none", { days })}</p>
      ) : (
        <>
          <Sums days={days} raw={raw} organic={organic} />
          <Windows of={windows} />
          {removed.length > 0 && <Removed of={removed} />}
          <h3>{say("income.newest")}</h3>
          <ul className="reviews income-list">
            {data.pages
              .flatMap((page) => page.data.payments)
              .map((payment) => (
                <Line key={`${payment.block} ${payment.logIndex}`} of={payment} explorer={explorer} />
              ))}
          </ul>
          <More {...more} />
        </>
      )}
      {walletAgents > 1 && <p className="muted">{say("income.sharedWallet", { n: walletAgents })}</p>}
      {behind > BLOCKS_BEHIND && <p className="muted">{say("income.behind", { n: behind })}</p>}
      <p className="faint">
        <Say
          k="income.source"
          block={count(readTo)}
          wallet={() => <Address address={wallet} explorer={explorer} />}
          guide={(text) => <Link href="/docs/guide/income">{text}</Link>}
        />
      </p>
    </div>
  );
}

type Window = AgentPayments["windows"][number];

/** All and organic of the longest window, and the part that the one is of the other. */
function Sums({ days, raw, organic }: Pick<Window, "days" | "raw" | "organic">) {
  const share = (100 * Number(organic.usdc)) / (Number(raw.usdc) || 1);
  return (
    <div className="worth">
      <dl className="worth-figures">
        <Sum label={say("income.all", { days })} of={raw} />
        <Sum label={say("income.organicOf", { days })} of={organic} strong={true} />
      </dl>
      <svg
        className="worth-scale"
        role="img"
        aria-label={say("income.share", { organic: usdcExact(organic.usdc), raw: usdcExact(raw.usdc) })}
      >
        <rect className="track" y="8" width="100%" height="6" rx="3" />
        <rect className="part" y="8" width={`${share}%`} height="6" rx="3" />
      </svg>
    </div>
  );
}

const Sum = ({ label, of, strong }: { label: string; of: Window["organic"]; strong?: boolean }) => (
  <div data-strong={strong}>
    <dt>{label}</dt>
    <dd>
      <b title={usdcExact(of.usdc)}>{usdcShort(of.usdc)}</b>
      <span className="faint">{say("income.byPayers", { n: of.payers })}</span>
    </dd>
  </div>
);

/** The windows beside each other: money, then how many of what is counted are organic. */
function Windows({ of }: { of: readonly Window[] }) {
  const row = (label: string, cell: (window: Window) => ReactNode) => (
    <tr>
      <th scope="row">{label}</th>
      {of.map((window) => (
        <td key={window.days}>{cell(window)}</td>
      ))}
    </tr>
  );
  const money = (usdc: string) => <span title={usdcExact(usdc)}>{usdcShort(usdc)}</span>;
  const ofAll = (key: "payments" | "payers" | "repeatPayers") => (window: Window) =>
    say("income.ofAll", { n: count(window.organic[key]), all: count(window.raw[key]) });
  return (
    <table className="dimensions income-windows">
      <thead>
        <tr>
          <td />
          {of.map(({ days }) => (
            <th key={days} scope="col">
              {say("income.days", { n: days })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {row(say("income.allUsdc"), ({ raw }) => money(raw.usdc))}
        {row(say("income.organicUsdc"), ({ organic }) => (
          <b>{money(organic.usdc)}</b>
        ))}
        {row(say("income.refunds"), ({ raw }) => money(raw.refunds.usdc))}
      </tbody>
      <tbody>
        <tr>
          <th scope="rowgroup" colSpan={1 + of.length}>
            {say("income.organicOfAll")}
          </th>
        </tr>
        {row(say("income.organicPayments"), ofAll("payments"))}
        {row(say("income.organicPayers"), ofAll("payers"))}
        {row(say("income.repeatPayers"), ofAll("repeatPayers"))}
      </tbody>
    </table>
  );
}

/** What is not organic, by rule. */
const Removed = ({ of }: { of: Window["removed"] }) => (
  <>
    <h3>{say("income.removed")}</h3>
    <ul className="reviews income-list">
      {of.map(({ rule, says, usdc, payments }) => (
        <li key={rule}>
          <b className="review-value">{usdcExact(usdc)}</b>
          <div className="review-who">
            <p className="review-why">{says}</p>
            <span className="review-weight">{say("income.payments", { n: payments })}</span>
          </div>
        </li>
      ))}
    </ul>
  </>
);

type Payment = AgentPayments["payments"][number];

const Line = ({ of, explorer }: { of: Payment; explorer: string }) => (
  <li data-counts={of.organic || undefined}>
    <b className="review-value">{usdcExact(of.usdc)}</b>
    <div className="review-who">
      <p className="review-head">
        <Address address={of.payer} explorer={explorer} />
        <a
          className="faint"
          href={`${explorer}/tx/${of.txHash}`}
          rel={EXPLORER_REL}
          title={moment(of.paidAt)}
          aria-label={say("income.transactionOf", { date: date(of.paidAt) })}
        >
          {date(of.paidAt)}
        </a>
      </p>
      {of.removed && <p className="review-why">{of.removed.says}</p>}
      {of.removed?.through && (
        <p className="review-why">
          {say("income.through")} <Address address={of.removed.through} explorer={explorer} />
        </p>
      )}
    </div>
  </li>
);
