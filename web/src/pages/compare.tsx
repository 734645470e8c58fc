/** Two to four agents side by side; the address has their ids. */

import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred.ts";
import { Radar } from "../agent/radar.tsx";
import { agent, agentPath, factors } from "../api/queries.ts";
import type { Agent, Factors } from "../api/types.ts";
import { Cred, NoData } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Empty } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { count, date, originWords } from "../words.ts";

/** Max agents side by side; each has a colour of its own. */
const MOST = 4;
const LINES = ["first", "second", "third", "fourth"];

const ROWS: [string, (agent: Agent) => React.ReactNode][] = [
  [say("compare.cred"), ({ credScore }) => <Cred score={credScore} />],
  [say("compare.points"), ({ points }) => count(points)],
  [say("compare.framework"), ({ framework }) => <bdi>{framework}</bdi>],
  [say("compare.registered"), ({ mintedAt }) => date(mintedAt)],
  [say("compare.registeredBy"), ({ mintOrigin }) => originWords(mintOrigin)],
  [say("compare.wallet"), ({ verified }) => (verified ? say("compare.proven") : say("compare.notProven"))],
  [
    say("compare.exchange"),
    ({ coinbaseVerified }) => (coinbaseVerified ? say("compare.attested") : say("compare.notAttested")),
  ],
  [say("compare.soulbound"), ({ soulbound }) => (soulbound ? say("compare.yes") : say("compare.no"))],
  [say("compare.traits"), ({ traits }) => count(traits.length)],
];

export default function ComparePage() {
  const [params, setParams] = useSearchParams();
  const ids = [
    ...new Set((params.get("ids") ?? "").split(",").filter((id) => /^(\d{1,15}|0x[0-9a-f]{40})$/i.test(id))),
  ].slice(0, MOST);
  const setIds = (next: string[]) => setParams(next.length > 0 ? { ids: next.join(",") } : {});
  const agents = useQueries({ queries: ids.map((id) => agent(id)) });
  const known = agents.map(({ data }) => data?.data);
  const breakdowns = useQueries({
    queries: ids.map((id, i) => ({ ...factors(known[i]?.agentAddress ?? id), enabled: known[i] !== undefined })),
  });
  const factorsOf = (i: number) =>
    breakdowns[i]?.data?.data.tokenId === known[i]?.tokenId ? breakdowns[i]?.data?.data.factors : undefined;
  const columns = ids.map((id, i) => ({ id, known: known[i], error: agents[i]?.error, factors: factorsOf(i) }));
  const shapes = columns.flatMap(({ factors }, i) => (factors ? [{ factors, className: LINES[i]! }] : []));
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{say("compare.compare")}</h1>
          <p>{say("compare.twoToFourAgentsSignal")}</p>
        </div>
        <span className="actions">
          {ids.length < MOST && <Add add={(id) => setIds([...ids, id])} />}
          {ids.length > 0 && <ApiButton paths={ids.map(agentPath)} />}
        </span>
      </div>
      {ids.length === 0 ? (
        <Empty title={say("compare.nobodyToCompareYet")}>
          <p className="muted">
            <Say k="compare.how" directory={(text) => <Link href="/">{text}</Link>} />
          </p>
        </Empty>
      ) : (
        <div className="compare">
          <div className="panel">
            <Radar of={shapes} />
          </div>
          <Comparison columns={columns} remove={(id) => setIds(ids.filter((other) => other !== id))} />
        </div>
      )}
    </div>
  );
}

/** One agent of the comparison; what is not loaded yet is undefined. */
type Column = {
  id: string;
  known: Agent | undefined;
  error: Error | null | undefined;
  factors: Factors | undefined;
};

const Comparison = ({ columns, remove }: { columns: Column[]; remove: (id: string) => void }) => (
  <Scroll label={say("compare.comparison")}>
    <table className="plain-table compare-table">
      <thead>
        <tr>
          <td />
          {columns.map((column, i) => (
            <th key={column.id} scope="col">
              <ColumnHead column={column} line={LINES[i]!} remove={() => remove(column.id)} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([label, cell]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {columns.map(({ id, known }) => (
              <td key={id}>{known ? cell(known) : <NoData reason={say("compare.notLoaded")} />}</td>
            ))}
          </tr>
        ))}
        {SIGNALS.map((signal) => (
          <SignalRow key={signal.key} signal={signal} columns={columns} />
        ))}
      </tbody>
    </table>
  </Scroll>
);

const ColumnHead = ({ column, line, remove }: { column: Column; line: string; remove: () => void }) => (
  <span className={`compare-name ${line}`}>
    {column.known ? (
      <Link href={`/agent/${column.known.tokenId}`}>
        <bdi>{column.known.name}</bdi>
      </Link>
    ) : column.error ? (
      <span className="warn-text">{column.error.message}</span>
    ) : (
      "…"
    )}
    <button
      type="button"
      className="icon-button"
      aria-label={say("compare.takeOut", { name: column.known?.name ?? column.id })}
      onClick={remove}
    >
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
      {columns.map(({ id }, i) => (
        <td key={id}>
          {values[i] === undefined ? (
            <NoData reason={say("compare.notKnown")} />
          ) : values[i] === best && columns.length > 1 && best > 0 ? (
            <b>
              {count(values[i])} <span className="unseen">{say("compare.best")}</span>
            </b>
          ) : (
            <span className="muted">{count(values[i])}</span>
          )}
        </td>
      ))}
    </tr>
  );
}

function Add({ add }: { add: (id: string) => void }) {
  const [text, setText] = useState("");
  const usable = /^(\d{1,15}|0x[0-9a-f]{40})$/i.test(text.trim());
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        if (usable) {
          add(text.trim());
          setText("");
        }
      }}
    >
      <input
        className="field"
        aria-label={say("compare.tokenIdOrAddressTo")}
        placeholder={say("compare.tokenIdOrAddress")}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={!usable}>
        {say("compare.add")}
      </button>
    </form>
  );
}
