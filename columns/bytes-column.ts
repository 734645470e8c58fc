/** A column of byte strings in byte order (Postgres' `collate "C"` over UTF-8), of any length or of one fixed width. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, setBit } from "./bits.ts";
import type { Value } from "./values.ts";

export type BytesImage = {
  /** Bytes per value when all have the same length; 0 when lengths differ, and `offsets` has the place of each. */
  width: number;
  /** Values of one width are at slot · width; others follow their length, and offset 0 is the empty value. */
  heap: Uint8Array;
  offsets: Uint32Array;
  /** Offsets of the values that many slots may have. */
  shared: number[];
  /** Bytes of the heap in use, garbage included. */
  used: number;
  garbage: number;
  nulls: Bits;
  nullCount: number;
};

export const emptyBytes = (width: number): BytesImage => ({
  width,
  heap: new Uint8Array(width > 0 ? 0 : 1),
  offsets: new Uint32Array(0),
  shared: [],
  used: 1,
  garbage: 0,
  nulls: createBits(0),
  nullCount: 0,
});

/** A length from this on takes five bytes instead of one: this byte, then the length. */
const LONG_FROM_BYTES = 255;
const LONG_PREFIX_BYTES = 5;
/** Max values of a column that are stored once for all slots that have them, and max bytes of each: they are never removed. */
const MAX_SHARED = 64;
const SHARED_LENGTH = 64;

export class BytesColumn {
  readonly width: number;
  heap: Uint8Array;
  #offsets: Uint32Array;
  readonly #shared: number[];
  readonly #repeats: boolean;
  #used: number;
  #garbage: number;
  nulls: Bits;
  nullCount: number;

  /** @param repeats most slots have one of a few values, of which each is stored once */
  constructor(image: BytesImage, repeats = false) {
    this.width = image.width;
    this.heap = image.heap;
    this.#offsets = image.offsets;
    this.#shared = image.shared;
    this.#repeats = repeats;
    this.#used = image.used;
    this.#garbage = image.garbage;
    this.nulls = image.nulls;
    this.nullCount = image.nullCount;
  }

  image(): BytesImage {
    return {
      width: this.width,
      heap: this.heap,
      offsets: this.#offsets,
      shared: this.#shared,
      used: this.#used,
      garbage: this.#garbage,
      nulls: this.nulls,
      nullCount: this.nullCount,
    };
  }

  get byteLength(): number {
    return this.heap.byteLength + this.#offsets.byteLength + this.nulls.byteLength;
  }

  reserve(capacity: number): void {
    if (this.width > 0) this.heap = grown(this.heap, capacity * this.width);
    else this.#offsets = resized(this.#offsets, capacity);
    this.nulls = resizeBits(this.nulls, capacity);
  }

  isNull(slot: number): boolean {
    return hasBit(this.nulls, slot);
  }

  /** Offset in `heap` at which the slot's bytes begin. */
  start(slot: number): number {
    if (this.width > 0) return slot * this.width;
    const offset = this.#offsets[slot]!;
    return offset + (this.heap[offset]! < LONG_FROM_BYTES ? 1 : LONG_PREFIX_BYTES);
  }

  /** Number of bytes of the slot's value; 0 for null. */
  length(slot: number): number {
    if (this.width > 0) return this.isNull(slot) ? 0 : this.width;
    return this.#lengthAt(this.#offsets[slot]!);
  }

