/** A column of numbers: doubles, with the rare integers beyond 2^53 stored exactly beside them. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, setBit } from "./bits.ts";
import type { Value } from "./values.ts";

export type NumberImage = { values: Float64Array; nulls: Bits; nullCount: number; exact: Map<number, bigint> };

export class NumberColumn {
  /** By slot; NaN is null. */
  values: Float64Array;
  nulls: Bits;
  nullCount: number;
  /** Sum of all values, set by the first call of `sum`; updated while all values are integers, whose sum is not rounded. */
  #sum: number | undefined;
  /** slot → exact value, where a double cannot represent it. Rounding keeps the order, so only equal doubles are compared by it. */
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
      // Adding 0 turns -0 into 0, which SQL treats as the same number.
      const double = Number(value) + 0;
      this.values[slot] = double;
      this.#addToSum(double);
      if (typeof value === "bigint" && !Number.isSafeInteger(double)) this.exact.set(slot, value);
    }
  }

  /** Removes the slot's value, so that another row can use the slot. */
  erase(slot: number): void {
    if (this.isNull(slot)) {
      clearBit(this.nulls, slot);
      this.nullCount--;
    } else this.#addToSum(-this.values[slot]!);
    this.values[slot] = 0;
    if (this.exact.size > 0) this.exact.delete(slot);
  }

  /** Sum of all values in double arithmetic; nulls count as 0. */
  get sum(): number {
    if (this.#sum !== undefined) return this.#sum;
    let sum = 0;
    for (const value of this.values) sum += value || 0;
    if (Number.isSafeInteger(sum)) this.#sum = sum;
    return sum;
  }

  #addToSum(value: number): void {
    if (this.#sum === undefined) return;
    const sum = this.#sum + value;
    this.#sum = Number.isInteger(value) && Number.isSafeInteger(sum) ? sum : undefined;
  }

  equals(slot: number, value: Value): boolean {
    return this.compareValue(slot, value) === 0;
  }

  /** Compares two slots by value; nulls are last. */
  compare(a: number, b: number): number {
    const left = this.values[a]!;
    const right = this.values[b]!;
    if (left < right) return -1;
    if (left > right) return 1;
    if (this.exact.size === 0 && left === right) return 0;
    return this.compareValue(a, this.read(b));
  }

  /** Compares a slot's value with a value; nulls are last. */
  compareValue(slot: number, value: Value): number {
    const own = this.read(slot);
    if (own === null || value === null) return Number(own === null) - Number(value === null);
    const other = value as number | bigint;
    return own < other ? -1 : own > other ? 1 : 0;
  }
}
