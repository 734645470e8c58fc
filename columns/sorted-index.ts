/** The slots with a value in one column, sorted by it, ties by id: a list of blocks, so that a changed row moves in a microsecond. */
import type { Bits } from "./bits.ts";
import type { SlotOrder } from "./slot-order.ts";

/** Max slots per block; a full block splits. */
const BLOCK = 1024;
/** Slots per block after a bulk load: nearly full blocks take little memory, and the split of one is cheap. */
const FILL = 960;

export type SortedIndexImage = {
  pool: Int32Array;
  counts: Int32Array;
  sequence: Int32Array;
  blocks: number;
  length: number;
};

/** Distributes sorted slots over blocks. */
export function layOutBlocks(sorted: Int32Array): SortedIndexImage {
  const blocks = Math.max(1, Math.ceil(sorted.length / FILL));
  const room = blocks + (blocks >>> 4) + 8;
  const image = {
    pool: new Int32Array(room * BLOCK),
    counts: new Int32Array(room),
    sequence: new Int32Array(room),
    blocks,
    length: sorted.length,
  };
  for (let block = 0; block < blocks; block++) {
    const part = sorted.subarray(block * FILL, (block + 1) * FILL);
    image.pool.set(part, block * BLOCK);
    image.counts[block] = part.length;
    image.sequence[block] = block;
  }
  return image;
}

/**
 * Positions count from 0 in ascending order. `bits` selects slots; null selects every slot of the index, which needs
 * no walk.
 */
export class SortedIndex {
  readonly #order: SlotOrder;
  /** Block `b` has `counts[b]` slots from `b * BLOCK` on. */
  #pool: Int32Array;
  #counts: Int32Array;
  /** The block numbers in order: the first `#blocks` entries. Never empty: an empty index is one empty block. */
  #sequence: Int32Array;
  #blocks: number;
  /** Blocks below this number are in use or in `#free`. */
  #made: number;
  #free: number[] = [];
  /** The position at which each block of the sequence begins; recomputed on the first use after a change. */
  #starts: Int32Array | undefined;
  length: number;

  constructor(order: SlotOrder, image: SortedIndexImage = layOutBlocks(new Int32Array(0))) {
    this.#order = order;
    this.#pool = image.pool;
    this.#counts = image.counts;
    this.#sequence = image.sequence;
    this.#blocks = image.blocks;
    this.#made = image.blocks;
    this.length = image.length;
  }

  get byteLength(): number {
    return this.#pool.byteLength + this.#counts.byteLength + this.#sequence.byteLength;
  }

  at(position: number): number {
    const { index, offset } = this.#locate(position);
    return this.#pool[this.#sequence[index]! * BLOCK + offset]!;
  }

  insert(slot: number): void {
    let index = this.#blockOf(slot);
    let block = this.#sequence[index]!;
    if (this.#counts[block] === BLOCK) {
      this.#split(index);
      index = this.#blockOf(slot);
      block = this.#sequence[index]!;
    }
    const base = block * BLOCK;
    const count = this.#counts[block]!;
    const at = this.#order.placeOf(slot, this.#pool, base, base + count);
    this.#pool.copyWithin(at + 1, at, base + count);
    this.#pool[at] = slot;
    this.#counts[block] = count + 1;
    this.length++;
    this.#starts = undefined;
  }

  /** Removes a slot; its value and id must still be those of its insertion. */
  remove(slot: number): void {
    const index = this.#blockOf(slot);
    const block = this.#sequence[index]!;
    const base = block * BLOCK;
    const count = this.#counts[block]!;
    const at = this.#order.placeOf(slot, this.#pool, base, base + count);
    if (at === base + count || this.#pool[at] !== slot) throw new Error(`slot ${slot} is not where its value puts it`);
    this.#pool.copyWithin(at, at + 1, base + count);
    this.#counts[block] = count - 1;
    this.length--;
    this.#starts = undefined;
    if (count > 1 || this.#blocks === 1) return;
    this.#sequence.copyWithin(index, index + 1, this.#blocks);
    this.#blocks--;
    this.#free.push(block);
  }

  /** The first position whose slot is not below a bound; `against` compares a slot with the bound. */
  lowerBound(against: (slot: number) => number): number {
    const index = this.#blockFor(against);
    const base = this.#sequence[index]! * BLOCK;
    return (
      this.#positions()[index]! +
      this.#firstNotBelow(base, base + this.#counts[this.#sequence[index]!]!, against) -
      base
    );
  }

  /** Number of selected slots at positions from `from` to `to`, without `to`. */
  count(bits: Bits | null, from: number, to: number): number {
    if (bits === null || from >= to) return Math.max(0, to - from);
    let count = 0;
    this.#forward(from, to, (pool, first, last) => {
      let here = 0;
      for (let i = first; i < last; i++) {
        const slot = pool[i]!;
        here += (bits[slot >>> 5]! >>> (slot & 31)) & 1;
      }
      count += here;
      return false;
    });
    return count;
  }

