/** Where the keyboard is after a navigation: at the heading of the view, which is read out. */
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

/** Milliseconds a view may take to show its heading. */
const TIMEOUT_MS = 5_000;

/** @returns whether nothing is left to do */
function arrive(main: HTMLElement): boolean {
  // While a view is loaded the one before is still there, hidden.
  const heading = [...main.querySelectorAll("h1")].find((one) => one.checkVisibility());
  if (!heading) return false;
  // A view may have chosen a place of its own, or the link is still there; and an open dialog keeps the keyboard.
  const held = document.activeElement;
  if ((main.contains(held) && held!.checkVisibility()) || document.querySelector("dialog[open]")) return true;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return document.activeElement === heading;
}

export function useArrival(): void {
  const [path] = useLocation();
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    const main = document.getElementById("main")!;
    if (arrive(main)) return;
    const watch = new MutationObserver(() => {
      if (arrive(main)) stop();
    });
    const late = setTimeout(() => stop(), TIMEOUT_MS);
    const stop = () => {
      watch.disconnect();
      clearTimeout(late);
    };
    watch.observe(main, { childList: true, subtree: true });
    return stop;
  }, [path]);
}
