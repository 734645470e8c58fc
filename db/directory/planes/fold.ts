/** Keeps the planes of the directory near its rows: builds them, and folds into them what has changed since. */
import type pg from "pg";
import { changedBetween } from "../../../columns/commit-snapshot.ts";
import { copyRows } from "../../../columns/copy-rows.ts";
import { backoffMs } from "../../../core/times.ts";
import { madeOnce } from "../../../runtime/once.ts";
import { READ_COMMIT_SNAPSHOT } from "../../sql/database-clock.ts";
import { statement, t } from "../../sql/statement.ts";
import { transaction, withoutTimeLimits } from "../../sql/transaction.ts";
import { ETHOS } from "../ethos-sql.ts";
import { buildPlanes } from "./build.ts";
import {
  flipPlanes,
  type Image,
  type Mask,
  nameOrder,
  readGrams,
  readImage,
  readNameMarks,
  readOtherLayout,
  type SlotRow,
  saveImage,
  storeSlots,
} from "./image.ts";
import { AFTER_VALUES, CODE_BYTES, gramPlane, gramsOf, readRow, VALUES } from "./layout.ts";

/**
 * Changed rows until a fold. It writes whole planes, so it waits for many: until then readers read the changed rows from the
 * table, which costs them a few milliseconds. Fewer changes are folded after `FOLD_AFTER_MS`.
 */
const FOLD_ROWS = 2_000;
const FOLD_AFTER_MS = 600_000;
/** Milliseconds without a fold after which planes of another layout have no worker of their version any more. */
const LEFT_AFTER_MS = 2 * FOLD_AFTER_MS;

/** Rows from which on the planes are built again: changed at once, new or renamed since the build, or without a slot. */
const tooManyChanged = (built: number) => 50_000 + built / 5;
const tooManyRenamed = (built: number) => 4_096 + built / 5;
const tooManyLate = (built: number) => 1_000 + built / 100;

/** Only one process at a time. */
const LOCK = statement({
  name: "directory-planes-lock",
  params: { lock: t.text },
  text: "select pg_try_advisory_xact_lock(hashtextextended($lock, 0)) as locked",
  columns: { locked: t.bool },
});

export type FoldOptions = {
  /** Milliseconds since the epoch. */
  now: number;
  /** Number of changed rows from which they are folded at once. */
  foldRows?: number;
};

/**
 * Brings the planes up to date where enough has changed. After a failure it does nothing for a while (restraint.ts).
 * Check then write: commit snapshot and changed rows, then planes, slots and image; late commits or another process may
 * come: one REPEATABLE READ transaction under an advisory lock, and readers look at what it did not see.
 * @returns number of rows written into the planes
 */
export async function foldPlanes(pool: pg.Pool, options: FoldOptions): Promise<number> {
  const restraint = restraintOf(pool);
  if (restraint.waits(options.now)) return 0;
  try {
    const { rows, own } = await foldOnce(pool, restraint, options);
    restraint.ended(own);
    return rows;
  } catch (error) {
    restraint.failed(options.now);
    throw error;
  }
}

/** @returns `own`: whether the planes are of this version's layout and can be read */
const foldOnce = (pool: pg.Pool, restraint: Restraint, { now, foldRows = FOLD_ROWS }: FoldOptions) =>
  transaction(
    pool,
    async (tx): Promise<{ rows: number; own: boolean }> => {
      if (!(await LOCK.one(tx, { lock: "directory planes" })).locked) return { rows: 0, own: false };
      const image = await readImage(tx);
      if (image === null) {
        const other = await readOtherLayout(tx);
        if (other !== null && restraint.leavesTo(other, now, LEFT_AFTER_MS)) return { rows: 0, own: false };
        return { rows: await buildPlanes(tx, now), own: true };
      }
      return { rows: await foldInto(tx, image, now, foldRows), own: true };
    },
    withoutTimeLimits("begin isolation level repeatable read"),
  );

async function foldInto(tx: pg.ClientBase, image: Image, now: number, foldRows: number): Promise<number> {
  const since = changedBetween("s.changed_xid", image, await READ_COMMIT_SNAPSHOT.one(tx));
  const changed = await countChanged(tx, since);
  if (changed > tooManyChanged(image.built)) return buildPlanes(tx, now);
  if (changed === 0 || (changed < foldRows && now - image.foldedAt < FOLD_AFTER_MS)) return 0;
  return (await fold(tx, image, since, now)) ?? buildPlanes(tx, now);
}

async function countChanged(tx: pg.ClientBase, since: string): Promise<number> {
  let count = 0;
  await copyRows(tx, `select count(*) from offchain.directory_score s where ${since}`, (row) => {
    count = row.integer(0);
  });
  return count;
}

/** Rows that came after rows of greater ids, or when all slots were given. */
const LATE = statement({
  name: "directory-slots-late",
  text: "select count(*) as rows from offchain.directory_slot where slot is null",
  columns: { rows: t.int8 },
});

/** A changed row: what the planes show of it, and what they are to show. */
type RowChange = { before: SlotRow | undefined; after: SlotRow };

