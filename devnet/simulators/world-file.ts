/** What the simulators hold, in collections, kept in a file so that a restart of the stack forgets nothing. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Entries by lower-case key. */
export type Collection<T> = {
  get(key: string): T | undefined;
  set(key: string, entry: T): void;
  delete(key: string): boolean;
  values(): T[];
};

export type SimulatedWorld = {
  /** The collection of a name; the same each time. */
  collection<T>(name: string): Collection<T>;
};

/** @param file JSON; without one nothing outlives the process */
export function simulatedWorld(file?: string): SimulatedWorld {
  const stored: Record<string, Record<string, unknown>> = file && existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : {};
  const save = () => {
    if (!file) return;
    // Written to a second file and renamed, so that a kill leaves the old file or the new one.
    writeFileSync(`${file}.new`, JSON.stringify(stored), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    collection<T>(name: string): Collection<T> {
      const entries = new Map(Object.entries(stored[name] ?? {})) as Map<string, T>;
      const keep = () => {
        stored[name] = Object.fromEntries(entries);
        save();
      };
      return {
        get: (key) => entries.get(key),
        values: () => [...entries.values()],
        set(key, entry) {
          entries.set(key, entry);
          keep();
        },
        delete(key) {
          const there = entries.delete(key);
          if (there) keep();
          return there;
        },
      };
    },
  };
}
