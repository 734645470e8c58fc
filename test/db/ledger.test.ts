/** The ledger against random interleavings: every change of state a legal one, each fact one payment's, nothing open twice. */
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { Checked } from "../../core/payments/checked.ts";
import { PAYMENT_STATES, type PaymentState, statesBefore, TRANSITIONS } from "../../core/payments/states.ts";
import {
  beginSettling,
  fulfilPayment,
  losePayment,
  owePayment,
  oweReleased,
  oweWhatBought,
  recordPaid,
  refundPayment,
  releasePayment,
  revokeCredit,
  spendCredit,
  unsettlePayment,
} from "../../db/payments/ledger.ts";
import { dropLease, takeUp } from "../../db/payments/payment-leases.ts";
import {
  authorizationFact,
  creditsOf,
  digestOf,
  type Payment,
  type PaymentClaim,
  type PaymentTerms,
  paymentsInState,
  transferFact,
} from "../../db/payments/payments.ts";
import { presentPayment, resumePayment } from "../../db/payments/present-payment.ts";
import { testDatabase } from "../support/database.ts";
import { forAllLater } from "../support/for-all.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const database = perFile(testDatabase);
beforeAll(async () => {
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

const TOKEN = `0x${"aa".repeat(20)}` as Address;
const PAYEE = `0x${"bb".repeat(20)}` as Address;
const wallet = (n: number) => `0x${String(n).repeat(40)}` as Address;
const nonce = (n: number) => `0x${String(n).repeat(64)}` as const;

/** Terms 1 and 2 pass their checks, 3 does not: one number signed over three amounts. */
const termsOf = (authorization: number, variant: number): PaymentTerms => ({
  ...{ method: "x402", payer: wallet(1), payee: PAYEE, chainId: 8453, asset: TOKEN, amountUnits: BigInt(variant) },
  ...{ credential: { nonce: nonce(authorization), variant }, validBefore: null },
  facts: [authorizationFact(8453, TOKEN, wallet(1), nonce(authorization))],
  digest: digestOf("x402", nonce(authorization), variant),
});
const claimOf = (request: number): PaymentClaim => ({
  ...{ by: request === 1 ? "payer" : "bearer", operation: "agentMint", wallet: wallet(request) },
  ...{ fingerprint: `request-${request}`, uniqueKey: `mint:${request}`, effect: null, sinceBlock: 1, client: null },
});
const check = async ({ amountUnits }: Readonly<PaymentTerms>) => (amountUnits === 3n ? "wrong_amount" : null);

/** As the gate presents a payment: found by its name, and checked before anything of it is written. */
async function present(authorization: number, request: number, variant = 1, db = database.pool) {
  const terms = termsOf(authorization, variant);
  const known = await resumePayment(db, { ...terms, identifier: null }, claimOf(request), 60_000);
  if (known.kind !== "unchecked") return known;
  const checked = await Checked.of(terms, check);
  return typeof checked === "string"
    ? { kind: "refused" as const }
    : presentPayment(db, checked, claimOf(request), null, 60_000);
}
const transfer = (n: number) => ({ txHash: nonce(n), logIndex: n, nth: n, block: n, blockHash: nonce(n) });

type Lent = { paymentId: string; leaseId: string };
/** What is done to a payment under the lease of it, if it is free. */
async function leased({ paymentId }: Payment, work: (holder: Lent, payment: Payment) => Promise<unknown>) {
  const lease = await takeUp(database.pool, paymentId, 60_000);
  if (!lease) return;
  const holder = { paymentId, leaseId: lease.leaseId };
  await work(holder, lease.payment);
  await dropLease(database.pool, holder);
}
/** What is done to one of the payments there are. */
const DONE: Record<string, (one: Payment, n: number) => Promise<unknown>> = {
  settle: ({ paymentId }) => beginSettling(database.pool, { paymentId }),
  paid: (one, n) => leased(one, (holder, payment) => recordPaid(database.pool, holder, payment, transfer(n))),
  release: ({ paymentId }) => releasePayment(database.pool, { paymentId }, "no"),
  fulfil: ({ paymentId }, n) => fulfilPayment(database.pool, { paymentId }, `mint:${n}`),
  owe: ({ paymentId }) => owePayment(database.pool, { paymentId }, "impossible"),
  refund: ({ paymentId }) => refundPayment(database.pool, paymentId, "0x"),
  unsettle: (one) => unsettlePayment(database.pool, one),
  lose: (one) => losePayment(database.pool, one, "reorganised_away"),
  oweBought: (_, n) => oweWhatBought(database.pool, `mint:${n}`, "failed"),
  unoweBought: (_, n) => revokeCredit(database.pool, `mint:${n}`),
  late: (one, n) => leased(one, (holder, payment) => oweReleased(database.pool, holder, payment, transfer(n), n > 1)),
  takeUp: (one) => leased(one, async () => {}),
};

const small = fc.integer({ min: 1, max: 3 });
const STEP = fc.oneof(
  fc.record({ verb: fc.constant("present"), a: small, b: small, c: small }),
  fc.record({ verb: fc.constantFrom(...Object.keys(DONE), "credit"), a: small, b: small, c: small }),
);

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

async function act({ verb, a, b, c }: Step): Promise<void> {
  const db = database.pool;
  if (verb === "present") {
    const result = await present(a, b, c);
    if (result.kind === "leased") await dropLease(db, { paymentId: result.payment.paymentId, leaseId: result.leaseId });
  } else if (verb === "credit") {
    const asked = {
      operation: "agentMint",
      fingerprint: `request-${b}`,
      uniqueKey: `mint:${b}`,
      effect: null,
    } as const;
    const [credit] = await creditsOf(db, { wallet: wallet(b), payee: PAYEE, amounts: [1n] });
    if (credit) await spendCredit(db, credit, asked, 0);
  } else {
    const all = await paymentsInState(db, null);
    if (all.length > 0) await DONE[verb]!(all[a % all.length]!, b);
  }
}

describe("the ledger", () => {
  it("holds its rules under random interleavings", () =>
    forAllLater(
      [fc.array(fc.array(STEP, { minLength: 1, maxLength: 6 }), { maxLength: 12 })],
      { seed: inject("fuzz").seed, numRuns: 60, endOnFailure: true },
      async (rounds) => {
        const db = database.pool;
        await db.query("truncate offchain.payment, offchain.payment_fact, offchain.payment_change cascade");
        // The steps of a round run at once.
        for (const round of rounds) await Promise.all(round.map(act));

        const changes = (await db.query("select before, after from offchain.payment_change")).rows;
        for (const { before, after } of changes as { before: PaymentState; after: PaymentState }[])
          expect(TRANSITIONS[before]).toContain(after);
        // Whatever state a row was seen in: its terms are such that passed their checks, and all of one presentation.
        const unchecked = await db.query(sql`select * from offchain.payment
          where amount_units = 3 or (credential ->> 'variant')::numeric <> amount_units or digest <>
            all(${[1, 2, 3].flatMap((n) => [1, 2].map((variant) => termsOf(n, variant).digest))})`);
        expect(unchecked.rows).toEqual([]);
        const orphans = await db.query(
          "select from offchain.payment p where not exists (select from offchain.payment_fact f where f.payment_id = p.payment_id)",
        );
        expect(orphans.rowCount).toBe(0);
        const open = await db.query(
          "select unique_key from offchain.payment where state in ('new', 'settling', 'paid') and unique_key is not null group by unique_key having count(*) > 1",
        );
        expect(open.rowCount).toBe(0);
        const paid = (
          await Promise.all((["paid", "fulfilled"] as const).map((state) => paymentsInState(db, state)))
        ).flat();
        for (const { txHash, nth, paymentId, ...of } of paid) {
          expect(txHash).not.toBeNull();
          const fact = transferFact({ ...of, txHash: txHash!, nth: nth! });
          const { rows } = await db.query("select payment_id from offchain.payment_fact where fact = $1", [fact]);
          expect(rows).toEqual([{ payment_id: paymentId }]);
        }
      },
    ));

  it("writes no terms without the proof that they were checked", async () => {
    const terms = termsOf(6, 1);
    const forged = { terms } as unknown as Checked<PaymentTerms>;
    await expect(presentPayment(database.pool, forged, claimOf(1), null, 1)).rejects.toThrow("not checked");
    expect(await Checked.of(termsOf(6, 3), check)).toBe("wrong_amount");
    const checked = await Checked.of(terms, check);
    terms.amountUnits = 3n;
    expect((checked as Checked<PaymentTerms>).terms.amountUnits).toBe(1n);
    expect(() => Object.assign((checked as Checked<PaymentTerms>).terms, { payee: TOKEN })).toThrow();
  });

  it("gives a presented payment to one of many at once", async () => {
    const db = database.pool;
    await db.query("truncate offchain.payment, offchain.payment_fact cascade");
    const results = await Promise.all(Array.from({ length: 20 }, () => present(7, 7)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([...Array(19).fill("busy"), "leased"]);
    expect(await present(7, 8)).toEqual({ kind: "other" });
    expect(await present(8, 7)).toEqual({ kind: "unique_key_taken" });
  });

  it("gives a bearer's payment to the payer itself while it is not paid, and the bearer changes nothing any more", async () => {
    const db = database.pool;
    await db.query("truncate offchain.payment, offchain.payment_fact cascade");
    const bearer = await present(4, 2);
    if (bearer.kind !== "leased") throw new Error(bearer.kind);
    const { paymentId } = bearer.payment;
    expect(await beginSettling(db, { paymentId, leaseId: bearer.leaseId })).not.toBeNull();
    const payer = await present(4, 1);
    expect(payer).toMatchObject({
      kind: "leased",
      payment: { paymentId, state: "settling", wallet: wallet(1), presentedAt: null },
    });
    expect(await recordPaid(db, { paymentId, leaseId: bearer.leaseId }, bearer.payment, transfer(4))).toBeNull();
    expect(await present(4, 3)).toEqual({ kind: "other" });
    // Under the same number, what is handed over may be settling: it keeps its terms.
    expect(await present(4, 1, 2)).toEqual({ kind: "other" });
  });

  it("a credit is spent or lost, whichever comes first", async () => {
    const db = database.pool;
    for (const first of ["spend", "lose"] as const) {
      await db.query("truncate offchain.payment, offchain.payment_fact cascade");
      const leased = await present(5, 1);
      if (leased.kind !== "leased") throw new Error(leased.kind);
      const who = { paymentId: leased.payment.paymentId };
      await recordPaid(db, { ...who, leaseId: leased.leaseId }, leased.payment, transfer(5));
      const credit = (await owePayment(db, who, "impossible"))!;
      const spend = () => spendCredit(db, credit, { ...claimOf(2), operation: "agentMint" }, 1);
      const lose = () => losePayment(db, credit, "reorganised_away");
      if (first === "spend") {
        expect(await spend()).toMatchObject({ payment: { state: "paid" } });
        expect(await lose()).toBeNull();
      } else {
        expect(await lose()).toMatchObject({ state: "lost" });
        expect(await spend()).toBeNull();
      }
    }
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
