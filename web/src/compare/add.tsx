/** Adds an agent to the comparison: by a part of its name, by its id or by an address. */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { Row } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { directory } from "../directory/source.ts";
import { readView } from "../directory/view.ts";
import { short } from "../formats.ts";
import { Cred } from "../parts/cred.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { comparedText } from "./compared.ts";

const MAX_FOUND = 6;

export function Add({ chosen, add }: { chosen: readonly string[]; add: (text: string) => void }) {
  const [text, setText] = useState("");
  const q = useDeferredValue(text.trim());
  const { data } = useQuery({
    ...directory(readView(new URLSearchParams({ q })), MAX_FOUND),
    enabled: q !== "",
    refetchInterval: false,
  });
  const found = q === "" ? [] : (data?.data.agents ?? []).filter((row) => !chosen.includes(comparedText(row)));
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
          choose(found[0]);
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
          {found.map((row) => (
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
          {data && found.length === 0 && <li className="menu-note faint">No agent is called that.</li>}
        </ul>
      )}
    </search>
  );
}