  /** The lowest position with `wanted` selected slots between `from` and it. */
  skipForward(bits: Bits | null, from: number, wanted: number): number {
    if (bits === null || wanted === 0) return from + wanted;
    let missing = wanted;
    let position = from;
    this.#forward(from, this.length, (pool, first, last) => {
      let still = missing;
      for (let i = first; i < last; i++) {
        const slot = pool[i]!;
        still -= (bits[slot >>> 5]! >>> (slot & 31)) & 1;
        if (still === 0) {
          position += i - first + 1;
          return true;
        }
      }
      missing = still;
      position += last - first;
      return false;
    });
    return position;
  }

  /** The highest position with `wanted` selected slots between it and `to`; 0 when there are fewer. */
  skipBackward(bits: Bits | null, to: number, wanted: number): number {
    if (bits === null || wanted === 0) return to - wanted;
    let missing = wanted;
    let position = to;
    this.#backward(to, (pool, first, last) => {
      let still = missing;
      for (let i = last - 1; i >= first; i--) {
        const slot = pool[i]!;
        still -= (bits[slot >>> 5]! >>> (slot & 31)) & 1;
        if (still === 0) {
          position -= last - i;
          return true;
        }
      }
      missing = still;
      position -= last - first;
      return false;
    });
    return position;
  }

  /** Appends the selected slots from `from` to `to` to `out`, until it has `limit`. */
  collect(bits: Bits | null, from: number, to: number, limit: number, out: number[]): void {
    if (from >= to || out.length >= limit) return;
    this.#forward(from, to, (pool, first, last) => {
      for (let i = first; i < last; i++) {
        const slot = pool[i]!;
        if (bits !== null && ((bits[slot >>> 5]! >>> (slot & 31)) & 1) === 0) continue;
        out.push(slot);
        if (out.length === limit) return true;
      }
      return false;
    });
  }

  /** Appends the selected slots below `to` to `out`, the highest position first, until it has `limit`. */
  collectBackward(bits: Bits | null, to: number, limit: number, out: number[]): void {
    if (out.length >= limit) return;
    this.#backward(to, (pool, first, last) => {
      for (let i = last - 1; i >= first; i--) {
        const slot = pool[i]!;
        if (bits !== null && ((bits[slot >>> 5]! >>> (slot & 31)) & 1) === 0) continue;
        out.push(slot);
        if (out.length === limit) return true;
      }
      return false;
    });
  }

  /** Puts all slots from `from` to `to` into `bits`. */
  fill(bits: Bits, from: number, to: number): void {
    this.#forward(from, to, (pool, first, last) => {
      for (let i = first; i < last; i++) {
        const slot = pool[i]!;
        bits[slot >>> 5]! |= 1 << (slot & 31);
      }
      return false;
    });
  }

  /** Calls `visit` with each range of the pool between two positions, until it returns true. */
  #forward(from: number, to: number, visit: (pool: Int32Array, first: number, last: number) => boolean): void {
    if (from >= to) return;
    let { index, offset } = this.#locate(from);
    for (let left = to - from; left > 0; index++) {
      const block = this.#sequence[index]!;
      const base = block * BLOCK + offset;
      const size = Math.min(this.#counts[block]! - offset, left);
      if (visit(this.#pool, base, base + size)) return;
      left -= size;
      offset = 0;
    }
  }

  /** As `#forward`, from `to` back to the beginning. */
  #backward(to: number, visit: (pool: Int32Array, first: number, last: number) => boolean): void {
    if (to <= 0) return;
    const { index, offset } = this.#locate(to - 1);
    for (let i = index, end = offset + 1; i >= 0; i--) {
      const block = this.#sequence[i]!;
      if (visit(this.#pool, block * BLOCK, block * BLOCK + end)) return;
      if (i > 0) end = this.#counts[this.#sequence[i - 1]!]!;
    }
  }

  /** Index of a position's block in the sequence, and offset in that block. */
  #locate(position: number): { index: number; offset: number } {
    const starts = this.#positions();
    let low = 0;
    let high = this.#blocks - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return { index: low, offset: position - starts[low]! };
  }

  #positions(): Int32Array {
    if (this.#starts !== undefined) return this.#starts;
    const starts = new Int32Array(this.#blocks);
    for (let i = 1; i < this.#blocks; i++) starts[i] = starts[i - 1]! + this.#counts[this.#sequence[i - 1]!]!;
    this.#starts = starts;
    return starts;
  }

  /** Index of the block that a slot is in, or belongs into: the last whose first slot is not above it, or the first block. */
  #blockOf(slot: number): number {
    return this.#order.lastNotAbove(slot, this.#pool, this.#sequence, this.#blocks, BLOCK);
  }

  /** The last block whose first slot is below the bound, or the first block: the bound is in it or right behind it. */
  #blockFor(against: (slot: number) => number): number {
    let low = 0;
    let high = this.#blocks - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (against(this.#pool[this.#sequence[middle]! * BLOCK]!) < 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #firstNotBelow(from: number, to: number, against: (slot: number) => number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (against(this.#pool[middle]!) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #split(index: number): void {
    const block = this.#sequence[index]!;
    const added = this.#free.pop() ?? this.#made++;
    if (added === this.#counts.length) this.#grow();
    const half = BLOCK >>> 1;
    this.#pool.copyWithin(added * BLOCK, block * BLOCK + half, (block + 1) * BLOCK);
    this.#counts[block] = half;
    this.#counts[added] = BLOCK - half;
    this.#sequence.copyWithin(index + 2, index + 1, this.#blocks);
    this.#sequence[index + 1] = added;
    this.#blocks++;
  }

  #grow(): void {
    const room = Math.ceil(this.#counts.length * 1.25) + 8;
    this.#pool = enlarged(this.#pool, room * BLOCK);
    this.#counts = enlarged(this.#counts, room);
    this.#sequence = enlarged(this.#sequence, room);
  }
}

function enlarged(array: Int32Array, length: number): Int32Array {
  const larger = new Int32Array(length);
  larger.set(array);
  return larger;
}
