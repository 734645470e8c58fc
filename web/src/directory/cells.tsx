/** The columns of the table, and the cells that the cards of small screens share with it. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RowBadges } from "../api/types.ts";
import { CompareButton } from "../compare/bar.tsx";
import { age, count, moment, percent, short, usd } from "../formats.ts";
import { Cred, NoData } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Change, ProofBadges, Protocols, Sparkline } from "../parts/row-badges.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { say } from "../say.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { chainLabel, platformLabel } from "./facets.ts";
import { useChanged } from "./live.ts";
import { type BadgedRow, type Row, rowLink } from "./source.ts";
import type { Sort } from "./view.ts";

const OWN = "helixa";

export function AgentCell({ row }: { row: Row }) {
  return (
    <span className="agent-cell">
      <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} />
      <span className="agent-words">
        <span className="agent-line">
          <Link href={rowLink(row)} className="row-link clip">
            <bdi>{row.name || say("directory.unnamed")}</bdi>
          </Link>
          {row.verified === 1 && (
            <span className="tick" title={say("directory.walletProven")}>
              <Icon name="check" />
              <span className="unseen">{say("directory.walletProven")}</span>
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
    <NoData reason={say("directory.noProtocol")} />
  );
}

function FeedbackCell({ row }: { row: BadgedRow }) {
  if (!row.badges) return null;
  const { feedback } = row.badges;
  if (feedback === null) return <NoData reason={say("directory.takesNoFeedback")} />;
  if (feedback.count === 0) return <NoData reason={say("directory.noFeedback")} />;
  return (
    <span title={say("directory.feedback", { count: feedback.count, reviewers: feedback.reviewers })}>
      {count(feedback.count)} <span className="faint">{say("directory.reviewers", { n: feedback.reviewers })}</span>
    </span>
  );
}

const PriceChange = ({ of, before = "" }: { of: number; before?: string }) => (
  <span className={of < 0 ? "down" : "up"}>
    {before}
    {percent(of)}
  </span>
);

/** Shows with a token that does not count who states that it is the agent's. */
const TokenMark = ({ row }: { row: Pick<Row, "token_source" | "counts"> }) =>
  row.counts === false ? (
    <span
      className="tag"
      title={say(row.token_source === "claimed" ? "directory.claimedNote" : "directory.linkedNote")}
    >
      {say(row.token_source === "claimed" ? "directory.claimed" : "directory.linked")}
    </span>
  ) : null;

/** The token in a list. Anybody can claim a token, so a claim is shown only on the agent's page. */
export const TokenCell = ({ row }: { row: Row }) =>
  row.token_source === "claimed" ? <NoData reason={say("directory.onlyClaimed")} /> : <Token row={row} />;

/** An agent's token with its figures, and who states that it is the agent's. */
export function Token({ row }: { row: Row }) {
  if (row.token_source === null) return <NoData reason={say("directory.noToken")} />;
  return (
    <span className="token">
      <span>
        <b>
          <bdi>{row.token_symbol ?? short(row.token_address!)}</bdi>
        </b>
        <TokenMark row={row} />
      </span>
      <span className="faint">
        {row.token_market_cap === null ? say("directory.noMarket") : usd(row.token_market_cap)}
        {row.price_change_24h !== null && <PriceChange of={row.price_change_24h} before=" " />}
      </span>
    </span>
  );
}

export function RowActions({ row }: { row: Row }) {
  const ref = rowLink(row);
  const watched = useStored("watched").includes(ref);
  return (
    <span className="row-actions">
      <CompareButton row={row} />
      <button
        type="button"
        className="icon-button star"
        aria-pressed={watched}
        aria-label={say("directory.watchOne", { name: row.name })}
        onClick={() => toggleStored("watched", ref)}
      >
        <Icon name="star" filled={watched} />
      </button>
    </span>
  );
}

