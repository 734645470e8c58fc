/** What a change would do: each field before and after, and the score. */
import { count, counted } from "../formats.ts";
import { Fact } from "../parts/facts.tsx";

export type Change = { field: string; label: string; before: string; after: string };
type Props = { changes: readonly Change[]; score?: { now: number; after: number } | undefined };

export function Changes({ changes, score }: Props) {
  return (
    <section className="changes" aria-label="Changes">
      <h3>{changes.length === 0 ? "No changes yet" : counted(changes.length, "change", "changes")}</h3>
      {changes.length > 0 && (
        <dl className="words">
          {changes.map(({ field, label, before, after }) => (
            <Fact key={field} label={<bdi>{label}</bdi>}>
              {before && (
                <del>
                  <bdi>{before}</bdi>
                </del>
              )}
              {after ? (
                <ins>
                  <bdi>{after}</bdi>
                </ins>
              ) : (
                <span className="faint">cleared</span>
              )}
            </Fact>
          ))}
        </dl>
      )}
      {changes.length > 0 && score && (
        <p className="muted" role="status">
          {score.now === score.after
            ? `The score stays ${count(score.now)}.`
            : `The score goes from ${count(score.now)} to ${count(score.after)}.`}
        </p>
      )}
    </section>
  );
}
