/** The reader of a pulled registry: reads one item, and merges the items of one agent. */
import type { DirectoryEntry } from "../entry.ts";
import type { RegistryKey, RegistryRow } from "../registries.ts";

export type ReadItem = { sourceId: string; entry: DirectoryEntry; warnings: string[] };

export type ItemReader<K extends string = RegistryKey> = {
  key: K;
  /** The registry's id of an item, also when the rest is unreadable; null when it has none. */
  idOf(raw: unknown): string | null;
  /**
   * Reads an item. @returns the item; `gone` when the item says that its agent was removed; null for an item without an
   *   agent for the directory
   * @throws ZodError, or Error with a plain sentence, when the item is unreadable
   */
  read(raw: unknown): ReadItem | "gone" | null;
  /** Merges an agent's items, oldest id first, into one entry; absent where each agent has one item. */
  gather?(items: readonly ReadItem[]): DirectoryEntry;
};

export type RegistryReader = Omit<RegistryRow, "key"> & ItemReader<string>;

/** Reads a text field by path from an item of any shape; null when there is none. */
export function field(raw: unknown, ...path: string[]): string | null {
  let value = raw;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null;
}
