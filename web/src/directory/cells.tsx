/** The columns of the table, and the cells that the cards of small screens share with it. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { PLATFORMS } from "../../../core/directory/platforms.ts";
import { Cred, NoData } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Change, ProofMarks, Protocols, Sparkline } from "../parts/marks.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { age, count, moment, percent, short, usd } from "../words.ts";
import { useChanged } from "./live.ts";
import { type MarkedRow, type Row, rowLink } from "./source.ts";
import type { Sort } from "./view.ts";

const OWN = "helixa";

export const platformLabel = (key: string): string => PLATFORMS.find((platform) => platform.key === key)?.label ?? key;

export function AgentCell({ row }: { row: Row }) {
  return (
    <span className="agent-cell">
      <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} />
      <span className="agent-words">
        <span className="agent-line">
          <Link href={rowLink(row)} className="row-link clip">
            <bdi>{row.name || "Unnamed"}</bdi>
          </Link>
          {row.verified === 1 && (
            <span className="tick" title="Its wallet is proven">
              <Icon name="check" />
              <span className="unseen">Wallet proven</span>
            </span>
          )}
        </span>
        <span className="agent-id clip">
          {row.tokenId !== null ? `#${row.tokenId}` : short(row.agent_id)}
          {row.address && ` · ${short(row.address)}`}
        </span>
      </span>
    </span>
  );
}

export function CredCell({ row }: { row: MarkedRow }) {
  const changed = useChanged(row.cred_score);
  return (
    <span className={changed ? "flash cred-cell" : "cred-cell"}>
      <Cred score={row.cred_score} />
      <Sparkline points={row.marks?.points ?? []} score={row.cred_score} />
      <Change by={row.marks?.change_7d} />
    </span>
  );
}

/** Marks arrive after their row; their cells are empty until then. */
export const ProofsCell = ({ row }: { row: MarkedRow }) =>
  row.marks ? <ProofMarks marks={row.marks} own={row.platform === OWN} /> : null;

function ProtocolsCell({ row }: { row: MarkedRow }) {
  if (!row.marks) return null;
  return row.marks.protocols.length > 0 ? (
    <Protocols of={row.marks.protocols} />
  ) : (
    <NoData reason="its registry names no known protocol" />
  );
}

function FeedbackCell({ row }: { row: MarkedRow }) {
  if (!row.marks) return null;
  const { feedback } = row.marks;
  if (feedback === null) return <NoData reason="its registry takes no feedback" />;
  if (feedback.count === 0) return <NoData reason="nobody has said anything yet" />;
  return (
    <span title={`${feedback.count} from ${feedback.reviewers} different clients`}>
      {count(feedback.count)} <span className="faint">by {count(feedback.reviewers)}</span>
    </span>
  );
}

const PriceChange = ({ of, before = "" }: { of: number; before?: string }) => (
  <span className={of < 0 ? "down" : "up"}>
    {before}
    {percent(of)}
  </span>
);

export function TokenCell({ row }: { row: Row }) {
  if (row.token_symbol === null && row.token_address === null) return <NoData reason="no token is known" />;
  const claimed = row.market_data_source === "claimed";
  return (
    <span className="token">
      <span>
        <b>
          <bdi>{row.token_symbol ?? short(row.token_address!)}</bdi>
        </b>
        {claimed && (
          <span className="tag" title="Said by somebody, seen by nobody: never ranked by">
            claimed
          </span>
        )}
      </span>
      <span className="faint">
        {row.token_market_cap === null ? "no market data" : usd(row.token_market_cap)}
        {row.price_change_24h !== null && <PriceChange of={row.price_change_24h} before=" " />}
      </span>
    </span>
  );
}

