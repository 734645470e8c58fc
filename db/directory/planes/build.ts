/** Builds the planes of the directory from all its rows. */
import type pg from "pg";
import { copyRows } from "../../../columns/copy-rows.ts";
import { statement, t } from "../../sql/statement.ts";
import { ETHOS } from "../ethos-sql.ts";
import { clearPlanes, flipPlanes, type Mask, nameOrder, type SlotRow, saveImage, storeSlots } from "./image.ts";
import { CODE_BYTES, GRAM_CHARACTERS, gramPlane, gramsOf, readRow, VALUES } from "./layout.ts";

/** Max bits of a plane in one segment: the planes of one segment are in memory while it is built, some 200 MB. */
const SEGMENT_BITS = 1_280 * 1_024;
/** Rows. */
const READ_AT_ONCE = 20_000;
const NAMES_PER_SAMPLE = 50_000;
/** A gram that fewer than one name in 256 (`short`) or in 64 (`long`) contains has no plane: the index of trigrams finds it. */
const RARER_THAN = { short: 256, long: 64 };
const MAX_GRAMS = 4_096;
/** Max marks in the order of names; two marks have `MIN_NAMES_BETWEEN_MARKS` names between them, or more. */
const MAX_MARKS = 16_000;
const MIN_NAMES_BETWEEN_MARKS = 32;

const COUNT = statement({
  name: "directory-planes-count",
  text: "select count(*) as rows from offchain.directory",
  columns: { rows: t.int8 },
});

const NAME_MARKS = statement({
  name: "directory-planes-name-marks",
  params: { every: t.int8 },
  text: `
    select name from (
      select sort_name as name, row_number() over (order by sort_name collate "C") as n
      from offchain.directory where removed_at is null) sorted
    where n % $every = 0 and name is not null group by name order by name collate "C"`,
  columns: { name: t.filtered(t.text) },
});

const SAMPLE_NAMES = statement({
  name: "directory-planes-sample",
  params: { every: t.int8 },
  text: "select search_name as name from offchain.directory where removed_at is null and search_name is not null and id % $every = 0",
  columns: { name: t.filtered(t.text) },
});

/** The grams that get planes: those that many names contain. */
function commonGrams(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) for (const gram of gramsOf(name)) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  const isCommon = ([gram, count]: [string, number]) =>
    count * ([...gram].length < GRAM_CHARACTERS ? RARER_THAN.short : RARER_THAN.long) >= names.length;
  return [...counts]
    .filter(isCommon)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_GRAMS)
    .map(([gram]) => gram);
}

/** The planes of one segment while it is built; a plane without a bit takes no memory. */
class Segment {
  readonly #number: number;
  readonly #bytes: number;
  readonly #ofCode: (Uint8Array | undefined)[] = new Array(CODE_BYTES * 8);
  readonly #ofGram = new Map<string, Uint8Array>();

  constructor(number: number, bits: number, grams: readonly string[]) {
    this.#number = number;
    this.#bytes = bits / 8;
    // A gram's plane is there even where it is empty: that it is there says that the gram is common.
    for (const gram of grams) this.#ofGram.set(gram, new Uint8Array(this.#bytes));
  }

  add(place: number, code: Uint8Array, searchName: string): void {
    const [byte, bit] = [place >> 3, 0x80 >> (place & 7)];
    for (let i = 0; i < CODE_BYTES; i++)
      for (let rest = code[i]!, j = 0; rest !== 0; rest = (rest << 1) & 0xff, j++)
        if (rest & 0x80) {
          this.#ofCode[i * 8 + j] ??= new Uint8Array(this.#bytes);
          this.#ofCode[i * 8 + j]![byte]! |= bit;
        }
    for (const gram of gramsOf(searchName)) {
      const plane = this.#ofGram.get(gram);
      if (plane) plane[byte]! |= bit;
    }
  }

  *masks(): Generator<Mask> {
    const segment = this.#number;
    if (segment === 0) yield { plane: "zero", segment, bits: new Uint8Array(this.#bytes) };
    for (const [i, bits] of this.#ofCode.entries()) if (bits) yield { plane: String(i), segment, bits };
    for (const [gram, bits] of this.#ofGram) yield { plane: gramPlane(gram), segment, bits };
  }
}

/** @returns number of rows */
export async function buildPlanes(tx: pg.ClientBase, now: number): Promise<number> {
  const { rows } = await COUNT.one(tx);
  const every = Math.max(MIN_NAMES_BETWEEN_MARKS, Math.ceil(rows / MAX_MARKS));
  const marks = await NAME_MARKS.values(tx, { every });
  const placeOfName = nameOrder(marks);
  const names = await SAMPLE_NAMES.rows(tx, { every: Math.max(1, Math.ceil(rows / NAMES_PER_SAMPLE)) });
  const grams = commonGrams(names.map(({ name }) => name));
  const common = new Set(grams);
  // A quarter stays free for rows that come.
  const wanted = Math.ceil((rows * 1.25 + 4_096) / 1_024) * 1_024;
  const segmentBits = Math.min(SEGMENT_BITS, wanted);
  const segments = Math.ceil(wanted / segmentBits);
  await clearPlanes(tx);
  let used = 0;
  let maxId = 0;
  for (let number = 0; number < segments; number++) {
    const segment = new Segment(number, segmentBits, grams);
    for (let full = false; !full; ) {
      const slots: SlotRow[] = [];
      const limit = Math.min(READ_AT_ONCE, (number + 1) * segmentBits - used);
      await copyRows(
        tx,
        `select d.id, ${VALUES} from offchain.directory d ${ETHOS.joins} where d.id > ${maxId} order by d.id limit ${limit}`,
        (row) => {
          const { live, code, searchName } = readRow(row, placeOfName);
          const fitting = code ?? new Uint8Array(CODE_BYTES);
          segment.add(used - number * segmentBits, fitting, searchName);
          maxId = row.integer(0);
          slots.push({ id: maxId, slot: used++, loose: live && code === null, searchName, code: fitting });
        },
      );
      await storeSlots(tx, slots, common);
      full = slots.length < READ_AT_ONCE;
    }
    await flipPlanes(tx, segment.masks());
  }
  await saveImage(tx, { segments, segmentBits, used, built: used, renamed: 0, maxId, foldedAt: now }, marks);
  return used;
}
