/** What a source of the directory is to the rest: how one of its items is read, and what becomes of an agent's items. */
import type { DirectoryEntry } from "../entry.ts";
import type { PlatformKey } from "../platforms.ts";

/** An item as it was read. */
export type ReadItem = { sourceId: string; entry: DirectoryEntry; warnings: string[] };

/** A platform is a source of its own agents; another source tells of agents that are a platform's already. */
export type SourceKey = PlatformKey | "8004scan";

export type SourceReader = {
  key: SourceKey;
  /** The platform whose agents its items say more about: they make no rows of their own. */
  enriches?: PlatformKey;
  /** The source's own id of an item, even where the rest cannot be read; null when it has none. */
  idOf(raw: unknown): string | null;
  /**
   * Reads an item: what it says; `gone` when it says that its subject is there no more; null for one that is none of ours.
   * @throws ZodError, or Error with a plain sentence, when it cannot be read
   */
  read(raw: unknown): ReadItem | "gone" | null;
  /** One entry out of an agent's several items, oldest id first; without it each agent has one item. */
  gather?(items: readonly ReadItem[]): DirectoryEntry;
};

/** A text field of an item of any shape. */
export function field(raw: unknown, ...path: string[]): string | null {
  let value = raw;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null;
}
