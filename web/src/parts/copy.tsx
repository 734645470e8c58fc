/** A button that copies a text and says so. */
import { useEffect, useState } from "react";

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
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
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
