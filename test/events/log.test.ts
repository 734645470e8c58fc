/** The event log: what is told of the chain and of what is written beside it, in one order, once, and taken back when it did not happen. */
import { beforeEach, describe, expect, it } from "vitest";
import { fail } from "../../core/errors.ts";
import { chainEventOf, EVENT_NAMES, EVENT_TYPES } from "../../core/events/events.ts";
import { snapshotId } from "../../core/snapshots/manifest.ts";
import { eventView } from "../../core/views/webhooks.ts";
import { recordProof, storeChecks } from "../../db/agents/social-proofs.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { offchainSource, retractSources } from "../../db/events/append-events.ts";
import { eventLog, eventsAfter } from "../../db/events/events.ts";
import { insertMessages } from "../../db/messages/messages.ts";
import { plantRows } from "../../harness/onchain.ts";
import { dispatch } from "../../workers/events/dispatcher.ts";
import { EVENT_FAULT_POINTS, runEventLog, sequence } from "../../workers/events/event-log.ts";
import { eventRetention, retainEvents } from "../../workers/events/event-retention.ts";
import { SUBSCRIPTIONS } from "../../workers/events/subscriptions.ts";
import { JOBS } from "../../workers/jobs.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { eventWorld, NOW } from "./support/world.ts";

const A = `0x${"a1".repeat(20)}` as const;
const B = `0x${"b2".repeat(20)}` as const;
const CHECKSUMMED_A = "0xa1A1A1A1a1A1a1A1A1a1a1a1a1A1A1a1a1A1a1a1";

const world = perFile(eventWorld);
beforeEach(() => world.reset());

/** Registers an agent on the planted chain. */
async function register(tokenId: number, over: Record<string, unknown> = {}) {
  await world.agents({ tokenId, agentAddress: A, owner: A });
  return world.indexChange("agent.registered", { tokenId, ...over });
}

