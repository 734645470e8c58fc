/** What is kept in this browser: the settings of a visitor, and values of other modules by key. */
import { useSyncExternalStore } from "react";

const DEFAULTS = {
  theme: "auto" as "auto" | "dark" | "light",
  density: "comfortable" as "comfortable" | "compact",
  shortcuts: true,
  /** Columns whose visibility differs from the default. */
  otherColumns: [] as string[],
  /** References of agents, as in the address of their page. */
  watched: [] as string[],
  compared: [] as string[],
  /** Views of the directory with a name, each as `<query> <name>`: a query has no blanks. */
  presets: [] as string[],
};
type Settings = typeof DEFAULTS;
const PREFIX = "terminal.";

const listeners = new Set<() => void>();
const values = new Map<string, unknown>();

/** The stored value, or the default when storage is forbidden or holds an invalid value. */
export function stored<K extends keyof Settings>(key: K): Settings[K] {
  if (!values.has(key)) values.set(key, read(key));
  return values.get(key) as Settings[K];
}

function read<K extends keyof Settings>(key: K): Settings[K] {
  try {
    const text = localStorage.getItem(PREFIX + key);
    if (text === null) return DEFAULTS[key];
    const value: unknown = JSON.parse(text);
    const usable = Array.isArray(DEFAULTS[key])
      ? Array.isArray(value) && value.every((item) => typeof item === "string")
      : typeof value === typeof DEFAULTS[key];
    return usable ? (value as Settings[K]) : DEFAULTS[key];
  } catch {
    return DEFAULTS[key];
  }
}

export function store<K extends keyof Settings>(key: K, value: Settings[K]): void {
  values.set(key, value);
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Private windows may refuse storage; the value then lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

// A write of another tab takes effect here too.
window.addEventListener("storage", ({ key }) => {
  if (!key?.startsWith(PREFIX)) return;
  values.delete(key.slice(PREFIX.length));
  for (const listener of listeners) listener();
});

export const useStored = <K extends keyof Settings>(key: K): Settings[K] =>
  useSyncExternalStore(subscribe, () => stored(key));

/** Adds an item to a stored list, or removes it. @returns true when the list has it now */
export function toggleStored(key: "watched" | "compared" | "otherColumns" | "presets", item: string): boolean {
  const list = stored(key);
  const isIn = list.includes(item);
  store(key, isIn ? list.filter((other) => other !== item) : [...list, item]);
  return !isIn;
}

/** Sets the theme on the document; before the first paint, so that nothing flashes. */
export function applyTheme(): void {
  const theme = stored("theme");
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** How long a value is kept: in this browser for all tabs, or in this tab until it is closed. */
export type StoragePeriod = "browser" | "tab";
const storageOf = (lasting: StoragePeriod) => (lasting === "browser" ? localStorage : sessionStorage);

/** A kept value; null without one. Its shape is what `keep` was given: nothing else writes under the key. */
export function kept<T>(lasting: StoragePeriod, key: string): T | null {
  try {
    return JSON.parse(storageOf(lasting).getItem(PREFIX + key) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Keeps a value; null removes it. */
export function keep(lasting: StoragePeriod, key: string, value: unknown): void {
  try {
    if (value === null) storageOf(lasting).removeItem(PREFIX + key);
    else storageOf(lasting).setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Private windows may refuse storage; the value then lasts as long as its module holds it.
  }
}

/** Calls the listener when another tab changes a value that is kept in the browser. */
export function onKeptElsewhere(key: string, listener: () => void): void {
  window.addEventListener("storage", (event) => {
    if (event.key === PREFIX + key) listener();
  });
}
