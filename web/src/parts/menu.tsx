/** A button that opens a small menu under it; a click elsewhere or Escape closes it. */
import { type ReactNode, useEffect, useRef } from "react";

type Props = { label: string; className?: string; children: ReactNode };

export function Menu({ label, className = "", children }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const element = menu.current;
      if (!element?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== "Escape") return;
        element.querySelector("summary")?.focus();
      } else if (event.target instanceof Node && element.contains(event.target)) {
        // A click on a link closes the menu; a checkbox keeps it open for more choices.
        if (!(event.target instanceof Element && event.target.closest("a"))) return;
      }
      element.open = false;
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  return (
    <details className={`menu ${className}`} ref={menu}>
      <summary className="button">{label}</summary>
      <div className="menu-body">{children}</div>
    </details>
  );
}
