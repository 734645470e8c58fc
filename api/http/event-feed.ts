/**
 * An ordered log and its followers. New rows are read once for all followers and kept for a short time. Each follower is
 * written at its own speed, from its own position. No backlog is kept for a follower: one that falls behind the rows kept
 * reads the log from its own position again.
 */
import pLimit from "p-limit";
import { type EventStream, frameOf, type StreamEnding } from "./event-stream.ts";

/** Rows of a part of the log: everything up to `through` has been read; `more` says whether rows follow. */
export type FeedPage<R> = { rows: R[]; through: number; more: boolean };

export type Follower<T> = {
  stream: EventStream;
  /** The name by which the source knows the follower. */
  as: T;
  /** Everything up to here was sent, or not wanted. */
  position: number;
  /** The last position sent, from which the reader continues after a reconnect. */
  sentPosition: number;
  catchingUp: boolean;
};

export type FeedSource<T, R extends FeedRow = FeedRow> = {
  /** Rows after a position, oldest first, at most `limit`. */
  read(after: number, limit: number): Promise<FeedPage<R>>;
  /** The same, filtered for one follower that is far behind; without it, that follower reads all rows. */
  readFor?(as: T, after: number, limit: number): Promise<FeedPage<R>>;
  /** Whether a follower wants a row; without it, every follower wants every row. */
  wants?(as: T, row: R): boolean;
  /**
   * Called after rows were read and before they are sent: the followers that have lost the right to read, and why.
   * Without it, no follower is ended.
   */
  revoked?(followers: readonly Follower<T>[]): Promise<Map<Follower<T>, StreamEnding>>;
  /** Reports a failure; the work is tried again with the next wake-up. */
  failed(error: unknown): void;
};

/** Max rows of one statement. */
const ROWS_PER_READ = 200;

/**
 * One item: a follower that is slow or turned away reads from its own place, and is cut off after 30 s.
 * Resumes: at each follower's position, with the next wake-up.
 */
export class EventFeed<T, R extends FeedRow = FeedRow> {
  readonly #source: FeedSource<T, R>;
  readonly #followers = new Set<Follower<T>>();
  readonly #recent;
  #running = false;
  #mustRead = false;
  #mustDeliver = false;
  /** Followers that are far behind read one after the other. */
  readonly #inTurn = pLimit(1);

  /** @param start the feed reads the log from this position; followers read earlier rows themselves */
  constructor(source: FeedSource<T, R>, start: number) {
    this.#source = source;
    this.#recent = recentRows<R>(start);
  }

