/** The button of forms and panels, what is done by one, and the small menu that one opens: a click that submits nothing unless it says so. */
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";

type ButtonProps = Omit<ComponentProps<"button">, "className"> & {
  /** The one thing to do here. */
  strong?: boolean;
};

export const Button = ({ strong = false, type = "button", ...attributes }: ButtonProps) => (
  <button type={type} className={strong ? "button strong" : "button"} {...attributes} />
);

/** A button in a line of its own. */
export const Action = (button: ButtonProps) => (
  <p className="actions">
    <Button {...button} />
  </p>
);

type MoreProps = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };

/** The button that reads the next page of a list. */
export const More = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: MoreProps) =>
  hasNextPage && (
    <p className="actions push-down">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </p>
  );

/** One attempt at a time, with the reason why the last one failed. */
export function useAttempt() {
  const [trouble, setTrouble] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const run = (attempt: () => Promise<unknown>) => {
    setBusy(true);
    setTrouble(null);
    attempt()
      .catch(setTrouble)
      .finally(() => setBusy(false));
  };
  return { trouble, busy, run };
}

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