const when = (iso: string | null) =>
  iso === null ? (
    <NoData reason={say("directory.notSaid")} />
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
  !row.badges ? null : row.platform === OWN ? cell(row.badges) : <NoData reason={say("directory.ownOnly")} />;

/** Whether its endpoints answer: in a word, not by colour alone. */
function HealthCell({ row }: { row: BadgedRow }) {
  if (!row.badges) return null;
  const { health } = row.badges;
  if (health === null) return <NoData reason={say("directory.notChecked")} />;
  const state = health.value === 1 ? "answers" : health.value === 0 ? "silent" : "partly";
  return (
    <span className={state === "answers" ? "up" : state === "silent" ? "down" : undefined} title={health.says}>
      {say(`directory.health.${state}`)}
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

export const COLUMNS: Column[] = [
  {
    key: "agent",
    label: say("directory.column.agent"),
    sort: "name",
    className: "wide",
    cell: (row) => <AgentCell row={row} />,
  },
  { key: "cred", label: say("directory.column.cred"), sort: "cred_score", cell: (row) => <CredCell row={row} /> },
  { key: "proofs", label: say("directory.column.proofs"), cell: (row) => <ProofsCell row={row} column /> },
  {
    key: "platform",
    label: say("directory.column.platform"),
    sort: "platform",
    cell: (row) => <span className="tag plain">{platformLabel(row.platform)}</span>,
  },
  {
    key: "protocols",
    label: say("directory.column.protocols"),
    cell: (row) => <ProtocolsCell row={row} />,
  },
  {
    key: "feedback",
    label: say("directory.column.feedback"),
    className: "number roomy",
    cell: (row) => <FeedbackCell row={row} />,
  },
  {
    key: "token",
    label: say("directory.column.token"),
    sort: "token_market_cap",
    cell: (row) => <TokenCell row={row} />,
  },
  {
    key: "ethos",
    label: say("directory.column.ethos"),
    sort: "ethos_score",
    extra: true,
    className: "number",
    cell: (row) => (row.ethos_score !== null ? count(row.ethos_score) : <NoData reason={say("directory.notKnown")} />),
  },
  {
    key: "volume",
    label: say("directory.column.volume"),
    sort: "volume_24h",
    extra: true,
    className: "number",
    cell: (row) => (row.volume_24h === null ? <NoData reason={say("directory.noMarket")} /> : usd(row.volume_24h)),
  },
  {
    key: "change",
    label: say("directory.column.change"),
    sort: "price_change_24h",
    extra: true,
    className: "number",
    cell: (row) =>
      row.price_change_24h === null ? (
        <NoData reason={say("directory.noMarket")} />
      ) : (
        <PriceChange of={row.price_change_24h} />
      ),
  },
  {
    key: "liquidity",
    label: say("directory.column.liquidity"),
    sort: "liquidity_usd",
    extra: true,
    className: "number",
    cell: (row) =>
      row.liquidity_usd === null ? <NoData reason={say("directory.noMarket")} /> : usd(row.liquidity_usd),
  },
  {
    key: "owner",
    label: say("directory.column.owner"),
    extra: true,
    cell: (row) =>
      row.owner_address ? <OwnerLink owner={row.owner_address} /> : <NoData reason={say("directory.notKnown")} />,
  },
  {
    key: "framework",
    label: say("directory.column.framework"),
    extra: true,
    cell: (row) => ofOwn(row, ({ framework }) => <bdi>{framework || "—"}</bdi>),
  },
  { key: "health", label: say("directory.column.health"), extra: true, cell: (row) => <HealthCell row={row} /> },
  {
    key: "chain",
    label: say("directory.column.chain"),
    extra: true,
    cell: (row) => (row.chain_id === null ? <NoData reason={say("directory.noChain")} /> : chainLabel(row.chain_id)),
  },
  {
    key: "soulbound",
    label: say("directory.column.soulbound"),
    extra: true,
    cell: (row) => ofOwn(row, ({ soulbound }) => say(soulbound ? "directory.yes" : "directory.no")),
  },
  {
    key: "age",
    label: say("directory.column.age"),
    sort: "created_at",
    className: "number",
    cell: (row) => when(row.created_at),
  },
  {
    key: "active",
    label: say("directory.column.active"),
    className: "number",
    cell: (row) =>
      !row.badges ? null : row.badges.active_at ? (
        when(row.badges.active_at)
      ) : (
        <NoData reason={say("directory.notSeen")} />
      ),
  },
  {
    key: "updated",
    label: say("directory.column.updated"),
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
