/** Choosing agents to compare: how addresses and this browser name them, the button of each, and the bar that leads to the comparison. */
import { Link } from "wouter";
import { OWN_PLATFORM, PLATFORMS } from "../../../core/directory/platforms.ts";
import type { Row } from "../api/types.ts";
import { count } from "../formats.ts";
import { Icon, IconButton } from "../parts/button.tsx";
import { store, toggleStored, useStored } from "../stored.ts";

/** Max agents side by side; each has a colour of its own. */
export const MAX_COMPARED = 4;

/** An agent as the directory finds it. */
type ComparedAgent = { platform: string; ref: string };

/** `12` is an own agent, `erc8004:31` one of another registry. */
export const comparedText = ({
  platform,
  agent_id,
  tokenId,
}: Pick<Row, "platform" | "agent_id" | "tokenId">): string =>
  platform === OWN_PLATFORM && tokenId !== null ? String(tokenId) : `${platform}:${agent_id}`;

/** @returns null for a text that names no agent; an own one may be named by its address, too */
export function readCompared(text: string): ComparedAgent | null {
  if (/^(\d{1,15}|0x[0-9a-f]{40})$/i.test(text)) return { platform: OWN_PLATFORM, ref: text };
  const at = text.indexOf(":");
  const [platform, ref] = [text.slice(0, at), text.slice(at + 1)];
  return at > 0 && ref !== "" && PLATFORMS.some(({ key }) => key === platform) ? { platform, ref } : null;
}

/** Ids of agents are untrusted texts: a comma in an id does not end it. */
export const writeIds = (texts: readonly string[]): string =>
  texts.map((text) => text.replaceAll(",", "%2C")).join(",");
export const readIds = (ids: string | null): string[] =>
  [...new Set((ids ?? "").split(",").map((text) => text.replaceAll("%2C", ",")))]
    .filter((text) => readCompared(text) !== null)
    .slice(0, MAX_COMPARED);

const comparePath = (texts: readonly string[]): string =>
  `/compare?${new URLSearchParams({ ids: writeIds(texts.slice(0, MAX_COMPARED)) })}`;

export function CompareButton({ row }: { row: Pick<Row, "platform" | "agent_id" | "tokenId" | "name"> }) {
  const text = comparedText(row);
  return (
    <IconButton
      icon="compare"
      label={`Compare ${row.name}`}
      aria-pressed={useStored("compared").includes(text)}
      onClick={() => toggleStored("compared", text)}
    />
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
      <IconButton icon="close" label="Choose none" onClick={() => store("compared", [])} />
    </div>
  );
}
