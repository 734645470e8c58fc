/** The columns of the table, and the cells that the cards of small screens share with it. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RowBadges } from "../api/types.ts";
import { CompareButton } from "../compare/bar.tsx";
import { age, count, counted, moment, short, usd } from "../formats.ts";
import { Icon, IconButton } from "../parts/button.tsx";
import { Cred, Named, NoData, Sigil } from "../parts/cred.tsx";
import { endpointsInShort, reviewsInShort, unreviewed } from "../parts/evidence.tsx";
import { Change, PriceChange, ProofBadges, Protocols, Sparkline, TokenCell, UNTOLD } from "../parts/row-badges.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { chainLabel, platformLabel } from "./facets.ts";
import { useChanged } from "./live.ts";
import { type BadgedRow, type Row, rowLink } from "./source.ts";
import type { Sort } from "./view.ts";

const OWN = "helixa";

/** Letters of what an agent does that a row can show; the rest is on its page. */
const MAX_DOES = 140;

export function AgentCell({ row }: { row: Row }) {
  return (
    <span className="agent-cell">
      <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} />
      <span className="agent-words">
        <span className="agent-line">
          <Named href={rowLink(row)} className="row-link clip" name={row.name || "Unnamed"} />
          {!row.active && <span className="tag">inactive</span>}
          {row.verified === 1 && (
            <span className="tick" title="Its wallet is proven">
              <Icon name="check" />
              <span className="unseen">Its wallet is proven</span>
            </span>
          )}
        </span>
        <span className="agent-id clip">
          {row.tokenId !== null ? `#${row.tokenId}` : short(row.agent_id)}
          {row.description ? (
            <>
              {" · "}
              <bdi className="agent-does">{row.description.slice(0, MAX_DOES)}</bdi>
            </>
          ) : (
            row.address && ` · ${short(row.address)}`
          )}
        </span>
      </span>
    </span>
  );
}

export function CredCell({ row }: { row: BadgedRow }) {
  const changed = useChanged(row.cred_score);
  return (
    <span className={changed ? "flash cred-cell" : "cred-cell"}>
      <Cred score={row.cred_score} />
      <Sparkline points={row.badges?.points ?? []} score={row.cred_score} />
      <Change by={row.badges?.change_7d} />
    </span>
  );
}

/** Badges arrive after their row; their cells are empty until then. */
export const ProofsCell = ({ row, column = false }: { row: BadgedRow; column?: boolean }) =>
  row.badges ? <ProofBadges badges={row.badges} own={row.platform === OWN} column={column} /> : null;

function ProtocolsCell({ row }: { row: BadgedRow }) {
  if (!row.badges) return null;
  return row.badges.protocols.length > 0 ? (
    <Protocols of={row.badges.protocols} />
  ) : (
    <NoData reason={UNTOLD.protocols} />
  );
}

function FeedbackCell({ row }: { row: BadgedRow }) {
  if (!row.badges) return null;
  const { feedback, reviews } = row.badges;
  if (reviews === null || reviews.reviewers === 0)
    return <NoData reason={unreviewed(row.badges, row.platform === OWN)} />;
  const { figure, words } = reviewsInShort(reviews);
  const title = `${figure ?? ""} ${words}; ${counted(feedback?.count ?? 0, "review", "reviews")} stand`;
  return (
    <span title={title}>
      {figure ?? "unproven"}{" "}
      <span className="faint">by {count(figure === null ? reviews.reviewers : reviews.voices)}</span>
    </span>
  );
}

export function RowActions({ row }: { row: Row }) {
  const ref = rowLink(row);
  const watched = useStored("watched").includes(ref);
  return (
    <span className="row-actions">
      <CompareButton row={row} />
      <IconButton
        icon="star"
        filled={watched}
        className="star"
        label={`Watch ${row.name}`}
        aria-pressed={watched}
        onClick={() => toggleStored("watched", ref)}
      />
    </span>
  );
}

const when = (iso: string | null) =>
  iso === null ? (
    <NoData reason={UNTOLD.date} />
  ) : (
    <time dateTime={iso} title={moment(iso)}>
      {age(iso)}
    </time>
  );

const OwnerLink = ({ owner }: { owner: string }) =>
  /^0x[0-9a-f]{40}$/i.test(owner) ? (
    <Link className="mono over-row" href={`/owner/${owner}`} title={owner}>
      {short(owner)}
    </Link>
  ) : (
    <span className="mono" title={owner}>
      {short(owner)}
    </span>
  );

