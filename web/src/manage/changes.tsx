/** What a change would do: each field before and after, and the score. */
import { say } from "../say.tsx";

export type Change = { field: string; label: string; before: string; after: string };
type Props = { changes: readonly Change[]; score?: { now: number; after: number } | undefined };

export function Changes({ changes, score }: Props) {
  return (
    <section className="changes" aria-label={say("manage.changes")}>
      <h3>{changes.length === 0 ? say("manage.noChanges") : say("manage.changesCount", { n: changes.length })}</h3>
      {changes.length > 0 && (
        <dl className="words">
          {changes.map(({ field, label, before, after }) => (
            <div key={field}>
              <dt>
                <bdi>{label}</bdi>
              </dt>
              <dd>
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
                  <span className="faint">{say("manage.cleared")}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {changes.length > 0 && score && (
        <p className="muted" role="status">
          {score.now === score.after
            ? say("manage.scoreSame", { score: score.now })
            : say("manage.scoreThen", { now: score.now, after: score.after })}
        </p>
      )}
    </section>
  );
}
