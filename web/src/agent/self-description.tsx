/** What an agent says of itself: narrative, personality, and where else it can be found. */
import type { Agent } from "../api/types.ts";
import { count } from "../formats.ts";
import { OutLink, webAddress } from "../parts/out-link.tsx";

const LEVELS = { riskTolerance: "Risk tolerance", autonomyLevel: "Autonomy" } as const;
const TEXTS = {
  origin: "Origin",
  mission: "Mission",
  lore: "Lore",
  manifesto: "Manifesto",
} as const;
const MANNERS = {
  quirks: "Quirks",
  communicationStyle: "Style",
  values: "Values",
  humor: "Humor",
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
    return <p className="muted">It has not stated anything about itself.</p>;
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
            {count(level)} of 10
          </dd>
        </div>
      ))}
      {places.map(([place, text]) => (
        <div key={place}>
          <dt>{place[0]!.toUpperCase() + place.slice(1)}, as it says</dt>
          <dd>{webAddress(text) ? <OutLink text={text} /> : <bdi>{text}</bdi>}</dd>
        </div>
      ))}
    </dl>
  );
}