export function RowActions({ row }: { row: Row }) {
  const ref = rowLink(row);
  const watched = useStored("watched").includes(ref);
  const compareRef = row.tokenId === null ? null : String(row.tokenId);
  const compared = useStored("compared").includes(compareRef ?? "");
  return (
    <span className="row-actions">
      {compareRef && (
        <button
          type="button"
          className="icon-button"
          aria-pressed={compared}
          aria-label={`Compare ${row.name}`}
          onClick={() => toggleStored("compared", compareRef)}
        >
          <Icon name="compare" />
        </button>
      )}
      <button
        type="button"
        className="icon-button star"
        aria-pressed={watched}
        aria-label={`Watch ${row.name}`}
        onClick={() => toggleStored("watched", ref)}
      >
        <Icon name="star" filled={watched} />
      </button>
    </span>
  );
}

const when = (iso: string | null) =>
  iso === null ? (
    <NoData reason="its registry does not say" />
  ) : (
    <time dateTime={iso} title={moment(iso)}>
      {age(iso)}
    </time>
  );

/** A column; `extra` columns are hidden by default. */
export type Column = {
  key: string;
  label: string;
  sort?: Sort;
  className?: string;
  extra?: true;
  cell(row: MarkedRow): ReactNode;
};

export const COLUMNS: Column[] = [
  { key: "agent", label: "Agent", sort: "name", className: "wide", cell: (row) => <AgentCell row={row} /> },
  { key: "cred", label: "Cred", sort: "cred_score", cell: (row) => <CredCell row={row} /> },
  { key: "proofs", label: "Proofs", cell: (row) => <ProofsCell row={row} /> },
  {
    key: "platform",
    label: "Platform",
    sort: "platform",
    cell: (row) => <span className="tag plain">{platformLabel(row.platform)}</span>,
  },
  {
    key: "protocols",
    label: "Speaks",
    cell: (row) => <ProtocolsCell row={row} />,
  },
  {
    key: "feedback",
    label: "Feedback",
    className: "number roomy",
    cell: (row) => <FeedbackCell row={row} />,
  },
  { key: "token", label: "Token", sort: "token_market_cap", cell: (row) => <TokenCell row={row} /> },
  {
    key: "ethos",
    label: "Ethos",
    sort: "ethos_score",
    extra: true,
    className: "number",
    cell: (row) => row.ethos_score ?? <NoData reason="not known" />,
  },
  {
    key: "volume",
    label: "Volume 24h",
    sort: "volume_24h",
    extra: true,
    className: "number",
    cell: (row) => (row.volume_24h === null ? <NoData reason="no market data" /> : usd(row.volume_24h)),
  },
  {
    key: "change",
    label: "Price 24h",
    sort: "price_change_24h",
    extra: true,
    className: "number",
    cell: (row) =>
      row.price_change_24h === null ? <NoData reason="no market data" /> : <PriceChange of={row.price_change_24h} />,
  },
  {
    key: "liquidity",
    label: "Liquidity",
    sort: "liquidity_usd",
    extra: true,
    className: "number",
    cell: (row) => (row.liquidity_usd === null ? <NoData reason="no market data" /> : usd(row.liquidity_usd)),
  },
  {
    key: "owner",
    label: "Owner",
    extra: true,
    cell: (row) =>
      row.owner_address ? <span className="mono">{short(row.owner_address)}</span> : <NoData reason="not known" />,
  },
  { key: "age", label: "Age", sort: "created_at", className: "number", cell: (row) => when(row.created_at) },
  {
    key: "active",
    label: "Active",
    className: "number",
    cell: (row) =>
      !row.marks ? null : row.marks.active_at ? when(row.marks.active_at) : <NoData reason="nobody has seen it act" />,
  },
  {
    key: "updated",
    label: "Updated",
    sort: "updated_at",
    extra: true,
    className: "number",
    cell: (row) => when(row.updated_at),
  },
];

/** Columns that cannot be hidden. */
const FIXED = new Set(["agent", "cred"]);
export const CHOOSABLE = COLUMNS.filter(({ key }) => !FIXED.has(key));

/** The columns shown. @param others keys of columns whose visibility differs from the default */
export const shownColumns = (others: readonly string[]): Column[] =>
  COLUMNS.filter(({ key, extra }) => (extra === true) === others.includes(key));
