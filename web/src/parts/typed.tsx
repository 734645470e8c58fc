/** What is typed into a form: over what its fields show, and kept in the tab until it is sent or discarded; and rows of two fields, which are added and removed. */
import { useState } from "react";
import { count } from "../formats.ts";
import { keep, kept } from "../stored.ts";
import { Button, IconButton } from "./button.tsx";
import { type Faults, Field, type FieldEntry } from "./form.tsx";

/** @param name of the form and its subject, `words.7` */
export const keepDraft = (name: string, draft: unknown): void => keep("tab", `draft.${name}`, draft);

/** @returns the draft, null without one, and how it is changed */
export function useDraft<T>(name: string): [draft: T | null, change: (next: T | null) => void] {
  const [draft, set] = useState(() => kept<T>("tab", `draft.${name}`));
  const change = (next: T | null) => {
    keepDraft(name, next);
    set(next);
  };
  return [draft, change];
}

type Texts = Record<string, string>;

/** What is typed into the fields of a form. @param name as of a draft @param shown what the fields show before */
export function useTyped(name: string, shown: Readonly<Texts> = {}) {
  const [draft, setDraft] = useDraft<Texts>(name);
  return {
    /** What a form takes. */
    held: {
      values: { ...shown, ...draft } as Texts,
      change: (field: string, value: string) => setDraft({ ...draft, [field]: value }),
    },
    forget: () => setDraft(null),
    /** Forgets what is typed; null while nothing is. */
    discard: draft && (() => setDraft(null)),
  };
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
export function Pairs<Row extends Texts>(props: PairsProps<Row>) {
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
