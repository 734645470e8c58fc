/** What stands for an agent in a line: its sigil, its name, and its score as number, tier and ring. */
import { Link } from "wouter";
import { count } from "../formats.ts";
import { type Scored, SHAPES, tierOf, tierWords } from "../tiers.ts";

export const TierShape = ({ tier }: { tier: keyof typeof SHAPES }) => (
  <svg className="tier-shape" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
    <path
      d={SHAPES[tier].path}
      fill={SHAPES[tier].filled ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={SHAPES[tier].filled ? 0 : 1.8}
      strokeLinecap="round"
    />
  </svg>
);

/** @param score null = no data: shown as a dash with the reason, never as 0 */
export function Cred({ score, of = "agent" }: { score: number | null; of?: Scored }) {
  if (score === null) return <NoData reason="no score yet" />;
  const tier = tierOf(score);
  const { label, meaning } = tierWords(score, of);
  return (
    <span className="cred" data-tier={tier.key} title={meaning}>
      <b>{score}</b>
      <span className="cred-words">
        <span className="cred-tier">
          <TierShape tier={tier.key} />
          {label}
        </span>
        <svg className="cred-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
          <rect width="100" height="3" className="track" />
          <rect width={score} height="3" className="fill" />
        </svg>
      </span>
    </span>
  );
}

export const NoData = ({ reason }: { reason: string }) => (
  <span className="faint" title={reason}>
    —<span className="unseen"> {reason}</span>
  </span>
);

const ROUND = 2 * Math.PI * 52;

/** The ring of the card, filled in proportion to the score, with the way to how it is made. */
export function ScoreRing({ score, of = "agent", size = 132 }: { score: number; of?: Scored; size?: number }) {
  const tier = tierOf(score);
  const { label, meaning } = tierWords(score, of);
  return (
    <span className="ring-figure" title={meaning}>
      <svg
        className="ring"
        data-tier={tier.key}
        width={size}
        height={size}
        viewBox="0 0 132 132"
        role="img"
        aria-label={`Cred score ${count(score)} of 100, ${label}`}
      >
        <circle cx="66" cy="66" r="62" className="ring-ticks" />
        <circle cx="66" cy="66" r="52" className="ring-track" />
        <circle
          cx="66"
          cy="66"
          r="52"
          className="ring-fill"
          strokeDasharray={`${(ROUND * score) / 100} ${ROUND}`}
          transform="rotate(-90 66 66)"
        />
        <text x="66" y="73" className="ring-score">
          {score}
        </text>
        <text x="66" y="92" className="ring-tier">
          {label.toUpperCase()}
        </text>
      </svg>
      <Link href="/score">How it is made</Link>
    </span>
  );
}

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

/** Drawn from an agent's platform and id, in the colour of its tier. Pictures of other hosts are never loaded. */
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

type NamedProps = { href: string; name: string; className?: string | undefined; onClick?: () => void };

export const Named = ({ name, ...link }: NamedProps) => (
  <Link {...link}>
    <bdi>{name}</bdi>
  </Link>
);

type AgentProps = { agent: { tokenId: number; name: string; credScore: number | null }; size?: number; link?: string };

export const NamedAgent = ({ agent: { tokenId, name, credScore }, size = 36, link = "clip" }: AgentProps) => (
  <>
    <Sigil seed={`helixa:${tokenId}`} score={credScore} size={size} />
    <Named className={link} href={`/agent/${tokenId}`} name={name} />
  </>
);
