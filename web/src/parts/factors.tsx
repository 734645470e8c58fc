/** What an agent is trusted by: each factor as a bar, and as a sentence with its weight. */
import type { DiscoveredHit } from "../api/types.ts";

/** A field or a factor as a heading. */
export const headingOf = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1);

const percentOf = (fraction: number) => `${Math.round(fraction * 100)}%`;

/** Items of a list: one for each factor. */
export const Factors = ({ of }: { of: DiscoveredHit["factors"] }) =>
  of.map(({ key, weight, says }) => (
    <li key={key}>
      <b>{headingOf(key)}</b> <span className="faint">weight {percentOf(weight)}</span> {says}
    </li>
  ));

export const Bar = ({
  label,
  value,
  says,
  strong,
}: {
  label: string;
  value: number;
  says?: string;
  strong?: boolean;
}) => (
  <span className="bar-line" data-strong={strong} title={says}>
    <span className="bar-label">{label}</span>
    <svg className="bar-fill" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" className="track" />
      <rect width={Math.round(value * 100)} height="4" className="fill" />
    </svg>
    <span className="bar-value">{Math.round(value * 100)}</span>
  </span>
);
