/** A button that copies a text and says so. */
import { useEffect, useState } from "react";

/** Max letters of the text in the button's name. */
const MAX_NAMED_LETTERS = 24;

/** @param props.label names what is copied; without one the button is named after the text, as a page may have several */
export function Copy({ text, label }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed"),
    ) ?? setSaid("Not allowed");
  return (
    <button type="button" className="copy" onClick={copy}>
      <span aria-live="polite">{said || (label ?? "Copy")}</span>
      {label === undefined && !said && (
        <span className="unseen">
          {" "}
          {text.length > MAX_NAMED_LETTERS ? `${text.slice(0, MAX_NAMED_LETTERS)}…` : text}
        </span>
      )}
    </button>
  );
}
