/** What was made of the rows of a live table, kept until the table sees them change. */

/** Makes it of rows by their ids; those that are gone are left out. */
export type Make = (ids: readonly number[]) => Promise<Map<number, Uint8Array>>;

export class RowMemo {
  /** The least recently asked for first. */
  readonly #kept = new Map<number, Uint8Array>();
  readonly #maxBytes: number;
  #bytes = 0;
  /** For each making that is under way, what changed since it began: that was perhaps made of the rows before. */
  readonly #underWay = new Set<{ changed: Set<number>; all: boolean }>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get byteLength(): number {
    return this.#bytes;
  }

  /** In the order of the ids; what is not kept is made, and kept if its row did not change meanwhile. */
  async of(ids: readonly number[], make: Make): Promise<Uint8Array[]> {
    const found = new Map<number, Uint8Array>();
    const missing: number[] = [];
    for (const id of ids) {
      const bytes = this.#kept.get(id);
      if (bytes === undefined) missing.push(id);
      else {
        found.set(id, bytes);
        this.#kept.delete(id);
        this.#kept.set(id, bytes);
      }
    }
    if (missing.length > 0) {
      const making = { changed: new Set<number>(), all: false };
      this.#underWay.add(making);
      try {
        for (const [id, bytes] of await make(missing)) {
          found.set(id, bytes);
          if (!making.all && !making.changed.has(id)) this.#keep(id, bytes);
        }
      } finally {
        this.#underWay.delete(making);
      }
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** Rows have changed. */
  forget(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#drop(id);
      for (const { changed } of this.#underWay) changed.add(id);
    }
  }

  /** Any row may have changed. */
  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
    for (const making of this.#underWay) making.all = true;
  }

  #keep(id: number, bytes: Uint8Array): void {
    this.#drop(id);
    this.#kept.set(id, bytes);
    this.#bytes += bytes.length;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(id: number): void {
    const bytes = this.#kept.get(id);
    if (bytes === undefined) return;
    this.#kept.delete(id);
    this.#bytes -= bytes.length;
  }
}
