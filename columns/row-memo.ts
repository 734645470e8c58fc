/** What was made of the rows of a live table, kept until the table sees them change. */

/** Makes it of rows by their ids; those that are gone are left out. */
export type Make = (ids: readonly number[]) => Promise<Map<number, Uint8Array>>;

export class RowMemo {
  /**
   * What was asked for lately, and before that: what is asked for again comes over from the older half, and when the
   * younger one is full, the older one is let go. So whatever is asked for often stays, and a hit costs one look.
   */
  #young = new Map<number, Uint8Array>();
  #old = new Map<number, Uint8Array>();
  #youngBytes = 0;
  #oldBytes = 0;
  readonly #halfBytes: number;
  /** For each making that is under way, what changed since it began: that was perhaps made of the rows before. */
  readonly #underWay = new Set<{ changed: Set<number>; all: boolean }>();

  /** @param maxBytes of what is kept */
  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2;
  }

  get byteLength(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  /** In the order of the ids; what is not kept is made, and kept if its row did not change meanwhile. */
  async of(ids: readonly number[], make: Make): Promise<Uint8Array[]> {
    const shown: (Uint8Array | undefined)[] = ids.map((id) => this.#young.get(id) ?? this.#rejuvenated(id));
    const missing = ids.filter((_, i) => shown[i] === undefined);
    if (missing.length === 0) return shown as Uint8Array[];
    const making = { changed: new Set<number>(), all: false };
    this.#underWay.add(making);
    try {
      const made = await make(missing);
      for (const [id, bytes] of made) if (!making.all && !making.changed.has(id)) this.#keep(id, bytes);
      return ids.flatMap((id, i) => shown[i] ?? made.get(id) ?? []);
    } finally {
      this.#underWay.delete(making);
    }
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
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
    this.#oldBytes = 0;
    for (const making of this.#underWay) making.all = true;
  }

  #rejuvenated(id: number): Uint8Array | undefined {
    const bytes = this.#old.get(id);
    if (bytes !== undefined) this.#keep(id, bytes);
    return bytes;
  }

  #keep(id: number, bytes: Uint8Array): void {
    this.#drop(id);
    if (this.#youngBytes + bytes.length > this.#halfBytes) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(id, bytes);
    this.#youngBytes += bytes.length;
  }

  #drop(id: number): void {
    const young = this.#young.get(id);
    if (young !== undefined) {
      this.#young.delete(id);
      this.#youngBytes -= young.length;
    }
    const old = this.#old.get(id);
    if (old === undefined) return;
    this.#old.delete(id);
    this.#oldBytes -= old.length;
  }
}
