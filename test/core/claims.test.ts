/** Whom a settlement serves: its payer always, a bearer only when it was made after the bearer's claim and by somebody else. */
import { describe, expect, it } from "vitest";
import { type RequestClaim, serves } from "../../core/payments/claims.ts";

const [PAYER, FACILITATOR] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`] as const;
const NOTED = 1_700_000_000;
const claim = (of: Partial<RequestClaim> = {}): RequestClaim => ({
  state: "settling",
  payer: PAYER,
  sinceBlock: 101,
  presentedAt: new Date(NOTED * 1000 + 700),
  ...of,
});
const at = { block: 101, blockTime: NOTED + 2, sender: FACILITATOR };

describe("a bearer's claim", () => {
  it.each([
    ["in the next block", {}, true],
    ["in the block that was the newest", { block: 100, blockTime: NOTED - 1 }, false],
    ["by the payer itself, whenever", { sender: PAYER }, false],
    ["in a block of within the clocks' difference", { blockTime: NOTED - 5 }, true],
    ["in a later block than the node knew, which is older than the claim", { blockTime: NOTED - 6 }, false],
    ["moved below the claim by a reorganisation, later than the claim", { block: 99, blockTime: NOTED }, true],
    ["moved below the claim, from before it", { block: 99, blockTime: NOTED - 1 }, false],
  ])("and a settlement %s", (_, place, expected) => {
    expect(serves(claim(), { ...at, ...place })).toBe(expected);
  });

  it.each(["new", "released"] as const)("that was not handed over (%s) is served by no lower block", (state) => {
    expect(serves(claim({ state }), { ...at, block: 100 })).toBe(false);
    expect(serves(claim({ state }), at)).toBe(true);
  });
});

it("a payer's claim is served by every settlement", () => {
  for (const place of [{}, { block: 1, blockTime: 1 }, { sender: PAYER }])
    expect(serves(claim({ presentedAt: null }), { ...at, ...place })).toBe(true);
});
