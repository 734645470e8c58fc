/** What an agent earned, all and organic side by side, with the rules that remove the others: the frame of payments and of jobs. */
import type { ReactNode } from "react";
import { count, counted, date, moment } from "../formats.ts";
import { TxLink } from "../parts/copy.tsx";
import { usdcExact, usdcShort } from "../parts/evidence.tsx";
import { Party } from "../parts/party.tsx";

type Side = { usdc: string };
type Window<S extends Side> = { days: number; raw: S; organic: S };

/** Payments and jobs are read about a minute after their block: 300 blocks behind, ten minutes, are no backlog. */
const BLOCKS_BEHIND = 300;

/** All and organic money of a window, and the share of the organic. @param props.by says who paid it */
export function Sums<S extends Side>({ of, by }: { of: Window<S>; by: (side: S) => string }) {
  const { days, raw, organic } = of;
  const share = (100 * Number(organic.usdc)) / (Number(raw.usdc) || 1);
  const sum = (label: string, side: S, strong?: true) => (
    <div data-strong={strong}>
      <dt>{label}</dt>
      <dd>
        <b title={usdcExact(side.usdc)}>{usdcShort(side.usdc)}</b>
        <span className="faint">{by(side)}</span>
      </dd>
    </div>
  );
  return (
    <div className="worth">
      <dl className="worth-figures">
        {sum(`All, ${count(days)} days`, raw)}
        {sum(`Organic, ${count(days)} days`, organic, true)}
      </dl>
      <svg
        className="worth-scale"
        role="img"
        aria-label={`Organic: ${usdcExact(organic.usdc)} of ${usdcExact(raw.usdc)} USDC`}
      >
        <rect className="track" y="8" width="100%" height="6" rx="3" />
        <rect className="part" y="8" width={`${share}%`} height="6" rx="3" />
      </svg>
    </div>
  );
}

type WindowsProps<W, S> = {
  of: readonly W[];
  money?: readonly [label: string, usdc: (window: W) => string][];
  counts: readonly [label: string, count: (side: S) => number][];
};

/**
 * The windows, a column each: money, then how many of what is counted are organic.
 * @param props.money further rows of money after all and organic, by their labels
 * @param props.counts what is counted, by its labels
 */
export function Windows<S extends Side, W extends Window<S>>({ of, money = [], counts }: WindowsProps<W, W["raw"]>) {
  const row = (label: string, cell: (window: W) => ReactNode) => (
    <tr key={label}>
      <th scope="row">{label}</th>
      {of.map((window) => (
        <td key={window.days}>{cell(window)}</td>
      ))}
    </tr>
  );
  const amount = (usdc: string) => <span title={usdcExact(usdc)}>{usdcShort(usdc)}</span>;
  return (
    <table className="dimensions income-windows">
      <thead>
        <tr>
          <td />
          {of.map(({ days }) => (
            <th key={days} scope="col">
              {counted(days, "day", "days")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {row("All", ({ raw }) => amount(raw.usdc))}
        {row("Organic", ({ organic }) => (
          <b>{amount(organic.usdc)}</b>
        ))}
        {money.map(([label, usdc]) => row(label, (window) => amount(usdc(window))))}
      </tbody>
      <tbody>
        <tr>
          <th scope="rowgroup" colSpan={1 + of.length}>
            Organic of all
          </th>
        </tr>
        {counts.map(([label, number]) =>
          row(label, ({ organic, raw }) => `${count(number(organic))} of ${count(number(raw))}`),
        )}
      </tbody>
    </table>
  );
}

type RemovedProps<R> = { of: readonly R[]; number: (removed: R) => string };

/** What is not organic, by rule. @param props.number how much of it there is */
export const Removed = <R extends Side & { rule: string; says: string }>({ of, number }: RemovedProps<R>) =>
  of.length > 0 && (
    <>
      <h3>Not organic, and why</h3>
      <ul className="reviews income-list">
        {of.map((one) => (
          <li key={one.rule}>
            <b className="review-value">{usdcExact(one.usdc)}</b>
            <div className="review-who">
              <p className="review-why">{one.says}</p>
              <span className="review-weight">{number(one)}</span>
            </div>
          </li>
        ))}
      </ul>
    </>
  );

type LineProps = {
  of: { organic: boolean; removed: { says: string; through: string | null } | null };
  usdc: string | null;
  /** How it was judged. */
  says?: string | false;
  /** Who, and when. */
  children: ReactNode;
};

/** One payment or job, with why it is not organic, and through whom. */
export const EarnedLine = ({ of: { organic, removed }, usdc, says, children }: LineProps) => (
  <li data-counts={organic || undefined}>
    <b className="review-value">{usdc === null ? "–" : usdcExact(usdc)}</b>
    <div className="review-who">
      <p className="review-head">{children}</p>
      {says && <p className="review-why">{says}</p>}
      {removed && <p className="review-why">{removed.says}</p>}
      {removed?.through && (
        <p className="review-why">
          In between: <Party address={removed.through} />
        </p>
      )}
    </div>
  </li>
);

/** When something happened, as a link to its transaction. */
export const TransactionOn = ({ hash, at }: { hash: string; at: string }) => (
  <TxLink hash={hash} className="faint" title={moment(at)} aria-label={`${date(at)}, the transaction`}>
    {date(at)}
  </TxLink>
);

type EarnedProps<W> = {
  of: { windows: readonly W[]; walletAgents: number; readTo: number };
  /** Of the answer. */
  block: number | null;
  /** Says that nothing was earned in so many days; null where something was. */
  none: string | null;
  figures: (longest: W) => ReactNode;
  /** What nobody can say of agents that share the wallet. */
  unclear: string;
};

/** The figures of what was earned, and what limits them: a wallet of several agents, blocks that are not read. */
export function Earned<W>({ of, block, none, figures, unclear }: EarnedProps<W>) {
  const { windows, walletAgents, readTo } = of;
  const behind = block === null ? 0 : block - readTo;
  return (
    <>
      {none === null ? figures(windows.at(-1)!) : <p className="muted">{none}</p>}
      {walletAgents > 1 && (
        <p className="muted">
          {counted(walletAgents, "agent has this wallet", `agents have this wallet: nobody can say which ${unclear}`)}.
        </p>
      )}
      {behind > BLOCKS_BEHIND && <p className="muted">The newest {count(behind)} blocks are not read yet.</p>}
    </>
  );
}
