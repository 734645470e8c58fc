/** What was typed into a form and not saved yet, kept in the tab, and what it would do: each field before and after, and the score. */
import { useState } from "react";
import { count, counted } from "../formats.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { type Faults, Field, type FieldEntry } from "../parts/form.tsx";
import { Fact } from "../parts/panel.tsx";
import { keep, kept } from "../stored.ts";

export type Change = { field: string; label: string; before: string; after: string };

/** The fields whose text differs from the one that is shown, by their names. */
export const changesOf = (
  fields: readonly { name: string; label: string }[],
  shown: Readonly<Record<string, string>>,
  typed: Readonly<Record<string, string>>,
): Change[] =>
  fields
    .map(({ name, label }) => ({
      ...{ field: name, label },
      ...{ before: shown[name] ?? "", after: typed[name]?.trim() ?? "" },
    }))
    .filter(({ before, after }) => after !== before.trim());

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

type PairsProps<Row> = {
  of: readonly Row[];
  /** A row in which nothing is written. */
  empty: Row;
  max: number;
  /** Whether the only row stays. */
  keepsOne?: boolean;
  set: (rows: Row[]) => void;
  faults: Faults;
  /** The two fields of a row, whose values and changes are `values` and `change`. */
  fields: (row: Row, i: number) => PairFields<Row>;
};
export type PairFields<Row> = readonly (FieldEntry & { of: keyof Row & string })[];

/** Rows of two texts each, which are added and removed. */
export function Pairs<Row extends Record<string, string>>(props: PairsProps<Row>) {
  const { of: rows, empty, max, keepsOne = false, set, faults, fields } = props;
  const change = (i: number, part: Partial<Row>) => set(rows.map((row, at) => (at === i ? { ...row, ...part } : row)));
  return (
    <>
      {rows.map((row, i) => (
        <div key={i} className="pair">
          {fields(row, i).map(({ of, ...field }) => (
            <Field
              key={of}
              {...field}
              faults={faults}
              value={row[of]}
              change={(value) => change(i, { [of]: value } as Partial<Row>)}
            />
          ))}
          {!(keepsOne && rows.length === 1) && (
            <IconButton
              icon="close"
              label={`Remove row ${count(i + 1)}`}
              onClick={() => set(rows.filter((_, at) => at !== i))}
            />
          )}
        </div>
      ))}
      {rows.length < max && (
        <p>
          <Button onClick={() => set([...rows, empty])}>Add a row</Button>
        </p>
      )}
    </>
  );
}
