/** Content that may be wider than its place and scrolls there; the keyboard reaches it while it has more than it shows. */
import { type ReactNode, useEffect, useRef, useState } from "react";

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
