/** Who listens to which group: one feed for each group that is listened to in this process, woken by Postgres, and readers that lose their right to read are told so. */
import type { Address } from "../../core/facts.ts";
import type { Group } from "../../core/messaging/groups.ts";
import { messageView } from "../../core/views/messages.ts";
import { CREDENTIAL_LIFETIME_MS } from "../../core/wallet-credential.ts";
import { type Access, accessOf } from "../../db/message-access.ts";
import { MESSAGES_CHANNEL, messagesAfter, newestMessages } from "../../db/messages.ts";
import { notifications } from "../../db/notifications.ts";
import type { ApiDeps } from "../deps.ts";
import type { WalletCaller } from "../endpoint.ts";
import { type EventFeed, eventFeed, type Follower } from "../http/event-feed.ts";
import { type Ending, type EventStream, frameOf } from "../http/event-stream.ts";
import { openFeeds } from "../http/feeds.ts";
import { readRefusal } from "./message-readers.ts";

/** Who reads a private group; null in a public one, where nobody is asked. */
type Reader = Pick<WalletCaller, "wallet" | "issuedAt"> | null;

export type MessageStreams = {
  /**
   * Feeds a stream with the messages of a group.
   * @param group as just read
   * @param after id of the last message seen; without it, only what comes from now on
   */
  follow(
    group: Group,
    stream: EventStream,
    from: { after: number | undefined; caller: WalletCaller | undefined },
  ): void;
};

/** How often what no notification told is looked for: a lost one, and scores and memberships that changed. */
const WATCH_MS = 1_000;
/** A group that somebody begins to follow is remembered from so many messages back: most readers come back after less. */
const BEFOREHAND = 200;

export function messageStreams(
  { db, log, now }: Pick<ApiDeps, "db" | "log" | "now">,
  { watchMs = WATCH_MS } = {},
): MessageStreams {
  const failed = (err: unknown) => log.warn({ err }, "messages could not be read for their streams; tried again");
  const feeds = openFeeds<string, Reader>({
    listen: (told) => notifications(db).on(MESSAGES_CHANNEL, told),
    heads(payload) {
      const [told, newest] = payload.split(" ");
      return (groupId) => (groupId === told ? Number(newest) : 0);
    },
    async readHeads(groupIds) {
      const newest = await newestMessages(db, groupIds);
      return (groupId) => newest.get(groupId) ?? 0;
    },
    watchMs,
    failed,
  });

  const open = (groupId: string, newest: number): EventFeed<Reader> =>
    eventFeed<Reader>(
      {
        async read(after, limit) {
          const messages = await messagesAfter(db, groupId, after, limit);
          const rows = messages.map((message) => ({
            position: message.messageId,
            frame: Buffer.from(frameOf({ id: message.messageId, data: messageView(message) })),
          }));
          return { rows, through: rows.at(-1)?.position ?? after, more: rows.length === limit };
        },
        revoked: (followers) => revoked(groupId, followers),
        failed,
      },
      Math.max(0, newest - BEFOREHAND),
    );

  /** Asks once for all readers of a private group. */
  async function revoked(
    groupId: string,
    followers: readonly Follower<Reader>[],
  ): Promise<Map<Follower<Reader>, Ending>> {
    const wallets = new Set(followers.flatMap(({ as }): Address[] => (as === null ? [] : [as.wallet])));
    if (wallets.size === 0) return new Map();
    const at = now();
    const found = await accessOf(
      db,
      [...wallets].map((wallet) => ({ groupId, wallet })),
      new Date(at),
    );
    const access = new Map(found.map((one) => [one.wallet, one]));
    return new Map(
      followers.flatMap((follower): [Follower<Reader>, Ending][] => {
        const ending = follower.as && endingFor(follower.as, access.get(follower.as.wallet)!, at);
        return ending ? [[follower, ending]] : [];
      }),
    );
  }

  return {
    follow(group, stream, { after, caller }) {
      const { groupId, lastMessageId, isPublic } = group;
      feeds.follow(groupId, stream, {
        // An id that is not there yet is not waited for: what comes next is new to everybody.
        position: Math.min(after ?? lastMessageId, lastMessageId),
        head: lastMessageId,
        as: isPublic ? null : caller!,
        open: () => open(groupId, lastMessageId),
      });
    },
  };
}

/** Why the stream of a private group's reader ends now; null while it goes on. */
function endingFor({ issuedAt }: NonNullable<Reader>, access: Access, at: number): Ending | null {
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
