/** Frames of content: a page with its heading, and a panel. */
import { type ReactNode, useEffect } from "react";
import { Part } from "./boundary.tsx";
import { Loading, ProblemNote } from "./states.tsx";

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
