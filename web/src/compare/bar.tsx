/** Choosing agents to compare: the button of each, and the bar that leads to the comparison. */
import { Link } from "wouter";
import type { Row } from "../api/types.ts";
import { count } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { store, toggleStored, useStored } from "../stored.ts";
import { comparedText, comparePath } from "./compared.ts";

export function CompareButton({ row }: { row: Pick<Row, "platform" | "agent_id" | "tokenId" | "name"> }) {
  const text = comparedText(row);
  return (
    <button
      type="button"
      className="icon-button"
      aria-pressed={useStored("compared").includes(text)}
      aria-label={`Compare ${row.name}`}
      onClick={() => toggleStored("compared", text)}
    >
      <Icon name="compare" />
    </button>
  );
}

/** Leads to the comparison of an agent with those that are chosen. @param text as `comparedText` names it */
export function CompareLink({ text }: { text: string }) {
  const others = useStored("compared").filter((other) => other !== text);
  return (
    <Link className="button" href={comparePath([text, ...others])}>
      <Icon name="compare" /> Compare
    </Link>
  );
}

export function CompareBar() {
  const compared = useStored("compared");
  if (compared.length === 0) return null;
  return (
    <div className="compare-bar">
      <span>{count(compared.length)} chosen</span>
      {compared.length > 1 ? (
        <Link className="button strong" href={comparePath(compared)}>
          Compare
        </Link>
      ) : (
        <span className="faint">choose one more</span>
      )}
      <button type="button" className="icon-button" aria-label="Choose none" onClick={() => store("compared", [])}>
        <Icon name="close" />
      </button>
    </div>
  );
}
