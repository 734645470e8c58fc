/** What was typed into a form and not saved yet, kept in the tab, and what it would do: each field before and after, and the score. */
import { useState } from "react";
import { count, counted } from "../formats.ts";
import { Fact } from "../parts/facts.tsx";
import { keep, kept } from "../stored.ts";

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

/** @param name of the form and its subject, `words.7` @returns the draft, null without one, and how it is changed */
export function useDraft<T>(name: string): [draft: T | null, change: (next: T | null) => void] {
  const key = `draft.${name}`;
  const [draft, set] = useState(() => kept<T>("tab", key));
  const change = (next: T | null) => {
    keep("tab", key, next);
    set(next);
  };
  return [draft, change];
}