/** What only own agents have; of others nothing is known, or could be. */
const ofOwn = (row: BadgedRow, cell: (badges: RowBadges) => ReactNode) =>
  !row.badges ? null : row.platform === OWN ? (
    cell(row.badges)
  ) : (
    <NoData reason="known of agents of the own registry only" />
  );

/** Whether its endpoints answer: in a word, not by colour alone. */
function HealthCell({ row }: { row: BadgedRow }) {
  if (!row.badges) return null;
  const { figure, words } = endpointsInShort(row.badges.health);
  if (figure === null) return <NoData reason={words} />;
  return (
    <span className={figure === "Answers" ? "up" : figure === "Silent" ? "down" : undefined} title={words}>
      {figure}
    </span>
  );
}

/** A column; `extra` columns are hidden by default. */
export type Column = {
  key: string;
  label: string;
  sort?: Sort;
  className?: string;
  extra?: true;
  cell(row: BadgedRow): ReactNode;
};

const priceChange = (change: number) => <PriceChange of={change} />;
/** A figure of a market. */
const traded = (figure: number | null, cell: (figure: number) => ReactNode = usd) =>
  figure === null ? <NoData reason="no market data" /> : cell(figure);

/** A column that is hidden by default. @param sort of a column of figures */
const extra = (key: string, label: string, cell: Column["cell"], sort?: Sort): Column => {
  return { key, label, extra: true, cell, ...(sort && { sort, className: "number" }) };
};

export const COLUMNS: Column[] = [
  { key: "agent", label: "Agent", sort: "name", className: "wide", cell: (row) => <AgentCell row={row} /> },
  { key: "cred", label: "Cred", sort: "cred_score", cell: (row) => <CredCell row={row} /> },
  { key: "proofs", label: "Proofs", cell: (row) => <ProofsCell row={row} column /> },
  {
    key: "platform",
    label: "Platform",
    sort: "platform",
    cell: (row) => <span className="tag plain">{platformLabel(row.platform)}</span>,
  },
  { key: "protocols", label: "Speaks", cell: (row) => <ProtocolsCell row={row} /> },
  { key: "feedback", label: "Reviews", className: "number roomy", cell: (row) => <FeedbackCell row={row} /> },
  { key: "token", label: "Token", sort: "token_market_cap", cell: (row) => <TokenCell row={row} /> },
  extra(
    "ethos",
    "Ethos",
    ({ ethos_score: score }) => (score !== null ? count(score) : <NoData reason="not known" />),
    "ethos_score",
  ),
  extra("volume", "Volume 24h", (row) => traded(row.volume_24h), "volume_24h"),
  extra("change", "Price 24h", (row) => traded(row.price_change_24h, priceChange), "price_change_24h"),
  extra("liquidity", "Liquidity", (row) => traded(row.liquidity_usd), "liquidity_usd"),
  extra("owner", "Owner", ({ owner_address: owner }) =>
    owner ? <OwnerLink owner={owner} /> : <NoData reason="not known" />,
  ),
  extra("framework", "Framework", (row) => ofOwn(row, ({ framework }) => <bdi>{framework || "—"}</bdi>)),
  extra("health", "Health", (row) => <HealthCell row={row} />),
  extra("chain", "Chain", ({ chain_id: chain }) =>
    chain === null ? <NoData reason="it is on no known chain" /> : chainLabel(chain),
  ),
  extra("soulbound", "Soulbound", (row) => ofOwn(row, ({ soulbound }) => (soulbound ? "Yes" : "No"))),
  { key: "age", label: "Age", sort: "created_at", className: "number", cell: (row) => when(row.created_at) },
  {
    key: "active",
    label: "Active",
    className: "number",
    cell: (row) =>
      !row.badges ? null : row.badges.active_at ? (
        when(row.badges.active_at)
      ) : (
        <NoData reason="it was never seen to act" />
      ),
  },
  extra("updated", "Updated", (row) => when(row.updated_at), "updated_at"),
];

/** Columns that cannot be hidden. */
const FIXED = new Set(["agent", "cred"]);
export const CHOOSABLE = COLUMNS.filter(({ key }) => !FIXED.has(key));

/** The columns shown. @param others keys of columns whose visibility differs from the default */
export const shownColumns = (others: readonly string[]): Column[] =>
  COLUMNS.filter(({ key, extra }) => (extra === true) === others.includes(key));
