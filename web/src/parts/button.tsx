/** The button of forms and panels, and what is done by one: a click that submits nothing unless it says so. */
import { type ComponentProps, useState } from "react";

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