describe("what the chain says", () => {
  it("is told once, token 0 included, with the agent as its block left it", async () => {
    await register(0);
    await world.settle();
    const [registered, scored, ...rest] = await world.log();
    expect(rest).toEqual([]);
    expect(eventView(registered!)).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      type: "agent.registered",
      at: "2026-11-01T12:00:00.000Z",
      tokenId: 0,
      owner: expect.stringMatching(new RegExp(CHECKSUMMED_A, "i")),
      final: false,
      block: 950,
      txHash: expect.stringMatching(/^0x7+[0-9]{8}$/),
      data: {
        ...{ name: "Agent 0", framework: "custom", soulbound: false },
        ...{ agentAddress: expect.stringMatching(/^0x/), walletConfirmed: true },
      },
    });
    expect(scored).toMatchObject({
      type: "cred.changed",
      tokenId: 0,
      data: { score: 30, tier: "MARGINAL", previous: null, cause: "agent.registered" },
    });
    await world.settle();
    expect(await world.log()).toHaveLength(2);
  });

  it("leads to jobs that there are: queued ones where it gives them data, scheduled ones where it does not", () => {
    const led = new Map(Object.values(SUBSCRIPTIONS).flatMap((all) => all.map((each) => [each.job, each] as const)));
    for (const [name, { data }] of led) {
      const job = JOBS.find((each) => each.name === name);
      expect(data ? job?.queued : job?.schedule, name).toBeTruthy();
    }
  });

  it("has data as its type says, for every kind that is told; the others are known", async () => {
    const silent = Object.keys(SUBSCRIPTIONS).filter((kind) => chainEventOf(kind) === undefined);
    expect(silent).toEqual([
      "attestation.made",
      ...Object.keys(SUBSCRIPTIONS).filter((kind) => kind.startsWith("erc8004.")),
    ]);
    await world.agents({ tokenId: 3, agentAddress: A, owner: B });
    const kinds = Object.keys(SUBSCRIPTIONS) as (keyof typeof SUBSCRIPTIONS)[];
    for (const kind of kinds) {
      const id = await world.indexChange(kind, kind.startsWith("attestation.") ? { wallet: B } : { tokenId: 3 });
      if (kind === "agent.transferred")
        await plantRows(world.db, "transfer", [
          {
            id,
            contract: A,
            tokenId: 3,
            from: A,
            to: B,
            transferredAt: 1,
            block: 950,
            txHash: `0x${id.padStart(64, "7")}`,
          },
        ]);
    }
    await world.settle();
    const events = await world.log();
    expect(events).toHaveLength(kinds.length - silent.length + 1);
    for (const { type, data } of events) expect(EVENT_TYPES[type].data.strict().safeParse(data).error).toBeUndefined();
    const moved = events.find(({ type }) => type === "agent.transferred")!;
    expect([moved.owner, moved.formerOwner]).toEqual([B, A]);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(
        EVENT_NAMES.filter(
          (type) =>
            !/_changed$/.test(type) &&
            !["agent.paid", "agent.reviewed", "proof.lapsed", "message.sent", "event.retracted"].includes(type),
        ),
      ),
    );
  });

  it("names the traits that were added, and the points with their reason", async () => {
    await world.agents({ tokenId: 3, agentAddress: A, owner: A });
    const id = await world.indexChange("agent.trait_added", { tokenId: 3 });
    const row = { tokenId: 3, category: "craft", addedAt: 1 };
    const txHash = `0x${id.padStart(64, "7")}`;
    await plantRows(world.db, "trait", [
      { ...row, position: 950_000_002, name: "night-owl", txHash },
      { ...row, position: 950_000_001, name: "early-bird", txHash },
      { ...row, position: 940_000_001, name: "older", txHash: `0x${"1".repeat(64)}` },
    ]);
    const points = await world.indexChange("agent.points_awarded", { tokenId: 3 });
    await plantRows(world.db, "pointsAward", [
      { id: points, tokenId: 3, amount: 50n, reason: "referrer", awardedAt: 1, block: 950, txHash },
    ]);
    await world.settle();
    const told = (await world.log()).filter(({ type }) => type === "agent.updated").map(({ data }) => data);
    expect(told).toEqual([
      { changed: ["traits"], storage: "onchain", added: ["early-bird", "night-owl"] },
      { changed: ["points"], storage: "onchain", points: { amount: 50, reason: "referrer" } },
    ]);
  });

  it("of a wallet is told of every agent that it owns or has verified, and of none that only names it", async () => {
    await world.agents(
      { tokenId: 1, owner: A, agentAddress: A },
      { tokenId: 2, owner: B, agentAddress: A, verified: true },
      { tokenId: 3, owner: B, agentAddress: B },
      { tokenId: 4, owner: B, agentAddress: A },
      { tokenId: 5, owner: B, agentAddress: A },
    );
    await world.db.query(
      "insert into offchain.wallet_verification select 5, $1, mint_tx, $2 from onchain.agent where token_id = 5",
      [A, NOW],
    );
    await world.indexChange("attestation.revoked", { wallet: A });
    await world.indexChange("attestation.revoked", { wallet: `0x${"c3".repeat(20)}` });
    await world.settle();
    expect((await world.told()).filter((told) => told.startsWith("att"))).toEqual([
      "attestation.revoked 1",
      "attestation.revoked 2",
      "attestation.revoked 5",
    ]);
  });

  it("from before the log's time is not told, nor are the first scores of agents from then", async () => {
    await world.agents({ tokenId: 1, mintedAt: NOW.getTime() / 1000 - 8 * 86_400 });
    await world.indexChange("agent.registered", { tokenId: 1, secondsAgo: 8 * 86_400 });
    await world.settle();
    expect(await world.log()).toEqual([]);
    await world.db.query("update onchain.agent set trait_count = 9, updated_block = 951");
    await world.indexChange("agent.points_awarded", { tokenId: 1, block: 951 });
    await world.settle();
    expect(await world.told()).toEqual(["agent.updated 1", "cred.changed 1"]);
  });

  it("is not told again when another index of the same chain is served", async () => {
    await register(1);
    await register(2, { block: 850 });
    await world.settle();
    const before = await world.log();
    await world.db.query("update onchain.index_state set schema = 'index_other_1'");
    await world.settle();
    await world.settle();
    expect(await world.log()).toEqual(before);
  });

  it("is told once, whenever the process dies", async () => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8];
    await world.dying(
      [...EVENT_FAULT_POINTS, "dispatcher.claimed"],
      ids.map((tokenId) => () => register(tokenId)),
    );
    const registered = (await world.told()).filter((told) => told.startsWith("agent.registered"));
    expect(registered).toEqual(ids.map((id) => `agent.registered ${id}`));
  });
});

