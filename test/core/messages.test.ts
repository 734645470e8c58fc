/** Message groups without a database: ids of topics, gates, and acts decided in their order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { type Act, decideActs, type GroupState, type Message, requestKey } from "../../core/messages/acts.ts";
import { groupIdOf, minCredTier, refusalAt, type Speaker } from "../../core/messages/message-groups.ts";
import { messageView } from "../../core/views/messages.ts";
import { forAll } from "../support/for-all.ts";

describe("the id of a topic", () => {
  it.each([
    ["general", "general"],
    ["#general", "general"],
    ["GENERAL", "general"],
    ["Data Sets", "data-sets"],
    ["a_b.c/d", "a-b-c-d"],
    ["##x", "-x"],
    ["Café", "caf-"],
    ["日本 1", "---1"],
    ["🤖 bots", "--bots"],
    ["constructor", "constructor"],
    ["__proto__", "--proto--"],
    ["Kelvin \u212a", "kelvin-k"],
  ])("%s → %s", (topic, id) => expect(groupIdOf(topic)).toBe(id));

  it.each(["", "#", ".", "..", "日本語", "---", "🤖", "__"])("nothing is left of %j", (topic) =>
    expect(groupIdOf(topic)).toBeNull(),
  );

  it("is its own normal form, of one character for each of the topic's", () =>
    forAll([fc.string({ unit: "binary", maxLength: 48 })], (topic) => {
      const id = groupIdOf(topic);
      if (id === null) return;
      expect(id).toMatch(/^[a-z0-9-]{1,48}$/);
      expect(groupIdOf(id)).toBe(id);
    }));
});

it("the least cred of a group is told with its tier", () => {
  expect([0, 25, 26, 50, 51, 75, 76, 90, 91, 100].map(minCredTier)).toEqual([
    "Junk (0+)",
    "Junk (25+)",
    "Marginal (26+)",
    "Marginal (50+)",
    "Qualified (51+)",
    "Qualified (75+)",
    "Prime (76+)",
    "Prime (90+)",
    "Preferred (91+)",
    "Preferred (100+)",
  ]);
});

describe("a gate", () => {
  const speaker = (score: number): Speaker => ({ tokenId: 7, name: "Ada", score });

  it("opens at its cred and not one below", () =>
    forAll([fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 })], (required, yours) => {
      const refusal = refusalAt(required, speaker(yours), "send here");
      expect(refusal === null).toBe(yours >= required);
      if (refusal) expect(refusal).toMatchObject({ required, yours });
    }));

  it("is shut for a wallet without an agent, even at 0", () =>
    expect(refusalAt(0, null, "send here")).toMatchObject({ required: 0, yours: 0 }));
});

describe("acts of one turn", () => {
  const WALLETS = ["0xa", "0xb", "0xc", "0xd"] as Address[];
  const wallet = fc.constantFrom(...WALLETS);
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({
      kind: fc.constant("send" as const),
      wallet,
      content: fc.constantFrom("x", "y"),
      request: fc.constantFrom(null, "r1", "r2"),
    }),
    fc.record({ kind: fc.constantFrom("join" as const, "leave" as const), wallet }),
  );
  const known = (scores: (number | null)[], members: Address[]): GroupState => ({
    ...{ groupId: "g", minCred: 50, at: "2026-11-21T00:00:00.000Z" },
    ...{ lastMessageId: 40, memberCount: members.length, lastMemberNumber: 9 },
    speakers: new Map(
      WALLETS.map((w, i) => {
        const score = scores[i] ?? null;
        return [w, score === null ? null : { tokenId: i, name: `Agent ${i}`, score }];
      }),
    ),
    members: new Set(members),
    sent: new Map(),
  });
  const scores = fc.array(fc.constantFrom(null, 49, 50, 51), { minLength: 4, maxLength: 4 });

  it("come to the same as one by one", () =>
    forAll(
      [scores, fc.subarray(WALLETS), fc.array(act, { maxLength: 12 })],
      { numRuns: 500 },
      (given, members, acts) => {
        const start = known(given, members);
        const together = decideActs(start, acts);
        // The model: one act a turn, each on what the one before left.
        let state = start;
        const isIn = new Set(members);
        const sent = new Map<string, Message>();
        for (const [i, one] of acts.entries()) {
          const alone = decideActs({ ...state, members: new Set(isIn), sent: new Map(sent) }, [one]);
          expect(together.outcomes[i]).toEqual(alone.outcomes[0]);
          for (const gone of alone.left) isIn.delete(gone);
          for (const come of alone.joined) isIn.add(come.wallet);
          for (const { request, ...message } of alone.messages)
            if (request !== null) sent.set(requestKey(message.sender, request), message);
          expect(alone.memberCount).toBe(isIn.size);
          const { lastMessageId, memberCount, lastMemberNumber } = alone;
          state = { ...state, lastMessageId, memberCount, lastMemberNumber };
        }
        const { lastMessageId, memberCount, lastMemberNumber } = together;
        expect({ lastMessageId, memberCount, lastMemberNumber }).toEqual({
          lastMessageId: state.lastMessageId,
          memberCount: state.memberCount,
          lastMemberNumber: state.lastMemberNumber,
        });
        // What is to be written: ids without gaps, members as they are in the end.
        expect(together.messages.map((m) => m.messageId)).toEqual(together.messages.map((_, i) => 41 + i));
        const after = new Set(members.filter((m) => !together.left.includes(m)));
        for (const { wallet } of together.joined) {
          expect(after.has(wallet)).toBe(false);
          after.add(wallet);
        }
        expect(after).toEqual(isIn);
        const numbers = together.joined.map((j) => j.memberNumber);
        expect(new Set(numbers).size).toBe(numbers.length);
      },
    ));

  it("let nobody below the gate send or join, and anybody leave", () => {
    const acts: Act[] = [
      { kind: "send", wallet: "0xa", content: "x", request: null },
      { kind: "join", wallet: "0xb" },
      { kind: "leave", wallet: "0xa" },
      { kind: "leave", wallet: "0xb" },
    ];
    const decision = decideActs(known([49, null, 50, 50], ["0xa"]), acts);
    expect(decision.outcomes).toMatchObject([
      { refusal: { required: 50, yours: 49 } },
      { refusal: { required: 50, yours: 0 } },
      { memberCount: 0 },
      { memberCount: 0 },
    ]);
    expect(decision).toMatchObject({ messages: [], joined: [], left: ["0xa"] });
  });

  it("find what the same request has sent, whatever has happened to the gate since", () => {
    const start = known([49, 50, 50, 50], []);
    const before: Message = {
      ...{ groupId: "g", messageId: 12, sender: "0xa", senderName: "Agent 0", senderTokenId: 0, senderCred: 60 },
      ...{ content: "x", sentAt: "2026-11-20T00:00:00.000Z" },
    };
    const { outcomes, messages } = decideActs({ ...start, sent: new Map([[requestKey("0xa", "r1"), before]]) }, [
      { kind: "send", wallet: "0xa", content: "x", request: "r1" },
    ]);
    expect(outcomes).toEqual([{ message: before }]);
    expect(messages).toEqual([]);
  });
});

it("a message is shown with its sender's checksummed address", () => {
  const message: Message = {
    ...{ groupId: "general", messageId: 3, sender: "0x19b16428f0721a5f627f190ca61d493a632b423f", senderName: "Ada" },
    ...{ senderTokenId: 0, senderCred: 51, content: "Hello", sentAt: "2026-11-21T00:00:00.000Z" },
  };
  expect(messageView(message)).toEqual({
    ...{ id: 3, groupId: "general", senderAddress: "0x19B16428f0721a5f627F190Ca61D493A632B423F", senderName: "Ada" },
    ...{ senderTokenId: 0, senderCred: 51, content: "Hello", timestamp: "2026-11-21T00:00:00.000Z" },
  });
});
