/** A small icon drawn from an agent's platform and id: equal for the same agent, in the colour of its tier. Pictures of other hosts are never loaded. */
import { tierOf } from "../tiers.ts";

/** FNV-1a, then one xorshift step a number. */
function* numbers(seed: string): Generator<number> {
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ letter.codePointAt(0)!, 0x01000193);
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield (state >>> 0) / 2 ** 32;
  }
}

export function Sigil({ seed, score, size = 36 }: { seed: string; score: number | null; size?: number }) {
  const stream = numbers(seed);
  const next = () => stream.next().value as number;
  const arcs = [15, 11, 7].map((radius) => {
    const round = 2 * Math.PI * radius;
    return { radius, round, length: round * (0.25 + 0.55 * next()), turn: Math.round(next() * 360) };
  });
  return (
    <svg
      className="sigil"
      data-tier={score === null ? "junk" : tierOf(score).key}
      width={size}
      height={size}
      viewBox="0 0 40 40"
      aria-hidden="true"
    >
      <circle cx="20" cy="20" r="19.5" className="sigil-ground" />
      {arcs.map(({ radius, round, length, turn }, i) => (
        <circle
          key={radius}
          cx="20"
          cy="20"
          r={radius}
          className={`sigil-arc arc-${i}`}
          strokeDasharray={`${length} ${round}`}
          transform={`rotate(${turn} 20 20)`}
        />
      ))}
      <circle cx="20" cy="20" r="2.2" className="sigil-heart" />
    </svg>
  );
}
