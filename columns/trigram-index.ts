/** Finds the texts that contain a string: for each three consecutive bytes the list of slots, in segments that are merged as in an LSM tree. */
import { type Bits, setBit } from "./bits.ts";
import { bytesOfDistance, readSlots, SlotListWriter } from "./slot-lists.ts";

/**
 * Sorted trigrams; the slots of `keys[i]` are the list in `lists` from `starts[i]` to `starts[i + 1]`. The two places
 * after a text's last byte count as bytes 0, so that every byte begins a trigram: a search for one or two bytes reads a
 * range of neighbouring keys, and is exact.
 */
export type Segment = { keys: Uint32Array; starts: Uint32Array; lists: Uint8Array };

export type Texts = {
  /** Bytes of a slot; null for none. */
  text(slot: number): Uint8Array | null;
  includes(slot: number, needle: Uint8Array): boolean;
};

type NumberedSegment = { number: number; data: Segment };

export type TrigramIndexImage = { segment: Segment; owner: Uint8Array };

/** Number of changed texts at which they become a segment; until then a search reads each of them. */
const MAX_UNINDEXED = 1024;
/** Entries merged between two readings of the clock. */
const STRIDE = 20_000;
/** Max trigrams of a long needle among which the rarest is chosen. */
const MAX_CONSIDERED = 64;
/** Max texts whose trigrams are sorted; for more texts it is cheaper to count all 2^24 trigrams. */
const MAX_SORT_SLOTS = 2_500;
/** A slot below this fits into one double together with a trigram of 24 bits. */
const MAX_SLOTS = 2 ** 29;
const TRIGRAMS = 2 ** 24;
/** Trigrams with the same first two bytes. */
const GROUP = 256;

export class TrigramIndex {
  readonly #texts: Texts;
  /** The oldest, which is the largest, first. */
  #segments: NumberedSegment[] = [];
  /** slot → number of the one segment whose entries for the slot are valid; 0: none, a search reads the text itself. */
  #owner: Uint8Array;
  readonly #unindexed = new Set<number>();
  #merge: Generator<void> | undefined;

  constructor(texts: Texts, image: TrigramIndexImage = { segment: segmentOf([], texts), owner: new Uint8Array(0) }) {
    this.#texts = texts;
    this.#owner = image.owner;
    if (image.segment.lists.length > 0) this.#segments.push({ number: FIRST_SEGMENT, data: image.segment });
  }

  get byteLength(): number {
    return this.#segments.reduce((sum, { data }) => sum + bytesOf(data), this.#owner.byteLength);
  }

