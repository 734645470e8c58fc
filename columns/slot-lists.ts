/** Compressed lists of ascending slots: each slot as its distance from the one before it, seven bits to a byte (varint). */

/** Writes lists one behind the other; the caller stores where each begins. The low bits of a distance come first. */
export class SlotListWriter {
  #bytes: Uint8Array;
  /** Offset of the next byte. */
  used = 0;
  #last = -1;

  /** @param room initial bytes; the buffer grows when needed */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  /** The next slot begins a list. */
  begin(): void {
    this.#last = -1;
  }

  /** Adds a slot that is greater than the one before it in the list. */
  add(slot: number): void {
    if (this.used + MAX_DISTANCE_BYTES > this.#bytes.length) this.#grow();
    let distance = slot - this.#last;
    this.#last = slot;
    while (distance > 127) {
      this.#bytes[this.used++] = (distance & 127) | 128;
      distance >>>= 7;
    }
    this.#bytes[this.used++] = distance;
  }

  /** All lists; the writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.used > this.#bytes.length * 0.95 ? this.#bytes.subarray(0, this.used) : this.#bytes.slice(0, this.used);
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2 + MAX_DISTANCE_BYTES);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Max bytes of one distance, which is below 2^31. */
const MAX_DISTANCE_BYTES = 5;

/** Number of bytes of one distance. */
export const bytesOfDistance = (distance: number): number =>
  distance < 0x80 ? 1 : distance < 0x4000 ? 2 : distance < 0x20_0000 ? 3 : distance < 0x1000_0000 ? 4 : 5;

/** Appends to `out` the slots of the list between two offsets. */
export function readSlots(lists: Uint8Array, from: number, to: number, out: number[]): void {
  let slot = -1;
  for (let at = from; at < to; ) {
    let byte = lists[at++]!;
    let distance = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = lists[at++]!;
      distance |= (byte & 127) << shift;
    }
    slot += distance;
    out.push(slot);
  }
}