  /** The slot's bytes as a view; invalid after the next write. */
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
    this.#offsets[slot] = (this.#repeats && this.#share(bytes)) || this.#append(bytes);
  }

  /** @returns the offset of the value that all slots share; 0 when there is no room for another */
  #share(bytes: Uint8Array): number {
    const { length } = bytes;
    if (length > SHARED_LENGTH) return 0;
    for (const offset of this.#shared)
      if (this.heap[offset] === length && compareBytes(this.heap, offset + 1, length, bytes, 0, length) === 0)
        return offset;
    if (this.#shared.length === MAX_SHARED) return 0;
    const offset = this.#append(bytes);
    this.#shared.push(offset);
    return offset;
  }

  /** @returns the offset of the added value */
  #append(bytes: Uint8Array): number {
    const size = sizeOf(bytes.length);
    if (this.#used + size > this.heap.length) this.#makeRoom(size);
    const { heap } = this;
    const offset = this.#used;
    if (bytes.length < LONG_FROM_BYTES) heap[offset] = bytes.length;
    else {
      heap[offset] = LONG_FROM_BYTES;
      for (let i = 0; i < 4; i++) heap[offset + 1 + i] = bytes.length >>> (i * 8);
    }
    copyBytes(heap, bytes, offset + size - bytes.length);
    this.#used += size;
    return offset;
  }

  /** Removes the slot's value, so that another row can use the slot. */
  erase(slot: number): void {
    if (this.isNull(slot)) {
      clearBit(this.nulls, slot);
      this.nullCount--;
    }
    if (this.width > 0) return;
    const offset = this.#offsets[slot]!;
    if (offset === 0) return;
    this.#offsets[slot] = 0;
    if (!this.#shared.includes(offset)) this.#garbage += sizeOf(this.#lengthAt(offset));
  }

  equals(slot: number, value: Value): boolean {
    if (value === null) return this.isNull(slot);
    return this.length(slot) === (value as Uint8Array).length && this.compareValue(slot, value) === 0;
  }

  /** Compares two slots by value; nulls are last. */
  compare(a: number, b: number): number {
    if (this.nullCount > 0 && (this.isNull(a) || this.isNull(b)))
      return Number(this.isNull(a)) - Number(this.isNull(b));
    if (this.width === 0 && this.#offsets[a] === this.#offsets[b]) return 0;
    return compareBytes(this.heap, this.start(a), this.length(a), this.heap, this.start(b), this.length(b));
  }

  /** Compares a slot's value with a value; nulls are last. */
  compareValue(slot: number, value: Value): number {
    if (value === null || this.isNull(slot)) return Number(this.isNull(slot)) - Number(value === null);
    const bytes = value as Uint8Array;
    return compareBytes(this.heap, this.start(slot), this.length(slot), bytes, 0, bytes.length);
  }

  /** Whether the slot's bytes contain `needle`; null contains nothing, any other value contains the empty needle. */
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

  /** Makes room for `more` bytes in the heap; drops the garbage if there is some. */
  #makeRoom(more: number): void {
    const live = this.#used - this.#garbage;
    const heap = new Uint8Array(Math.ceil((live + more) * 1.25) + 4096);
    if (this.#garbage === 0) heap.set(this.heap.subarray(0, this.#used));
    else {
      let used = 1;
      const moved = (offset: number): number => {
        const size = sizeOf(this.#lengthAt(offset));
        copyBytes(heap, this.heap.subarray(offset, offset + size), used);
        used += size;
        return used - size;
      };
      const places = new Map(this.#shared.map((offset) => [offset, moved(offset)]));
      for (let slot = 0; slot < this.#offsets.length; slot++) {
        const offset = this.#offsets[slot]!;
        if (offset > 0) this.#offsets[slot] = places.get(offset) ?? moved(offset);
      }
      this.#shared.splice(0, MAX_SHARED, ...places.values());
      this.#used = used;
      this.#garbage = 0;
    }
    this.heap = heap;
  }

  #lengthAt(offset: number): number {
    const { heap } = this;
    const length = heap[offset]!;
    if (length < LONG_FROM_BYTES) return length;
    return heap[offset + 1]! + heap[offset + 2]! * 2 ** 8 + heap[offset + 3]! * 2 ** 16 + heap[offset + 4]! * 2 ** 24;
  }

  /** Releases the spare room of the heap; for a table that was just built. */
  trim(): void {
    if (this.width === 0) this.heap = this.heap.slice(0, Math.ceil(this.#used * 1.05) + 4096);
  }
}

/** Heap bytes of a value of `length` bytes, its length included. */
const sizeOf = (length: number) => length + (length < LONG_FROM_BYTES ? 1 : LONG_PREFIX_BYTES);

/** As memcmp; of two with a common beginning the shorter is first. */
function compareBytes(
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

/** For names and words, which are a few bytes each, a loop is faster than calling `set`. */
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
