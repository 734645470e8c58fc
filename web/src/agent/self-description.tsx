/** What an agent says of itself: narrative, personality, and where else it can be found. */

import type { Agent } from "../api/types.ts";
import { OutLink, webAddress } from "../parts/out-link.tsx";
import { say } from "../say.tsx";

const LEVELS = { riskTolerance: say("agent.riskTolerance"), autonomyLevel: say("agent.autonomy") } as const;
const TEXTS = {
  origin: say("agent.origin"),
  mission: say("agent.mission"),
  lore: say("agent.lore"),
  manifesto: say("agent.manifesto"),
} as const;
const MANNERS = {
  quirks: say("agent.quirks"),
  communicationStyle: say("agent.style"),
  values: say("agent.values"),
  humor: say("agent.humor"),
} as const;

export function SelfDescription({ agent: { narrative, personality, socials } }: { agent: Agent }) {
  const texts = [
    ...Object.entries(TEXTS).map(([key, label]) => [label, narrative?.[key as keyof typeof TEXTS]] as const),
    ...Object.entries(MANNERS).map(([key, label]) => [label, personality?.[key as keyof typeof MANNERS]] as const),
  ].filter(([, text]) => text?.trim());
  const levels = Object.entries(LEVELS).flatMap(([key, label]) => {
    const level = personality?.[key as keyof typeof LEVELS];
    return level == null ? [] : [[label, level] as const];
  });
  // `x` repeats what is stated under `twitter`, or what is proven, which is among the verifications.
  const places = Object.entries(socials).filter(([place, text]) => place !== "x" && text);
  if (texts.length + levels.length + places.length === 0)
    return <p className="muted">{say("agent.itHasNotToldAnything")}</p>;
  return (
    <dl className="words">
      {texts.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <bdi>{text}</bdi>
          </dd>
        </div>
      ))}
      {levels.map(([label, level]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="level">
            <span className="level-bar" aria-hidden="true">
              {Array.from({ length: 10 }, (_, i) => (
                <i key={i} data-on={i < level || undefined} />
              ))}
            </span>
            {say("agent.levelOf", { level })}
          </dd>
        </div>
      ))}
      {places.map(([place, text]) => (
        <div key={place}>
          <dt>{say("agent.asItSays", { slice: place[0]!.toUpperCase() + place.slice(1) })}</dt>
          <dd>{webAddress(text) ? <OutLink text={text} /> : <bdi>{text}</bdi>}</dd>
        </div>
      ))}
    </dl>
  );
}
