/** What is clicked: the button of forms and panels, which submits nothing unless it says so, what is done by one, the small menu that one opens, and line icons. */
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
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const run = (attempt: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    attempt()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return { error, busy, run };
}

/** A button that opens a small menu under it; a click elsewhere or Escape closes it. */
export function Menu({ label, className = "", children }: { label: string; className?: string; children: ReactNode }) {
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

const PATHS = {
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.4 10.4 14 14",
  star: "M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.2L8 11.5l-3.8 2 .7-4.2-3.1-3 4.3-.6Z",
  check: "M3 8.4 6.4 11.6 13 4.6",
  compare: "M3 5h9M9.5 2.5 12 5 9.5 7.5M13 11H4M6.5 8.5 4 11l2.5 2.5",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.4 9.7A6 6 0 0 1 6.3 2.6a6 6 0 1 0 7.1 7.1Z",
  auto: "M8 2a6 6 0 1 0 0 12ZM8 2a6 6 0 0 1 0 12",
  rows: "M2.5 4h11M2.5 8h11M2.5 12h11",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  close: "M4 4l8 8M12 4l-8 8",
  out: "M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5",
  warn: "M8 2.2 14.4 13.4H1.6ZM8 6.4v3.2M8 11.6v.1",
  agent: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z",
  go: "M3 8h9.5M9 4.5 12.5 8 9 11.5",
  command:
    "M5.6 5.6h4.8v4.8H5.6ZM5.6 5.6H4.3a1.6 1.6 0 1 1 1.3-1.6ZM10.4 5.6V4a1.6 1.6 0 1 1 1.3 1.6ZM10.4 10.4h1.3a1.6 1.6 0 1 1-1.3 1.6ZM5.6 10.4V12a1.6 1.6 0 1 1-1.3-1.6Z",
  wallet: "M2.5 4.5h9.2a1.3 1.3 0 0 1 1.3 1.3v6.4H3.8a1.3 1.3 0 0 1-1.3-1.3ZM2.5 4.5l7.6-2v2M13 8.2h-2.2v2H13",
  lock: "M4 7.5h8v6H4ZM5.7 7.5V5.2a2.3 2.3 0 0 1 4.6 0v2.3",
} as const;

/** Line icons, 16 by 16, in the colour of the text. They are decoration; the words next to them have the meaning. */
export const Icon = ({ name, filled = false }: { name: IconName; filled?: boolean }) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    aria-hidden="true"
    fill={filled ? "currentColor" : "none"}
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);

type IconName = keyof typeof PATHS;
type IconButtonProps = ComponentProps<"button"> & { icon: IconName; filled?: boolean; label: string };

/** A button that is an icon; `label` is its name. */
export const IconButton = ({ icon, filled = false, label, className = "", ...attributes }: IconButtonProps) => (
  <button type="button" className={`icon-button ${className}`.trim()} aria-label={label} {...attributes}>
    <Icon name={icon} filled={filled} />
  </button>
);

type ChipProps = Omit<ButtonProps, "strong"> & {
  pressed?: boolean;
  /** Whether it says what is set, or takes all away. */
  kind?: "set" | "clear";
  /** How much it leads to; empty while that is not known. */
  amount?: ReactNode;
};

/** A choice among others, as a small button. */
export const Chip = ({ pressed, kind, amount, children, ...attributes }: ChipProps) => (
  <button type="button" className={kind ? `chip ${kind}` : "chip"} aria-pressed={pressed} {...attributes}>
    {children}
    {amount !== undefined && <span className="chip-count">{amount}</span>}
  </button>
);
