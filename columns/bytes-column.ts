/** A column of byte strings in byte order (Postgres' `collate "C"` over UTF-8), of any length or of one fixed width. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, setBit } from "./bits.ts";
import type { Value } from "./values.ts";

export type BytesImage = {
  /** Bytes of a value when all have the same; 0 when they differ, and `places` tells where each one is. */
  width: number;
  /** Values of one width lie by slot; others each behind their length, and place 0 holds the empty one. */
  heap: Uint8Array;
  places: Uint32Array;
  /** Bytes of the heap in use, garbage included. */
  used: number;
  garbage: number;
  nulls: Bits;
  nullCount: number;
};

export const emptyBytes = (width: number): BytesImage => ({
  width,
  heap: new Uint8Array(width > 0 ? 0 : 1),
  places: new Uint32Array(0),
  used: 1,
  garbage: 0,
  nulls: createBits(0),
  nullCount: 0,
});

/** Lengths from here on take five bytes instead of one: this one, and the length. */
const LONG = 255;
const LONG_PREFIX = 5;

export class BytesColumn {
  readonly width: number;
  heap: Uint8Array;
  #places: Uint32Array;
  #used: number;
  #garbage: number;
  nulls: Bits;
  nullCount: number;

  constructor(image: BytesImage) {
    this.width = image.width;
    this.heap = image.heap;
    this.#places = image.places;
    this.#used = image.used;
    this.#garbage = image.garbage;
    this.nulls = image.nulls;
    this.nullCount = image.nullCount;
  }

  image(): BytesImage {
    return {
      width: this.width,
      heap: this.heap,
      places: this.#places,
      used: this.#used,
      garbage: this.#garbage,
      nulls: this.nulls,
      nullCount: this.nullCount,
    };
  }

  get byteLength(): number {
    return this.heap.byteLength + this.#places.byteLength + this.nulls.byteLength;
  }

  reserve(capacity: number): void {
    if (this.width > 0) this.heap = grown(this.heap, capacity * this.width);
    else this.#places = resized(this.#places, capacity);
    this.nulls = resizeBits(this.nulls, capacity);
  }

  isNull(slot: number): boolean {
    return hasBit(this.nulls, slot);
  }

  /** Where the slot's bytes begin in `heap`. */
  start(slot: number): number {
    if (this.width > 0) return slot * this.width;
    const place = this.#places[slot]!;
    return place + (this.heap[place]! < LONG ? 1 : LONG_PREFIX);
  }

  /** How many bytes the slot has; 0 for null. */
  length(slot: number): number {
    if (this.width > 0) return this.isNull(slot) ? 0 : this.width;
    return this.#lengthAt(this.#places[slot]!);
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
    if (bytes.length === 0) return;
    const size = sizeOf(bytes.length);
    if (this.#used + size > this.heap.length) this.#makeRoom(size);
    const { heap } = this;
    const place = this.#used;
    if (bytes.length < LONG) heap[place] = bytes.length;
    else {
      heap[place] = LONG;
      for (let i = 0; i < 4; i++) heap[place + 1 + i] = bytes.length >>> (i * 8);
    }
    copyBytes(heap, bytes, place + size - bytes.length);
    this.#places[slot] = place;
    this.#used += size;
  }

  /** Forgets what the slot held, so that it may be given to another row. */
  erase(slot: number): void {
    if (this.isNull(slot)) {
      clearBit(this.nulls, slot);
      this.nullCount--;
    }
    if (this.width > 0) return;
    const place = this.#places[slot]!;
    if (place === 0) return;
    this.#garbage += sizeOf(this.#lengthAt(place));
    this.#places[slot] = 0;
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
      let used = 1;
      for (let slot = 0; slot < this.#places.length; slot++) {
        const place = this.#places[slot]!;
        if (place === 0) continue;
        const size = sizeOf(this.#lengthAt(place));
        copyBytes(heap, this.heap.subarray(place, place + size), used);
        this.#places[slot] = used;
        used += size;
      }
      this.#used = used;
      this.#garbage = 0;
    }
    this.heap = heap;
  }

  #lengthAt(place: number): number {
    const { heap } = this;
    const length = heap[place]!;
    if (length < LONG) return length;
    return heap[place + 1]! + heap[place + 2]! * 2 ** 8 + heap[place + 3]! * 2 ** 16 + heap[place + 4]! * 2 ** 24;
  }

  /** Gives back the room that growing left over; for a table that was just filled. */
  trim(): void {
    if (this.width === 0) this.heap = this.heap.slice(0, Math.ceil(this.#used * 1.05) + 4096);
  }
}

/** Bytes of the heap that a value of `length` bytes takes. */
const sizeOf = (length: number) => length + (length < LONG ? 1 : LONG_PREFIX);

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
