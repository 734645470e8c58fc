/** Facts about one thing: entries of a description list, each a label and what stands behind it. */
import type { ReactNode } from "react";

/** Of the value: class and `title`. */
type ValueProps = { className?: string | undefined; title?: string | undefined };
type FactProps = ValueProps & { label: ReactNode; children: ReactNode };

export const Fact = ({ label, children, ...value }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd {...value}>{children}</dd>
  </div>
);

export type FactEntry = readonly [label: string, value: ReactNode, attributes?: ValueProps];

/** A list of facts, by default one to a line. What is no entry is left out. */
export const Facts = ({
  of,
  className = "facts tall",
}: {
  of: readonly (FactEntry | "" | false | null | undefined)[];
  className?: string;
}) => (
  <dl className={className}>
    {of.map(
      (entry) =>
        entry && (
          <Fact key={entry[0]} label={entry[0]} {...entry[2]}>
            {entry[1]}
          </Fact>
        ),
    )}
  </dl>
);
