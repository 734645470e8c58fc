/** What becomes of the acts in a group that come in one turn, decided in their order over what is known under its lock. */
import type { Address } from "../facts.ts";
import { type Refusal, refusalAt, type Speaker } from "./groups.ts";

/** An act in a group. `request` names the same request again; null where nothing does. */
export type Act =
  | { kind: "send"; wallet: Address; content: string; request: string | null }
  | { kind: "join"; wallet: Address }
  | { kind: "leave"; wallet: Address };

/** A message with its sender as it was when it sent it. */
export type Message = {
  groupId: string;
  /** Counts from 1 within its group, without gaps. */
  messageId: number;
  sender: Address;
  senderName: string;
  senderTokenId: number;
  senderCred: number;
  content: string;
  /** ISO 8601, to the millisecond. */
  sentAt: string;
};

/** What the counters of a group stand at. */
export type Counters = { lastMessageId: number; memberCount: number; lastMemberNumber: number };

/** What is known of a group and of those who act, all as of one moment under the group's lock. */
export type Known = Counters & {
  groupId: string;
  minCred: number;
  /** When messages of this turn count as sent, ISO 8601. */
  at: string;
  speakers: ReadonlyMap<Address, Speaker | null>;
  members: ReadonlySet<Address>;
  /** Messages sent before by one of these requests, by `requestKey`. */
  sent: ReadonlyMap<string, Message>;
};

/** What one act came to: a refusal, the message, or how many members there are now. */
export type Outcome = { refusal: Refusal } | { message: Message } | { memberCount: number };

/** What is to be written, and the outcome of each act in its place. */
export type Decision = Counters & {
  outcomes: Outcome[];
  messages: (Message & { request: string | null })[];
  /** Who is a member now and was not, or has joined anew. */
  joined: { wallet: Address; memberNumber: number }[];
  /** Who was a member at first, and left. */
  left: Address[];
};

export const requestKey = (wallet: Address, request: string) => `${wallet} ${request}`;

/** Decides acts one after the other: each sees what those before it have done. */
export function decideActs(known: Known, acts: readonly Act[]): Decision {
  const { groupId, minCred, at, speakers, members } = known;
  let { lastMessageId, lastMemberNumber } = known;
  const sent = new Map(known.sent);
  const joined = new Map<Address, number>();
  const left = new Set<Address>();
  const messages: Decision["messages"] = [];
  const isMember = (wallet: Address) => joined.has(wallet) || (members.has(wallet) && !left.has(wallet));
  const memberCount = () => known.memberCount + joined.size - left.size;

  const join = (wallet: Address) => {
    if (!isMember(wallet)) joined.set(wallet, ++lastMemberNumber);
  };
  const leave = (wallet: Address) => {
    joined.delete(wallet);
    if (members.has(wallet)) left.add(wallet);
  };

  function send({ wallet, content, request }: Extract<Act, { kind: "send" }>): Outcome {
    const key = request === null ? null : requestKey(wallet, request);
    // What a request has done is not undone by what happened since: the same request again gets its message.
    const before = key === null ? undefined : sent.get(key);
    if (before) return { message: before };
    const speaker = speakers.get(wallet) ?? null;
    const refusal = refusalAt(minCred, speaker, "send here");
    if (refusal || speaker === null) return { refusal: refusal! };
    join(wallet);
    const message: Message = {
      groupId,
      messageId: ++lastMessageId,
      sender: wallet,
      senderName: speaker.name,
      senderTokenId: speaker.tokenId,
      senderCred: speaker.score,
      content,
      sentAt: at,
    };
    messages.push({ ...message, request });
    if (key !== null) sent.set(key, message);
    return { message };
  }

  const outcomes = acts.map((act): Outcome => {
    if (act.kind === "send") return send(act);
    if (act.kind === "leave") leave(act.wallet);
    else {
      const refusal = refusalAt(minCred, speakers.get(act.wallet) ?? null, "join this group");
      if (refusal) return { refusal };
      join(act.wallet);
    }
    return { memberCount: memberCount() };
  });
  return {
    outcomes,
    messages,
    joined: [...joined].map(([wallet, memberNumber]) => ({ wallet, memberNumber })),
    left: [...left],
    lastMessageId,
    lastMemberNumber,
    memberCount: memberCount(),
  };
}
