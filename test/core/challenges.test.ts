/** What binds an answer of MPP to its request: claims, times, memos, calls; and the names clients give to payments of x402. */
import fc from "fast-check";
import { keccak256, stringToHex } from "viem/utils";
import { describe, expect, it } from "vitest";
import type { Address, Hex } from "../../core/agents/facts.ts";
import {
  type ChallengeClaims,
  challengeMismatch,
  isMemoOf,
  isMemoTransfer,
  memoTransfers,
  transactionOutOfTime,
} from "../../core/payments/challenges.ts";
import { readIdentifier } from "../../core/payments/payment-identifier.ts";
import { forAll } from "../support/for-all.ts";

const TOKEN: Address = `0x20c0${"0".repeat(32)}beef`;
const PAYEE: Address = `0x${"bb".repeat(20)}`;
const PAYER: Address = `0x${"aa".repeat(20)}`;
const NOW = 1_800_000_000;

describe("a challenge", () => {
  const request = { resource: "r", bodyDigest: "sha-256=x" };
  const terms = { chainId: 4217, currency: TOKEN, payTo: PAYEE, honoured: [1_000_000n, 2_000_000n] };
  const claims: ChallengeClaims = {
    ...request,
    challengeId: "c",
    chainId: 4217,
    currency: TOKEN,
    payTo: PAYEE,
    amountUnits: 1_000_000n,
    expiresAt: NOW * 1000,
  };
  const of = (over: Partial<ChallengeClaims>) =>
    challengeMismatch({ ...claims, ...over }, terms, request, NOW * 1000 - 1);

  it("is for one request, at a price that is honoured, until it expires", () => {
    expect(of({})).toBeNull();
    expect(of({ amountUnits: 2_000_000n })).toBeNull();
    expect(of({ resource: "s" })).toBe("wrong_resource");
    expect(of({ bodyDigest: null })).toBe("wrong_resource");
    expect(of({ chainId: 42431 })).toBe("unsupported_network");
    expect(of({ currency: PAYEE })).toBe("wrong_asset");
    expect(of({ payTo: PAYER })).toBe("wrong_recipient");
    expect(of({ amountUnits: 999_999n })).toBe("wrong_amount");
    expect(of({ expiresAt: NOW * 1000 - 1 })).toBe("challenge_expired");
  });
});

describe("a signed transaction", () => {
  const of = (validBefore: number | null, validAfter: number | null = null) =>
    transactionOutOfTime({ validBefore, validAfter }, NOW);

  it("must end, and soon", () => {
    expect(of(NOW + 25)).toBeNull();
    expect(of(NOW)).toBe("expired");
    expect(of(null)).toBe("valid_too_long");
    expect(of(NOW + 421)).toBe("valid_too_long");
    expect(of(NOW + 25, NOW + 121)).toBe("not_yet_valid");
  });
});

const memoFor = (realm: string, challengeId: string, client = "00".repeat(10)): Hex => {
  const part = (text: string, bytes: number) => keccak256(stringToHex(text)).slice(2, 2 + 2 * bytes);
  return `0x${part("mpp", 4)}01${part(realm, 10)}${client}${part(challengeId, 7)}`;
};

describe("a memo", () => {
  it("is the one that clients write", () => {
    // Written by mppx 0.11.0 for the realm agents.test, a client "robot" and the challenge "challenge-1".
    const memo: Hex = "0xef1ed712011faa1189a8bb017c5843372a5c8c381dc05448c4a07937b8dee655";
    expect(isMemoOf(memo, { realm: "agents.test", challengeId: "challenge-1" })).toBe(true);
    expect(
      isMemoOf(memo.toUpperCase().replace("0X", "0x") as Hex, { realm: "agents.test", challengeId: "challenge-1" }),
    ).toBe(true);
  });

  it("names one service and one challenge, whichever client wrote it", () => {
    forAll([fc.string(), fc.string(), fc.string(), fc.stringMatching(/^[0-9a-f]{20}$/)], (a, b, c, client) => {
      const memo = memoFor(a, b, client);
      expect(isMemoOf(memo, { realm: a, challengeId: b })).toBe(true);
      if (b !== c) expect(isMemoOf(memo, { realm: a, challengeId: c })).toBe(false);
      if (a !== c) expect(isMemoOf(memo, { realm: c, challengeId: b })).toBe(false);
    });
    expect(isMemoOf("0x", { realm: "a", challengeId: "b" })).toBe(false);
  });

  const asked = { token: TOKEN, to: PAYEE, value: 10n, realm: "a", challengeId: "b" };
  const word = (value: string) => value.replace("0x", "").padStart(64, "0");
  const call = (memo: Hex, to = PAYEE, value = 10n): Hex =>
    `0x95777d59${word(to)}${word(value.toString(16))}${word(memo)}`;

  it("makes a call the answer to a challenge", () => {
    const memo = memoFor("a", "b");
    expect(isMemoTransfer({ to: TOKEN, data: call(memo) }, asked)).toBe(true);
    expect(isMemoTransfer({ to: PAYEE, data: call(memo) }, asked)).toBe(false);
    expect(isMemoTransfer({ to: TOKEN, data: call(memo, PAYER) }, asked)).toBe(false);
    expect(isMemoTransfer({ to: TOKEN, data: call(memo, PAYEE, 11n) }, asked)).toBe(false);
    expect(isMemoTransfer({ to: TOKEN, data: call(memoFor("a", "c")) }, asked)).toBe(false);
    expect(isMemoTransfer({ to: TOKEN, data: "0x" }, asked)).toBe(false);
  });

  it("counts beside its own transfer only", () => {
    const log = (logIndex: number, topics: string[], address = TOKEN) => ({
      address,
      logIndex,
      topics: topics.map((topic) => (topic.length === 66 ? topic : `0x${word(topic)}`)) as Hex[],
      data: `0x${word("a")}` as Hex,
    });
    const transfer = (at: number) =>
      log(at, ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", PAYER, PAYEE]);
    const memo = (at: number, token = TOKEN) =>
      log(
        at,
        ["0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0", PAYER, PAYEE, memoFor("a", "b")],
        token,
      );
    const places = (logs: ReturnType<typeof log>[]) => memoTransfers(logs, asked).map(({ logIndex }) => logIndex);
    expect(places([transfer(0), transfer(1), memo(2), transfer(3)])).toEqual([1]);
    expect(places([transfer(0), memo(2)])).toEqual([]);
    expect(places([transfer(0), memo(1, PAYEE)])).toEqual([]);
  });
});

describe("a payment identifier", () => {
  const of = (info: unknown) => readIdentifier({ extensions: { "payment-identifier": { info } } });

  it("is optional, and of one shape", () => {
    expect(readIdentifier({})).toBeNull();
    expect(readIdentifier({ extensions: { bazaar: {} } })).toBeNull();
    expect(readIdentifier({ extensions: null })).toBeNull();
    expect(readIdentifier({ extensions: { "payment-identifier": null } })).toBeNull();
    expect(of({ required: null, id: null })).toBeNull();
    expect(of({ required: false })).toBeNull();
    expect(of({ required: true, id: "pay_7d5d747be160" })).toBe("pay_7d5d747be160");
    for (const bad of [{ required: true }, { id: "short" }, { id: "x".repeat(129) }, { id: "pay 7d5d747be160" }, 7])
      expect(of(bad)).toBeUndefined();
  });
});
