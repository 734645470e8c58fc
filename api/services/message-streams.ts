/** Streams of message groups: one feed for each group with readers in this process, woken by Postgres. A reader that loses the right to read gets the reason. */
import type { Address } from "../../core/agents/facts.ts";
import { CREDENTIAL_LIFETIME_MS } from "../../core/callers/wallet-credential.ts";
import type { Group } from "../../core/messages/message-groups.ts";
import { messageView } from "../../core/views/messages.ts";
import { type Access, accessOf } from "../../db/messages/message-access.ts";
import { MESSAGES_CHANNEL, messagesAfter, newestMessages } from "../../db/messages/messages.ts";
import { notifications } from "../../db/sql/notifications.ts";
import type { WalletCaller } from "../caller-types.ts";
import type { ApiDeps } from "../deps.ts";
import { EventFeed, type Follower, openFeeds } from "../http/event-feed.ts";
import { type EventStream, frameOf, type StreamEnding } from "../http/event-stream.ts";
import { readRefusal } from "./message-acts.ts";

/** The reader of a private group; null in a public one, where no right is checked. */
type Reader = Pick<WalletCaller, "wallet" | "issuedAt"> | null;

/** Milliseconds between reads for changes without a notification: a lost one, changed scores and memberships. */
const WATCH_MS = 1_000;
/** Messages before the newest one from which a new feed reads; most readers reconnect after fewer. */
const MESSAGES_BEFORE_NEWEST = 200;

export function messageStreams({ db, log, now }: Pick<ApiDeps, "db" | "log" | "now">, { watchMs = WATCH_MS } = {}) {
  const failed = (err: unknown) => log.warn({ err }, "messages could not be read for their streams; tried again");
  const feeds = openFeeds<string, Reader>({
    listen: (notify) => notifications(db).on(MESSAGES_CHANNEL, notify),
    heads(payload) {
      const [changed, newest] = payload.split(" ");
      return (groupId) => (groupId === changed ? Number(newest) : 0);
    },
    async readHeads(groupIds) {
      const newest = await newestMessages(db, groupIds);
      return (groupId) => newest.get(groupId) ?? 0;
    },
    watchMs,
    failed,
  });

  const open = (groupId: string, newest: number): EventFeed<Reader> =>
    new EventFeed<Reader>(
      {
        async read(after, limit) {
          const messages = await messagesAfter(db, { groupId, after, limit });
          const rows = messages.map((message) => ({
            position: message.messageId,
            frame: Buffer.from(frameOf({ id: message.messageId, data: messageView(message) })),
          }));
          return { rows, through: rows.at(-1)?.position ?? after, more: rows.length === limit };
        },
        revoked: (followers) => revoked(groupId, followers),
        failed,
      },
      Math.max(0, newest - MESSAGES_BEFORE_NEWEST),
    );

  /** Checks all readers of a private group with one query. */
  async function revoked(
    groupId: string,
    followers: readonly Follower<Reader>[],
  ): Promise<Map<Follower<Reader>, StreamEnding>> {
    const wallets = new Set(followers.flatMap(({ as }): Address[] => (as === null ? [] : [as.wallet])));
    if (wallets.size === 0) return new Map();
    const at = now();
    const places = [...wallets].map((wallet) => ({ groupId, wallet }));
    const found = await accessOf(db, places, new Date(at));
    const access = new Map(found.map((one) => [one.wallet, one]));
    return new Map(
      followers.flatMap((follower): [Follower<Reader>, StreamEnding][] => {
        const ending = follower.as && endingFor(follower.as, access.get(follower.as.wallet)!, at);
        return ending ? [[follower, ending]] : [];
      }),
    );
  }

  return {
    /**
     * Sends a stream the messages of a group.
     * @param group as just read
     * @param after id of the last message seen; without it, only messages from now on
     */
    follow(
      group: Group,
      stream: EventStream,
      { after, caller }: { after: number | undefined; caller: WalletCaller | undefined },
    ): void {
      const { groupId, lastMessageId, isPublic } = group;
      feeds.follow(groupId, stream, {
        // An id that does not exist yet is not waited for: the next messages are new to every reader.
        position: Math.min(after ?? lastMessageId, lastMessageId),
        head: lastMessageId,
        as: isPublic ? null : caller!,
        open: () => open(groupId, lastMessageId),
      });
    },
  };
}

/** Why the stream of a private group's reader ends now; null while it goes on. */
function endingFor({ issuedAt }: NonNullable<Reader>, access: Access, at: number): StreamEnding | null {
  const { revokedBefore } = access;
  const expired = at - issuedAt > CREDENTIAL_LIFETIME_MS;
  if (expired || (revokedBefore && issuedAt < revokedBefore.getTime()))
    return {
      reason: "unauthenticated",
      error: expired ? "The credential of this stream has expired." : "The wallet has revoked its credentials.",
    };
  const refusal = readRefusal(access);
  if (refusal === null) return null;
  const { sentence, required, yours } = refusal;
  return { reason: "forbidden", error: sentence, required, yours };
}
