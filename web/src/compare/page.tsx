/** Two to four agents side by side, of any registry; the address has their ids. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { Radar } from "../agent/radar.tsx";
import { agent as agentQuery, factors as factorsQuery } from "../api/queries.ts";
import type { Agent, Detail, Factors, Offering, Row, RowBadges } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { badges as badgesQuery, detail, detailPath, directory, offering, rowLink } from "../directory/source.ts";
import { readView } from "../directory/view.ts";
import { count, date, decimals, dollars, originWords, short } from "../formats.ts";
import { IconButton } from "../parts/button.tsx";
import { Cred, Named, NoData, Sigil } from "../parts/cred.tsx";
import {
  endpointsInShort,
  jobsInShort,
  paymentsInShort,
  reviewsInShort,
  type Short,
  unreviewed,
} from "../parts/evidence.tsx";
import { Page } from "../parts/panel.tsx";
import { ProofBadges, Token, UNTOLD } from "../parts/row-badges.tsx";
import { Empty } from "../parts/states.tsx";
import { Scroll } from "../parts/table.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { comparedText, MAX_COMPARED, readCompared, readIds, writeIds } from "./bar.tsx";

const STROKES = ["first", "second", "third", "fourth"];

/** One agent of the comparison, by its text in the address. */
type Column = ComparedFacts & { text: string; stroke: string; error: Error | null; factors: Factors | undefined };

function useColumns(texts: readonly string[]): Column[] {
  const named = texts.map((text) => readCompared(text)!);
  const details = useQueries({ queries: named.map(({ ref, platform }) => detail(ref, platform)) });
  const rows = details.map(({ data }) => data?.data);
  const offerings = useQueries({ queries: named.map(({ ref, platform }) => offering(ref, platform)) });
  const badges = useQuery(badgesQuery(rows.flatMap((row) => (row ? [row.id] : [])))).data?.data.marks;
  const isOwn = (i: number) => rows[i]?.platform === OWN_PLATFORM && rows[i].tokenId !== null;
  const agents = useQueries({
    queries: rows.map((row, i) => ({ ...agentQuery(String(row?.tokenId ?? "")), enabled: isOwn(i) })),
  }).map(({ data }) => data?.data);
  const breakdowns = useQueries({
    queries: agents.map((agent) => ({ ...factorsQuery(agent?.agentAddress ?? ""), enabled: agent !== undefined })),
  });
  return texts.map((text, i) => {
    const [row, agent] = [rows[i], isOwn(i) ? agents[i] : undefined];
    // The API has factors by wallet, for the wallet's own agent; that may be another token.
    const broken = breakdowns[i]?.data?.data;
    return {
      text,
      stroke: STROKES[i]!,
      error: details[i]!.error,
      detail: row,
      offering: offerings[i]?.data?.data,
      badges: badges?.find(({ id }) => id === row?.id),
      agent,
      factors: agent && broken?.tokenId === agent.tokenId ? broken.factors : undefined,
    };
  });
}

export default function ComparePage() {
  const [params, setParams] = useSearchParams();
  const texts = readIds(params.get("ids"));
  const setTexts = (next: string[]) => setParams(next.length > 0 ? { ids: writeIds(next) } : {});
  const columns = useColumns(texts);
  const shapes = columns.flatMap(({ factors, stroke }) => (factors ? [{ factors, className: stroke }] : []));
  return (
    <Page
      title="Compare"
      lead="Two to four agents of any registry, side by side."
      beside={
        <span className="actions">
          {texts.length < MAX_COMPARED && (
            <Add chosen={texts} add={(text) => !texts.includes(text) && setTexts([...texts, text])} />
          )}
          {texts.length > 0 && (
            <ApiButton
              paths={texts.map((text) => {
                const { ref, platform } = readCompared(text)!;
                return detailPath(ref, platform);
              })}
            />
          )}
        </span>
      }
    >
      {texts.length === 0 ? (
        <Empty title="Nobody to compare yet">
          <p className="muted">
            Add agents by name, id or address, or choose them in the <Link href="/">directory</Link> or in{" "}
            <Link href="/discover">Discover</Link>.
          </p>
        </Empty>
      ) : (
        <div className="compare">
          <Comparison columns={columns} remove={(text) => setTexts(texts.filter((other) => other !== text))} />
          {shapes.length > 0 && (
            <div className="panel">
              <Radar of={shapes} />
            </div>
          )}
        </div>
      )}
    </Page>
  );
}

