/** Why a payment was refused: each cause that a facilitator, the token or a clock can have is told by its own reason, and by what helps. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { transferData } from "../../core/payments/authorization.ts";
import { REFUSALS, reasonIn, ruleOf } from "../../core/payments/refusals.ts";
import { answering, refusal } from "../api/support/api.ts";
import { MINT_PRICE, type Payer, type Paying, type Terms } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const { world, api, trouble } = payingForFile();

const seconds = () => BigInt(Math.floor(Date.now() / 1000));

describe("what the token itself says", () => {
  /** By the reason that the token's revert must come to: what is done to a good authorization. */
  const CAUSES: Record<string, (payer: Payer) => Promise<Awaited<ReturnType<Paying["authorize"]>>>> = {
    not_yet_valid: (payer) =>
      world.authorize(payer.account, { validAfter: seconds() + 500n, validBefore: seconds() + 900n }),
    expired: (payer) => world.authorize(payer.account, { validAfter: 0n, validBefore: 1_000n }),
    insufficient_funds: (payer) => world.authorize(payer.account, { value: 10_000_001n }),
    invalid_signature: async (payer) => {
      const signed = await world.authorize(payer.account);
      return { ...signed, authorization: { ...signed.authorization, value: signed.authorization.value - 1n } };
    },
    authorization_used: async (payer) => {
      const signed = await world.authorize(payer.account);
      await world.frontRun(payer, signed);
      return signed;
    },
  };

  it("comes to one reason, whatever else is wrong as well, for any of its causes", async () => {
    const payer = await world.payer();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(CAUSES)), async (reason) => {
        // A used one has no money left either; the token looks at the time and the number first.
        const { authorization, signature } = await CAUSES[reason]!(
          reason === "authorization_used" ? await world.payer() : payer,
        );
        const tried = await world.chain.call({ to: world.usdc, data: transferData(authorization, signature) });
        expect(tried.ok).toBe(false);
        if (!tried.ok) expect(reasonIn(`${tried.reason} ${tried.data ?? ""}`)).toBe(reason);
      }),
      { numRuns: Math.min(20, inject("fuzz").cases) },
    );
  });

  it("is what is told where the facilitator names no cause", async () => {
    trouble.verify = async () => ({ kind: "refused", reason: "invalid_exact_evm_transaction_simulation_failed" });
    try {
      const poor = await world.payer(0n);
      expect(await api.pay(poor)).toMatchObject(
        answering(402, { reason: "insufficient_funds", hint: REFUSALS.insufficient_funds.hint }),
      );
      const { payer, signed } = await world.buyer();
      await world.cancel(payer, signed.authorization.nonce);
      expect(await api.pay(payer, signed)).toMatchObject({ status: 402, body: { reason: "authorization_used" } });
      // Nothing is wrong that anybody can see.
      const rich = await world.payer();
      expect(await api.pay(rich)).toMatchObject({ status: 402, body: { reason: "not_settled" } });
      expect(await world.balance(rich.address)).toBe(10_000_000n);
    } finally {
      trouble.verify = undefined;
    }
  });
});

