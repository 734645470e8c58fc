/** The ledger against random interleavings: every change of state a legal one, each fact one payment's, nothing open twice. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Address } from "../../core/facts.ts";
import { PAYMENT_STATES, type PaymentState, statesBefore, TRANSITIONS } from "../../core/payments/states.ts";
import {
  beginSettling,
  dropLease,
  fulfilPayment,
  owePayment,
  oweReleased,
  oweWhatBought,
  presentPayment,
  recordPaid,
  refundPayment,
  releasePayment,
  spendCredit,
  takeUp,
  unoweWhatBought,
  unsettlePayment,
} from "../../db/ledger.ts";
import { authorizationFact, type NewPayment, selectPayments, transferFact } from "../../db/payments.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  // Every change of state is written down, whoever makes it.
  await database.pool.query(`
    create table offchain.payment_change (id bigserial, payment_id uuid, before text, after text);
    create function offchain.note_change() returns trigger language plpgsql as $$
    begin
      if new.state <> old.state then
        insert into offchain.payment_change (payment_id, before, after) values (new.payment_id, old.state, new.state);
      end if;
      return null;
    end $$;
    create trigger note_change after update on offchain.payment for each row execute function offchain.note_change();`);
});
afterAll(() => database?.drop());

const TOKEN = `0x${"aa".repeat(20)}` as Address;
const PAYEE = `0x${"bb".repeat(20)}` as Address;
const wallet = (n: number) => `0x${String(n).repeat(40)}` as Address;
const nonce = (n: number) => `0x${String(n).repeat(64)}` as const;

const presented = (authorization: number, request: number): NewPayment => ({
  method: "x402",
  operation: "agentMint",
  payer: wallet(1),
  payee: PAYEE,
  chainId: 8453,
  asset: TOKEN,
  amountUnits: 1n,
  wallet: wallet(request),
  fingerprint: `request-${request}`,
  holds: `mint:${request}`,
  effect: null,
  credential: { nonce: nonce(authorization) },
  validBefore: null,
  sinceBlock: 1,
  facts: [authorizationFact(8453, TOKEN, wallet(1), nonce(authorization))],
});
const transfer = (n: number) => ({ txHash: nonce(n), logIndex: n, nth: n, block: n, blockHash: nonce(n) });

const small = fc.integer({ min: 1, max: 3 });
const STEP = fc.oneof(
  fc.record({ verb: fc.constant("present" as const), a: small, b: small }),
  fc.record({
    verb: fc.constantFrom(
      "settle" as const,
      "paid" as const,
      "release" as const,
      "fulfil" as const,
      "owe" as const,
      "refund" as const,
      "unsettle" as const,
      "oweBought" as const,
      "unoweBought" as const,
      "credit" as const,
      "late" as const,
      "takeUp" as const,
    ),
    a: small,
    b: small,
  }),
);

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

async function act({ verb, a, b }: Step): Promise<void> {
  const db = database.pool;
  if (verb === "present") {
    const result = await presentPayment(db, presented(a, b), 60_000);
    if (result.kind === "ours") await dropLease(db, { paymentId: result.payment.paymentId, lease: result.lease });
    return;
  }
  if (verb === "credit") {
    const asked = {
      operation: "agentMint" as const,
      payee: PAYEE,
      fingerprint: `request-${b}`,
      holds: `mint:${b}`,
      effect: null,
    };
    await spendCredit(db, { ...asked, wallet: wallet(b), amounts: [1n] }, 0);
    return;
  }
  const all = await selectPayments(db, "true");
  const one = all[a % Math.max(1, all.length)];
  if (!one) return;
  const who = { paymentId: one.paymentId };
  switch (verb) {
    case "settle":
      return void (await beginSettling(db, who));
    case "paid":
      return void (await recordPaid(db, who, one, transfer(b)));
    case "release":
      return void (await releasePayment(db, who, "no"));
    case "fulfil":
      return void (await fulfilPayment(db, who, `mint:${b}`));
    case "owe":
      return void (await owePayment(db, who, "impossible"));
    case "refund":
      return void (await refundPayment(db, one.paymentId, "0x"));
    case "unsettle":
      return void (await unsettlePayment(db, one.paymentId));
    case "oweBought":
      return void (await oweWhatBought(db, `mint:${b}`, "failed"));
    case "unoweBought":
      return void (await unoweWhatBought(db, `mint:${b}`));
    case "late":
      return void (await oweReleased(db, one, transfer(b)));
    case "takeUp": {
      const held = await takeUp(db, one.paymentId, 60_000);
      if (held) await dropLease(db, { paymentId: one.paymentId, lease: held.lease });
    }
  }
}

describe("the ledger", () => {
  it("holds its rules under random interleavings", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(STEP, { minLength: 1, maxLength: 6 }), { maxLength: 12 }), async (rounds) => {
        const db = database.pool;
        await db.query("truncate offchain.payment, offchain.payment_fact, offchain.payment_change cascade");
        // The steps of a round run at once.
        for (const round of rounds) await Promise.all(round.map(act));

        const changes = (await db.query("select before, after from offchain.payment_change")).rows;
        for (const { before, after } of changes as { before: PaymentState; after: PaymentState }[])
          expect(TRANSITIONS[before]).toContain(after);
        const orphans = await db.query(
          "select from offchain.payment p where not exists (select from offchain.payment_fact f where f.payment_id = p.payment_id)",
        );
        expect(orphans.rowCount).toBe(0);
        const open = await db.query(
          "select holds from offchain.payment where state in ('new', 'settling', 'paid') and holds is not null group by holds having count(*) > 1",
        );
        expect(open.rowCount).toBe(0);
        const paid = await selectPayments(db, "state in ('paid', 'fulfilled')");
        for (const { txHash, nth, paymentId, ...of } of paid) {
          expect(txHash).not.toBeNull();
          const fact = transferFact({ ...of, txHash: txHash!, nth: nth! });
          const { rows } = await db.query("select payment_id from offchain.payment_fact where fact = $1", [fact]);
          expect(rows).toEqual([{ payment_id: paymentId }]);
        }
      }),
      { seed: inject("fuzz").seed, numRuns: 60, endOnFailure: true },
    );
  });

  it("gives a presented payment to one of many at once", async () => {
    const db = database.pool;
    await db.query("truncate offchain.payment, offchain.payment_fact cascade");
    const results = await Promise.all(Array.from({ length: 20 }, () => presentPayment(db, presented(7, 7), 60_000)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([...Array(19).fill("busy"), "ours"]);
    expect(await presentPayment(db, presented(7, 8), 60_000)).toEqual({ kind: "other" });
    expect(await presentPayment(db, presented(8, 7), 60_000)).toEqual({ kind: "held" });
  });
});

describe("the table of transitions", () => {
  it("names only known states, and none leads to itself", () => {
    for (const from of PAYMENT_STATES) {
      for (const to of TRANSITIONS[from]) expect(PAYMENT_STATES).toContain(to);
      expect(statesBefore(from)).not.toContain(from);
    }
  });
});
