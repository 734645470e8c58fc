/** The eight signals of a score as a radar chart; the table next to it has the numbers. */
import { SIGNALS } from "../../../core/cred/cred.ts";
import type { Factors } from "../api/types.ts";

const MIDDLE = { x: 150, y: 130 };
const REACH = 88;

const point = (index: number, part: number): [number, number] => {
  const angle = (index / SIGNALS.length) * 2 * Math.PI - Math.PI / 2;
  return [MIDDLE.x + Math.cos(angle) * REACH * part, MIDDLE.y + Math.sin(angle) * REACH * part];
};
const outline = (parts: number[]) =>
  `M${parts
    .map((part, i) =>
      point(i, part)
        .map((n) => n.toFixed(1))
        .join(" "),
    )
    .join("L")}Z`;

/** @param of one or several agents, each with the class of its line */
export function Radar({ of }: { of: { factors: Factors; className: string }[] }) {
  return (
    <svg className="radar" viewBox="-12 0 324 262" aria-hidden="true">
      {[0.25, 0.5, 0.75, 1].map((part) => (
        <path key={part} className="radar-web" d={outline(SIGNALS.map(() => part))} />
      ))}
      {SIGNALS.map(({ key, label }, i) => {
        const [x, y] = point(i, 1);
        const [textX, textY] = point(i, 1.16);
        const anchor = Math.abs(textX - MIDDLE.x) < 12 ? "middle" : textX > MIDDLE.x ? "start" : "end";
        return (
          <g key={key}>
            <line className="radar-web" x1={MIDDLE.x} y1={MIDDLE.y} x2={x} y2={y} />
            <text x={textX} y={textY + 4} textAnchor={anchor}>
              {label.split(" ").find((word) => !["Onchain", "Exchange", "Account", "Mint"].includes(word)) ?? label}
            </text>
          </g>
        );
      })}
      {of.map(({ factors, className }) => (
        <path
          key={className}
          className={`radar-shape ${className}`}
          d={outline(SIGNALS.map(({ key }) => factors[key].rawScore / 100))}
        />
      ))}
    </svg>
  );
}
