/** Live rows without jumps: values change in place; a change of order waits for the button. */
import { useEffect, useRef, useState } from "react";
import type { Directory, Row } from "./source.ts";

export type LiveRows = {
  rows: Row[];
  /** Agents of the new page that are not on the screen yet. */
  fresh: number;
  /** The order has changed. */
  moved: boolean;
  show(): void;
};

/** @param key names the view; a new key is shown at once */
export function useLiveRows(latest: Directory | undefined, key: string, loading: boolean): LiveRows {
  const [shown, setShown] = useState<{ key: string; rows: Row[] }>();
  // The previous view stays until the next one is loaded.
  if (latest && !loading && shown?.key !== key) setShown({ key, rows: latest.agents });
  const now = new Map(latest?.agents.map((row) => [row.id, row]));
  const held = shown?.rows ?? latest?.agents ?? [];
  const fresh = shown?.key === key ? [...now.keys()].filter((id) => !held.some((row) => row.id === id)).length : 0;
  const moved = fresh === 0 && shown?.key === key && latest?.agents.some((row, i) => held[i]?.id !== row.id) === true;
  return {
    rows: shown?.key === key ? held.map((row) => now.get(row.id) ?? row) : held,
    fresh,
    moved,
    show: () => latest && setShown({ key, rows: latest.agents }),
  };
}

/** True for a second after a value on the screen has changed. */
export function useChanged(value: unknown): boolean {
  const before = useRef(value);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    setChanged(true);
    const timer = setTimeout(() => setChanged(false), 1200);
    return () => clearTimeout(timer);
  }, [value]);
  return changed;
}
