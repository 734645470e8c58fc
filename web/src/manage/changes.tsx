/** What was typed into a form would change: each field before and after, and the score. */
import type { ReactNode } from "react";
import { count, counted } from "../formats.ts";
import { type FieldEntry, wholeBodyOf } from "../parts/form.tsx";
import { Fact } from "../parts/panel.tsx";

export type Change = { field: string; label: ReactNode; before: string; after: string };

/** The fields whose text differs from the one that is shown, by their names. */
export const changesOf = (
  fields: readonly FieldEntry[],
  shown: Readonly<Record<string, string>>,
  typed: Readonly<Record<string, string>>,
): Change[] =>
  fields
    .map(({ name, label }) => ({
      ...{ field: name, label },
      ...{ before: shown[name] ?? "", after: typed[name]?.trim() ?? "" },
    }))
    .filter(({ before, after }) => after !== before.trim());

/** The body that changes make: an empty text clears. */
export const bodyOfChanges = (fields: readonly FieldEntry[], changes: readonly Change[]): object => {
  const texts = new Map(changes.map(({ field, after }) => [field, after]));
  return wholeBodyOf(
    fields.filter(({ name }) => texts.has(name)),
    (name) => texts.get(name) ?? "",
  );
};

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
