/** The feeds of one kind in this process: opened with the first follower, woken by Postgres, closed after the last. */
import type { EventFeed } from "./event-feed.ts";
import type { EventStream } from "./event-stream.ts";

/** The newest position of each feed, by its key; 0 when it is not known. */
type Heads<Key> = (key: Key) => number;

export type FeedsSource<Key> = {
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

export type Feeds<Key, Reader> = {
  /**
   * Sends a stream the rows after a position.
   * @param at.open makes the feed for its first follower
   * @param at.head the newest position that is known already
   */
  follow(
    key: Key,
    stream: EventStream,
    at: { position: number; head: number; as: Reader; open(): EventFeed<Reader> },
  ): void;
};

export function openFeeds<Key, Reader>(source: FeedsSource<Key>): Feeds<Key, Reader> {
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
    follow(key, stream, { position, head, as, open }) {
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
