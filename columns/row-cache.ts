/** Rendered rows of a live table, cached until the table reports a change of the row. */

/** Renders rows by their ids; rows that no longer exist are left out. */
export type RenderRows = (ids: readonly number[]) => Promise<Map<number, Uint8Array>>;

export class RowCache {
  /**
   * Two generations: an entry that is read moves from the old one to the recent one; when the recent one is full, the
   * old one is dropped. So entries that are read often stay, and a hit in the recent one costs one lookup.
   */
  #recent = new Map<number, Uint8Array>();
  #old = new Map<number, Uint8Array>();
  #recentBytes = 0;
  #oldBytes = 0;
  readonly #generationBytes: number;
  /** For each rendering in progress, the rows that changed since it began: it may have read them before the change. */
  readonly #inProgress = new Set<{ changed: Set<number>; all: boolean }>();

  /** @param maxBytes of all cached rows */
  constructor(maxBytes: number) {
    this.#generationBytes = maxBytes / 2;
  }

  get byteLength(): number {
    return this.#recentBytes + this.#oldBytes;
  }

  /**
   * Rendered rows in the order of the ids, without rows that do not exist. Missing rows are rendered, and cached if they
   * did not change during the rendering.
   */
  async get(ids: readonly number[], render: RenderRows): Promise<Uint8Array[]> {
    const cached: (Uint8Array | undefined)[] = ids.map((id) => this.#recent.get(id) ?? this.#promote(id));
    const missing = ids.filter((_, i) => cached[i] === undefined);
    if (missing.length === 0) return cached as Uint8Array[];
    const rendering = { changed: new Set<number>(), all: false };
    this.#inProgress.add(rendering);
    try {
      const rendered = await render(missing);
      for (const [id, bytes] of rendered) if (!rendering.all && !rendering.changed.has(id)) this.#store(id, bytes);
      return ids.flatMap((id, i) => cached[i] ?? rendered.get(id) ?? []);
    } finally {
      this.#inProgress.delete(rendering);
    }
  }

  /** Drops rows that have changed. */
  invalidate(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#drop(id);
      for (const { changed } of this.#inProgress) changed.add(id);
    }
  }

  /** Drops every row: any of them may have changed. */
  clear(): void {
    this.#recent = new Map();
    this.#old = new Map();
    this.#recentBytes = 0;
    this.#oldBytes = 0;
    for (const rendering of this.#inProgress) rendering.all = true;
  }

  #promote(id: number): Uint8Array | undefined {
    const bytes = this.#old.get(id);
    if (bytes !== undefined) this.#store(id, bytes);
    return bytes;
  }

  #store(id: number, bytes: Uint8Array): void {
    this.#drop(id);
    if (this.#recentBytes + bytes.length > this.#generationBytes) {
      this.#old = this.#recent;
      this.#oldBytes = this.#recentBytes;
      this.#recent = new Map();
      this.#recentBytes = 0;
    }
    this.#recent.set(id, bytes);
    this.#recentBytes += bytes.length;
  }

  #drop(id: number): void {
    const recent = this.#recent.get(id);
    if (recent !== undefined) {
      this.#recent.delete(id);
      this.#recentBytes -= recent.length;
    }
    const old = this.#old.get(id);
    if (old === undefined) return;
    this.#old.delete(id);
    this.#oldBytes -= old.length;
  }
}
