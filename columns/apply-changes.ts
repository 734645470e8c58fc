/** Applies changes to a table in slices, so that other work of the process gets its turn in between. */
import type { ColumnTable } from "./table.ts";
import type { Changes } from "./table-source.ts";

/** Max milliseconds per slice; the rest runs in the next turn of the event loop. */
export const SLICE_MS = 2;
/** Changes between two readings of the clock. */
const CHANGES_PER_CLOCK_READING = 32;

/**
 * Each row is whole at any time; between two slices some rows have changed and others not yet.
 * @param options.atOnce applies everything in one slice
 */
export async function applyChanges(
  table: ColumnTable,
  { puts, sets, deletes }: Changes,
  { atOnce }: { atOnce: boolean },
): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  let applied = 0;
  const isOver = () => !atOnce && ++applied % CHANGES_PER_CLOCK_READING === 0 && performance.now() >= sliceEnd;
  const pause = async () => {
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  };
  for (const [id, values] of puts) {
    table.put(id, values);
    if (isOver()) await pause();
  }
  for (const [id, values] of sets) {
    table.set(id, values);
    if (isOver()) await pause();
  }
  for (const id of deletes) {
    table.delete(id);
    if (isOver()) await pause();
  }
}

/** Resolves in the next turn of the event loop. */
export const nextTurn = () => new Promise<void>((done) => setImmediate(done));