describe("what a facilitator says", () => {
  it.each([
    ["invalid_exact_evm_payload_authorization_valid_after", "not_yet_valid"],
    ["invalid_exact_evm_payload_authorization_valid_before", "expired"],
    ["invalid_exact_evm_payload_authorization_value_mismatch", "wrong_amount"],
    ["invalid_exact_evm_authorization_value", "wrong_amount"],
    ["invalid_exact_evm_insufficient_balance", "insufficient_funds"],
    ["insufficient_funds", "insufficient_funds"],
    ["invalid_exact_evm_nonce_already_used", "authorization_used"],
    ["invalid_exact_evm_signature", "invalid_signature"],
    ["invalid_exact_evm_failed_to_parse_signature", "invalid_signature"],
    ["invalid_exact_evm_recipient_mismatch", "wrong_recipient"],
    ["invalid_exact_evm_network_mismatch", "unsupported_network"],
    ["invalid_exact_evm_scheme", "unsupported_scheme"],
    ["Blacklistable: account is blacklisted", "account_blocked"],
    ["Pausable: paused", "token_paused"],
    ["ERC20: transfer amount exceeds balance", "insufficient_funds"],
    ["FiatTokenV2: authorization is used or canceled", "authorization_used"],
    ["ECRecover: invalid signature 's' value", "invalid_signature"],
    ["unexpected_verify_error", "error"],
    ["unexpected_settle_error", "error"],
    ["unknown_settlement_error", "error"],
    ["rate_limit_exceeded", "error"],
    ["invalid_exact_evm_transaction_simulation_failed", null],
    ["invalid_exact_evm_transaction_failed", null],
    ["unspecified", null],
    ["", null],
  ])("%s is %s", (said, reason) => expect(reasonIn(said)).toBe(reason));

  it("of an error of its own refuses no payment: the same one is good a moment later", async () => {
    const { payer, signed } = await world.buyer();
    trouble.verify = async () => ({ kind: "refused", reason: "unexpected_verify_error" });
    const first = await api.pay(payer, signed);
    trouble.verify = undefined;
    expect(first).toMatchObject(refusal(503, "payment_pending"));
    expect(first.headers.get("retry-after")).not.toBeNull();
    expect((await api.pay(payer, signed)).status).toBe(201);
    expect(await world.balance(payer.address)).toBe(10_000_000n - MINT_PRICE);
  });
});

describe("clocks", () => {
  const begun = (payer: Payer, terms: Terms) => world.authorize(payer.account, terms);

  it("an authorization that begins later is told when, and is good then", async () => {
    const payer = await world.payer();
    const signed = await begun(payer, { validAfter: seconds() + 100n });
    const early = await api.pay(payer, signed);
    expect(early).toMatchObject(
      answering(402, { reason: "not_yet_valid", hint: expect.stringContaining("same payment") }),
    );
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(95);
    expect(Number(early.headers.get("retry-after"))).toBeLessThanOrEqual(101);
    expect(await world.balance(payer.address)).toBe(10_000_000n);
  });

  it.each([0n, 1n])("one that began %i s ago waits for the block that is as young", async (ago) => {
    const payer = await world.payer();
    const signed = await begun(payer, { validAfter: seconds() - ago });
    // The chain's clock stands still until somebody asks.
    trouble.verify = async (order, real) => {
      const verdict = await real.verify(order);
      await world.evm.mine({ blocks: 1 });
      return verdict;
    };
    const answer = await api.pay(payer, signed);
    expect([answer.status, answer.body.reason]).toEqual([201, undefined]);
    expect(await world.balance(payer.address)).toBe(10_000_000n - MINT_PRICE);
  });

  it("one for which no block comes is told so, with when to come again, and is good then", async () => {
    const payer = await world.payer();
    const { timestamp } = await world.evm.getBlock();
    trouble.verify = async () => ({ kind: "refused", reason: "invalid_exact_evm_payload_authorization_valid_after" });
    const signed = await begun(payer, { validAfter: timestamp - 1n });
    const answer = await api.pay(payer, signed);
    trouble.verify = undefined;
    expect(answer).toMatchObject({ status: 402, body: { reason: "not_yet_valid" } });
    expect(answer.headers.get("retry-after")).toBe("2");
    expect((await api.pay(payer, signed)).status).toBe(201);
  });
});

describe("each reason", () => {
  it.each(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[])("%s has a sentence and says what helps", (reason) => {
    const { says, hint, retryAfter } = ruleOf(reason);
    expect([says, hint]).toEqual([expect.stringMatching(/^[A-Z].*\.$/), expect.stringMatching(/^[A-Z].*\.$/)]);
    // Whoever may come again with the same payment is told to, and nobody else.
    expect(/same (payment|hash)/.test(hint)).toBe(retryAfter !== undefined || reason === "payer_unknown");
  });
});

it("the documentation has each reason with what helps and when", () => {
  const told = readFileSync("docs/use/payments.md", "utf8");
  const rows = [...told.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.+?) +\| (never|\d+ s) +\|$/gm)].map((row) =>
    row.slice(1),
  );
  expect(rows).toEqual(
    (Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]).map((reason) => {
      const { says, hint, retryAfter } = ruleOf(reason);
      return [reason, says, hint, retryAfter === undefined ? "never" : `${retryAfter} s`];
    }),
  );
});
