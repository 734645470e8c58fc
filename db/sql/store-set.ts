/** Stores a set of items in one transaction, without items that the database or the code refuses: one item never fails a set. */
import type pg from "pg";
import { transaction } from "./transaction.ts";

/** An item that could not be stored, and the error that says why. */
type RefusedItem<T> = { item: T; error: unknown };

/**
 * SQLSTATE classes of faulty values: cardinality, data exception, and a program limit that a value exceeds (an index
 * entry, nesting). All other errors come from the database, a connection or a race.
 */
const DATA_CLASSES = new Set(["21", "22", "54"]);
/** Violations that no concurrent write can cause: not null, check. */
const DATA_CODES = new Set(["23502", "23514"]);
/** Errors that JavaScript throws for a value that the code did not expect. */
const DATA_ERRORS = [TypeError, RangeError, SyntaxError, URIError];

/** Whether the data caused an error: a retry with the same data fails the same way. */
function isDataFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code))
    return DATA_CLASSES.has(code.slice(0, 2)) || DATA_CODES.has(code);
  return DATA_ERRORS.some((type) => error instanceof type);
}

/** The writes of a set: `store` writes its items, `settle` the consequences of all of them and of the refused ones. */
export type SetWork<T, S, R> = {
  /** May be called several times, in transactions that are rolled back: it changes nothing but `tx`. */
  store(tx: pg.ClientBase, items: readonly T[]): Promise<S>;
  settle(tx: pg.ClientBase, stored: S, refused: readonly RefusedItem<T>[]): Promise<R>;
};

/**
 * Stores a set in one transaction. When the data are at fault, the set is halved, in transactions that are rolled back,
 * until each item at fault is found; then everything else is stored, with the refused ones apart from it. Costs one transaction
 * for a sound set, and about 2 · n · log2(size) further ones for n items at fault.
 * Check then write: trial transactions, then the last one; rows may change between: the last one does all of it again.
 * @throws the error when no item is at fault: a failing database, or an error that occurs without any item
 */
export async function storeSet<T, S, R>(pool: pg.Pool, items: readonly T[], work: SetWork<T, S, R>): Promise<R> {
  const commit = (sound: readonly T[], refused: readonly RefusedItem<T>[]) =>
    transaction(pool, async (tx) => work.settle(tx, await work.store(tx, sound), refused));
  try {
    return await commit(items, []);
  } catch (error) {
    if (!isDataFault(error)) throw error;
  }
  const sound: T[] = [];
  const refused: RefusedItem<T>[] = [];
  await tryOut(pool, (tx) => work.store(tx, []));
  await sift(items);
  return commit(sound, refused);

  // Items found sound are included in each try, so that two items which fail only together are found too.
  async function sift(part: readonly T[]): Promise<void> {
    if (part.length === 0) return;
    try {
      await tryOut(pool, (tx) => work.store(tx, [...sound, ...part]));
      sound.push(...part);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      if (part.length === 1) {
        refused.push({ item: part[0]!, error });
        return;
      }
      const half = Math.ceil(part.length / 2);
      await sift(part.slice(0, half));
      await sift(part.slice(half));
    }
  }
}

const ROLL_BACK = Symbol("roll back");

/** Runs work in a transaction that is rolled back. @throws what it throws */
async function tryOut(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<unknown>): Promise<void> {
  await transaction(pool, async (tx) => {
    await work(tx);
    throw ROLL_BACK;
  }).catch((error) => {
    if (error !== ROLL_BACK) throw error;
  });
}

/** Why an item was refused, one sentence without control characters, at most 300 characters. */
export function refusalReason(error: unknown): string {
  const said = (error instanceof Error ? error.message : String(error)).replace(/[\p{Cc}\p{Cs}]/gu, " ").slice(0, 200);
  return `It cannot be stored: ${said.toWellFormed()}`;
}
