/** The stored planes: which changes they contain, and the statements that write them. */
import { COMMIT_SNAPSHOT } from "../../../columns/commit-snapshot.ts";
import { directoryImage, directorySlot } from "../../schema/directory-planes.ts";
import { type Queryable, type Row, statement, t } from "../../sql/statement.ts";
import { columnsOf } from "../../sql/table-columns.ts";
import { LAYOUT, shortGramsOf } from "./layout.ts";

/** What is stored of an image, as it is read and written. */
const IMAGE = columnsOf(directoryImage, { without: ["one", "layout", "seenXmax", "seenInProgress", "nameMarks"] });
export type Image = Row<typeof readImage>;

/** The image whose planes can be read; null while there is none. */
export const readImage = statement({
  name: "directory-image",
  given: () => ({ layout: LAYOUT }),
  params: { layout: t.text },
  // A transaction id that came with another server's dump may be in the future of this one.
  text: `
    select seen_xmax::text as xmax, seen_in_progress::text[] as "inProgress", ${t.fieldsOf(IMAGE)}
    from offchain.directory_image
    where layout = $layout and seen_xmax <= pg_snapshot_xmax(pg_current_snapshot())`,
  columns: { xmax: t.text, inProgress: t.array(t.text), ...IMAGE },
}).maybeOne;
/** When planes of another layout were written last; null while there are none. */
export const readOtherLayout = statement({
  name: "directory-image-other",
  given: () => ({ layout: LAYOUT }),
  params: { layout: t.text },
  text: `select folded_at as "foldedAt" from offchain.directory_image where layout <> $layout`,
  columns: { foldedAt: t.int8 },
}).value;
export const readNameMarks = statement({
  name: "directory-image-name-marks",
  text: "select name_marks as marks from offchain.directory_image",
  columns: { marks: t.array(t.text) },
}).onlyValue;

/** @returns the number of the name among the marks: see the column `name` of layout.ts */
export function nameOrder(marks: readonly string[]): (name: Uint8Array) => number {
  const sorted = marks.map((mark) => Buffer.from(mark));
  return (name) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(sorted[middle]!, name) < 0) low = middle + 1;
      else high = middle;
    }
    return 2 * low + (low < sorted.length && sorted[low]!.equals(name) ? 1 : 0);
  };
}

/**
 * Says that the planes now contain what the transaction sees.
 * @param nameMarks undefined keeps those that are stored
 */
export const saveImage = statement({
  name: "directory-image-save",
  given: (image: Omit<Image, "xmax" | "inProgress">, nameMarks?: readonly string[]) => ({
    layout: LAYOUT,
    ...image,
    nameMarks: nameMarks ?? null,
  }),
  params: { layout: t.text, ...IMAGE, nameMarks: t.nullable(t.array(t.text)) },
  text: `
    with seen as (${COMMIT_SNAPSHOT})
    insert into offchain.directory_image (layout, seen_xmax, seen_in_progress, name_marks, ${t.namesOf(IMAGE)})
    select $layout, xmax::xid8, "inProgress"::xid8[], coalesce($nameMarks::text[], '{}'), ${t.valuesOf(IMAGE)} from seen
    on conflict (one) do update set layout = excluded.layout, seen_xmax = excluded.seen_xmax,
      seen_in_progress = excluded.seen_in_progress, ${t.excludedOf(IMAGE)},
      name_marks = case when $nameMarks::text[] is null then directory_image.name_marks else excluded.name_marks end`,
}).run;
/** Which grams have planes. */
const GRAMS = statement({
  name: "directory-planes-grams",
  text: "select distinct substr(plane, 2) as gram from offchain.directory_plane where plane like 'g%'",
  columns: { gram: t.text },
});
export const readGrams = async (tx: Queryable): Promise<Set<string>> => new Set(await GRAMS.values(tx));

const STORE_SLOTS = statement({
  name: "directory-slots-store",
  params: {
    slots: t.records({ ...columnsOf(directorySlot), rare: t.jsonb<string[]>() }),
  },
  text: `
    insert into offchain.directory_slot (id, slot, loose, search_name, rare, code)
    select id, slot, loose, search_name, array(select jsonb_array_elements_text(rare)), code from $slots
    on conflict (id) do update set slot = excluded.slot, loose = excluded.loose, search_name = excluded.search_name, rare = excluded.rare, code = excluded.code`,
});
export type SlotRow = { id: number; slot: number | null; loose: boolean; searchName: string; code: Uint8Array };

const SLOTS_AT_ONCE = 5_000;

/** @param grams those that have planes */
export async function storeSlots(tx: Queryable, rows: readonly SlotRow[], grams: ReadonlySet<string>): Promise<void> {
  const rareOf = (name: string) => shortGramsOf(name).filter((gram) => !grams.has(gram));
  for (let at = 0; at < rows.length; at += SLOTS_AT_ONCE) {
    const some = rows.slice(at, at + SLOTS_AT_ONCE);
    await STORE_SLOTS.run(tx, { slots: some.map((row) => ({ ...row, rare: rareOf(row.searchName) })) });
  }
}

const FLIP = statement({
  name: "directory-planes-flip",
  params: { flips: t.records({ plane: t.text, segment: t.int4, mask: t.text }) },
  text: `
    insert into offchain.directory_plane (plane, segment, bits)
    select plane, segment, ('x' || mask)::varbit from $flips
    on conflict (plane, segment) do update set bits = directory_plane.bits # excluded.bits`,
});
/** The bits of one plane in one segment, the first in the highest bit of the first byte. */
export type Mask = { plane: string; segment: number; bits: Uint8Array };

/** Planes of one statement: at a million rows they are 5 MB as text. */
const PLANES_AT_ONCE = 16;

/** Turns the bits of the masks: a plane that is not there begins with zeros. Each plane and segment at most once. */
export async function flipPlanes(tx: Queryable, masks: Iterable<Mask>): Promise<void> {
  let some: Mask[] = [];
  const flush = async () => {
    if (some.length === 0) return;
    const hexOf = (bits: Uint8Array) => Buffer.from(bits.buffer, bits.byteOffset, bits.length).toString("hex");
    await FLIP.run(tx, { flips: some.map(({ bits, ...of }) => ({ ...of, mask: hexOf(bits) })) });
    some = [];
  };
  for (const mask of masks) {
    some.push(mask);
    if (some.length === PLANES_AT_ONCE) await flush();
  }
  await flush();
}

const CLEAR_PLANES = statement({ name: "directory-planes-clear", text: "delete from offchain.directory_plane" });
const CLEAR_SLOTS = statement({ name: "directory-slots-clear", text: "delete from offchain.directory_slot" });
/** Removes all planes and slots; those who read see them until the commit. */
export async function clearPlanes(tx: Queryable): Promise<void> {
  await CLEAR_PLANES.run(tx);
  await CLEAR_SLOTS.run(tx);
}
