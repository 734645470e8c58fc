/** How the lines of a table differ from those of an earlier snapshot. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { SnapshotTable } from "../../db/snapshots/tables.ts";
import { LinesFile, MEMBER_BYTES, NEWLINE, type Written } from "../../runtime/lines-file.ts";

/** What begins the line of a row that is there now, in place of its brace. */
const PUT = Buffer.from('{"op":"put",');

type Row = Record<string, unknown>;

/**
 * Writes what leads from the lines of one state of a table to those of the next: a row that is new or has changed, as `put`; of
 * one that is gone its key, as `delete`. Both are in the order of the key, so that one pass over both is enough.
 */
export async function writeDelta(
  { key, columns }: SnapshotTable,
  { old, now }: { old: string; now: string },
  to: string,
): Promise<Written> {
  const [before, after] = [linesOf(old), linesOf(now)];
  const file = new LinesFile(to);
  const rowOf = (line: Buffer): Row => JSON.parse(line.toString());
  try {
    let [a, b] = [await before.next(), await after.next()];
    while (!a.done || !b.done) {
      const isSame = !a.done && !b.done && a.value.equals(b.value);
      const ahead = isSame ? 0 : a.done ? 1 : b.done ? -1 : compareKeys(key, columns, rowOf(a.value), rowOf(b.value));
      if (!a.done && ahead < 0) {
        const gone = rowOf(a.value);
        const named = Object.fromEntries(key.map((name) => [name, gone[name]]));
        file.write(Buffer.from(JSON.stringify({ op: "delete", ...named })));
      } else if (!b.done && !isSame) file.write(Buffer.concat([PUT, b.value.subarray(1)]));
      if (ahead <= 0) a = await before.next();
      if (ahead >= 0) b = await after.next();
    }
    return file.finish();
  } finally {
    file.close();
  }
}

/** The order in which the database gives rows: numbers by value, texts by their bytes. */
function compareKeys(key: readonly string[], columns: SnapshotTable["columns"], a: Row, b: Row): number {
  for (const name of key) {
    const [one, other] = [a[name], b[name]];
    const order =
      columns[name] === "VARCHAR"
        ? Buffer.compare(Buffer.from(one as string), Buffer.from(other as string))
        : (one as number) - (other as number);
    if (order !== 0) return order;
  }
  return 0;
}

/** The lines of a file, without their ends; only a line feed ends one. */
async function* linesOf(path: string): AsyncGenerator<Buffer, void> {
  const unpacked = createGunzip({ chunkSize: MEMBER_BYTES });
  // Its error, or that of the file, is thrown to the reader of `unpacked`.
  pipeline(createReadStream(path), unpacked, () => {});
  /** The beginning of a line, in pieces. */
  let begun: Buffer[] = [];
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      yield begun.length === 0 ? piece : Buffer.concat([...begun, piece]);
      begun = [];
      from = end + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
}
