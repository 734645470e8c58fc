/** Two to four agents side by side; who they are is in the address. */
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred.ts";
import { Radar } from "../agent/radar.tsx";
import { agent, agentPath, factors } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { Cred, NoData } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { count, date, originWords } from "../words.ts";

const MOST = 4;
const LINES = ["first", "second", "third", "fourth"];

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
  const rows: [string, (agent: Agent) => React.ReactNode][] = [
    ["Cred", ({ credScore }) => <Cred score={credScore} />],
    ["Points", ({ points }) => count(points)],
    ["Framework", ({ framework }) => <bdi>{framework}</bdi>],
    ["Registered", ({ mintedAt }) => date(mintedAt)],
    ["Registered by", ({ mintOrigin }) => originWords(mintOrigin).replace(/^by /, "")],
    ["Wallet", ({ verified }) => (verified ? "proven" : "not proven")],
    ["Exchange", ({ coinbaseVerified }) => (coinbaseVerified ? "attested" : "not attested")],
    ["Soulbound", ({ soulbound }) => (soulbound ? "yes" : "no")],
    ["Traits", ({ traits }) => traits.length],
  ];
  const shapes = ids.flatMap((_, i) => {
    const found = factorsOf(i);
    return found ? [{ factors: found, className: LINES[i]! }] : [];
  });
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>Compare</h1>
          <p>Two to four agents, signal by signal.</p>
        </div>
        <span className="actions">
          {ids.length < MOST && <Add add={(id) => setIds([...ids, id])} />}
          {ids.length > 0 && <ApiButton paths={ids.map(agentPath)} />}
        </span>
      </div>
      {ids.length === 0 ? (
        <Empty title="Nobody to compare yet">
          <p className="muted">
            Add agents by id or address, or choose them in the <Link href="/">directory</Link>.
          </p>
        </Empty>
      ) : (
        <div className="compare">
          {shapes.length > 0 && (
            <div className="panel">
              <Radar of={shapes} />
            </div>
          )}
          <section className="compare-scroll" aria-label="Comparison">
            <table className="plain-table compare-table">
              <thead>
                <tr>
                  <td />
                  {ids.map((id, i) => (
                    <th key={id} scope="col">
                      <span className={`compare-name ${LINES[i]}`}>
                        {known[i] ? (
                          <Link href={`/agent/${known[i].tokenId}`}>
                            <bdi>{known[i].name}</bdi>
                          </Link>
                        ) : agents[i]?.error ? (
                          <span className="warn-text">{agents[i].error.message}</span>
                        ) : (
                          "…"
                        )}
                        <button
                          type="button"
                          className="icon-button"
                          aria-label={`Take ${known[i]?.name ?? id} out`}
                          onClick={() => setIds(ids.filter((other) => other !== id))}
                        >
                          <Icon name="close" />
                        </button>
                      </span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(([label, cell]) => (
                  <tr key={label}>
                    <th scope="row">{label}</th>
                    {ids.map((id, i) => (
                      <td key={id}>{known[i] ? cell(known[i]) : <NoData reason="not loaded" />}</td>
                    ))}
                  </tr>
                ))}
                {SIGNALS.map(({ key, label, weight }) => {
                  const values = ids.map((_, i) => factorsOf(i)?.[key].rawScore);
                  const best = Math.max(...values.map((value) => value ?? -1));
                  return (
                    <tr key={key}>
                      <th scope="row">
                        {label} <span className="faint">{weight} %</span>
                      </th>
                      {ids.map((id, i) => (
                        <td key={id}>
                          {values[i] === undefined ? (
                            <NoData reason="not known" />
                          ) : values[i] === best && ids.length > 1 && best > 0 ? (
                            <b>
                              {values[i]} <span className="unseen">(best)</span>
                            </b>
                          ) : (
                            <span className="muted">{values[i]}</span>
                          )}
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </section>
        </div>
      )}
    </div>
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
        aria-label="Token id or address to add"
        placeholder="Token id or address"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={!usable}>
        Add
      </button>
    </form>
  );
}