describe("a reorganisation", () => {
  /** The index commits two blocks without the event: then it is gone. */
  async function reorganise(...ids: string[]) {
    for (const id of ids) await world.vanish(id);
    await world.settle();
    await world.reach(1001, 900);
    await world.settle();
  }

  it("takes back what it told, each event by its id, and the score with it", async () => {
    const id = await register(1);
    await world.settle();
    const [registered, scored] = await world.log();
    await world.db.query("delete from onchain.agent");
    await reorganise(id);
    const [, , ...after] = await world.log();
    expect(after.map(({ type, tokenId, data }) => ({ type, tokenId, data }))).toEqual(
      expect.arrayContaining([
        { type: "event.retracted", tokenId: 1, data: { id: registered!.id, type: "agent.registered" } },
        { type: "event.retracted", tokenId: 1, data: { id: scored!.id, type: "cred.changed" } },
      ]),
    );
    expect(after).toHaveLength(2);
    await world.settle();
    expect(await world.log()).toHaveLength(4);
  });

  it("tells what comes again as something new, on another branch or on the old one", async () => {
    const id = await register(1);
    await world.settle();
    const first = (await world.log())[0]!;
    await world.vanish(id);
    await world.indexChange("agent.registered", { id, tokenId: 1, block: 951 });
    await reorganise();
    // The old branch wins after all.
    await world.vanish(id);
    await world.indexChange("agent.registered", { id, tokenId: 1, block: 950 });
    await world.settle();
    await world.reach(1002, 900);
    await world.settle();
    const log = (await world.log()).filter(({ type }) => type !== "cred.changed");
    const told = log.filter(({ type }) => type === "agent.registered");
    expect(new Set(told.map((event) => event.id)).size).toBe(3);
    expect(told[0]!.id).toBe(first.id);
    const retracted = log.flatMap(({ type, data }) =>
      type === "event.retracted" ? [(data as { id: string }).id] : [],
    );
    expect(retracted.filter((taken) => told.some(({ id }) => id === taken))).toEqual(
      told.slice(0, 2).map(({ id }) => id),
    );
  });

  it("takes a token's id away from what was written about it off chain, and leaves its messages", async () => {
    await register(1);
    const proof = { tokenId: 1, platform: "x", accountId: "7", handle: "ada", username: null, evidence: {} } as const;
    await world.settle();
    await recordProof(world.db, proof, null, NOW);
    await storeChecks(world.db, "x", [{ tokenId: 1, accountId: "7", outcome: "vanished" }], new Date());
    await world.db.query(sql`insert into offchain.event (id, type, token_id, data, at, final, source)
      values ('evt_x', 'agent.verified', 1, '{}', now(), true, ${offchainSource(1)}), ('evt_m', 'message.sent', 1,
        '{}', now(), true, null)`);
    await retractSources(world.db, [offchainSource(1)]);
    await world.settle();
    const retracted = (await world.log()).filter(({ type }) => type === "event.retracted");
    expect(retracted.map(({ data }) => data)).toEqual([{ id: "evt_x", type: "agent.verified" }]);
  });
});

