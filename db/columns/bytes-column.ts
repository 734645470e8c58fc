/** A column of byte strings in byte order (Postgres' `collate "C"` over UTF-8), of any length or of one fixed width. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, setBit } from "./bits.ts";
import type { Value } from "./values.ts";

export type BytesImage = {
  /** Bytes of a value when all have the same; 0 when they differ, and `starts` and `lengths` tell where each one is. */
  width: number;
  heap: Uint8Array;
  starts: Uint32Array;
  lengths: Uint32Array;
  /** Bytes of the heap in use, garbage included. */
  used: number;
  garbage: number;
  nulls: Bits;
  nullCount: number;
};

export const emptyBytes = (width: number): BytesImage => ({
  width,
  heap: new Uint8Array(0),
  starts: new Uint32Array(0),
  lengths: new Uint32Array(0),
  used: 0,
  garbage: 0,
  nulls: createBits(0),
  nullCount: 0,
});

export class BytesColumn {
  readonly width: number;
  heap: Uint8Array;
  #starts: Uint32Array;
  #lengths: Uint32Array;
  #used: number;
  #garbage: number;
  nulls: Bits;
  nullCount: number;

  constructor(image: BytesImage) {
    this.width = image.width;
    this.heap = image.heap;
    this.#starts = image.starts;
    this.#lengths = image.lengths;
    this.#used = image.used;
    this.#garbage = image.garbage;
    this.nulls = image.nulls;
    this.nullCount = image.nullCount;
  }

  image(): BytesImage {
    return {
      width: this.width,
      heap: this.heap,
      starts: this.#starts,
      lengths: this.#lengths,
      used: this.#used,
      garbage: this.#garbage,
      nulls: this.nulls,
      nullCount: this.nullCount,
    };
  }

  get byteLength(): number {
    return this.heap.byteLength + this.#starts.byteLength + this.#lengths.byteLength + this.nulls.byteLength;
  }

  reserve(capacity: number): void {
    if (this.width > 0) this.heap = grown(this.heap, capacity * this.width);
    else {
      this.#starts = resized(this.#starts, capacity);
      this.#lengths = resized(this.#lengths, capacity);
    }
    this.nulls = resizeBits(this.nulls, capacity);
  }

  isNull(slot: number): boolean {
    return hasBit(this.nulls, slot);
  }

  /** Where the slot's bytes begin in `heap`. */
  start(slot: number): number {
    return this.width > 0 ? slot * this.width : this.#starts[slot]!;
  }

  /** How many bytes the slot has; 0 for null. */
  length(slot: number): number {
    if (this.width > 0) return this.isNull(slot) ? 0 : this.width;
    return this.#lengths[slot]!;
  }

  /** The slot's bytes, as a view that the next write may move. */
  read(slot: number): Uint8Array | null {
    if (this.isNull(slot)) return null;
    const start = this.start(slot);
    return this.heap.subarray(start, start + this.length(slot));
  }

  write(slot: number, value: Value): void {
    this.erase(slot);
    if (value === null) {
      setBit(this.nulls, slot);
      this.nullCount++;
      return;
    }
    const bytes = value as Uint8Array;
    if (this.width > 0) {
      if (bytes.length !== this.width)
        throw new RangeError(`a value of ${this.width} bytes is wanted, not ${bytes.length}`);
      this.heap.set(bytes, slot * this.width);
      return;
    }
    if (this.#used + bytes.length > this.heap.length) this.#makeRoom(bytes.length);
    copyBytes(this.heap, bytes, this.#used);
    this.#starts[slot] = this.#used;
    this.#lengths[slot] = bytes.length;
    this.#used += bytes.length;
  }

  /** Forgets what the slot held, so that it may be given to another row. */
  erase(slot: number): void {
    if (this.isNull(slot)) {
      clearBit(this.nulls, slot);
      this.nullCount--;
    }
    if (this.width > 0) return;
    this.#garbage += this.#lengths[slot]!;
    this.#lengths[slot] = 0;
  }

  holds(slot: number, value: Value): boolean {
    return this.compareValue(slot, value) === 0;
  }

  /** Order of two slots by value; nulls come last. */
  compare(a: number, b: number): number {
    if (this.nullCount > 0 && (this.isNull(a) || this.isNull(b)))
      return Number(this.isNull(a)) - Number(this.isNull(b));
    return compareBytes(this.heap, this.start(a), this.length(a), this.heap, this.start(b), this.length(b));
  }

  /** Order of a slot's value against a value; nulls come last. */
  compareValue(slot: number, value: Value): number {
    if (value === null || this.isNull(slot)) return Number(this.isNull(slot)) - Number(value === null);
    const bytes = value as Uint8Array;
    return compareBytes(this.heap, this.start(slot), this.length(slot), bytes, 0, bytes.length);
  }

  /** Whether the slot's bytes contain `needle`; null contains nothing, everything else contains the empty one. */
  includes(slot: number, needle: Uint8Array): boolean {
    if (this.isNull(slot)) return false;
    const { heap } = this;
    const start = this.start(slot);
    const size = needle.length;
    const end = start + this.length(slot) - size;
    if (size === 0) return true;
    const first = needle[0]!;
    for (let at = start; at <= end; at++) {
      if (heap[at] !== first) continue;
      let same = 1;
      while (same < size && heap[at + same] === needle[same]) same++;
      if (same === size) return true;
    }
    return false;
  }

  /** Gives the heap room for `more` bytes, leaving garbage behind while at it. */
  #makeRoom(more: number): void {
    const live = this.#used - this.#garbage;
    const heap = new Uint8Array(Math.ceil((live + more) * 1.25) + 4096);
    if (this.#garbage === 0) heap.set(this.heap.subarray(0, this.#used));
    else {
      let used = 0;
      for (let slot = 0; slot < this.#starts.length; slot++) {
        const length = this.#lengths[slot]!;
        if (length === 0) continue;
        const start = this.#starts[slot]!;
        copyBytes(heap, this.heap.subarray(start, start + length), used);
        this.#starts[slot] = used;
        used += length;
      }
      this.#used = used;
      this.#garbage = 0;
    }
    this.heap = heap;
  }

  /** Gives back the room that growing left over; for a table that was just filled. */
  trim(): void {
    if (this.width === 0) this.heap = this.heap.slice(0, Math.ceil(this.#used * 1.05) + 4096);
  }
}

/** memcmp, then the shorter first. */
export function compareBytes(
  a: Uint8Array,
  aStart: number,
  aLength: number,
  b: Uint8Array,
  bStart: number,
  bLength: number,
): number {
  const shorter = Math.min(aLength, bLength);
  for (let i = 0; i < shorter; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!;
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}

/** A loop beats the call of `set` for names and words, which are a few bytes each. */
function copyBytes(target: Uint8Array, bytes: Uint8Array, at: number): void {
  if (bytes.length > 64) target.set(bytes, at);
  else for (let i = 0; i < bytes.length; i++) target[at + i] = bytes[i]!;
}

function grown(heap: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(length);
  larger.set(heap.subarray(0, length));
  return larger;
}

function resized(array: Uint32Array, length: number): Uint32Array {
  const copy = new Uint32Array(length);
  copy.set(array.subarray(0, length));
  return copy;
}
