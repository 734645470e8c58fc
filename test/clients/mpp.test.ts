/** Challenges of MPP: known again by whoever has the key, by nobody else, and not when anything of them was changed. */
import { Challenge, Credential, Receipt } from "mppx";
import { describe, expect, it } from "vitest";
import { createMpp } from "../../clients/mpp.ts";
import type { Chain } from "../../clients/ports.ts";

const CURRENCY = `0x20c0${"0".repeat(32)}beef` as const;
const PAYEE = `0x${"bb".repeat(20)}` as const;
const HASH = `0x${"AB".repeat(32)}`;

const payments = (over: { secretKey?: string; realm?: string } = {}) =>
  createMpp({
    chain: { id: 4217 } as Chain,
    currency: CURRENCY,
    realm: "agents.test",
    confirmations: 1,
    secretKey: "k".repeat(32),
    ...over,
  });
const draft = {
  payTo: PAYEE,
  amountUnits: 10_000n,
  description: 'The report: “full”, with a "receipt"',
  resource: "r",
  bodyDigest: "sha-256=abc",
  expiresAt: 1_800_000_000_000,
  salt: "1",
};
const asked = () => Challenge.deserialize(payments().challenge(draft));
const answer = (challenge: Challenge.Challenge, source?: string) =>
  Credential.serialize(
    Credential.from({ challenge, payload: { type: "hash", hash: HASH }, ...(source && { source }) }),
  ).replace("Payment ", "");

describe("an answer", () => {
  it("says what was asked, who paid, and how", async () => {
    expect(
      await payments().read(answer(asked(), `did:pkh:eip155:4217:${PAYEE.toUpperCase().replace("0X", "0x")}`)),
    ).toEqual({
      kind: "answer",
      answer: {
        challengeId: asked().id,
        chainId: 4217,
        currency: CURRENCY,
        payTo: PAYEE,
        amountUnits: 10_000n,
        resource: "r",
        bodyDigest: "sha-256=abc",
        expiresAt: 1_800_000_000_000,
        payer: PAYEE,
        given: { kind: "sent", hash: HASH.toLowerCase() },
      },
    });
  });

  it("of a client that does not know the header parameter is one", async () => {
    const { header: _, ...older } = asked();
    expect(await payments().read(answer(older))).toMatchObject({ kind: "answer", answer: { payer: null } });
  });

  it.each<[string, Partial<Challenge.Challenge>]>([
    ["id", { id: "x" }],
    ["request", { request: { ...asked().request, amount: "1" } }],
    ["expiry", { expires: "2040-01-01T00:00:00.000Z" }],
    ["digest", { digest: "sha-256=abd" }],
    ["opaque data", { opaque: Buffer.from('{"resource":"s","salt":"1"}').toString("base64url") }],
    ["realm", { realm: "other.test" }],
    ["method", { method: "stripe" }],
    ["intent", { intent: "session" }],
  ])("to a challenge with another %s is foreign", async (_what, over) => {
    expect(await payments().read(answer({ ...asked(), ...over }))).toEqual({ kind: "foreign" });
  });

  it("to a challenge of another key is foreign, whatever it says", async () => {
    const theirs = Challenge.deserialize(payments({ secretKey: "l".repeat(32) }).challenge(draft));
    expect(await payments().read(answer(theirs))).toEqual({ kind: "foreign" });
  });

  it.each(["", "e30", "!", "a".repeat(5000), Buffer.from("null").toString("base64url")])(
    "that is none: %s",
    async (text) => {
      expect(await payments().read(text)).toMatchObject({ kind: "malformed" });
    },
  );

  it("naming no account as its payer is malformed", async () => {
    expect(await payments().read(answer(asked(), "did:web:agents.test"))).toMatchObject({ kind: "malformed" });
  });
});

it("two challenges of the same terms are two", () => {
  const ids = ["1", "2"].map((salt) => Challenge.deserialize(payments().challenge({ ...draft, salt })).id);
  expect(ids[0]).not.toBe(ids[1]);
});

it("a receipt names the transaction", () => {
  const at = new Date("2026-01-02T03:04:05.678Z");
  const receipt = payments().receipt({ txHash: HASH as `0x${string}`, at });
  expect(Receipt.deserialize(receipt)).toEqual({
    method: "tempo",
    status: "success",
    timestamp: "2026-01-02T03:04:05.678Z",
    reference: HASH,
  });
});