  /** The position up to which all rows have been read. */
  get head(): number {
    return this.#recent.head;
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Sends a stream the rows after a position. */
  follow(stream: EventStream, position: number, as: T): void {
    const follower: Follower<T> = { stream, as, position, sentPosition: position, catchingUp: false };
    this.#followers.add(follower);
    stream.onClose(() => this.#followers.delete(follower));
    stream.onReady(() => this.#deliverSoon());
    // A reader that wanted none of the new rows reconnects from its present position, not from an old one.
    stream.onBeat(() => {
      if (follower.position <= follower.sentPosition) return undefined;
      follower.sentPosition = follower.position;
      return frameOf({ id: follower.sentPosition, event: "position", data: { lastId: follower.sentPosition } });
    });
    // A reader that knows its position continues from there, also when the connection breaks before the first row.
    stream.write(frameOf({ id: position, event: "start", data: { lastId: position } }));
    this.#deliverSoon();
  }

  /** Reads new rows. Any number of calls during a read cause one more read. */
  wake(): void {
    this.#mustRead = true;
    void this.#run();
  }

  /** Checks the right of every follower to read, also without new rows, and continues after a failure. */
  async review(): Promise<void> {
    await this.#permitted([...this.#followers].filter(({ stream }) => stream.open)).catch(this.#source.failed);
    if (this.#due().length > 0) this.#deliverSoon();
  }

  #deliverSoon(): void {
    this.#mustDeliver = true;
    void this.#run();
  }

  /** One round at a time; a wake-up during a round causes exactly one more. */
  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      while ((this.#mustRead || this.#mustDeliver) && this.#followers.size > 0) {
        if (this.#mustRead) {
          this.#mustRead = false;
          const page = await this.#source.read(this.#recent.head, ROWS_PER_READ);
          this.#recent.add(page.rows, page.through);
          if (page.more) this.#mustRead = true;
        }
        this.#mustDeliver = false;
        await this.#deliver();
      }
    } catch (error) {
      this.#source.failed(error);
    } finally {
      this.#running = false;
    }
  }

  /** Followers that can be written to now and have not got every row. */
  #due(): Follower<T>[] {
    return [...this.#followers].filter(
      ({ position, catchingUp, stream }) => position < this.head && !catchingUp && stream.open && !stream.full,
    );
  }

  async #deliver(): Promise<void> {
    for (const follower of await this.#permitted(this.#due())) {
      if (follower.position < this.#recent.floor) void this.#catchUp(follower);
      else if (this.#writeAll(follower, this.#recent.rows))
        follower.position = Math.max(follower.position, this.#recent.head);
    }
  }

  /** Reads the log from the follower's own position until it has reached the rows kept. */
  async #catchUp(follower: Follower<T>): Promise<void> {
    follower.catchingUp = true;
    const { stream } = follower;
    try {
      while (follower.position < this.#recent.floor && stream.open && !stream.full) {
        const reached = this.#recent.floor;
        const { rows, through, more } = await this.#inTurn(() => this.#readFor(follower));
        if ((await this.#permitted([follower])).length === 0) return;
        if (!this.#writeAll(follower, rows)) return;
        // Without more rows, those it has not got have left the log.
        follower.position = more ? through : Math.max(through, reached);
      }
      // Who catches up is left out of a delivery: not before the one that begins here.
      follower.catchingUp = false;
      if (stream.open && !stream.full) this.#deliverSoon();
    } catch (error) {
      this.#source.failed(error);
    } finally {
      follower.catchingUp = false;
    }
  }

  #readFor({ as, position }: Follower<T>): Promise<FeedPage<R>> {
    return this.#source.readFor
      ? this.#source.readFor(as, position, ROWS_PER_READ)
      : this.#source.read(position, ROWS_PER_READ);
  }

  /** Writes the wanted rows after the follower's position while its stream takes them. @returns whether it took all */
  #writeAll(follower: Follower<T>, rows: readonly R[]): boolean {
    const { stream, as } = follower;
    const known = rows.findLastIndex(({ position }) => position <= follower.position);
    for (let i = known + 1; i < rows.length; i++) {
      if (!stream.open || stream.full) return false;
      const row = rows[i]!;
      follower.position = row.position;
      if (this.#source.wants && !this.#source.wants(as, row)) continue;
      stream.write(row.frame);
      follower.sentPosition = row.position;
    }
    return true;
  }

  /** Ends the streams of followers that have lost the right to read. @returns the others */
  async #permitted(followers: Follower<T>[]): Promise<Follower<T>[]> {
    if (followers.length === 0 || !this.#source.revoked) return followers;
    const revoked = await this.#source.revoked(followers);
    for (const [follower, ending] of revoked) follower.stream.end(ending);
    return followers.filter((follower) => !revoked.has(follower));
  }
}

/** A row of the log as it is sent. Positions grow; they are the ids from which readers continue. */
export type FeedRow = { position: number; frame: Buffer };

const MAX_ROWS = 500;
const MAX_BYTES = 512 * 1024;

/** @param start the position from which the log is read */
function recentRows<R extends FeedRow>(start: number) {
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

/** The newest position of each feed, by its key; 0 when it is not known. */
type Heads<Key> = (key: Key) => number;

type FeedsSource<Key> = {
  /** Listens to the notifications of Postgres while there is a feed. @returns ends it */
  listen(notify: (payload: string) => void): () => void;
  /** The positions in a notification. An empty one means that some may be missed, and wakes every feed. */
  heads(payload: string): Heads<Key>;
  /** The positions as read from the database, for changes without a notification. */
  readHeads(keys: Key[]): Promise<Heads<Key>>;
  /** Milliseconds between these reads. */
  watchMs: number;
  failed(error: unknown): void;
};

export function openFeeds<Key, Reader>(source: FeedsSource<Key>) {
  const feeds = new Map<Key, EventFeed<Reader>>();
  let stop: (() => void) | undefined;
  let looking = false;

  function wake(heads: Heads<Key>): void {
    for (const [key, feed] of feeds) if (feed.head < heads(key)) feed.wake();
  }

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      wake(await source.readHeads([...feeds.keys()]));
      // One after the other, so that reviews use one connection however many feeds there are.
      for (const feed of [...feeds.values()]) await feed.review();
    } catch (error) {
      source.failed(error);
    } finally {
      looking = false;
    }
  }

  function listen(): () => void {
    const stopListening = source.listen((payload) => wake(payload === "" ? () => Infinity : source.heads(payload)));
    const watching = setInterval(() => void look(), source.watchMs);
    return () => {
      stopListening();
      clearInterval(watching);
    };
  }

  function close(key: Key): void {
    feeds.delete(key);
    if (feeds.size > 0) return;
    stop?.();
    stop = undefined;
  }

  return {
    /**
     * Sends a stream the rows after a position.
     * @param at.open makes the feed for its first follower
     * @param at.head the newest position that is known already
     */
    follow(
      key: Key,
      stream: EventStream,
      { position, head, as, open }: { position: number; head: number; as: Reader; open(): EventFeed<Reader> },
    ): void {
      const feed = feeds.get(key) ?? open();
      feeds.set(key, feed);
      stop ??= listen();
      feed.follow(stream, position, as);
      stream.onClose(() => {
        if (feed.size === 0 && feeds.get(key) === feed) close(key);
      });
      if (feed.head < head) feed.wake();
    },
  };
}
