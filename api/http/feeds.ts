/** The feeds of one kind in this process: opened for the first who follows, woken by Postgres, closed after the last. */
import type { EventFeed } from "./event-feed.ts";
import type { EventStream } from "./event-stream.ts";

/** Up to which position there is something to read, by the feed's key; 0 when nothing is known of it. */
export type Heads<Key> = (key: Key) => number;

export type FeedsSource<Key> = {
  /** Listens for what Postgres tells while there is a feed. @returns what ends it */
  listen(told: (payload: string) => void): () => void;
  /** What a notification says. An empty one says that some may have been missed, and wakes every feed. */
  heads(payload: string): Heads<Key>;
  /** The same as read from the database, for what no notification told. */
  readHeads(keys: Key[]): Promise<Heads<Key>>;
  /** How often that is done. */
  watchMs: number;
  failed(error: unknown): void;
};

export type Feeds<Key, Reader> = {
  /**
   * Feeds a stream from a position on.
   * @param at.open makes the feed when nobody follows it yet
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
      // One after the other: however many are followed, reviews hold one connection.
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
