/** What follows from an attempt to deliver, whatever came before: waits, pauses, the end of a delivery and of a webhook. */
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import {
  type AttemptFacts,
  type AttemptOutcome,
  afterAttempt,
  MAX_ATTEMPTS,
  waitMs,
} from "../../core/webhooks/attempts.ts";
import { secretText, webhookHeaders } from "../../core/webhooks/signing.ts";
import { forAll } from "../support/for-all.ts";

const NOW = new Date("2026-11-21T12:00:00.000Z");
const DAY = 86_400_000;
const HEALTHY = { failures: 0, failingSince: null, pausedUntil: null };
const answered = (status: number, retryAfterSeconds: number | null = null): AttemptOutcome => ({
  ...{ kind: "answered", status, retryAfterSeconds },
});
const facts = (more: Partial<AttemptFacts>): AttemptFacts => ({
  ...{ attempts: 1, health: HEALTHY, outcome: answered(500), now: NOW, random: 0.5 },
  ...more,
});
const dueIn = (result: ReturnType<typeof afterAttempt>) =>
  result.delivery.state === "pending" ? result.delivery.dueAt.getTime() - NOW.getTime() : null;

describe("an attempt", () => {
  it.each([200, 201, 204, 299])(
    "that is answered %i has delivered, and the receiver has failed at nothing",
    (status) => {
      const health = { failures: 12, failingSince: NOW, pausedUntil: NOW };
      expect(afterAttempt(facts({ outcome: answered(status), health }))).toEqual({
        ...{ delivery: { state: "delivered" }, receiver: HEALTHY, disable: null },
      });
    },
  );

  it.each([
    [answered(500)],
    [answered(302)],
    [answered(404)],
    [{ kind: "unanswered", reason: "no answer" } as const],
    [{ kind: "refused", reason: "must be on a public address" } as const],
  ])("with the outcome %j is made again", (outcome) => {
    const result = afterAttempt(facts({ outcome }));
    expect([dueIn(result), result.receiver]).toEqual([5_000, { failures: 1, failingSince: NOW, pausedUntil: null }]);
  });

  it("waits six times as long each time, a fifth more or less, and is the last after six", () => {
    expect([1, 2, 3, 4, 5].map((attempts) => waitMs(attempts, 0.5))).toEqual([
      5_000, 30_000, 180_000, 1_080_000, 6_480_000,
    ]);
    expect([waitMs(1, 0), waitMs(1, 1)]).toEqual([4_000, 6_000]);
    expect(afterAttempt(facts({ attempts: MAX_ATTEMPTS - 1 })).delivery.state).toBe("pending");
    expect(afterAttempt(facts({ attempts: MAX_ATTEMPTS })).delivery.state).toBe("dead");
  });

  it("keeps to Retry-After when that is later than the wait, for all deliveries of the webhook", () => {
    const late = afterAttempt(facts({ outcome: answered(429, 60) }));
    expect([dueIn(late), late.receiver.pausedUntil]).toEqual([60_000, new Date(NOW.getTime() + 60_000)]);
    const soon = afterAttempt(facts({ outcome: answered(503, 1) }));
    expect(dueIn(soon)).toBe(5_000);
  });

  it("answered 410 ends delivery and webhook", () => {
    expect(afterAttempt(facts({ outcome: answered(410) }))).toMatchObject({
      delivery: { state: "dead" },
      disable: "gone",
    });
  });

  it("ends a webhook that has failed for days and often enough, and no other", () => {
    const since = (ms: number, failures: number) =>
      afterAttempt(facts({ health: { failures, failingSince: new Date(NOW.getTime() - ms), pausedUntil: null } }))
        .disable;
    expect([since(3 * DAY, 19), since(3 * DAY - 1, 19), since(30 * DAY, 18)]).toEqual(["failing", null, null]);
  });

  it("gives each delivery a later time, ten minutes at most after the last unless asked", () =>
    forAll(
      [
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 10_000 }),
        fc.constantFrom<AttemptOutcome>(answered(500), answered(429, 0), answered(503, 900), {
          kind: "unanswered",
          reason: "",
        }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ],
      (attempts, failures, outcome, random) => {
        const health = { failures, failingSince: failures > 0 ? NOW : null, pausedUntil: null };
        const { delivery, receiver } = afterAttempt(facts({ attempts, health, outcome, random }));
        expect(delivery.state === "pending").toBe(attempts < MAX_ATTEMPTS);
        if (delivery.state === "pending") expect(delivery.dueAt.getTime()).toBeGreaterThan(NOW.getTime());
        expect(receiver.failures).toBe(failures + 1);
        const pause = (receiver.pausedUntil?.getTime() ?? NOW.getTime()) - NOW.getTime();
        expect(pause).toBeLessThanOrEqual(
          outcome.kind === "answered" && outcome.retryAfterSeconds === 900 ? 900_000 : 600_000,
        );
        if (failures >= 4) expect(pause).toBeGreaterThan(0);
      },
    ));
});

describe("a signature", () => {
  it("is the one that the standard's own library makes, for each secret", () =>
    forAll(
      [
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        fc.stringMatching(/^[a-z0-9_]{1,40}$/),
        fc.string({ unit: "grapheme" }),
      ],
      (first, second, id, body) => {
        const headers = webhookHeaders([first, second], { id, timestamp: 1_790_000_000, body });
        const own = [first, second].map((secret) =>
          new Webhook(secretText(secret)).sign(id, new Date(1_790_000_000_000), body),
        );
        expect(headers).toEqual({
          ...{ "webhook-id": id, "webhook-timestamp": "1790000000", "webhook-signature": own.join(" ") },
        });
      },
    ));
});
