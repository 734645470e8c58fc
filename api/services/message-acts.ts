/** What an agent does in message groups: make one, join, leave, send; and who may read. */
import pLimit from "p-limit";
import type { Address } from "../../core/agents/facts.ts";
import { HOW_TO_SIGN_IN } from "../../core/callers/wallet-credential.ts";
import { fail } from "../../core/errors.ts";
import { type Act, decideActs, type Message, type Outcome, requestKey } from "../../core/messages/acts.ts";
import {
  CREATOR_MIN_CRED,
  GROUPS_PER_CREATOR,
  type Group,
  groupIdOf,
  type Refusal,
  refusalAt,
  type Speaker,
} from "../../core/messages/message-groups.ts";
import { lockAgentWrites } from "../../db/agents/profiles.ts";
import { type Access, accessOf, speakersOf } from "../../db/messages/message-access.ts";
import {
  countGroupsOf,
  deleteMembers,
  groupByRequest,
  insertGroup,
  insertMembers,
  lockGroup,
  updateCounters,
} from "../../db/messages/message-groups.ts";
import { insertMessages, messagesByRequest } from "../../db/messages/messages.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import type { WalletCaller } from "../caller-types.ts";
import type { ApiDeps } from "../deps.ts";

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
export function messageActs({ db, fault }: Pick<ApiDeps, "db" | "fault">) {
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
    /** @throws Failure not_found, forbidden, overloaded, indexer_behind */
    async send(groupId: string, message: Omit<Extract<Act, { kind: "send" }>, "kind">): Promise<Message> {
      const { outcome } = await act(groupId, { kind: "send", ...message });
      return (outcome as Extract<Outcome, { message: Message }>).message;
    },
    /**
     * Joins or leaves. @returns the group after it
     * @throws Failure not_found, forbidden (joining only), overloaded, indexer_behind
     */
    async move(groupId: string, kind: "join" | "leave", wallet: Address): Promise<Group> {
      return (await act(groupId, { kind, wallet })).group;
    },
  };
}

/**
 * Check then write: gate and membership, then messages, members and counters (also for api/routes/message-groups.ts); score
 * and membership may change: everything is read after the row lock of the group, so that it includes the writes waited
 * for.
 */
async function write(tx: Queryable, groupId: string, acts: readonly Act[]): Promise<Result[]> {
  const group = await lockGroup(tx, groupId);
  if (group === null) return acts.map(() => null);
  const wallets = [...new Set(acts.map(({ wallet }) => wallet))];
  const places = wallets.map((wallet) => ({ groupId, wallet }));
  const access = await accessOf(tx, places, new Date(group.at));
  const requests = acts.flatMap((act) =>
    act.kind === "send" && act.request !== null ? [{ wallet: act.wallet, request: act.request }] : [],
  );
  const sent = await messagesByRequest(tx, { groupId, requests });
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
    await deleteMembers(tx, { groupId, wallets: left });
    await insertMembers(tx, { groupId, members: joined });
    await updateCounters(tx, { groupId, ...decision, at: messages.at(-1)?.sentAt ?? null });
    await insertMessages(tx, group, messages);
  }
  return decision.outcomes.map((outcome) => ({
    outcome,
    group: { ...group, memberCount: "memberCount" in outcome ? outcome.memberCount : decision.memberCount },
  }));
}

/**
 * Batches of work by key: requests for a key gather while a batch of that key runs, and form its next batch.
 * Check then write: places are left, then one is taken; no await.
 */

type WaitingRequest<A, R> = { request: A; resolve(result: R): void; reject(error: unknown): void };

/**
 * @param limits.batchSize max requests of one batch
 * @param limits.concurrency max keys at work at the same time: each takes a connection, and other work needs some too
 * @param limits.waiting max requests that wait, over all keys
 * @param run carries out a batch; its results are in the order of the requests
 */
