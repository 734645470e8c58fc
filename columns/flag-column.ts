/** A column of booleans, stored as the set of slots that are true. */
import { type Bits, clearBit, createBits, hasBit, resizeBits, writeBit } from "./bits.ts";
import type { Value } from "./values.ts";

export type FlagImage = { bits: Bits };

export class FlagColumn {
  bits: Bits;

  constructor(image: FlagImage = { bits: createBits(0) }) {
    this.bits = image.bits;
  }

  image(): FlagImage {
    return { bits: this.bits };
  }

  get byteLength(): number {
    return this.bits.byteLength;
  }

  reserve(capacity: number): void {
    this.bits = resizeBits(this.bits, capacity);
  }

  read(slot: number): boolean {
    return hasBit(this.bits, slot);
  }

  write(slot: number, value: Value): void {
    writeBit(this.bits, slot, value === true);
  }

  erase(slot: number): void {
    clearBit(this.bits, slot);
  }

  equals(slot: number, value: Value): boolean {
    return hasBit(this.bits, slot) === value;
  }
}
