/** Live rows without jumps: values change in place, a change of order waits for the button; and the rows of the agents that this browser watches. */
import { useQueries } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { liveEvery } from "../api/events.ts";
import type { Detail, Row } from "../api/types.ts";
import { useStored } from "../stored.ts";
import { type Directory, detail, linkedAgent } from "./source.ts";
import type { Sort, View } from "./view.ts";

/**
 * @param key names the view; a new key is shown at once
 * @returns `fresh`: agents of the new page that are not on the screen yet; `moved`: whether the order has changed
 */
export function useLiveRows(latest: Directory | undefined, key: string, loading: boolean) {
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

const MAX_WATCHED = 100;

/**
 * @param view null while another view is shown; then nothing is fetched
 * @returns the rows, whether some requests are open, and the watched agents that no registry has any more
 */
export function useWatched(view: View | null) {
  const links = useStored("watched").slice(0, MAX_WATCHED);
  const agents = links.flatMap((link) => linkedAgent(link) ?? []);
  const answers = useQueries({
    queries: agents.map(({ ref, platform }) => ({
      ...detail(ref, platform),
      enabled: view !== null,
      ...liveEvery(2),
    })),
  });
  const pages = answers.flatMap(({ data }) => (data ? [data.data] : []));
  return {
    rows: view === null ? [] : pages.filter((row) => matches(row, view.q)).toSorted(inOrder(view)),
    loading: answers.some(({ isLoading }) => isLoading),
    gone: links.filter((_, i) => answers[i]?.error),
  };
}

const matches = (row: Detail, q: string): boolean => {
  const word = q.trim().toLowerCase();
  return [row.name, row.agent_id, row.token_id, row.address, row.owner_address, row.token_symbol].some((text) =>
    text?.toLowerCase().includes(word),
  );
};

const KEYS: Record<Sort, (row: Row) => string | number | null> = {
  cred_score: (row) => row.cred_score,
  name: (row) => row.name.toLowerCase(),
  created_at: (row) => row.created_at,
  platform: (row) => row.platform,
  token_market_cap: (row) => (row.counts ? row.token_market_cap : null),
  volume_24h: (row) => (row.counts ? row.volume_24h : null),
  price_change_24h: (row) => (row.counts ? row.price_change_24h : null),
  liquidity_usd: (row) => (row.counts ? row.liquidity_usd : null),
  ethos_score: (row) => row.ethos_score,
  updated_at: (row) => row.updated_at,
};

/** The order of the directory: rows without the key last, ties by id. */
function inOrder({ sort, dir }: View): (a: Row, b: Row) => number {
  const key = KEYS[sort ?? "cred_score"];
  const way = sort && dir === "asc" ? 1 : -1;
  return (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === y) return a.id - b.id;
    if (x === null || y === null) return x === null ? 1 : -1;
    return x < y ? -way : way;
  };
}
