/** One found agent: who it is, what it offers at which price, and the reasons of its place. */
import { Link } from "wouter";
import type { DiscoveredHit } from "../api/types.ts";
import { CompareButton } from "../compare/bar.tsx";
import { platformLabel } from "../directory/facets.ts";
import { rowLink } from "../directory/source.ts";
import { count, short } from "../formats.ts";
import { Icon } from "../parts/button.tsx";
import { Cred, Sigil } from "../parts/cred.tsx";
import { Bar, Factors, headingOf, Marked, Offers } from "../parts/offers.tsx";

/** Fields whose text is elsewhere in the card. */
const SHOWN_ELSEWHERE = new Set(["name"]);

export function Hit({ hit }: { hit: DiscoveredHit }) {
  const { agent, highlights, offers, speaks, copies, liveness } = hit;
  const name = highlights.find(({ field }) => field === "name");
  const texts = highlights.filter(({ field }) => !SHOWN_ELSEWHERE.has(field)).slice(0, 2);
  return (
    <li className="hit">
      <div className="hit-head">
        <Sigil seed={`${agent.platform}:${agent.agent_id}`} score={agent.cred_score} size={44} />
        <span className="agent-words">
          <span className="agent-line">
            <Link href={rowLink(agent)} className="hit-name">
              {name ? <Marked {...name} /> : <bdi>{agent.name || "Unnamed"}</bdi>}
            </Link>
            {agent.verified === 1 && (
              <span className="tick" title="Its wallet is proven">
                <Icon name="check" />
                <span className="unseen">Wallet proven</span>
              </span>
            )}
          </span>
          <span className="agent-id clip">
            {platformLabel(agent.platform)} · {agent.tokenId !== null ? `#${agent.tokenId}` : short(agent.agent_id)}
            {agent.address && ` · ${short(agent.address)}`}
          </span>
        </span>
        <Cred score={agent.cred_score} />
        <CompareButton row={agent} />
      </div>
      <div className="hit-body">
        {texts.length > 0
          ? texts.map(({ field, text, ranges }) => (
              <p key={`${field} ${text}`} className="hit-text">
                <span className="hit-field">{headingOf(field)}</span> <Marked text={text} ranges={ranges} />
              </p>
            ))
          : agent.description && (
              <p className="hit-text hit-clamp">
                <bdi>{agent.description}</bdi>
              </p>
            )}
        <ul className="tags hit-tags">
          {speaks.map((protocol) => (
            <li key={protocol} className="tag">
              {protocol}
            </li>
          ))}
          {hit.foundBy.includes("meaning") && <li className="tag plain">found by meaning</li>}
          {liveness && (
            <li className="alive">
              <span className="dot" data-state={liveness.value >= 0.5 && !liveness.named ? "live" : ""} />
              {liveness.says}
            </li>
          )}
          {copies > 0 && (
            <li
              className="tag plain"
              title="Agents left out behind this one: near-identical ones of the same operator, ones of the same text, and others of its name"
            >
              +{count(copies)} like it
            </li>
          )}
        </ul>
        <Offers of={offers} all={hit.offerCount} />
      </div>
      <Why hit={hit} />
    </li>
  );
}

/** The factors as bars: first the two that the rank is the product of, then each part of the trust. */
function Why({ hit }: { hit: DiscoveredHit }) {
  const { relevance, trust, matched, factors } = hit;
  return (
    <section className="why" aria-label="Why it stands here">
      <div className="why-bars">
        <Bar label="Relevance" value={relevance} strong />
        <Bar label="Trust" value={trust} strong />
      </div>
      <div className="why-bars">
        {factors.map(({ key, value, says }) => (
          <Bar key={key} label={headingOf(key)} value={value} says={says} />
        ))}
      </div>
      <details className="more">
        <summary>Why it stands here</summary>
        <ul className="why-words">
          {matched.map(({ field, words }) => (
            <li key={field}>
              <b>{headingOf(field)}</b> has <bdi>{words.join(", ")}</bdi>.
            </li>
          ))}
          <Factors of={factors} />
        </ul>
      </details>
    </section>
  );
}
