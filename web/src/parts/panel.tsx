/** Frames of content: a page with its heading, a panel, a list of facts. */
import { type ReactNode, useEffect, useRef } from "react";
import { Loading, Part, ProblemNote } from "./states.tsx";

/** The title of the document; what is not known yet leaves it as it is. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = title;
  }, [title]);
}

/** On a phone a list of links is a row that scrolls: the present one is brought into it. @param key changes with it */
export function usePresentLink(key: string | undefined) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (link) nav.current!.scrollLeft = link.offsetLeft - nav.current!.offsetLeft - nav.current!.clientWidth / 3;
  }, [key]);
  return nav;
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

type FactsProps = { of: readonly (FactEntry | "" | false | null | undefined)[]; className?: string };

/** A list of facts, by default one to a line. What is no entry is left out. */
export const Facts = ({ of, className = "facts tall" }: FactsProps) => (
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
