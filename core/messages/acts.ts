/** Decides a batch of acts in one group, in their order, from the state that was read under the group's lock. Pure. */
import type { Address } from "../agents/facts.ts";
import { type Refusal, refusalAt, type Speaker } from "./message-groups.ts";

/** An act in a group. `request` identifies a repeated request; null when the request has no key. */
export type Act =
  | { kind: "send"; wallet: Address; content: string; request: string | null }
  | { kind: "join"; wallet: Address }
  | { kind: "leave"; wallet: Address };

/** A message, with its sender as of the time of sending. */
export type Message = {
  groupId: string;
  /** Starts at 1 within its group and has no gaps. */
  messageId: number;
  sender: Address;
  senderName: string;
  senderTokenId: number;
  senderCred: number;
  content: string;
  /** ISO 8601, to the millisecond. */
  sentAt: string;
};

export type Counters = { lastMessageId: number; memberCount: number; lastMemberNumber: number };

/** The state of a group and of the acting wallets, read at one moment under the group's lock. */
export type GroupState = Counters & {
  groupId: string;
  minCred: number;
  /** Time of sending of the messages of this batch, ISO 8601. */
  at: string;
  speakers: ReadonlyMap<Address, Speaker | null>;
  members: ReadonlySet<Address>;
  /** Messages that one of these requests has already sent, by `requestKey`. */
  sent: ReadonlyMap<string, Message>;
};

/** Outcome of one act: a refusal, the message, or the number of members now. */
export type Outcome = { refusal: Refusal } | { message: Message } | { memberCount: number };

/** The rows to write, and the outcome of each act at its index. */
export type Decision = Counters & {
  outcomes: Outcome[];
  messages: (Message & { request: string | null })[];
  /** New members, and members that left and joined again. */
  joined: { wallet: Address; memberNumber: number }[];
  /** Members before this batch that left. */
  left: Address[];
};

export const requestKey = (wallet: Address, request: string) => `${wallet} ${request}`;

/** Decides acts one after the other; each sees the effects of those before it. */
export function decideActs(known: GroupState, acts: readonly Act[]): Decision {
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
    // A repeated request gets the message it has sent before, even if the sender could not send it now.
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