describe("finality", () => {
  it("is of the block when it is told, and told again only to those who waited for it", async () => {
    await register(1, { block: 850 });
    await register(2, { block: 950 });
    await world.settle();
    const finals = async (part = {}) =>
      (await world.log(part)).map(({ type, tokenId, final }) => `${type} ${tokenId} ${final}`);
    expect((await finals()).slice(0, 2)).toEqual(["agent.registered 1 true", "agent.registered 2 false"]);
    expect(await finals({ final: true })).toEqual(["agent.registered 1 true"]);
    await world.reach(1100, 950);
    await world.settle();
    await world.settle();
    expect(await finals({ final: true })).toEqual([
      "agent.registered 1 true",
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    expect((await finals({ final: true })).slice(1).toSorted()).toEqual([
      "agent.registered 2 true",
      "cred.changed 1 true",
      "cred.changed 2 true",
    ]);
    // Told once each: the second place is only for those who waited.
    expect(await world.told()).toHaveLength(4);
    const places = [...(await world.log()), ...(await world.log({ final: true }))].map(({ position }) => position);
    expect(Math.max(...places)).toBe((await eventLog(world.db)).head);
  });

  it("keeps what was taken back before from those who wait, and tells them of what is taken back later", async () => {
    const soon = await register(1, { block: 950 });
    const late = await register(2, { block: 850 });
    await world.settle();
    await world.vanish(soon);
    await world.settle();
    await world.reach(1001, 900);
    await world.settle();
    expect((await world.told({ final: true })).filter((told) => !told.startsWith("cred"))).toEqual([
      "agent.registered 2",
    ]);
    // Another index says that what was final never was.
    await world.vanish(late);
    await world.db.query("update onchain.index_state set schema = 'index_other_1'");
    await world.settle();
    expect((await world.told({ final: true })).filter((told) => !told.startsWith("cred"))).toEqual([
      "agent.registered 2",
      "event.retracted 2",
    ]);
  });
});

describe("scores", () => {
  it("are told with what moved them, in the order of their history", async () => {
    await register(1);
    await world.settle();
    await world.db.query("update onchain.agent set trait_count = 9, updated_block = 960");
    await recomputeCred(world.db, { tokenIds: [1] }, { now: NOW, cause: "agent.points_awarded" });
    await world.settle();
    const [, first, second] = await world.log();
    expect(second!.data).toEqual({
      score: expect.any(Number),
      tier: expect.any(String),
      previous: (first!.data as { score: number }).score,
      cause: "agent.points_awarded",
    });
    expect([second!.owner, second!.block, second!.final]).toEqual([A, 960, false]);
  });

  it("miss none and repeat none while writers race and a reader follows", async () => {
    await world.agents(...Array.from({ length: 40 }, (_, tokenId) => ({ tokenId })));
    const running = runEventLog(world.context, { timerMs: 5 });
    const seen: number[] = [];
    let writing = true;
    const reading = (async () => {
      let after = 0;
      for (;;) {
        const last = !writing;
        const { head } = await eventLog(world.db);
        const { events, through } = await eventsAfter(world.db, { after, head, limit: 50 });
        seen.push(...events.map(({ position }) => position));
        after = through;
        if (last && through === head) {
          const { rows } = await world.db.query("select count(*)::int as n from offchain.cred_history");
          if (rows[0].n === seen.length) return;
        }
      }
    })();
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          const ids = Array.from({ length: 5 }, (_, k) => writer * 5 + k);
          await world.db.query(
            sql`update onchain.agent set trait_count = trait_count + 1 where token_id = any(${ids})`,
          );
          await recomputeCred(world.db, { tokenIds: ids }, { now: NOW, cause: "race" });
        }
      }),
    );
    writing = false;
    await reading;
    await running.stop();
    const { rows } = await world.db.query("select position from offchain.event order by position");
    expect(seen).toEqual(rows.map(({ position }) => Number(position)));
    const perAgent = await world.db.query(
      `select count(*)::int as n from (
         select data ->> 'previous' is distinct from lag(data ->> 'score') over (partition by token_id order by position) as torn
         from offchain.event) e where torn`,
    );
    expect(perAgent.rows[0].n).toBe(0);
  });
});

describe("what is written off chain", () => {
  it("messages of public groups are told without their words, those of private ones not at all", async () => {
    await world.agents({ tokenId: 5, agentAddress: A, owner: B });
    const message = { senderName: "Ada", senderTokenId: 5, senderCred: 50, sentAt: NOW.toISOString(), request: null };
    for (const [groupId, isPublic] of [
      ["general", true],
      ["governance", false],
    ] as const)
      await insertMessages(world.db, { groupId, isPublic }, [
        { ...message, groupId, messageId: 1, sender: A, content: "the words" },
        { ...message, groupId, messageId: 2, sender: A, content: "more words" },
      ]);
    await world.settle();
    const events = await world.log();
    expect(events.map(({ type, tokenId, owner, final, data }) => [type, tokenId, owner, final, data])).toEqual(
      [1, 2].map((messageId) => [
        "message.sent",
        5,
        B,
        true,
        { groupId: "general", messageId, senderAddress: expect.stringMatching(new RegExp(A, "i")) },
      ]),
    );
    expect(JSON.stringify(events)).not.toMatch(/words|governance/);
  });
});