  reserve(capacity: number): void {
    if (capacity > MAX_SLOTS) throw new RangeError(`a table has at most ${MAX_SLOTS} slots`);
    const owner = new Uint8Array(capacity);
    owner.set(this.#owner);
    this.#owner = owner;
  }

  /** The slot's text is new or changed. */
  change(slot: number): void {
    this.#owner[slot] = 0;
    this.#unindexed.add(slot);
    if (this.#unindexed.size >= MAX_UNINDEXED) this.#flush();
  }

  /** The slot has no row any more. */
  forget(slot: number): void {
    this.#owner[slot] = 0;
    this.#unindexed.delete(slot);
  }

  /** Puts the slots whose text contains `needle` into `bits`. @param needle not empty */
  fill(bits: Bits, needle: Uint8Array): void {
    const [from, to] = this.#rarest(needle);
    const isExact = needle.length <= 3;
    const owner = this.#owner;
    for (const { number, data } of this.#segments) {
      const { starts, lists } = data;
      const last = find(data.keys, to);
      for (let list = find(data.keys, from); list < last; list++) {
        const end = starts[list + 1]!;
        let slot = -1;
        for (let at = starts[list]!; at < end; ) {
          let byte = lists[at++]!;
          let distance = byte & 127;
          for (let shift = 7; byte > 127; shift += 7) {
            byte = lists[at++]!;
            distance |= (byte & 127) << shift;
          }
          slot += distance;
          if (owner[slot] === number && (isExact || this.#texts.includes(slot, needle)))
            bits[slot >>> 5]! |= 1 << (slot & 31);
        }
      }
    }
    for (const slot of this.#unindexed) if (this.#texts.includes(slot, needle)) setBit(bits, slot);
  }

  /** Merges segments for about `budgetMs`; searches are exact before, during and after. @returns whether more is to do */
  maintain(budgetMs: number): boolean {
    const deadline = performance.now() + budgetMs;
    do {
      this.#merge ??= this.#nextMerge();
      if (this.#merge === undefined) return false;
      if (this.#merge.next().done) this.#merge = undefined;
    } while (performance.now() < deadline);
    return true;
  }

  /** The range of trigrams to read: all that begin with a short needle, or the one of a long needle with the shortest lists. */
  #rarest(needle: Uint8Array): [from: number, to: number] {
    const [first, second, third] = needle;
    if (second === undefined) return [first! << 16, (first! + 1) << 16];
    if (third === undefined) return [(first! << 16) | (second << 8), ((first! << 16) | (second << 8)) + 256];
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at + 2 < needle.length && at < MAX_CONSIDERED; at++) {
      const key = trigram(needle, at);
      let size = 0;
      for (const { data } of this.#segments)
        size += data.starts[find(data.keys, key + 1)]! - data.starts[find(data.keys, key)]!;
      if (size < least) [best, least] = [key, size];
    }
    return [best, best + 1];
  }

  #flush(): void {
    const number = this.#freeNumber();
    const slots = [...this.#unindexed].sort((a, b) => a - b);
    this.#segments.push({ number, data: segmentOf(slots, this.#texts) });
    for (const slot of slots) this.#owner[slot] = number;
    this.#unindexed.clear();
  }

  /** A merge of the last two neighbours of about the same size, which keeps the number of segments small. */
  #nextMerge(): Generator<void> | undefined {
    for (let i = this.#segments.length - 2; i >= 0; i--) {
      const [older, newer] = [this.#segments[i]!, this.#segments[i + 1]!];
      if (older.data.lists.length <= 2 * newer.data.lists.length) return this.#mergePair(older, newer);
    }
    return undefined;
  }

  *#mergePair(older: NumberedSegment, newer: NumberedSegment): Generator<void> {
    const keys = new Uint32Array(older.data.keys.length + newer.data.keys.length);
    const starts = new Uint32Array(keys.length + 1);
    const writer = new SlotListWriter(older.data.lists.length + newer.data.lists.length + SPARE_BYTES);
    const next = [0, 0];
    const slots: number[] = [];
    let distinct = 0;
    for (let pause = STRIDE; ; pause--) {
      const key = Math.min(older.data.keys[next[0]!] ?? TRIGRAMS, newer.data.keys[next[1]!] ?? TRIGRAMS);
      if (key === TRIGRAMS) break;
      slots.length = 0;
      for (const [which, { number, data }] of [older, newer].entries()) {
        const at = next[which]!;
        if (data.keys[at] !== key) continue;
        next[which] = at + 1;
        const listed: number[] = [];
        readSlots(data.lists, data.starts[at]!, data.starts[at + 1]!, listed);
        for (const slot of listed) if (this.#owner[slot] === number) slots.push(slot);
        pause -= listed.length;
      }
      if (slots.length > 0) {
        keys[distinct] = key;
        starts[distinct++] = writer.used;
        writer.begin();
        for (const slot of slots.sort(ascending)) writer.add(slot);
      }
      if (pause <= 0) {
        yield;
        pause = STRIDE;
      }
    }
    starts[distinct] = writer.used;
    const merged = {
      number: this.#freeNumber(),
      data: { keys: keys.slice(0, distinct), starts: starts.slice(0, distinct + 1), lists: writer.finish() },
    };
    // Slots that changed during the merge belong to neither segment any more, and stay out.
    for (let slot = 0; slot < this.#owner.length; slot++) {
      const owner = this.#owner[slot];
      if (owner === older.number || owner === newer.number) this.#owner[slot] = merged.number;
    }
    this.#segments.splice(this.#segments.indexOf(older), 2, merged);
  }

  #freeNumber(): number {
    for (let number = FIRST_SEGMENT; number < 256; number++)
      if (!this.#segments.some((segment) => segment.number === number)) return number;
    throw new Error("too many segments: maintain() is not being called");
  }
}

const FIRST_SEGMENT = 1;

/** The index of a whole column: a first pass measures the lists, a second writes them. @param slots number of slots, each with a text or null */
export function buildTrigramIndex(texts: Texts, slots: number, capacity: number): TrigramIndexImage {
  const owner = new Uint8Array(capacity).fill(FIRST_SEGMENT, 0, slots);
  if (slots <= MAX_SORT_SLOTS)
    return {
      segment: segmentOf(
        Array.from({ length: slots }, (_, slot) => slot),
        texts,
      ),
      owner,
    };
  // Of each trigram two numbers side by side: the size of its list, later the offset in it, and the last slot in it, plus
  // 1. A text may repeat a trigram. Only the groups of 256 trigrams that occur are walked: the rest takes no memory.
  const state = new Uint32Array(TRIGRAMS * 2);
  const occurs = new Uint8Array(TRIGRAMS / GROUP);
  for (let slot = 0; slot < slots; slot++) {
    const text = texts.text(slot);
    if (text === null) continue;
    for (let at = 0, key = trigram(text, 0); at < text.length; key = nextTrigram(key, text, ++at)) {
      const distance = slot + 1 - state[key * 2 + 1]!;
      if (distance === 0) continue;
      state[key * 2]! += bytesOfDistance(distance);
      state[key * 2 + 1] = slot + 1;
      occurs[key >>> 8] = 1;
    }
  }
  const keys: number[] = [];
  const starts: number[] = [];
  let used = 0;
  for (let group = 0; group < occurs.length; group++) {
    if (occurs[group] === 0) continue;
    for (let key = group * GROUP; key < (group + 1) * GROUP; key++) {
      const size = state[key * 2]!;
      if (size === 0) continue;
      keys.push(key);
      starts.push(used);
      state[key * 2] = used;
      state[key * 2 + 1] = 0;
      used += size;
    }
  }
  const lists = new Uint8Array(used);
  starts.push(used);
  for (let slot = 0; slot < slots; slot++) {
    const text = texts.text(slot);
    if (text === null) continue;
    for (let at = 0, key = trigram(text, 0); at < text.length; key = nextTrigram(key, text, ++at)) {
      let distance = slot + 1 - state[key * 2 + 1]!;
      if (distance === 0) continue;
      state[key * 2 + 1] = slot + 1;
      let place = state[key * 2]!;
      for (; distance > 127; distance >>>= 7) lists[place++] = (distance & 127) | 128;
      lists[place++] = distance;
      state[key * 2] = place;
    }
  }
  return { segment: { keys: Uint32Array.from(keys), starts: Uint32Array.from(starts), lists }, owner };
}

/** A segment of a few slots: sorts (trigram, slot) as one number. */
function segmentOf(slots: number[], texts: Texts): Segment {
  const entries: number[] = [];
  for (const slot of slots) {
    const text = texts.text(slot);
    if (text !== null) for (let at = 0; at < text.length; at++) entries.push(trigram(text, at) * MAX_SLOTS + slot);
  }
  const sorted = Float64Array.from(entries).sort();
  const keys: number[] = [];
  const starts: number[] = [];
  const writer = new SlotListWriter(entries.length + SPARE_BYTES);
  for (let i = 0; i < sorted.length; i++) {
    const entry = sorted[i]!;
    if (entry === sorted[i - 1]) continue;
    const key = Math.floor(entry / MAX_SLOTS);
    if (key !== keys.at(-1)) {
      keys.push(key);
      starts.push(writer.used);
      writer.begin();
    }
    writer.add(entry - key * MAX_SLOTS);
  }
  starts.push(writer.used);
  return { keys: Uint32Array.from(keys), starts: Uint32Array.from(starts), lists: writer.finish() };
}

const trigram = (text: Uint8Array, at: number): number =>
  (text[at]! << 16) | ((at + 1 < text.length ? text[at + 1]! : 0) << 8) | (at + 2 < text.length ? text[at + 2]! : 0);

/** The trigram at an offset, computed from the one before it. */
const nextTrigram = (key: number, text: Uint8Array, at: number): number =>
  ((key & 0xffff) << 8) | (at + 2 < text.length ? text[at + 2]! : 0);

/** Index of the first key not below `key`. */
function find(keys: Uint32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const bytesOf = ({ keys, starts, lists }: Segment) => keys.byteLength + starts.byteLength + lists.byteLength;

const ascending = (a: number, b: number) => a - b;
/** Spare bytes of a writer: room for one distance of the max length, so that the expected size never makes it grow. */
const SPARE_BYTES = 8;
