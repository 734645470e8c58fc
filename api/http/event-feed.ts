/**
 * An ordered log and everybody who follows it: new rows are read once for all of them and kept for a moment, and each
 * follower is written as fast as it reads, from where it stands. Nobody's backlog is kept: whoever falls behind what is
 * remembered reads the log from its own place again.
 */
import { type Ending, type EventStream, frameOf } from "./event-stream.ts";

/** A row of the log as it goes over the wire. Positions grow; they are the ids that readers go on from. */
export type FeedRow = { position: number; frame: Buffer };

/** Rows of a part of the log: everything up to `through` has been looked at, and `more` tells whether there is more. */
export type FeedPage<R> = { rows: R[]; through: number; more: boolean };

/** What a follower is to its feed. */
export type Follower<T> = {
  stream: EventStream;
  /** What its source knows it by. */
  as: T;
  position: number;
  /** The last position that it was told, which is the one it comes back with. */
  told: number;
  catchingUp: boolean;
};

export type FeedSource<T, R extends FeedRow = FeedRow> = {
  /** Rows after a position, oldest first, at most `limit`. */
  read(after: number, limit: number): Promise<FeedPage<R>>;
  /** Those of them that a follower wants, for one that is far behind; without it, it reads all. */
  readFor?(as: T, after: number, limit: number): Promise<FeedPage<R>>;
  /** Whether a follower wants a row; without it, all want all. */
  wants?(as: T, row: R): boolean;
  /**
   * Asked about followers after the rows they are to get were read, and before they get them: who may get nothing any
   * more, and why. Without it, nobody is turned away.
   */
  turnedAway?(followers: readonly Follower<T>[]): Promise<Map<Follower<T>, Ending>>;
  /** Something failed that is tried again with the next wake-up. */
  failed(error: unknown): void;
};

export type EventFeed<T> = {
  /** The position that all rows have been read to. */
  readonly head: number;
  readonly size: number;
  /** Feeds a stream with what comes after a position. */
  follow(stream: EventStream, position: number, as: T): void;
  /** Looks for new rows. Any number of calls during a look are one more look. */
  wake(): void;
  /** Asks about every follower, whether or not there is something for it, and goes on where something failed. */
  review(): Promise<void>;
};

/** Rows in one statement. */
const PAGE = 200;
/** What is remembered of the log for those who are a little behind. */
const REMEMBERED_ROWS = 500;
const REMEMBERED_BYTES = 512 * 1024;

/** @param start from where the log is read; what came before is read by whoever wants it */
export function eventFeed<T, R extends FeedRow = FeedRow>(source: FeedSource<T, R>, start: number): EventFeed<T> {
  const followers = new Set<Follower<T>>();
  /** The rows between `floor` and `head`, oldest first. */
  let recent: R[] = [];
  let recentBytes = 0;
  let floor = start;
  let head = start;
  let running = false;
  let toRead = false;
  let toDeliver = false;
  /** Those who are far behind read one after the other. */
  let turn: Promise<unknown> = Promise.resolve();

  /** One round at a time; a wish during a round is granted by exactly one more. */
  async function run(): Promise<void> {
    if (running) return;
    running = true;
    try {
      while ((toRead || toDeliver) && followers.size > 0) {
        if (toRead) {
          toRead = false;
          const page = await source.read(head, PAGE);
          remember(page);
          if (page.more) toRead = true;
        }
        toDeliver = false;
        await deliver();
      }
    } catch (error) {
      source.failed(error);
    } finally {
      running = false;
    }
  }

  function read(): void {
    toRead = true;
    void run();
  }

  function goOn(): void {
    toDeliver = true;
    void run();
  }

  function remember({ rows, through }: FeedPage<R>): void {
    recent.push(...rows);
    for (const { frame } of rows) recentBytes += frame.length;
    head = through;
    let drop = 0;
    for (; recent.length - drop > REMEMBERED_ROWS || (recentBytes > REMEMBERED_BYTES && drop < recent.length); drop++)
      recentBytes -= recent[drop]!.frame.length;
    if (drop === 0) return;
    floor = recent[drop - 1]!.position;
    recent = recent.slice(drop);
  }

  /** Those who can be written now and have not got everything. */
  const due = () => [...followers].filter((f) => f.position < head && !f.catchingUp && f.stream.open && !f.stream.full);

  async function deliver(): Promise<void> {
    for (const follower of await admit(due())) {
      if (follower.position < floor) void catchUp(follower);
      else if (writeAll(follower, recent)) follower.position = Math.max(follower.position, head);
    }
  }

  /** Reads the log from the follower's own place until it stands in what is remembered. */
  async function catchUp(follower: Follower<T>): Promise<void> {
    follower.catchingUp = true;
    try {
      while (follower.position < floor && follower.stream.open && !follower.stream.full) {
        const reached = floor;
        const reading = turn.then(() => readFor(follower));
        turn = reading.catch(() => {});
        const { rows, through, more } = await reading;
        if ((await admit([follower])).length === 0) return;
        if (!writeAll(follower, rows)) return;
        // Without more, what it had not got is in the log no longer.
        follower.position = more ? through : Math.max(through, reached);
      }
      follower.catchingUp = false;
      if (follower.stream.open && !follower.stream.full) goOn();
    } catch (error) {
      source.failed(error);
    } finally {
      follower.catchingUp = false;
    }
  }

  const readFor = ({ as, position }: Follower<T>) =>
    source.readFor ? source.readFor(as, position, PAGE) : source.read(position, PAGE);

  /** Writes a follower what it wants of rows after its position, as long as it takes them. @returns whether it took all */
  function writeAll(follower: Follower<T>, rows: readonly R[]): boolean {
    const { stream, as } = follower;
    for (let i = firstAfter(rows, follower.position); i < rows.length; i++) {
      if (!stream.open || stream.full) return false;
      const row = rows[i]!;
      follower.position = row.position;
      if (source.wants && !source.wants(as, row)) continue;
      stream.write(row.frame);
      follower.told = row.position;
    }
    return true;
  }

  /** Ends the streams of those who are turned away. @returns the others */
  async function admit(asked: Follower<T>[]): Promise<Follower<T>[]> {
    if (asked.length === 0 || !source.turnedAway) return asked;
    const away = await source.turnedAway(asked);
    for (const [follower, ending] of away) follower.stream.end(ending);
    return asked.filter((follower) => !away.has(follower));
  }

  return {
    get head() {
      return head;
    },
    get size() {
      return followers.size;
    },
    follow(stream, position, as) {
      const follower: Follower<T> = { stream, as, position, told: position, catchingUp: false };
      followers.add(follower);
      stream.onClose(() => followers.delete(follower));
      stream.onReady(goOn);
      // One that wanted nothing of what came comes back from where it stands all the same, and not from long ago.
      stream.onBeat(() => {
        if (follower.position <= follower.told) return undefined;
        follower.told = follower.position;
        return frameOf({ id: follower.told, event: "position", data: { lastId: follower.told } });
      });
      // A reader that is told where it stands goes on from there, even if the line is lost before the first row.
      stream.write(frameOf({ id: position, event: "start", data: { lastId: position } }));
      goOn();
    },
    wake: read,
    async review() {
      await admit([...followers].filter(({ stream }) => stream.open)).catch(source.failed);
      if (due().length > 0) goOn();
    },
  };
}

/** Index of the first row after a position. */
function firstAfter(rows: readonly FeedRow[], position: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.position > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
