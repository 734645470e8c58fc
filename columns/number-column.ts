/** A column of numbers: doubles, with the rare integer beyond 2^53 kept exactly beside them. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, setBit } from "./bits.ts";
import type { Value } from "./values.ts";

export type NumberImage = { values: Float64Array; nulls: Bits; nullCount: number; exact: Map<number, bigint> };

export class NumberColumn {
  /** By slot; NaN is null. */
  values: Float64Array;
  nulls: Bits;
  nullCount: number;
  /** Of all values, once it was asked for; kept while every value is an integer, whose sum has no rounding. */
  #sum: number | undefined;
  /** slot → the value itself, where a double cannot hold it. Rounding keeps the order, so only equal doubles ask here. */
  readonly exact: Map<number, bigint>;

  constructor(
    image: NumberImage = { values: new Float64Array(0), nulls: createBits(0), nullCount: 0, exact: new Map() },
  ) {
    this.values = image.values;
    this.nulls = image.nulls;
    this.nullCount = image.nullCount;
    this.exact = image.exact;
  }

  image(): NumberImage {
    return { values: this.values, nulls: this.nulls, nullCount: this.nullCount, exact: this.exact };
  }

  get byteLength(): number {
    return this.values.byteLength + this.nulls.byteLength;
  }

  reserve(capacity: number): void {
    const values = new Float64Array(capacity);
    values.set(this.values.subarray(0, capacity));
    this.values = values;
    this.nulls = resizeBits(this.nulls, capacity);
  }

  isNull(slot: number): boolean {
    return hasBit(this.nulls, slot);
  }

  read(slot: number): number | bigint | null {
    if (this.isNull(slot)) return null;
    return this.exact.get(slot) ?? this.values[slot]!;
  }

  write(slot: number, value: Value): void {
    this.erase(slot);
    if (value === null) {
      setBit(this.nulls, slot);
      this.nullCount++;
      this.values[slot] = Number.NaN;
    } else {
      // Adding 0 turns -0 into 0, which is the same number to SQL.
      const double = Number(value) + 0;
      this.values[slot] = double;
      this.#count(double);
      if (typeof value === "bigint" && !Number.isSafeInteger(double)) this.exact.set(slot, value);
    }
  }

  /** Forgets what the slot held, so that it may be given to another row. */
  erase(slot: number): void {
    if (this.isNull(slot)) {
      clearBit(this.nulls, slot);
      this.nullCount--;
    } else this.#count(-this.values[slot]!);
    this.values[slot] = 0;
    if (this.exact.size > 0) this.exact.delete(slot);
  }

  /** Sum of all values as doubles add up; nulls count as 0. */
  get sum(): number {
    if (this.#sum !== undefined) return this.#sum;
    let sum = 0;
    for (const value of this.values) sum += value || 0;
    if (Number.isSafeInteger(sum)) this.#sum = sum;
    return sum;
  }

  #count(value: number): void {
    if (this.#sum === undefined) return;
    const sum = this.#sum + value;
    this.#sum = Number.isInteger(value) && Number.isSafeInteger(sum) ? sum : undefined;
  }

  holds(slot: number, value: Value): boolean {
    return this.compareValue(slot, value) === 0;
  }

  /** Order of two slots by value; nulls come last. */
  compare(a: number, b: number): number {
    const left = this.values[a]!;
    const right = this.values[b]!;
    if (left < right) return -1;
    if (left > right) return 1;
    if (this.exact.size === 0 && left === right) return 0;
    return this.compareValue(a, this.read(b));
  }

  /** Order of a slot's value against a value; nulls come last. */
  compareValue(slot: number, value: Value): number {
    const own = this.read(slot);
    if (own === null || value === null) return Number(own === null) - Number(value === null);
    const other = value as number | bigint;
    return own < other ? -1 : own > other ? 1 : 0;
  }
}
