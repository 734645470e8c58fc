/** A table of rows that are alike, and the place in which a wide one scrolls. */
import { type ReactNode, useEffect, useRef, useState } from "react";

/** Content that may be wider than its place and scrolls there; the keyboard reaches it while it has more than it shows. */
export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  const [hasMore, setHasMore] = useState(false);
  useEffect(() => {
    const element = box.current!;
    const look = new ResizeObserver(() => setHasMore(element.scrollWidth > element.clientWidth));
    look.observe(element);
    for (const child of element.children) look.observe(child);
    return () => look.disconnect();
  }, []);
  return (
    <section ref={box} className="compare-scroll" aria-label={label} tabIndex={hasMore ? 0 : undefined}>
      {children}
    </section>
  );
}

/** Of numbers the class of a cell, which may depend on its row; they are set to the end of their column. */
type Numbers<R> = "number" | "number faint" | ((row: R) => string);

type Props<R> = {
  of: readonly R[];
  /** The first one names the row. */
  columns: readonly (readonly [head: string, cell: (row: R) => ReactNode, numbers?: Numbers<R>])[];
  className?: string;
  /** Its name where it scrolls. */
  label?: string;
  /** Its name where nothing else names it. */
  caption?: string;
  foot?: ReactNode;
};

/** A table of rows that are alike. */
export function Table<R>({ of, columns, className = "plain-table fits", label, caption, foot }: Props<R>) {
  const table = (
    <table className={className}>
      {caption && <caption className="unseen">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(([head, , numbers]) => (
            <th key={head} scope="col" className={numbers && "number"}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map((row, i) => (
          <tr key={i}>
            {columns.map(([head, cell, numbers], column) =>
              column === 0 ? (
                <th key={head} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={head} className={typeof numbers === "function" ? numbers(row) : numbers}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
      {foot && (
        <tfoot>
          <tr>{foot}</tr>
        </tfoot>
      )}
    </table>
  );
  return label === undefined ? table : <Scroll label={label}>{table}</Scroll>;
}

/** The name of a row with what it means below. */
export const Described = ({ label, description }: { label: string; description: ReactNode }) => (
  <>
    {label}
    <span className="faint hint">{description}</span>
  </>
);