describe("retention", () => {
  it("leaves out no event because a worker's clock is years ahead", async () => {
    await world.agents({ tokenId: 1 });
    await world.indexChange("agent.mutated", { tokenId: 1, block: 990, secondsAgo: 60 });
    const ahead = {
      clock: () => new Date("2099-01-01"),
      config: { ...world.context.config, eventRetentionMs: 10 * 365 * 86_400_000 },
    };
    await dispatch({ ...world.context, ...ahead, queue: { ...world.context.queue, add: async () => {} } });
    await sequence(world.context);
    expect(await world.log()).toHaveLength(1);
  });

  it("removes what is old from the beginning, and says so", async () => {
    await world.agents({ tokenId: 1 });
    for (let day = 9; day >= 0; day--)
      await world.indexChange("agent.mutated", { tokenId: 1, block: 990 - day, secondsAgo: (day * 86_400) / 2 });
    await dispatch({ ...world.context, queue: { ...world.context.queue, add: async () => {} } });
    await sequence(world.context);
    expect(await world.log()).toHaveLength(10);
    const retain = () => retainEvents(world.db, { now: world.context.clock(), retentionMs: 3 * 86_400_000 });
    expect(await retain()).toBe(3);
    expect((await world.log()).map(({ position }) => position)).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await eventLog(world.db)).toEqual({ head: 10, keptAfter: 3 });
    expect(await retain()).toBe(0);
    expect(JOBS).toContain(eventRetention);
  });

  describe("with snapshots", () => {
    const daysAgo = (days: number) => snapshotId(new Date(Date.now() - days * 86_400_000));
    const kept = new Map<string, { id: string; continueFrom: { events: number } } | null>();
    const keep = (id: string, events: number) => kept.set(id, { id, continueFrom: { events } });
    const snapshots = {
      ids: async () => [...kept.keys()].sort().reverse(),
      manifest: async (id: string) => kept.get(id),
    };
    /** The job, which removes events after a week, and snapshots after two. */
    const retain = (place: object = snapshots) => {
      const config = { ...world.context.config, snapshots: { retentionMs: 14 * 86_400_000 } };
      return eventRetention.run({ ...world.context, config, snapshots: place } as never, {});
    };
    const age = (days: number) => world.db.query(`update offchain.event set at = now() - interval '${days} days'`);

    beforeEach(async () => {
      kept.clear();
      await world.agents({ tokenId: 1 });
      for (let block = 981; block <= 990; block++) await world.indexChange("agent.mutated", { tokenId: 1, block });
      await dispatch({ ...world.context, queue: { ...world.context.queue, add: async () => {} } });
      await sequence(world.context);
    });

    it("removes nothing that happened after the oldest of them, however old it is", async () => {
      await age(20);
      const [oldest, newest] = [daysAgo(19), daysAgo(18)];
      keep(newest, 9);
      keep(oldest, 4);
      // Of a later version.
      kept.set(daysAgo(20), null);
      expect(await retain()).toBe(4);
      expect(await eventLog(world.db)).toEqual({ head: 10, keptAfter: 4 });
      expect(await retain()).toBe(0);
      kept.delete(oldest);
      expect(await retain()).toBe(5);
      kept.clear();
      expect(await retain()).toBe(1);
    });

    it("keeps none for one that should have been replaced a week ago, and says so until it is", async () => {
      await age(20.5);
      keep(daysAgo(20.9), 4);
      expect(await retain()).toBe(4);
      kept.clear();
      const late = daysAgo(21.1);
      keep(late, 4);
      for (const _ of [1, 2])
        await expect(retain()).rejects.toThrow(`Events after snapshot ${late} are kept no longer`);
      expect(await eventLog(world.db)).toEqual({ head: 10, keptAfter: 10 });
      kept.clear();
      keep(daysAgo(0), 10);
      expect(await retain()).toBe(0);
    });

    it("keeps as many for those that are away as it would at most, and says so", async () => {
      const away = { ids: async () => fail("upstream_unavailable", "The store is away.") };
      for (const [days, keptAfter] of [
        [20.9, 0],
        [21.1, 10],
      ] as const) {
        await age(days);
        await expect(retain(away)).rejects.toThrow("The store is away.");
        expect(await eventLog(world.db)).toEqual({ head: 10, keptAfter });
      }
    });
  });
});
