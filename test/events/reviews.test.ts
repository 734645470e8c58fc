/** Events of reviews in the canonical registry: each once, of own agents and of others, taken back with their block, bounded for each day, so that one account takes no other's. */
import { beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES, type EventData, MAX_PER_DAY } from "../../core/events/events.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { plantRows } from "../../harness/onchain.ts";
import { perFile } from "../support/started.ts";
import { ATTESTATION_SCHEMA, eventWorld, NOW } from "./support/world.ts";

const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const SECONDS = NOW.getTime() / 1000;
const ofByte = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`;
const [WALLET, OWNER, ADA, BOB] = [ofByte("a1"), ofByte("a0"), ofByte("b1"), ofByte("b2")];
const hashOf = (n: number | string) => `0x${String(n).padStart(64, "7")}`;

const world = perFile(eventWorld);
beforeEach(async () => {
  await world.reset();
  await world.db.query("truncate onchain.erc8004_agent, onchain.erc8004_feedback, onchain.attestation");
  await plantRows(world.db, "erc8004Agent", [canonical(31), canonical(32, { agentWallet: WALLET })]);
});

const canonical = (agentId: number, over: object = {}) => ({
  ...{ registry: REGISTRY, agentId: BigInt(agentId), owner: OWNER, agentWallet: ofByte("00"), agentUri: "" },
  ...{ registeredAt: 1, registeredBlock: 12, feedbackCount: 1, updatedBlock: 12, txHash: hashOf(0) },
  ...over,
});

type Given = {
  client?: `0x${string}`;
  tx?: number | string;
  block?: number;
  secondsAgo?: number;
  branch?: string;
  id?: string;
};
let written = 0;
/** A review, as the index has it. @returns the id of its change */
async function review(agentId: number, { client = ADA, tx, block = 950, secondsAgo = 0, ...over }: Given = {}) {
  written += 1;
  const txHash = hashOf(tx ?? `a${written}`);
  await plantRows(world.db, "erc8004Feedback", [
    {
      ...{ registry: REGISTRY, agentId: BigInt(agentId), client, feedbackIndex: BigInt(written), value: 9_250n },
      ...{
        valueDecimals: 2,
        tag1: "starred",
        tag2: "x".repeat(200),
        endpoint: "",
        feedbackUri: "",
        feedbackHash: "0x",
      },
      ...{ revoked: false, givenAt: SECONDS - secondsAgo, block, txHash },
    },
  ]);
  const change = { agentId: BigInt(agentId), block, secondsAgo, txHash, ...over };
  return world.indexChange("erc8004.feedback_given", change);
}
const reviews = async (part = {}) => (await world.log(part)).filter(({ type }) => type === "agent.reviewed");
const clients = async () =>
  (await reviews()).map(({ data }) => (data as EventData<"agent.reviewed">).client.toLowerCase());

describe("a review", () => {
  it("is one event, of an agent of another registry without a token, of an own one with it", async () => {
    await world.agents({ tokenId: 7, agentAddress: WALLET, owner: OWNER, verified: true });
    await review(31);
    await review(32, { client: BOB, block: 850 });
    await world.settle();
    await world.settle();
    const [other, own, ...more] = await reviews();
    expect(more).toEqual([]);
    expect(other).toMatchObject({
      ...{ tokenId: null, agentAddress: null, owner: OWNER, block: 950, final: false, at: NOW },
      data: {
        ...{ agentId: "31", client: expect.stringMatching(new RegExp(ADA, "i")), value: "92.5" },
        ...{ tags: ["starred", "x".repeat(64)], registry: expect.stringMatching(new RegExp(REGISTRY, "i")) },
      },
    });
    expect(own).toMatchObject({ tokenId: 7, agentAddress: WALLET, block: 850, final: true, data: { agentId: "32" } });
    for (const { data } of [other!, own!])
      expect(EVENT_TYPES["agent.reviewed"].data.strict().safeParse(data).error).toBeUndefined();
  });

  it("of an agent that only names the registration's wallet is not that agent's", async () => {
    await world.agents({ tokenId: 8, agentAddress: WALLET, owner: ofByte("c1") });
    await review(32);
    await world.settle();
    expect(await reviews()).toMatchObject([{ tokenId: null, agentAddress: WALLET }]);
  });

  it("is one of several of a transaction", async () => {
    for (const client of [ADA, BOB, ofByte("b3")]) await review(31, { client, tx: 1 });
    await review(32, { client: ofByte("b4"), tx: 1 });
    await world.settle();
    expect((await clients()).toSorted()).toEqual([ADA, BOB, ofByte("b3"), ofByte("b4")]);
  });

  it("from before the log's time is none", async () => {
    await review(31, { secondsAgo: 8 * 86_400 });
    await review(31, { client: BOB, secondsAgo: 6 * 86_400 });
    await world.settle();
    expect(await clients()).toEqual([BOB]);
  });

  it("is told of the first hundred accounts that review an agent on each day", async () => {
    const reviewer = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;
    // NOW is noon.
    for (const [day, client] of [
      [1, ADA],
      [0, BOB],
    ] as const) {
      for (let n = 1; n <= MAX_PER_DAY + 5; n++)
        await review(31, { client: reviewer(n), secondsAgo: day * 86_400 + 40_000 - n, block: 940 - 10 * day });
      await review(32, { client, secondsAgo: day * 86_400 + 30_000, block: 945 - 10 * day });
    }
    await world.settle();
    const each = Array.from({ length: MAX_PER_DAY }, (_, i) => reviewer(i + 1));
    expect(await clients()).toEqual([...each, ADA, ...each, BOB]);
  });

  it("is told of each reviewer, whoever writes how many before it; of a person always", async () => {
    const account = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "e")}`;
    const flood = MAX_PER_DAY + 20;
    for (let n = 0; n < flood; n++) await review(31, { client: account(1), tx: 77, secondsAgo: 30_000 });
    await review(31, { client: ADA, secondsAgo: 20_000 });
    await world.settle();
    await review(31, { client: ADA, secondsAgo: 19_000 });
    const told = async () => Map.groupBy(await clients(), (client) => client);
    expect((await told()).get(account(1))).toHaveLength(MAX_PER_DAY);
    expect((await told()).get(ADA)).toHaveLength(1);

    // As many accounts as a day has room for leave none for another account, and one for each person.
    await plantRows(
      world.db,
      "attestation",
      [BOB, ofByte("b9")].map((recipient) => ({
        ...{ uid: `0x${recipient}`, schema: ATTESTATION_SCHEMA, attester: WALLET, recipient, data: VERIFIED_ACCOUNT },
        ...{ attestedAt: 1, expiresAt: 0, revokedAt: 0, block: 1, txHash: "0x" as const },
      })),
    );
    for (let n = 2; n < MAX_PER_DAY + 10; n++) await review(31, { client: account(n), secondsAgo: 10_000 });
    await review(31, { client: ofByte("b8"), secondsAgo: 5_000 });
    for (const client of [BOB, BOB, ofByte("b9")]) await review(31, { client, secondsAgo: 4_000 });
    const sent = (await reviews()).map(({ id }) => id);
    await world.settle();
    const after = await told();
    expect([after.get(BOB), after.get(ofByte("b9")), after.has(ofByte("b8"))]).toEqual([[BOB], [ofByte("b9")], false]);
    expect([...after.keys()].length).toBe(MAX_PER_DAY + 2);
    // What was sent stays.
    expect((await reviews()).slice(0, sent.length).map(({ id }) => id)).toEqual(sent);
  });

  it("is told once, wherever the process dies", async () => {
    const reviewers = [0, 1, 2, 3, 4, 5].map((n) => ofByte(`d${n}`));
    await world.dying(
      ["dispatcher.claimed", "dispatcher.committed", "events.sequenced"],
      reviewers.map((client) => () => review(31, { client })),
    );
    expect(await clients()).toEqual(reviewers);
  });
});

describe("a reorganisation", () => {
  it("takes the event back; on another branch the review is another event, and final when its block is", async () => {
    const id = await review(31, { tx: 5, id: "r1" });
    await world.settle();
    const [first] = await reviews();
    await world.vanish(id);
    await world.indexChange("erc8004.feedback_given", {
      ...{ id, agentId: 31n, block: 951, txHash: hashOf(5) },
    });
    await world.settle();
    await world.reach(1001, 900);
    await world.settle();
    const [, second, ...more] = await reviews();
    expect(more).toEqual([]);
    expect(second!.id).not.toBe(first!.id);
    const back = (await world.log()).filter(({ type }) => type === "event.retracted");
    expect(back.map(({ data }) => data)).toEqual([{ id: first!.id, type: "agent.reviewed" }]);
    await world.reach(1100, 960);
    await world.settle();
    await world.settle();
    expect((await reviews({ final: true })).map(({ id }) => id)).toEqual([second!.id]);
  });
});
