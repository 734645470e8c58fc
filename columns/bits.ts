/** Sets of slots as bits in 32-bit words: membership, union, intersection and exact counts over a million rows in microseconds. */

/** Bit `slot & 31` of word `slot >> 5` says whether the slot is in the set. Signed words keep every operation an integer one. */
export type Bits = Int32Array;

export const wordsFor = (capacity: number): number => (capacity + 31) >>> 5;

export const createBits = (capacity: number): Bits => new Int32Array(wordsFor(capacity));

export const hasBit = (bits: Bits, slot: number): boolean => ((bits[slot >>> 5]! >>> (slot & 31)) & 1) === 1;

export function setBit(bits: Bits, slot: number): void {
  bits[slot >>> 5]! |= 1 << (slot & 31);
}

export function clearBit(bits: Bits, slot: number): void {
  bits[slot >>> 5]! &= ~(1 << (slot & 31));
}

export const writeBit = (bits: Bits, slot: number, member: boolean): void =>
  member ? setBit(bits, slot) : clearBit(bits, slot);

// The loops below are what a page costs. Their bounds are read once and nothing in them is called, and the count says of
// each sum that it is a 32-bit one: written the plain way they take three to five times as long.

/** Keeps in `bits` what is also in `other`. */
export function intersect(bits: Bits, other: Bits): void {
  const { length } = bits;
  for (let word = 0; word < length; word++) bits[word]! &= other[word]!;
}

/** Removes from `bits` what is in `other`. */
export function subtract(bits: Bits, other: Bits): void {
  const { length } = bits;
  for (let word = 0; word < length; word++) bits[word]! &= ~other[word]!;
}

/** How many slots are in the set. */
export const countBits = (bits: Bits): number => countCommon(bits, bits);

/** How many slots are in both sets. The ones of a word are counted in parallel (Hacker's Delight, 5-1). */
export function countCommon(a: Bits, b: Bits): number {
  const { length } = a;
  let count = 0;
  for (let word = 0; word < length; word++) {
    const both = a[word]! & b[word]!;
    const pairs = (both - ((both >>> 1) & 0x55555555)) | 0;
    const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
    count = (count + (Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24)) | 0;
  }
  return count;
}

/** Every slot of the set, ascending. */
export function listBits(bits: Bits): number[] {
  const slots: number[] = [];
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) slots.push(word * 32 + 31 - Math.clz32(rest & -rest));
  }
  return slots;
}

/** The same set with room for `capacity` slots. */
export function resizeBits(bits: Bits, capacity: number): Bits {
  const resized = createBits(capacity);
  resized.set(bits.subarray(0, resized.length));
  return resized;
}
