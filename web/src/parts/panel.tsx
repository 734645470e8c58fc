/** Frames of content: a panel, the heads of a table, and the place in which a wide table scrolls. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Part } from "./boundary.tsx";

/** A part of a page with a heading of its own; what goes wrong in it stays in it. */
export const Panel = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="panel">
    <div className="panel-head">
      <h2>{title}</h2>
    </div>
    <Part>{children}</Part>
  </section>
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

/** The heads of a table: first columns of text, then columns of numbers. */
export const Heads = ({ texts, numbers }: { texts: readonly string[]; numbers: readonly string[] }) => (
  <thead>
    <tr>
      {texts.map((text) => (
        <th key={text} scope="col">
          {text}
        </th>
      ))}
      {numbers.map((text) => (
        <th key={text} scope="col" className="number">
          {text}
        </th>
      ))}
    </tr>
  </thead>
);
