/** The text that is searched: stored only where it differs from the text column `of`. */
import { BytesColumn, type BytesImage, emptyBytes } from "./bytes-column.ts";
import type { Value } from "./values.ts";

export class SearchColumn {
  /** Null where the searched text equals that of the column `of`. */
  readonly own: BytesColumn;
  readonly of: BytesColumn;

  constructor(of: BytesColumn, image: BytesImage = emptyBytes(0)) {
    this.own = new BytesColumn(image);
    this.of = of;
  }

  image(): BytesImage {
    return this.own.image();
  }

  get byteLength(): number {
    return this.own.byteLength;
  }

  reserve(capacity: number): void {
    this.own.reserve(capacity);
  }

  /** Releases the spare room. */
  trim(): void {
    this.own.trim();
  }

  read(slot: number): Uint8Array | null {
    return this.own.read(slot);
  }

  write(slot: number, value: Value): void {
    this.own.write(slot, value);
  }

  erase(slot: number): void {
    this.own.erase(slot);
  }

  equals(slot: number, value: Value): boolean {
    return this.own.equals(slot, value);
  }

  /** The bytes that are searched, as a view that is invalid after the next write; null when there are none. */
  text(slot: number): Uint8Array | null {
    return this.#columnOf(slot).read(slot);
  }

  includes(slot: number, needle: Uint8Array): boolean {
    return this.#columnOf(slot).includes(slot, needle);
  }

  #columnOf(slot: number): BytesColumn {
    return this.own.isNull(slot) ? this.of : this.own;
  }
}
