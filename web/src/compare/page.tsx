/** Two to four agents side by side, of any registry; the address has their ids. */

import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { Radar } from "../agent/radar.tsx";
import { agent as agentQuery, factors as factorsQuery } from "../api/queries.ts";
import type { Factors } from "../api/types.ts";
import { badges as badgesQuery, detail, detailPath, offering, rowLink } from "../directory/source.ts";
import { count } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Named } from "../parts/named.tsx";
import { Page } from "../parts/panel.tsx";
import { Empty } from "../parts/states.tsx";
import { Scroll } from "../parts/table.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { Add } from "./add.tsx";
import { MAX_COMPARED, readCompared, readIds, writeIds } from "./compared.ts";
import { type ComparedFacts, LINES, OWN_ONLY } from "./rows.tsx";

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
    <button type="button" className="icon-button" aria-label={`Take ${detail?.name ?? text} out`} onClick={remove}>
      <Icon name="close" />
    </button>
  </span>
);

/** Raw values of one signal; the best is bold, unless all are 0. */
function SignalRow({ signal, columns }: { signal: (typeof SIGNALS)[number]; columns: Column[] }) {
  const values = columns.map(({ factors }) => factors?.[signal.key].rawScore);
  const best = Math.max(...values.map((value) => value ?? -1));
  return (
    <tr>
      <th scope="row">
        {signal.label} <span className="faint">{count(signal.weight)} %</span>
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
