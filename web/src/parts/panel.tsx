/** Frames of content: a page with its heading, a panel, a list of facts, a table. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Loading, Part, ProblemNote } from "./states.tsx";

/** The title of the document; what is not known yet leaves it as it is. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = title;
  }, [title]);
}

type HeadProps = { title: ReactNode; lead: ReactNode /** What stands beside the heading. */; beside?: ReactNode };

export const PageHead = ({ title, lead, beside }: HeadProps) => (
  <div className="page-head">
    <div>
      <h1>{title}</h1>
      <p>{lead}</p>
    </div>
    {beside}
  </div>
);

type PageProps = HeadProps & { className?: string; children: ReactNode };

export const Page = ({ className = "page", children, ...head }: PageProps) => (
  <div className={className}>
    <PageHead {...head} />
    {children}
  </div>
);

/** In place of a page whose subject has not come yet, or could not be read. */
export const PageNotYet = ({ error, refetch }: { error: unknown; refetch: () => unknown }) => (
  <div className="page">
    {error ? <ProblemNote instead error={error} retry={() => void refetch()} /> : <Loading rows={8} />}
  </div>
);

/** A part of a page with a heading of its own; what goes wrong in it stays in it. */
export const Panel = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="panel">
    <div className="panel-head">
      <h2>{title}</h2>
    </div>
    <Part>{children}</Part>
  </section>
);

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