function keyedBatcher<A, R>(
  limits: { batchSize: number; concurrency: number; waiting: number },
  run: (key: string, requests: A[]) => Promise<R[]>,
) {
  const queues = new Map<string, WaitingRequest<A, R>[]>();
  const inTurn = pLimit(limits.concurrency);
  let waiting = 0;

  async function runBatch(key: string, queue: WaitingRequest<A, R>[]): Promise<void> {
    const batch = queue.splice(0, limits.batchSize);
    waiting -= batch.length;
    try {
      const requests = batch.map(({ request }) => request);
      const results = await run(key, requests);
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    // The rest of the key's requests goes behind the other keys.
    if (queue.length > 0) void inTurn(runBatch, key, queue);
    else queues.delete(key);
  }

  return {
    /** Adds a request to the next batch of `key`. @throws Failure overloaded when too many wait already; the batch's error */
    submit: (key: string, request: A): Promise<R> =>
      new Promise((resolve, reject) => {
        if (waiting >= limits.waiting)
          fail("overloaded", "Too many messages are waiting to be written. Try again shortly.", { retryAfter: 1 });
        const queue = queues.get(key) ?? [];
        queue.push({ request, resolve, reject });
        waiting++;
        if (queues.has(key)) return;
        queues.set(key, queue);
        void inTurn(runBatch, key, queue);
      }),
  };
}

export type GroupRequest = Pick<Group, "topic" | "description" | "minCred" | "isPublic"> & {
  creator: Address;
  /** Names repetitions of the request; null without an Idempotency-Key. */
  request: string | null;
  now: number;
  /** Called after all other checks: only the caller's limit can still refuse. @throws Failure rate_limited */
  allowed(): Promise<void>;
};

/**
 * Check then write: the creator's score and number of groups, then the group; the score may fall, the id be taken: the
 * agent's advisory lock, checked again, unique id. A wallet whose own agent changes in between may create one group
 * more.
 * @throws Failure invalid_input, forbidden, conflict, rate_limited
 */
export async function createGroup({ db }: Pick<ApiDeps, "db">, asked: GroupRequest): Promise<Group> {
  const { creator, request, now } = asked;
  const groupId = groupIdOf(asked.topic);
  if (groupId === null)
    return fail("invalid_input", "The topic has no letter a to z and no digit, so no id can be made of it.", {
      details: [{ path: "topic", message: "must have a letter a to z or a digit" }],
    });
  const before = request === null ? null : await groupByRequest(db, { creator, request });
  if (before) return before;
  const { tokenId } = await requireCreator(db, creator, now);
  await asked.allowed();
  return transaction(db, async (tx) => {
    // Serialises the creations of one agent, because its groups are counted.
    await lockAgentWrites(tx, tokenId);
    await requireCreator(tx, creator, now);
    if ((await countGroupsOf(tx, creator)) >= GROUPS_PER_CREATOR)
      fail("conflict", `This wallet has created ${GROUPS_PER_CREATOR} groups; it can create no more.`);
    const group = await insertGroup(tx, { ...asked, groupId });
    if (group) return group;
    // The second of two equal concurrent requests ends here.
    const twin = request === null ? null : await groupByRequest(tx, { creator, request });
    return (
      twin ??
      fail("conflict", `There is a group with the id "${groupId}" already.`, {
        hint: `POST /api/v2/messages/groups/${groupId}/join joins it. Topics that differ only in case or in characters other than a to z and 0 to 9 are one topic.`,
      })
    );
  });
}

/** The creator's agent. @throws Failure forbidden */
async function requireCreator(db: Queryable, creator: Address, now: number) {
  const speaker = (await speakersOf(db, [creator], new Date(now))).get(creator) ?? null;
  const refusal = refusalAt(CREATOR_MIN_CRED, speaker, "create a group");
  if (refusal) refuse(refusal);
  return speaker!;
}

/** Why a wallet may not read a private group; null when it may. */
export function readRefusal({ groupId, member, minCred, speaker }: Access): Refusal | null {
  const refusal = refusalAt(minCred, speaker, "read this group");
  if (refusal || member) return refusal;
  const yours = speaker?.score ?? 0;
  const hint = `POST /api/v2/messages/groups/${groupId}/join comes first, and costs nothing.`;
  return { sentence: "Only members read this group.", required: minCred, yours, hint };
}

/**
 * Requires the right to read at this moment. Called after the messages were read, so that a reader who lost the right
 * before then gets nothing.
 * @throws Failure unauthenticated, forbidden
 */
export async function requireReader(
  { db }: Pick<ApiDeps, "db">,
  group: Group,
  caller: WalletCaller | undefined,
  now: number,
): Promise<void> {
  if (group.isPublic) return;
  if (caller === undefined)
    return fail("unauthenticated", "This group is private: reading it needs a SIWA credential of a member.", {
      hint: HOW_TO_SIGN_IN,
    });
  const [access] = await accessOf(db, [{ groupId: group.groupId, wallet: caller.wallet }], new Date(now));
  const refusal = access ? readRefusal(access) : null;
  if (refusal) refuse(refusal);
}
