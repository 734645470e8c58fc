/** What a pulled registry is to the directory: how one of its items is read, and what becomes of an agent's items. */
import type { DirectoryEntry } from "../entry.ts";
import type { RegistryKey, RegistryRow } from "../registries.ts";

/** An item as it was read. */
export type ReadItem = { sourceId: string; entry: DirectoryEntry; warnings: string[] };

/** Reads the items of one registry. */
export type ItemReader<K extends string = RegistryKey> = {
  key: K;
  /** The source's own id of an item, even where the rest cannot be read; null when it has none. */
  idOf(raw: unknown): string | null;
  /**
   * Reads an item. @returns what it says; `gone` when it says that its subject was removed; null for an item without an
   *   agent of the directory
   * @throws ZodError, or Error with a plain sentence, when it cannot be read
   */
  read(raw: unknown): ReadItem | "gone" | null;
  /** One entry out of an agent's several items, oldest id first; without it each agent has one item. */
  gather?(items: readonly ReadItem[]): DirectoryEntry;
};

/** A registry's row with its reader. */
export type SourceReader = Omit<RegistryRow, "key"> & ItemReader<string>;

/** A text field of an item of any shape. */
export function field(raw: unknown, ...path: string[]): string | null {
  let value = raw;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null;
}
