/** Money under race: copies, front-runners, lost answers, lying and dead facilitators. Numbers are those of README.md. */
import { describe, expect, it } from "vitest";
import { createHttpFacilitator } from "../../clients/facilitator-http.ts";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import type { FacilitatorOutcome, PaymentOrder } from "../../clients/ports.ts";
import { createSigner } from "../../clients/signer.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { openPool } from "../../db/sql/connect.ts";
import { listen } from "../../harness/listen.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { answering, refusal } from "../api/support/api.ts";
import { casesOf, deepIt } from "../support/share.ts";
import { endedPerTest } from "../support/started.ts";
import { base64, MINT_PRICE, type Payer, paidBy, REPORT_PRICE } from "./support/paying.ts";
import { diesAt, payingForFile, silent, unwilling } from "./support/paying-file.ts";

const paying = payingForFile(() => ({ env: { TRUSTED_PROXIES: "127.0.0.1" } }));
const { world, api, trouble, spent, mintsOf, sweep, expectLeftOpen, expectServedOnce, recovers } = paying;

const report = async (payer: Payer) => base64(world.payload(await world.authorizeReport(payer.account)));

describe("one payment", () => {
  it("case 10: 50 copies at once are one mint and one charge", async () => {
    const { payer, signed } = await world.buyer();
    const credential = await payer.siwa();
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.pay(payer, signed, { credential })));
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ body }) => body.tokenId)).size).toBe(1);
    // The others are told to wait for it, never that somebody else has registered.
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.filter(({ body }) => body.code !== "request_in_progress").map(({ text }) => text)).toEqual([]);
    expect(await spent(payer)).toBe(MINT_PRICE);
    expect(await mintsOf(payer)).toBe(1);
    const late = await api.pay(payer, signed);
    expect([late.status, late.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(late.headers.get("payment-response")).not.toBeNull();
  });

  it("case 11: pays for one request: another body, agent or route is 409 and charges nothing", async () => {
    const { payer, signed } = await world.buyer();
    expect((await api.pay(payer, signed)).status).toBe(201);
    const other = await world.payer(0n);
    expect(await api.pay(other, signed)).toMatchObject(refusal(409, "payment_already_used"));
    expect(await api.pay(other, signed, { body: { name: "Else" } })).toMatchObject({ status: 409 });

    const header = { "payment-signature": await report(payer) };
    expect((await api.get("/api/v2/agent/900/cred-report", { headers: header })).status).toBe(200);
    expect(await api.get("/api/v2/agent/901/cred-report", { headers: header })).toMatchObject(
      refusal(409, "payment_already_used"),
    );
    expect(await spent(payer)).toBe(MINT_PRICE + REPORT_PRICE);
  });

  it("the same report again is the answer it bought, byte for byte", async () => {
    const payer = await world.payer();
    const header = { "payment-signature": await report(payer) };
    const first = await api.get("/api/v2/agent/900/cred-report", { headers: header });
    const again = await api.get("/api/v2/agent/900/cred-report", { headers: header });
    expect(again.text).toBe(first.text);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(await spent(payer)).toBe(REPORT_PRICE);
  });

  it("case 12: two authorizations on one balance are one fulfilment", async () => {
    const sponsor = await world.payer(MINT_PRICE);
    const wallets = [await world.payer(0n), await world.payer(0n)];
    const answers = await Promise.all(
      wallets.map(async (wallet) => api.pay(wallet, await world.authorize(sponsor.account))),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 402]);
    expect(await world.balance(sponsor.address)).toBe(0n);
  });

  it("case 21: two payments for one registration: the second is told to wait and not charged", async () => {
    const payer = await world.payer();
    const answers = await Promise.all([
      api.pay(payer, await world.authorize(payer.account), { body: { name: "One" } }),
      api.pay(payer, await world.authorize(payer.account), { body: { name: "Two" } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  deepIt("case 25: 20 payments at once all settle", async () => {
    const payers = await Promise.all([]).then(async () => {
      const list = [];
      for (let i = 0; i < 20; i++) list.push(await world.payer());
      return list;
    });
    const answers = await Promise.all(payers.map((payer) => api.pay(payer)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    for (const payer of payers) expect(await spent(payer)).toBe(MINT_PRICE);
  });
});

describe("between the check and the settlement", () => {
  it("an authorization that was settled before we heard of it serves only its payer", async () => {
    const payer = await world.payer();
    const thief = await world.payer(0n);
    const signed = await world.authorize(payer.account);
    await world.frontRun(thief, signed);
    await world.evm.mine({ blocks: 2 });
    expect(await api.pay(thief, signed)).toMatchObject({ status: 402, body: { reason: "authorization_used" } });
    await expectServedOnce(payer, signed);
  });
});

describe("an answer that was bought without a sign-in", () => {
  const REPORT = "/api/v2/agent/900/cred-report";
  const from = (address: string, headers: Record<string, string>) =>
    api.get(REPORT, { headers: { "x-forwarded-for": address, ...headers } });

  it("is given again to the network and the payer that paid, not to who reads the chain", async () => {
    const payer = await world.payer();
    const signed = await world.authorizeReport(payer.account);
    const header = paidBy(signed);
    const first = await from("192.0.2.1", header);
    expect(first.status).toBe(200);
    expect((await from("192.0.2.1", header)).text).toBe(first.text);
    // All of this stands in the transaction's data; version 1 names no more than that.
    const { payload } = world.payload(signed);
    const copied = { "x-payment": base64({ x402Version: 1, scheme: "exact", network: "base", payload }) };
    for (const stolen of [header, copied])
      expect(await from("198.51.100.7", stolen)).toMatchObject(refusal(409, "payment_already_used"));
    const authorization = await (await world.payer(0n)).siwa();
    expect((await from("198.51.100.7", { ...header, authorization })).status).toBe(409);
    expect((await from("198.51.100.7", { ...header, authorization: await payer.siwa() })).text).toBe(first.text);
    expect(await spent(payer)).toBe(REPORT_PRICE);
  });

  it("is given again anywhere to who knows the identifier of its payment, which is not on the chain", async () => {
    const payer = await world.payer();
    const signed = await world.authorizeReport(payer.account);
    const named = (id?: string) => ({
      "payment-signature": base64({
        ...world.payload(signed),
        ...(id && { extensions: { "payment-identifier": { info: { id } } } }),
      }),
    });
    const first = await from("192.0.2.1", named("a-name-of-its-client"));
    expect(first.status).toBe(200);
    expect((await from("198.51.100.7", named("a-name-of-its-client"))).text).toBe(first.text);
    for (const other of [named(), named("another-name-than-that")])
      expect((await from("198.51.100.7", other)).status).toBe(409);
  });
});

/** A place where calls wait until it is opened. */
function gate() {
  const opened = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    async pass() {
      reached.resolve();
      await opened.promise;
    },
  };
}

describe("only checked terms reach the ledger", () => {
  /** A wallet with one unit, an authorization over the price, and one of the same number that pays the wallet's friend. */
  async function sameNonceTwice() {
    const [thief, friend] = [await world.payer(1n), await world.payer(0n)];
    const good = await world.authorize(thief.account);
    const bad = await world.authorize(thief.account, {
      to: friend.address,
      value: 1n,
      nonce: good.authorization.nonce,
    });
    return { thief, good, bad, credential: await thief.siwa() };
  }
  const termsOf = async (payer: { address: Hex }) =>
    await api.sql("select payee, amount_units from offchain.payment where payer = $1", payer.address.toLowerCase());
  const PRICED = () => ({ payee: world.payTo.deployer, amount_units: String(MINT_PRICE) });

  it("a copy of a number that pays somebody else is not taken when the first one is released under it", async () => {
    const { thief, good, bad, credential } = await sameNonceTwice();
    const [checking, noting] = [gate(), gate()];
    trouble.verify = async (order, real) => {
      await checking.pass();
      return real.verify(order);
    };
    const first = api.pay(thief, good, { credential });
    await checking.reached;
    trouble.node = {
      async headBlock() {
        await noting.pass();
        return world.chain.headBlock();
      },
    };
    const copy = api.pay(thief, bad, { credential });
    // Either it is refused at once, or it waits between what it has seen and what it writes.
    await Promise.race([copy, noting.reached]);
    checking.open();
    const refused = await first;
    noting.open();
    expect([refused.status, refused.body]).toMatchObject([402, { reason: "insufficient_funds" }]);
    expect((await copy).status).toBeOneOf([402, 409]);
    expect(await termsOf(thief)).toEqual([PRICED()]);
    expect([await mintsOf(thief), await world.balance(thief.address)]).toEqual([0, 1n]);
  });

  deepIt("100 copies around releases are no mint, and no row has other terms", async () => {
    const { thief, good, bad, credential } = await sameNonceTwice();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => api.pay(thief, i % 8 === 0 ? good : bad, { credential })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 402 && status !== 409)).toEqual([]);
    expect(await termsOf(thief)).toEqual([PRICED()]);
    expect([await mintsOf(thief), await world.balance(thief.address)]).toEqual([0, 1n]);
  });

  it("a payment that is known is resumed by the very credential only, whoever signed another", async () => {
    const { payer, signed } = await world.buyer();
    await expectLeftOpen(payer, signed);
    const longer = await world.authorize(payer.account, {
      nonce: signed.authorization.nonce,
      validBefore: signed.authorization.validBefore + 100_000n,
    });
    const garbage = { ...signed, signature: `0x${"12".repeat(65)}` as Hex };
    for (const other of [longer, garbage])
      expect(await api.pay(payer, other)).toMatchObject(refusal(409, "payment_already_used"));
    trouble.settle = undefined;
    await expectServedOnce(payer, signed);
  });

  it("a released authorization is checked anew in every field, its end too", async () => {
    const payer = await world.payer(0n);
    const signed = await world.authorize(payer.account);
    expect(await api.pay(payer, signed)).toMatchObject({ status: 402, body: { reason: "insufficient_funds" } });
    const endless = await world.authorize(payer.account, {
      nonce: signed.authorization.nonce,
      validBefore: signed.authorization.validBefore + 100_000n,
    });
    expect(await api.pay(payer, endless)).toMatchObject({ status: 402, body: { reason: "valid_too_long" } });
  });
});

describe("an authorization that its payer settles itself", () => {
  const selfSettled = async () => {
    const [payer, stranger] = [await world.payer(), await world.payer(0n)];
    const signed = await world.authorize(payer.account);
    return { payer, stranger, signed, settled: () => world.frontRun(payer, signed) };
  };
  const refusal = { status: 402, body: { reason: "authorization_used" } };

  it("is not taken by a stranger who sees it in the newest block, and is the payer's", async () => {
    const { payer, stranger, signed, settled } = await selfSettled();
    const { transactionHash } = await settled();
    expect(await api.pay(stranger, signed)).toMatchObject(refusal);
    expect(await mintsOf(stranger)).toBe(0);
    expect((await api.mint(payer, { headers: { "x-payment-tx": transactionHash } })).status).toBe(201);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it.each(casesOf(["by its hash", "by its signature"], 1))(
    "is not taken by a stranger who had noted it out of the mempool, and is the payer's %s",
    async (proof) => {
      const { payer, stranger, signed, settled } = await selfSettled();
      await expectLeftOpen(stranger, signed);
      const { transactionHash } = await settled();
      const prove = () =>
        proof === "by its hash"
          ? api.mint(payer, { headers: { "x-payment-tx": transactionHash } })
          : api.pay(payer, signed);
      expect((await prove()).status).toBe(201);
      expect((await api.pay(stranger, signed)).status).toBe(409);
      expect([await spent(payer), await mintsOf(stranger)]).toEqual([MINT_PRICE, 0]);
    },
  );

  it("is not taken by a stranger who had noted it, also before the payer comes", async () => {
    const { payer, stranger, signed, settled } = await selfSettled();
    await expectLeftOpen(stranger, signed);
    const { transactionHash } = await settled();
    expect(await api.pay(stranger, signed)).toMatchObject(refusal);
    expect((await api.mint(payer, { headers: { "x-payment-tx": transactionHash } })).status).toBe(201);
    expect([await spent(payer), await mintsOf(stranger)]).toEqual([MINT_PRICE, 0]);
  });

  it("is not taken by a stranger while our node lags behind the block it is in", async () => {
    const { payer, stranger, signed } = await selfSettled();
    // Whoever sent it: a contract wallet's transactions are sent by others.
    await world.frontRun(await world.payer(0n), signed);
    const head = await world.chain.headBlock();
    // The node has the block by the time it is asked for it.
    let lag = 3;
    trouble.node = {
      headBlock: async () => {
        const seen = head - lag;
        lag = 0;
        return seen;
      },
      block: async (number) => {
        const block = await world.chain.block(number);
        return block && { ...block, timestamp: block.timestamp - 60 };
      },
    };
    expect(await api.pay(stranger, signed)).toMatchObject(refusal);
    trouble.node = {};
    expect((await api.pay(payer, signed)).status).toBe(201);
    expect([await spent(payer), await mintsOf(stranger)]).toEqual([MINT_PRICE, 0]);
  });

  it("is no credit of a stranger who had noted it and was refused, but the payer's", async () => {
    const { payer, stranger, signed, settled } = await selfSettled();
    trouble.settle = unwilling;
    expect((await api.pay(stranger, signed)).status).toBe(402);
    await settled();
    await sweep();
    expect((await api.mint(stranger)).status).toBe(402);
    expect((await api.mint(payer)).status).toBe(201);
    expect([await spent(payer), await mintsOf(stranger)]).toEqual([MINT_PRICE, 0]);
  });

  it("an anonymous buyer whose facilitator settles is served", async () => {
    const payer = await world.payer();
    const header = { "payment-signature": await report(payer) };
    expect((await api.get("/api/v2/agent/901/cred-report", { headers: header })).status).toBe(200);
    expect(await spent(payer)).toBe(REPORT_PRICE);
  });
});

describe("lost answers", () => {
  it("case 16: the settlement's answer is lost: served all the same, charged once", async () => {
    const payer = await world.payer();
    trouble.settle = async (order, real) => {
      await real.settle(order);
      return { kind: "unknown", cause: new Error("connection lost") };
    };
    await expectServedOnce(payer);
  });

  it("case 17: no settlement in time is 503 payment_pending, served later, charged once", async () => {
    const { payer, signed } = await world.buyer();
    trouble.settle = silent;
    const pending = await api.impatiently(() => api.pay(payer, signed));
    expect(pending).toMatchObject(refusal(503, "payment_pending"));
    expect(Number(pending.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(pending.headers.get("payment-required")).toBeNull();
    // A second payment for the same registration is not taken meanwhile.
    expect((await api.pay(payer, await world.authorize(payer.account))).status).toBe(409);
    trouble.settle = undefined;
    await expectServedOnce(payer, signed);
  });

  const used: FacilitatorOutcome = { kind: "refused", reason: "invalid_exact_evm_nonce_already_used" };
  const poor: FacilitatorOutcome = { kind: "refused", reason: "insufficient_funds" };
  it.each(
    casesOf(
      [
        ["after a front-runner, that it is used", [used]],
        ["after an order whose answer was lost, that it is used", [undefined, used]],
        ["after an order whose answer was lost, that its payer is out of money", [undefined, poor]],
      ],
      1,
    ),
  )("a facilitator that knows more than our node says %s: pending until seen, charged once", async (_, words) => {
    const { payer, signed } = await world.buyer();
    for (const word of words) {
      trouble.settle = async () => word ?? { kind: "unknown", cause: new Error("timeout") };
      const pending = await api.impatiently(() => api.pay(payer, signed));
      expect(pending).toMatchObject(refusal(503, "payment_pending"));
    }
    await world.frontRun(await world.payer(0n), signed);
    await expectServedOnce(payer, signed);
  });

  deepIt("a facilitator that goes on refusing what the chain does not show is believed after a minute", async () => {
    const { payer, signed } = await world.buyer();
    trouble.settle = async () => used;
    expect((await api.impatiently(() => api.pay(payer, signed))).status).toBe(503);
    await api.sql(
      "update offchain.payment set updated_at = updated_at - interval '61 s' where payer = $1",
      payer.address.toLowerCase(),
    );
    expect(await api.pay(payer, signed)).toMatchObject({ status: 402, body: { reason: "authorization_used" } });
    trouble.settle = undefined;
    await expectServedOnce(payer, signed);
  });

  it("a settlement that a reorganisation has put into an earlier block is found", async () => {
    const { payer, signed } = await world.buyer();
    await expectLeftOpen(payer, signed);
    await world.frontRun(await world.payer(0n), signed);
    await api.sql(
      "update offchain.payment set since_block = $2 where payer = $1",
      payer.address.toLowerCase(),
      Number(await world.evm.getBlockNumber()) + 1,
    );
    await expectServedOnce(payer, signed);
  });

  it("a settlement reorganised below the head of its order serves its anonymous buyer", async () => {
    const payer = await world.payer();
    const header = { "payment-signature": await report(payer) };
    const blocks = async (method: "anvil_mine" | "anvil_rollback" | "anvil_setTime", params: unknown[]) =>
      world.evm.request({ method, params } as never);
    await blocks("anvil_mine", ["0x5"]);
    trouble.settle = async (order, real) => {
      await blocks("anvil_rollback", [4]);
      // Anvil's clock goes back with its blocks, for good; a chain's does not.
      await blocks("anvil_setTime", [Math.floor(Date.now() / 1000)]);
      return real.settle(order);
    };
    expect(await api.get("/api/v2/agent/901/cred-report", { headers: header })).toMatchObject({ status: 200 });
    expect(await spent(payer)).toBe(REPORT_PRICE);
  });

  it("case 19: a failure of ours after the payment is a free retry", async () => {
    const { payer, signed } = await world.buyer();
    trouble.fault = diesAt("mint.paid", "out of memory");
    expect((await api.pay(payer, signed)).status).toBe(500);
    expect([await spent(payer), await mintsOf(payer)]).toEqual([MINT_PRICE, 0]);
    recovers();
    await expectServedOnce(payer, signed);
  });

  it("a client that forgets its payment after a failure of ours is served without a second one", async () => {
    const payer = await world.payer();
    trouble.fault = diesAt("mint.paid", "out of memory");
    expect((await api.pay(payer)).status).toBe(500);
    recovers();
    expect((await api.mint(payer)).status).toBe(201);
    expect([await spent(payer), await mintsOf(payer)]).toEqual([MINT_PRICE, 1]);
  });
});

describe("case 22: a facilitator that lies", () => {
  const paidByAnother = async (units: bigint) =>
    (await world.transfer(await world.payer(), world.payTo.deployer, units)).transactionHash;
  const bogus: Hex = `0x${"be".repeat(32)}`;
  const lies: [string, (order: PaymentOrder) => Promise<Hex>][] = [
    ["a transaction that is none", async () => bogus],
    ["a transfer of another amount", () => paidByAnother(10_000n)],
    ["somebody else's transfer of the same amount", () => paidByAnother(MINT_PRICE)],
    [
      "a settlement that was believed before",
      async () => (await api.payments()).find(({ tx_hash, state }) => tx_hash && state === "fulfilled")!.tx_hash as Hex,
    ],
  ];
  it.each(casesOf(lies, 2))("with %s is not believed", async (_what, lie) => {
    const payer = await world.payer();
    trouble.settle = async (order) => ({ kind: "settled", txHash: await lie(order) });
    const pending = await api.impatiently(() => api.pay(payer));
    expect(pending).toMatchObject(refusal(503, "payment_pending"));
    expect([await spent(payer), await mintsOf(payer)]).toEqual([0n, 0]);
  });

  it("case 24: one settlement given for two payments (a stale cache) serves only the one it is", async () => {
    const [a, b] = [await world.payer(), await world.payer()];
    let first: FacilitatorOutcome | undefined;
    trouble.settle = async (order, real) => {
      first ??= await real.settle(order);
      return first;
    };
    expect((await api.pay(a)).status).toBe(201);
    expect((await api.impatiently(() => api.pay(b))).status).toBe(503);
    expect([await spent(a), await spent(b)]).toEqual([MINT_PRICE, 0n]);
  });
});

describe("case 24: the settlement code's memory of a settlement it did not see mined", () => {
  /** Settlement code whose node loses receipts until `seen`: it remembers the signature, and asks no more questions about it. */
  function forgetful() {
    const state = { seen: false };
    const receipt: typeof world.chain.receipt = (hash) =>
      state.seen ? world.chain.receipt(hash) : Promise.reject(new Error("connection lost"));
    const signer = createSigner(world.config.payments.facilitator.privateKey!, 8453);
    return Object.assign(state, createLocalFacilitator({ ...world.chain, receipt }, signer));
  }

  it("says of one settlement three times that it was made, and buys one thing with it", async () => {
    const { payer, signed } = await world.buyer();
    const memory = forgetful();
    const said: FacilitatorOutcome[] = [];
    let asked = false;
    trouble.settle = async (order) => {
      // The payer may take over from a stranger whose order is being settled.
      if (asked) return memory.settle(order);
      asked = true;
      // Left open, and then three questions at once, as three requests in its line would ask them.
      said.push(await memory.settle(order));
      memory.seen = true;
      const again = await Promise.all([1, 2, 3].map(() => memory.settle(order)));
      said.push(...again);
      return again[0]!;
    };
    const others = [await world.payer(0n), await world.payer(0n)];
    const answers = await Promise.all([payer, ...others].map((wallet) => api.pay(wallet, signed)));
    // It is the flaw this case is about: if the library loses it, the case shows nothing any more.
    expect(said[0]).toMatchObject({ kind: "unknown" });
    expect(new Set(said.slice(1).map((word) => (word.kind === "settled" ? word.txHash : word.kind))).size).toBe(1);
    expect(said.slice(1).every(({ kind }) => kind === "settled")).toBe(true);
    // The payer takes it from a stranger who was first, and who hears of that when it asks again.
    expect(answers[0]!.status).toBe(201);
    for (const other of others) expect((await api.pay(other, signed)).status).toBe(409);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it("lets a cheap settlement that is left open pay for nothing dearer", async () => {
    const memory = forgetful();
    const strict = await world.apiForTest({
      env: { PRICE_QUOTE_SECONDS: "0", PAYMENT_WAIT_MS: "0", PAYMENT_CONFIRMATIONS: "4", MINT_WAIT_MS: "0" },
      facilitator: () => memory,
      mints: false,
    });
    const payer = await world.payer();
    await strict.setPhase("paid", { agentMint: 10_000n });
    const cheap = await world.authorize(payer.account, { value: 10_000n });
    expect(await strict.pay(payer, cheap)).toMatchObject(refusal(503, "payment_pending"));
    memory.seen = true;
    await strict.setPhase("paid", { agentMint: MINT_PRICE });
    const payload = world.payload(cheap);
    const dearer = { ...payload, accepted: { ...payload.accepted, amount: String(MINT_PRICE) } };
    for (const shown of [payload, dearer]) {
      const answer = await strict.mint(await world.payer(0n), { headers: { "payment-signature": base64(shown) } });
      expect(answer).toMatchObject(refusal(409, "payment_already_used"));
    }
    expect(await strict.pay(payer, await world.authorize(payer.account, { value: 10_000n }))).toMatchObject(
      answering(402, { reason: "wrong_amount" }),
    );
    // What was asked for at its price is served at its price.
    await world.evm.mine({ blocks: 4 });
    expect((await strict.pay(payer, cheap)).status).toBe(202);
    expect(await spent(payer)).toBe(10_000n);
  });
});

describe("case 23: a facilitator that is of no use is 503, and nothing is fulfilled", () => {
  const ended = endedPerTest();
  const serve = async (answer: Parameters<typeof listen>[0]) => ended(await listen(answer)).url;

  const dead: [string, () => Promise<string>][] = [
    ["down", async () => "http://127.0.0.1:9"],
    ["slow", () => serve(() => {})],
    ["HTML", () => serve((_request, response) => void response.end("<html>login</html>"))],
    ["a redirect", () => serve((_request, response) => void response.writeHead(302, { location: "/yes" }).end())],
    ["an error", () => serve((_request, response) => void response.writeHead(500).end('{"isValid":true}'))],
    ["no verdict", () => serve((_request, response) => void response.end('{"ok":true}'))],
  ];
  it.each(casesOf(dead, 3))("%s", async (_what, open) => {
    const facilitator = createHttpFacilitator({ url: await open(), timeoutMs: NEVER });
    const other = await world.apiForTest({ facilitator: () => facilitator, mints: false });
    const payer = await world.payer();
    expect(await other.pay(payer)).toMatchObject(refusal(503, "payment_pending"));
    expect(await spent(payer)).toBe(0n);
    expect(await other.mints()).toEqual([]);
    await facilitator.close();
  });

  it("a database that is away fails closed", async () => {
    const away = openPool({ connectionString: "postgres://127.0.0.1:9/none", connectionTimeoutMillis: NEVER });
    const other = await world.apiForTest({ mints: false, deps: { db: away } });
    const payer = await world.payer();
    expect((await other.pay(payer)).status).toBe(503);
    expect(await spent(payer)).toBe(0n);
  });

  it("case 4: over HTTP payments settle as in process, with what is bought declared for the Bazaar", async () => {
    const settled: Record<string, never>[] = [];
    const real = world.openFacilitator();
    const url = await serve(async (request, response) => {
      let text = "";
      for await (const piece of request) text += piece;
      const { paymentPayload, paymentRequirements } = JSON.parse(text);
      const { authorization: a, signature } = paymentPayload.payload;
      const lower = (address: string) => address.toLowerCase() as Hex;
      const order: PaymentOrder = {
        authorization: {
          from: lower(a.from),
          to: lower(a.to),
          value: BigInt(a.value),
          validAfter: BigInt(a.validAfter),
          validBefore: BigInt(a.validBefore),
          nonce: a.nonce,
        },
        signature,
        token: { address: lower(paymentRequirements.asset), ...paymentRequirements.extra, chainId: 8453 },
        maxTimeoutSeconds: 300,
        resourceUrl: paymentPayload.resource.url,
      };
      if (request.headers.authorization !== "Bearer key") return void response.writeHead(401).end("{}");
      if (request.url === "/verify") {
        const verdict = await real.verify(order);
        const invalidReason = verdict.kind === "refused" ? verdict.reason : undefined;
        return void response.end(JSON.stringify({ isValid: verdict.kind === "good", invalidReason }));
      }
      settled.push(paymentPayload);
      const outcome = await real.settle(order);
      const transaction = outcome.kind === "settled" ? outcome.txHash : "";
      response.end(JSON.stringify({ success: outcome.kind === "settled", transaction, network: "eip155:8453" }));
    });
    const facilitator = createHttpFacilitator({ url, authorize: async () => "Bearer key", timeoutMs: LONG });
    const other = await world.apiForTest({ facilitator: () => facilitator });
    const payer = await world.payer();
    expect((await other.pay(payer)).status).toBe(201);
    expect(await spent(payer)).toBe(MINT_PRICE);
    expect(settled).toMatchObject([
      {
        resource: { url: "https://agents.test/api/v2/mint", description: "Registration of an agent" },
        extensions: { bazaar: { info: { input: { type: "http", method: "POST", bodyType: "json" } } } },
      },
    ]);
    const poor = await world.payer(1n);
    expect(await other.pay(poor)).toMatchObject({ status: 402, body: { reason: "insufficient_funds" } });
    expect(await api.pay(await world.payer(1n))).toMatchObject({ status: 402, body: { reason: "insufficient_funds" } });
    await facilitator.close();
  });
});
