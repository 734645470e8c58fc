/** Acts in groups: send, join and leave, each decided at the moment it is written, under its group's lock. */
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { type Act, decideActs, type Message, type Outcome, requestKey } from "../../core/messages/acts.ts";
import type { Group, Refusal, Speaker } from "../../core/messages/message-groups.ts";
import { accessOf } from "../../db/messages/message-access.ts";
import { deleteMembers, insertMembers, lockGroup, updateCounters } from "../../db/messages/message-groups.ts";
import { insertMessages, messagesByRequest } from "../../db/messages/messages.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import type { ApiDeps } from "../deps.ts";
import { keyedBatcher } from "./keyed-batcher.ts";

export type MessageActs = {
  /** @throws Failure not_found, forbidden, overloaded, indexer_behind */
  send(groupId: string, message: Omit<Extract<Act, { kind: "send" }>, "kind">): Promise<Message>;
  /**
   * Joins or leaves. @returns the group after it
   * @throws Failure not_found, forbidden (joining only), overloaded, indexer_behind
   */
  move(groupId: string, kind: "join" | "leave", wallet: Address): Promise<Group>;
};

/** @throws Failure forbidden, with the required cred and the caller's cred */
export function refuse({ sentence, required, yours, hint }: Refusal): never {
  fail("forbidden", sentence, { extra: { required, yours }, ...(hint && { hint }) });
}

/** @throws Failure not_found */
export const noSuchGroup = (): never =>
  fail("not_found", "There is no group of this id.", { hint: "GET /api/v2/messages/groups lists the groups." });

type Result = { group: Group; outcome: Outcome } | null;

/**
 * Acts of one group that arrive while a batch of it is being written share the next batch: a flood of messages is a few
 * transactions on a few connections, however many clients send.
 * One item: the acts of a turn are decided one by one; what the database refuses fails the turn, and strict JSON and
 * lengths keep that out.
 * Bound: writes of groups that wait, 5,000.
 */
export function messageActs({ db, fault }: Pick<ApiDeps, "db" | "fault">): MessageActs {
  const batches = keyedBatcher<Act, Result>(
    { batchSize: 100, concurrency: 3, waiting: 5_000 },
    async (groupId, acts) => {
      const results = await transaction(db, async (tx) => {
        const written = await write(tx, groupId, acts);
        fault("messages.before-commit");
        return written;
      });
      fault("messages.after-commit");
      return results;
    },
  );
  async function act(groupId: string, wanted: Act) {
    const { group, outcome } = (await batches.submit(groupId, wanted)) ?? noSuchGroup();
    return "refusal" in outcome ? refuse(outcome.refusal) : { group, outcome };
  }
  return {
    async send(groupId, message) {
      const { outcome } = await act(groupId, { kind: "send", ...message });
      return (outcome as Extract<Outcome, { message: Message }>).message;
    },
    move: async (groupId, kind, wallet) => (await act(groupId, { kind, wallet })).group,
  };
}

/**
 * Check then write: gate and membership, then messages, members and counters (also for api/routes/messages.ts); score
 * and membership may change: everything is read after the row lock of the group, so that it includes the writes waited
 * for.
 */
async function write(tx: Queryable, groupId: string, acts: readonly Act[]): Promise<Result[]> {
  const group = await lockGroup(tx, groupId);
  if (group === null) return acts.map(() => null);
  const wallets = [...new Set(acts.map(({ wallet }) => wallet))];
  const access = await accessOf(
    tx,
    wallets.map((wallet) => ({ groupId, wallet })),
    new Date(group.at),
  );
  const requests = acts.flatMap((act) =>
    act.kind === "send" && act.request !== null ? [{ wallet: act.wallet, request: act.request }] : [],
  );
  const sent = await messagesByRequest(tx, groupId, requests);
  const decision = decideActs(
    {
      ...group,
      speakers: new Map(access.map(({ wallet, speaker }): [Address, Speaker | null] => [wallet, speaker])),
      members: new Set(access.filter(({ member }) => member).map(({ wallet }) => wallet)),
      sent: new Map(sent.map(({ request, message }) => [requestKey(message.sender, request), message])),
    },
    acts,
  );
  const { messages, joined, left } = decision;
  if (messages.length + joined.length + left.length > 0) {
    await deleteMembers(tx, groupId, left);
    await insertMembers(tx, groupId, joined);
    await updateCounters(tx, groupId, decision, messages.at(-1)?.sentAt ?? null);
    await insertMessages(tx, group, messages);
  }
  return decision.outcomes.map((outcome) => ({
    outcome,
    group: { ...group, memberCount: "memberCount" in outcome ? outcome.memberCount : decision.memberCount },
  }));
}
