/** A column of numbers, in as few bytes each as hold every value exactly; the rare integers beyond 2^53 are stored exactly in addition to their doubles. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, setBit } from "./bits.ts";
import type { Value } from "./values.ts";

/** One byte holds scores, two the scores of others, four ids, amounts and seconds; milliseconds and fractions take eight. */
const WIDTHS = [Int8Array, Int16Array, Int32Array, Float64Array] as const;
export type NumberValues = InstanceType<(typeof WIDTHS)[number]>;
export type NumberImage = { values: NumberValues; nulls: Bits; nullCount: number; exact: Map<number, bigint> };

export class NumberColumn {
  /** By slot; 0 where it is null. Another array after a write that may have widened it. */
  values: NumberValues;
  nulls: Bits;
  nullCount: number;
  /** Sum of all values, set by the first call of `sum`; updated while all values are integers, whose sum is not rounded. */
  #sum: number | undefined;
  /** slot → exact value, where a double cannot represent it. Rounding keeps the order, so only equal doubles are compared by it. */
  readonly exact: Map<number, bigint>;

  constructor(image: NumberImage = { values: new Int8Array(0), nulls: createBits(0), nullCount: 0, exact: new Map() }) {
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
    this.values = copied(this.values, widthOf(this.values), capacity);
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
    } else {
      // Adding 0 turns -0 into 0, which SQL treats as the same number.
      const double = Number(value) + 0;
      this.values[slot] = double;
      if (this.values[slot] !== double) this.#widen(slot, double);
      this.#addToSum(double);
      if (typeof value === "bigint" && !Number.isSafeInteger(double)) this.exact.set(slot, value);
    }
  }

  /** Moves all values into the fewest bytes that hold `double` exactly as well, and writes it. */
  #widen(slot: number, double: number): void {
    this.values[slot] = 0;
    let width = widthOf(this.values);
    while (width < WIDTHS.length - 1 && new WIDTHS[width]!([double])[0] !== double) width++;
    this.values = copied(this.values, width, this.values.length);
    this.values[slot] = double;
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
    for (const value of this.values) sum += value;
    if (Number.isSafeInteger(sum)) this.#sum = sum;
    return sum;
  }

  #addToSum(value: number): void {
    if (this.#sum === undefined) return;
    const sum = this.#sum + value;
    this.#sum = Number.isInteger(value) && Number.isSafeInteger(sum) ? sum : undefined;
  }

  /** Puts the slots with a value between two bounds, both included, into `bits`, and maybe some without a row. */
  fill(bits: Bits, from: number | bigint = Number.NEGATIVE_INFINITY, to: number | bigint = Number.POSITIVE_INFINITY) {
    const { values, nulls, exact } = this;
    for (let slot = 0; slot < values.length; slot++) {
      const value = exact.size === 0 ? values[slot]! : (exact.get(slot) ?? values[slot]!);
      if (value >= from && value <= to && ((nulls[slot >>> 5]! >>> (slot & 31)) & 1) === 0)
        bits[slot >>> 5]! |= 1 << (slot & 31);
    }
  }

  equals(slot: number, value: Value): boolean {
    if (value === null) return this.isNull(slot);
    if (this.values[slot] === value && this.exact.size === 0) return !this.isNull(slot);
    return this.compareValue(slot, value) === 0;
  }

  /** Compares two slots by value; nulls are last. */
  compare(a: number, b: number): number {
    if (this.nullCount > 0 && (this.isNull(a) || this.isNull(b)))
      return Number(this.isNull(a)) - Number(this.isNull(b));
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

const widthOf = (values: NumberValues): number => WIDTHS.findIndex((type) => values instanceof type);

function copied(values: NumberValues, width: number, length: number): NumberValues {
  const copy = new WIDTHS[width]!(length);
  copy.set(values.subarray(0, length));
  return copy;
}
