/** A part of a page with a heading of its own. */
import type { ReactNode } from "react";

export const Panel = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="panel">
    <div className="panel-head">
      <h2>{title}</h2>
    </div>
    {children}
  </section>
);