/** @returns undefined where the planes have to be built again */
async function fold(tx: pg.ClientBase, image: Image, since: string, now: number): Promise<number | undefined> {
  const placeOfName = nameOrder(await readNameMarks(tx));
  const capacity = image.segments * image.segmentBits;
  let { used, renamed, maxId } = image;
  const lastId = maxId;
  const changed: RowChange[] = [];
  await copyRows(
    tx,
    `select s.id, ${VALUES}, p.id is not null, p.slot, p.loose, p.search_name, p.code, d.id is not null
     from offchain.directory_score s left join offchain.directory d on d.id = s.id ${ETHOS.joins}
     left join offchain.directory_slot p on p.id = s.id where ${since} order by s.id`,
    (row) => {
      const id = row.integer(0);
      const before = row.flag(AFTER_VALUES) ? slotRow(id, row) : undefined;
      const exists = row.flag(AFTER_VALUES + 5);
      if (before === undefined && !exists) return;
      // Slots are in the order of ids: a row whose id is between others gets none.
      const slot = before ? before.slot : id > lastId && used < capacity ? used++ : null;
      maxId = Math.max(maxId, id);
      const read = exists ? readRow(row, placeOfName) : undefined;
      const code = (slot !== null && read?.live && read.code) || new Uint8Array(CODE_BYTES);
      const loose = read?.live === true && (slot === null || read.code === null);
      const searchName = read?.searchName ?? before?.searchName ?? "";
      if (before?.searchName !== searchName) renamed++;
      changed.push({ before, after: { id, slot, loose, searchName, code } });
    },
  );
  const late = changed.filter(({ before, after }) => before === undefined && after.slot === null).length;
  const lateBefore = (await LATE.one(tx)).rows;
  if (renamed > tooManyRenamed(image.built) || lateBefore + late > tooManyLate(image.built)) return undefined;
  const grams = await readGrams(tx);
  await flipPlanes(tx, masksOf(changed, image, grams));
  await storeSlots(
    tx,
    changed.map(({ after }) => after),
    grams,
  );
  await saveImage(tx, { ...image, used, renamed, maxId, foldedAt: now });
  return changed.length;
}

const slotRow = (id: number, row: Parameters<typeof readRow>[0]): SlotRow => ({
  id,
  slot: row.medium(AFTER_VALUES + 1),
  loose: row.flag(AFTER_VALUES + 2),
  searchName: Buffer.from(row.bytes(AFTER_VALUES + 3)!).toString("utf8"),
  code: Uint8Array.from(row.bytes(AFTER_VALUES + 4)!),
});

/** The bits that differ. Those of a name stay where its row is gone: they say what `search_name` of the slot is. */
function masksOf(changed: readonly RowChange[], { segmentBits }: Image, grams: ReadonlySet<string>): Iterable<Mask> {
  const masks = new Map<string, Mask>();
  const flip = (plane: string, slot: number) => {
    const segment = Math.floor(slot / segmentBits);
    const key = `${segment} ${plane}`;
    let mask = masks.get(key);
    if (!mask) {
      mask = { plane, segment, bits: new Uint8Array(segmentBits / 8) };
      masks.set(key, mask);
    }
    const place = slot - segment * segmentBits;
    mask.bits[place >> 3]! ^= 0x80 >> (place & 7);
  };
  for (const { before, after } of changed) {
    const { slot } = after;
    if (slot === null) continue;
    for (let i = 0; i < CODE_BYTES; i++) {
      const differing = after.code[i]! ^ (before?.code[i] ?? 0);
      for (let j = 0; j < 8; j++) if (differing & (0x80 >> j)) flip(String(i * 8 + j), slot);
    }
    if (before?.searchName === after.searchName) continue;
    const [old, now] = [gramsOf(before?.searchName ?? ""), gramsOf(after.searchName)];
    for (const gram of now) if (!old.has(gram) && grams.has(gram)) flip(gramPlane(gram), slot);
    for (const gram of old) if (!now.has(gram) && grams.has(gram)) flip(gramPlane(gram), slot);
  }
  return masks.values();
}

/** Milliseconds until the first attempt after a failure; each further failure doubles them, up to the second number. */
const RETRY_MS = { first: 6_000, most: 1_800_000 };

/** What this process has seen of the planes of one database. */
class Restraint {
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #hadOwn = false;

  /** @param now milliseconds since the epoch, as everywhere here */
  waits(now: number): boolean {
    return now < this.#retryAt;
  }

  failed(now: number): void {
    this.#retryAt = now + backoffMs(RETRY_MS.first, RETRY_MS.most, this.#failures);
    this.#failures++;
  }

  /** A run has ended well. @param own whether there are planes of this version's layout now */
  ended(own: boolean): void {
    this.#failures = 0;
    this.#hadOwn ||= own;
  }

  /**
   * Whether planes of another layout are left to the workers that keep them. A process that never saw planes of its own
   * layout has started later than the version that made them, and builds its own. One whose planes were replaced waits until
   * no worker keeps the new ones, or workers of two versions would build all planes in turn.
   * @param foldedAt when they were written last @param leftAfterMs time without a fold after which no worker keeps them
   */
  leavesTo(foldedAt: number, now: number, leftAfterMs: number): boolean {
    return this.#hadOwn && Math.abs(now - foldedAt) < leftAfterMs;
  }
}

/** By the pool: a process has one for each database. */
const restraintOf = madeOnce((_: pg.Pool) => new Restraint());
