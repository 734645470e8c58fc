/** A button that copies a text and says so. */

import { useEffect, useState } from "react";
import { say } from "../say.tsx";

export function Copy({ text, label = say("parts.copy") }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setSaid(say("parts.copied")),
      () => setSaid(say("parts.notAllowed")),
    ) ?? setSaid(say("parts.notAllowed"));
  return (
    <button type="button" className="copy" onClick={copy}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
