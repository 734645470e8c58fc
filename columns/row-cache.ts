/**
 * Rendered rows of a live table, cached until the table reports a change of the row.
 * Check then write: the row is unchanged, then its rendering is kept; it may change: changes since the start are
 * recorded, and compared again after each await.
 */

/** Renders rows by their ids; rows that no longer exist are left out. */
export type RenderRows = (ids: readonly number[]) => Promise<Map<number, Uint8Array>>;

/** A rendered row: bytes of a view that never change. An own array for them would take as long to make as the row takes to write. */
export type RowBytes = { readonly view: DataView; readonly start: number; readonly end: number };

/** Max bytes that are allocated, and dropped, at once: an array of its own for each row would take a quarter of its size again. */
const CHUNK_BYTES = 2 ** 18;
const MIN_CHUNKS = 4;

/** Before each row: its length, whether it was read since it was written, and its id. */
const READ_AT = 4;
const ID_AT = 5;
const PREFIX_BYTES = 13;

type Chunk = { readonly bytes: Buffer; readonly view: DataView; used: number };

export class RowCache {
  /**
   * Chunks that are filled one after the other. Where there is no room for another, the oldest is dropped; its rows that
   * were read since they were written move to the newest, at most half of one. So rows that are read often stay.
   */
  #chunks: Chunk[] = [];
  readonly #chunkBytes: number;
  readonly #maxChunks: number;
  /** Chunks that came before the oldest one. */
  #gone = 0;
  /** Id → place, counted from the first chunk that there ever was. A row that is dropped keeps its bytes until its chunk goes. */
  readonly #places = new Map<number, number>();
  /** For each rendering in progress, the rows that changed since it began: it may have read them before the change. */
  readonly #inProgress = new Set<{ changed: Set<number>; all: boolean }>();

  /** @param maxBytes of all cached rows; one that is longer than half a chunk is not cached */
  constructor(maxBytes: number) {
    this.#chunkBytes = Math.min(CHUNK_BYTES, Math.floor(maxBytes / MIN_CHUNKS));
    this.#maxChunks = Math.floor(maxBytes / this.#chunkBytes);
  }

  get byteLength(): number {
    return this.#chunks.length * this.#chunkBytes;
  }

  /**
   * Rendered rows in the order of the ids, without rows that do not exist. Missing rows are rendered, and cached if they
   * did not change during the rendering.
   */
  async get(ids: readonly number[], render: RenderRows): Promise<RowBytes[]> {
    const rows: (RowBytes | undefined)[] = [];
    const missing: number[] = [];
    for (const id of ids) {
      const cached = this.#read(id);
      rows.push(cached);
      if (cached === undefined) missing.push(id);
    }
    if (missing.length === 0) return rows as RowBytes[];
    const rendering = { changed: new Set<number>(), all: false };
    this.#inProgress.add(rendering);
    try {
      const rendered = await render(missing);
      for (const [id, bytes] of rendered) if (!rendering.all && !rendering.changed.has(id)) this.#store(id, bytes);
      return ids.flatMap((id, i) => rows[i] ?? renderedRows([id], rendered));
    } finally {
      this.#inProgress.delete(rendering);
    }
  }

  /** Drops rows that have changed. */
  invalidate(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#places.delete(id);
      for (const { changed } of this.#inProgress) changed.add(id);
    }
  }

  /** Drops every row: any of them may have changed. */
  clear(): void {
    this.#gone += this.#chunks.length;
    this.#chunks = [];
    this.#places.clear();
    for (const rendering of this.#inProgress) rendering.all = true;
  }

  #read(id: number): RowBytes | undefined {
    const place = this.#places.get(id);
    if (place === undefined) return undefined;
    const { bytes, view } = this.#chunks[Math.floor(place / this.#chunkBytes) - this.#gone]!;
    const at = place % this.#chunkBytes;
    bytes[at + READ_AT] = 1;
    const start = at + PREFIX_BYTES;
    return { view, start, end: start + view.getUint32(at, true) };
  }

  #store(id: number, row: Uint8Array): void {
    const size = PREFIX_BYTES + row.length;
    if (size > this.#chunkBytes / 2) return void this.#places.delete(id);
    const newest = this.#chunks.at(-1);
    if (newest === undefined || newest.used + size > this.#chunkBytes) this.#nextChunk();
    this.#append(id, row);
  }

  /** Begins a chunk, in the place of the oldest one where there are enough. */
  #nextChunk(): void {
    const oldest = this.#chunks.length === this.#maxChunks ? this.#chunks.shift() : undefined;
    const bytes = Buffer.allocUnsafeSlow(this.#chunkBytes);
    const newest: Chunk = { bytes, view: new DataView(bytes.buffer), used: 0 };
    this.#chunks.push(newest);
    if (oldest === undefined) return;
    const start = this.#gone++ * this.#chunkBytes;
    for (let at = 0; at < oldest.used; ) {
      const row = rowAt(oldest.bytes, at);
      const id = oldest.bytes.readDoubleLE(at + ID_AT);
      const size = PREFIX_BYTES + row.length;
      if (this.#places.get(id) === start + at) {
        if (oldest.bytes[at + READ_AT] === 1 && newest.used + size <= this.#chunkBytes / 2) this.#append(id, row);
        else this.#places.delete(id);
      }
      at += size;
    }
  }

  /** Writes into the newest chunk, which has room for it. */
  #append(id: number, row: Uint8Array): void {
    const chunk = this.#chunks.at(-1)!;
    const { bytes, used } = chunk;
    bytes.writeUInt32LE(row.length, used);
    bytes[used + READ_AT] = 0;
    bytes.writeDoubleLE(id, used + ID_AT);
    bytes.set(row, used + PREFIX_BYTES);
    this.#places.set(id, (this.#gone + this.#chunks.length - 1) * this.#chunkBytes + used);
    chunk.used = used + PREFIX_BYTES + row.length;
  }
}

/** The whole of an array as a row. */
export const rowBytes = (bytes: Uint8Array): RowBytes => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
  start: 0,
  end: bytes.length,
});

/** Rows as they were rendered, in the order of the ids. */
export const renderedRows = (ids: readonly number[], rendered: Map<number, Uint8Array>): RowBytes[] =>
  ids.flatMap((id) => {
    const bytes = rendered.get(id);
    return bytes === undefined ? [] : rowBytes(bytes);
  });

const rowAt = (bytes: Buffer, at: number) => new Uint8Array(bytes.buffer, at + PREFIX_BYTES, bytes.readUInt32LE(at));
