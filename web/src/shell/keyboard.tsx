/** Keyboard shortcuts of all views and the dialog that lists them. They can be switched off. */

import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { store, stored, useStored } from "../stored.ts";
import { Dialog } from "./dialog.tsx";
import { PLACES } from "./places.ts";

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
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

const KEYS: [string, string[]][] = [
  ["Search", ["/"]],
  ["Everything", ["Ctrl", "K"]],
  ["Next, previous row or agent", ["j", "k"]],
  ["Open the row", ["Enter"]],
  ["Watch the row", ["s"]],
  ["Compare the row", ["c"]],
  ["Filters", ["f"]],
  ...PLACES.map(({ label, key }): [string, string[]] => [label, ["g", key]]),
  ["This page", ["?"]],
  ["Close, leave the search", ["Esc"]],
];

function Help({ onClose }: { onClose: () => void }) {
  const shortcuts = useStored("shortcuts");
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([what, keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={shortcuts} onChange={(event) => store("shortcuts", event.target.checked)} />
        Single keys are shortcuts
      </label>
    </Dialog>
  );
}
