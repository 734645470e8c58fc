/** The command palette (Ctrl-K or ⌘K); its list is loaded when it is opened. */
import { Suspense, useEffect, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { onDemand } from "../parts/on-demand.tsx";

const PaletteList = onDemand(() => import("./palette-list.tsx"));

export function Palette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      // Another dialog has the keys until it is closed.
      if (document.querySelector("dialog[open]:not(.palette)")) return;
      event.preventDefault();
      setOpen((is) => !is);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className="icon-button wide-only"
        aria-label="Search and commands"
        title="Ctrl K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="command" />
      </button>
      {open && (
        <Suspense>
          <PaletteList close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
