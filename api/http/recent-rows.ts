/** The newest rows of a log, kept for followers that are a little behind. */

/** A row of the log as it is sent. Positions grow; they are the ids from which readers continue. */
export type FeedRow = { position: number; frame: Buffer };

/** Max rows and bytes kept of a log. */
const MAX_ROWS = 500;
const MAX_BYTES = 512 * 1024;

/** @param start the position from which the log is read */
export function recentRows<R extends FeedRow>(start: number) {
  /** Oldest first. */
  let rows: R[] = [];
  let bytes = 0;
  let floor = start;
  let head = start;
  return {
    /** The rows between `floor` and `head`, oldest first. */
    get rows(): readonly R[] {
      return rows;
    },
    get floor() {
      return floor;
    },
    get head() {
      return head;
    },
    /** @param through position up to which the log has been read */
    add(added: readonly R[], through: number): void {
      rows.push(...added);
      for (const { frame } of added) bytes += frame.length;
      head = through;
      let drop = 0;
      for (; rows.length - drop > MAX_ROWS || (bytes > MAX_BYTES && drop < rows.length); drop++)
        bytes -= rows[drop]!.frame.length;
      if (drop === 0) return;
      floor = rows[drop - 1]!.position;
      rows = rows.slice(drop);
    },
  };
}
