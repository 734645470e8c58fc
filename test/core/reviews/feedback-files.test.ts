/** The file of a review: what it says of a payment, and what the logs of the transaction say of that. */
import { describe, expect, it } from "vitest";
import { TRANSFER, topicOf } from "../../../core/payments/transfers.ts";
import { type ProofParties, proofClaimIn, proofOf } from "../../../core/reviews/feedback-files.ts";

const TX = `0x${"ab".repeat(32)}` as const;
const claim = (proofOfPayment: unknown) => proofClaimIn(JSON.stringify({ agentId: 31, proofOfPayment }), 8453);

describe("what a file says of a payment", () => {
  it("is a transaction of our chain, however its number is written", () => {
    for (const chainId of ["8453", 8453, "eip155:8453", "0x2105", undefined, null])
      expect(
        claim({ fromAddress: "0x1", toAddress: "0x2", chainId, txHash: TX.toUpperCase().replace("X", "x") }),
      ).toEqual({
        txHash: TX,
      });
  });

  it("is nothing, or says why it names none", () => {
    expect(claim(undefined)).toBe(null);
    expect(claim(null)).toBe(null);
    for (const chainId of ["1", 1, 84_532, "8453 ", "", {}, [8453], true]) {
      expect(claim({ chainId, txHash: TX })).toEqual({ state: "other_chain" });
    }
    for (const named of [
      7,
      "0x",
      [],
      {},
      { txHash: 7 },
      { txHash: `${TX}00` },
      { txHash: [TX] },
      { txHash: `0x${"g".repeat(64)}` },
    ])
      expect(claim(named)).toEqual({ state: "malformed" });
  });

  it("is nothing in what is no object, deep or of odd names", () => {
    for (const text of [
      "",
      "null",
      "[]",
      "7",
      '"x"',
      "{",
      `${"[".repeat(200_000)}`,
      `{"proofOfPayment"`,
      '{"__proto__":{"proofOfPayment":1}}',
    ])
      expect(proofClaimIn(text, 8453)).toBe(null);
    const deep = `${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`;
    expect(proofClaimIn(`{"proofOfPayment":${deep}}`, 8453)).toEqual({ state: "malformed" });
    expect(proofClaimIn(`{"x":${deep},"proofOfPayment":{"txHash":"${TX}"}}`, 8453)).toEqual({ txHash: TX });
  });
});

describe("the logs of a transaction", () => {
  const of = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;
  const [USDC, OTHER_TOKEN, CLIENT, WALLET, OWNER, STRANGER, SHOWN] = [1, 2, 3, 4, 5, 6, 7].map(of) as [
    ...Array<`0x${string}`>,
  ] as `0x${string}`[];
  const parties: ProofParties = { reviewer: CLIENT!, wallets: [], wallet: WALLET!, owner: OWNER! };
  const moved = (...moves: [from: string, to: string, value: bigint, token?: string][]) => ({
    status: "success" as const,
    at: 100,
    logs: moves.map(([from, to, value, token = USDC!], logIndex) => ({
      address: token as `0x${string}`,
      topics: [TRANSFER, topicOf(from as `0x${string}`), topicOf(to as `0x${string}`)],
      data: `0x${value.toString(16).padStart(64, "0")}` as const,
      logIndex,
    })),
  });
  const proof = (found: Parameters<typeof proofOf>[0], over: Partial<ProofParties> = {}, givenAt = 100) =>
    proofOf(found, { ...parties, ...over }, USDC!, givenAt);

  it("prove what the reviewer, or a wallet that is shown to be its, paid the agent's wallet", () => {
    expect(proof(moved([CLIENT!, WALLET!, 5n], [STRANGER!, WALLET!, 900n], [CLIENT!, WALLET!, 7n]))).toEqual({
      state: "paid",
      paid: { payer: CLIENT, units: 12n },
    });
    expect(proof(moved([SHOWN!, WALLET!, 9n]), { wallets: [STRANGER!, SHOWN!] })).toEqual({
      state: "paid",
      paid: { payer: SHOWN, units: 9n },
    });
  });

  it("prove nothing else, and each case says what it is", () => {
    const cases: [string, Parameters<typeof proof>][] = [
      ["unknown", [null]],
      ["failed", [{ ...moved([CLIENT!, WALLET!, 5n]), status: "reverted" }]],
      ["no_wallet", [moved([CLIENT!, WALLET!, 5n]), { wallet: null }]],
      ["nothing", [moved()]],
      ["nothing", [moved([CLIENT!, WALLET!, 0n])]],
      ["nothing", [moved([CLIENT!, STRANGER!, 5n])]],
      ["nothing", [moved([CLIENT!, WALLET!, 5n, OTHER_TOKEN!])]],
      ["nothing", [moved([CLIENT!, WALLET!, 5n], [WALLET!, CLIENT!, 5n])]],
      ["nothing", [moved([CLIENT!, WALLET!, 5n], [OWNER!, CLIENT!, 6n])]],
      ["nothing", [moved([WALLET!, WALLET!, 5n]), { reviewer: WALLET! }]],
      ["other_payer", [moved([STRANGER!, WALLET!, 5n])]],
      ["after", [moved([CLIENT!, WALLET!, 5n]), {}, 99]],
    ];
    for (const [state, given] of cases) expect(proof(...given)).toEqual({ state, paid: null });
    expect(proof(moved([CLIENT!, WALLET!, 5n], [WALLET!, CLIENT!, 2n])).paid).toEqual({ payer: CLIENT, units: 3n });
  });
});
