/** Ascending lists of slots in as few bytes as they need: each slot as its distance from the one before, seven bits to a byte. */

/** Lists one behind the other; where each begins is for the caller to keep. The low bits of a distance come first. */
export class SlotListWriter {
  #bytes: Uint8Array;
  /** Where the next byte goes. */
  used = 0;
  #last = -1;

  /** @param room bytes to begin with; more are made as they are needed */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  /** The next slot begins a list. */
  begin(): void {
    this.#last = -1;
  }

  /** Adds a slot that is greater than the one before it in the list. */
  add(slot: number): void {
    if (this.used + MOST > this.#bytes.length) this.#grow();
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
    const larger = new Uint8Array(this.#bytes.length * 2 + MOST);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Bytes of a distance below 2^31 at most. */
const MOST = 5;

/** How many bytes a distance takes. */
export const bytesOfDistance = (distance: number): number =>
  distance < 0x80 ? 1 : distance < 0x4000 ? 2 : distance < 0x20_0000 ? 3 : distance < 0x1000_0000 ? 4 : 5;

/** Adds the slots of the list between two places to `out`. */
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