const Comparison = ({ columns, remove }: { columns: Column[]; remove: (text: string) => void }) => (
  <Scroll label="Comparison">
    <table className="plain-table compare-table">
      <thead>
        <tr>
          <td />
          {columns.map((column) => (
            <th key={column.text} scope="col">
              <ColumnHead column={column} remove={() => remove(column.text)} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {LINES.map(({ label, cell }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {columns.map((column) => (
              <td key={column.text}>{cell(column)}</td>
            ))}
          </tr>
        ))}
        {columns.some(({ agent }) => agent) &&
          SIGNALS.map((signal) => <SignalRow key={signal.key} signal={signal} columns={columns} />)}
      </tbody>
    </table>
  </Scroll>
);

const ColumnHead = ({ column: { detail, error, stroke, text }, remove }: { column: Column; remove: () => void }) => (
  <span className={`compare-name ${stroke}`}>
    {detail ? (
      <Named href={rowLink(detail)} name={detail.name || "Unnamed"} />
    ) : error ? (
      <span className="warn-text">{text} is not known</span>
    ) : (
      "…"
    )}
    <IconButton icon="close" label={`Take ${detail?.name ?? text} out`} onClick={remove} />
  </span>
);

/** Raw values of one signal; the best is bold, unless all are 0. */
function SignalRow({ signal, columns }: { signal: (typeof SIGNALS)[number]; columns: Column[] }) {
  const values = columns.map(({ factors }) => factors?.[signal.key].rawScore);
  const best = Math.max(...values.map((value) => value ?? -1));
  return (
    <tr>
      <th scope="row">
        {signal.label} <span className="faint">{count(signal.weight)}&nbsp;%</span>
      </th>
      {columns.map(({ text, detail }, i) => (
        <td key={text}>
          {values[i] === undefined ? (
            <NoData reason={detail && detail.platform !== OWN_PLATFORM ? OWN_ONLY : "not known"} />
          ) : values[i] === best && columns.length > 1 && best > 0 ? (
            <b>
              {count(values[i])} <span className="unseen">(best)</span>
            </b>
          ) : (
            <span className="muted">{count(values[i])}</span>
          )}
        </td>
      ))}
    </tr>
  );
}

/** What is known of one agent; undefined while it is loaded. */
type ComparedFacts = {
  detail: Detail | undefined;
  offering: Offering | undefined;
  badges: RowBadges | undefined;
  /** Own agents only. */
  agent: Agent | undefined;
};

type Cell<T> = (of: T) => ReactNode;
type Line = { label: string; cell: (of: ComparedFacts) => ReactNode };

const waiting = () => <NoData reason="not loaded" />;
const nothing = (reason: string) => <NoData reason={reason} />;

const ofDetail = (label: string, cell: Cell<Detail>): Line => ({
  label,
  cell: ({ detail }) => (detail ? cell(detail) : waiting()),
});
const ofOffering = (label: string, cell: Cell<Offering>): Line => ({
  label,
  cell: ({ offering }) => (offering ? cell(offering) : waiting()),
});
const ofBadges = (label: string, cell: (of: RowBadges, platform: string) => ReactNode): Line => ({
  label,
  cell: ({ badges, detail }) => (badges && detail ? cell(badges, detail.platform) : waiting()),
});
/** Why an agent of another registry lacks what only the own one has. */
const OWN_ONLY = "other registries do not tell it";
/** A row of own agents: other registries do not have it. */
const ofOwn = (label: string, cell: Cell<Agent>): Line => ({
  label,
  cell: ({ agent, detail }) =>
    agent ? cell(agent) : detail && detail.platform !== OWN_PLATFORM ? nothing(OWN_ONLY) : waiting(),
});

function lowestPrice({ offers }: Offering): ReactNode {
  const prices = offers.flatMap(({ priceUsd }) => (priceUsd === null ? [] : [priceUsd]));
  return prices.length === 0 ? nothing("no offer states a price") : dollars(Math.min(...prices));
}

/** A figure with its words; a dash with the reason where nothing is known. */
const inShort = ({ figure, words }: Short): ReactNode =>
  figure === null ? (
    nothing(words)
  ) : (
    <>
      <b>{figure}</b> <span className="muted">{words}</span>
    </>
  );

const LINES: readonly Line[] = [
  ofDetail("Cred", ({ cred_score }) => <Cred score={cred_score} />),
  ofDetail("Registry", ({ platform }) => platformLabel(platform)),
  ofDetail("Registered", ({ created_at }) => (created_at === null ? nothing(UNTOLD.date) : date(created_at))),
  ofBadges("Proofs", (badges, platform) => <ProofBadges badges={badges} own={platform === OWN_PLATFORM} />),
  ofBadges("Speaks", ({ protocols }) =>
    // Marks would break within their words where four agents share the width of a phone.
    protocols.length > 0 ? protocols.join(", ") : nothing(UNTOLD.protocols),
  ),
  ofOffering("Offers", ({ offerCount }) =>
    offerCount === 0 ? nothing("it offers nothing that can be called") : count(offerCount),
  ),
  ofOffering("From", lowestPrice),
  ofOffering("Answers", ({ liveness }) => inShort(endpointsInShort(liveness))),
  ofOffering("Paid", ({ payments }) => inShort(paymentsInShort(payments))),
  ofOffering("Hired", ({ jobs }) => inShort(jobsInShort(jobs))),
  {
    label: "Reviews",
    cell: ({ offering, badges, detail }) => {
      if (!offering || !badges || !detail) return waiting();
      const short = reviewsInShort(offering.reviews);
      const words = offering.reviews ? short.words : unreviewed(badges, detail.platform === OWN_PLATFORM);
      return inShort({ ...short, words });
    },
  },
  ofOffering("Trust", ({ trust }) =>
    trust === null ? nothing("it is new here: it is read within a minute") : decimals(100 * trust, 1),
  ),
  ofDetail("Token", (detail) => <Token row={detail} />),
  ofOwn("Points", ({ points }) => count(points)),
  ofOwn("Framework", ({ framework }) => <bdi>{framework}</bdi>),
  ofOwn("Registration", ({ mintOrigin }) => originWords(mintOrigin)),
  ofOwn("Soulbound", ({ soulbound }) => (soulbound ? "yes" : "no")),
  ofOwn("Traits", ({ traits }) => count(traits.length)),
];

const MAX_FOUND = 6;

function Add({ chosen, add }: { chosen: readonly string[]; add: (text: string) => void }) {
  const [text, setText] = useState("");
  const q = useDeferredValue(text.trim());
  const { data } = useQuery({
    ...directory(readView(new URLSearchParams({ q })), MAX_FOUND),
    enabled: q !== "",
    refetchInterval: false,
  });
  const matches = q === "" ? [] : (data?.data.agents ?? []).filter((row) => !chosen.includes(comparedText(row)));
  const choose = (row: Row | undefined) => {
    if (!row) return;
    add(comparedText(row));
    setText("");
  };
  return (
    <search className="compare-add">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          choose(matches[0]);
        }}
      >
        <input
          className="field"
          type="search"
          aria-label="Name, id or address of an agent to add"
          placeholder="Add by name, id or address"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      {q !== "" && (
        <ul className="compare-found">
          {matches.map((row) => (
            <li key={row.id}>
              <button type="button" className="menu-item" onClick={() => choose(row)}>
                <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} size={28} />
                <span className="agent-words">
                  <b className="clip">
                    <bdi>{row.name}</bdi>
                  </b>
                  <span className="agent-id clip">
                    {platformLabel(row.platform)} · {short(row.agent_id)}
                  </span>
                </span>
                <Cred score={row.cred_score} />
              </button>
            </li>
          ))}
          {data && matches.length === 0 && <li className="menu-note faint">No agent is called that.</li>}
        </ul>
      )}
    </search>
  );
}
