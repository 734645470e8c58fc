/** Keyboard shortcuts of all views; the dialog that lists them is loaded when it is opened. They can be switched off. */
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { stored } from "../stored.ts";
import { dialogOnDemand } from "./dialog.tsx";
import { PLACES } from "./places.ts";

const KeyboardHelp = dialogOnDemand(() => import("./keyboard-help.tsx"));

const placeOf = (key: string): string | undefined => PLACES.find((place) => place.key === key)?.to;

/** True when a key press belongs to a field, a dialog or the browser. */
export const isTaken = (event: KeyboardEvent): boolean =>
  !stored("shortcuts") ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  event.defaultPrevented ||
  document.querySelector("dialog[open]") !== null ||
  (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]") !== null);

export function Keyboard() {
  const [help, setHelp] = useState(false);
  const [, go] = useLocation();
  const going = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTaken(event)) return;
      const place = Date.now() - going.current < 1200 ? placeOf(event.key) : undefined;
      if (place) {
        going.current = 0;
        event.preventDefault();
        go(place);
      } else if (event.key === "g") going.current = Date.now();
      else if (event.key === "?") setHelp(true);
      else if (event.key === "/") {
        event.preventDefault();
        // The field of the view itself, where it has one.
        (document.getElementById("discover-q") ?? document.getElementById("search"))?.focus();
      }
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [go]);
  return (
    <>
      <button
        type="button"
        className="icon-button wide-only"
        aria-label="Keyboard shortcuts"
        aria-haspopup="dialog"
        onClick={() => setHelp(true)}
      >
        ?
      </button>
      {help && <KeyboardHelp close={() => setHelp(false)} />}
    </>
  );
}
