/** MPP with its real client on a local Tempo: settled once, for one request, whatever fails on the way. Numbers are those of README.md. */
import { getAddress, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { createApi } from "../../api/app.ts";
import type { Chain } from "../../clients/ports.ts";
import { Failure } from "../../core/errors.ts";
import { standardPrices } from "../../core/payments/prices.ts";
import { setPrices } from "../../db/payments/price-list.ts";
import { TEMPO } from "../../devnet/tempo.ts";
import { solanaWallet } from "../../harness/solana-wallet.ts";
import { Challenge, type Customer, changed, Receipt, startTempo } from "../../harness/tempo.ts";
import { until } from "../../harness/until.ts";
import { refusal, serverForTest } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";
import { MINT_PRICE, REPORT_PRICE, unbase64 } from "./support/paying.ts";
import { diesAt, payingForFile, troubledChain } from "./support/paying-file.ts";

const tempo = perFile(startTempo);
/** Trouble with a node is trouble with Tempo's. */
const paying = payingForFile(({ chain }) => ({ chain, deps: { mpp: tempo.mpp(troubledTempo) } }));
const { world, api, trouble, forget, recovers } = paying;
const troubledTempo = (chain: Chain) => troubledChain(chain, trouble);

const REPORT = "/api/v2/agent/900/cred-report";
const away = async (): Promise<never> => {
  throw new Failure("upstream_unavailable", "The chain cannot be reached.");
};
const spent = async (customer: Customer) => 10_000_000n - (await tempo.balance(customer.address));
/** What came in meanwhile; customers also pay fees. */
const income = async (payTo: `0x${string}`, work: () => Promise<unknown>) => {
  const before = await tempo.balance(payTo);
  await work();
  return (await tempo.balance(payTo)) - before;
};
const receiptOf = (response: { headers: Headers }) => Receipt.deserialize(response.headers.get("payment-receipt")!);
const mintInit = async (customer: Customer, name = "Ada") => ({
  method: "POST",
  headers: { "content-type": "application/json", authorization: await customer.siwa() },
  body: JSON.stringify({ name }),
});
const report = (credential?: string, path = REPORT) =>
  api.get(path, credential === undefined ? {} : { headers: { "payment-authorization": credential } });
const asked = (path = REPORT) => fetch(api.url + path);
/** A customer, and its answer to a challenge for the report. */
async function buyer() {
  const customer = await tempo.customer();
  return { customer, credential: await customer.answer(await asked()) };
}
/** Registers with a credential beside the sign-in. */
const mintWith = (init: Awaited<ReturnType<typeof mintInit>>, credential: string, body = init.body) =>
  api.send("POST", "/api/v2/mint", {
    ...init,
    headers: { ...init.headers, "payment-authorization": credential },
    body,
  });
const sweep = () =>
  paying.sweep({ mpp: tempo.mpp(troubledTempo), clock: () => new Date(Date.now() + (trouble.ahead ?? 0)) });
const last = async () => (await api.payments()).at(-1)!;

describe("the challenge", () => {
  it("case 3: one 402 serves version 2, version 1 and MPP, and each real client pays by it", async () => {
    const customer = await tempo.customer();
    const answer = await api.send("POST", "/api/v2/mint", await mintInit(customer));
    expect([answer.status, answer.body]).toMatchObject([
      402,
      {
        x402Version: 1,
        accepts: [{ network: "base" }],
        transfer: { amount: "1000000" },
        mpp: { method: "tempo", chainId: 4217, currency: TEMPO.usdce, amount: "1000000" },
      },
    ]);
    expect(answer.text).not.toMatch(/null/);
    expect(unbase64(answer.headers.get("payment-required")).accepts).toHaveLength(1);
    const challenge = Challenge.deserialize(answer.headers.get("www-authenticate")!);
    expect(challenge).toMatchObject({
      realm: "agents.test",
      method: "tempo",
      intent: "charge",
      header: "Payment-Authorization",
      digest: expect.stringMatching(/^sha-256=/),
      request: { amount: "1000000", currency: TEMPO.usdce },
    });
    expect((challenge.request.recipient as string).toLowerCase()).toBe(world.payTo.deployer);

    const [first, second] = [await world.payer(), await world.payer()];
    expect((await world.payingFetch(first.account, 2)(api.url + REPORT)).status).toBe(200);
    expect((await world.payingFetch(second.account, 1)(api.url + REPORT)).status).toBe(200);
    expect((await customer.fetch()(api.url + REPORT)).status).toBe(200);
  });

  it("is told of in the discovery, which calls it planned where it is not configured", async () => {
    const methods = async (url: string) => {
      const { payments } = (await (await fetch(`${url}/api/v2`)).json()) as { payments: { methods: object[] } };
      return payments.methods;
    };
    const mpp = { protocol: "MPP", chain: 4217, currency: "USDC.e" };
    expect(await methods(api.url)).toContainEqual(expect.objectContaining({ ...mpp, status: "available" }));
    const other = await serverForTest(createApi({ ...api.deps, mpp: null }));
    expect(await methods(other.url)).toContainEqual(expect.objectContaining({ ...mpp, status: "planned" }));
    const refused = await fetch(other.url + REPORT, { headers: { "payment-authorization": "Payment e30" } });
    const unpaid = await fetch(other.url + REPORT);
    expect([refused.status, unpaid.status, unpaid.headers.get("www-authenticate")]).toEqual([400, 402, null]);
  });

  it("is another one every time, and there is none without a price or a sign-in", async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => Challenge.fromResponse(await asked()).id));
    expect(new Set(ids).size).toBe(3);
    const bare = await api.send("POST", "/api/v2/mint", {
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect([bare.status, bare.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="SIWA"']);
    expect(bare.body).toMatchObject({ mpp: { amount: "1000000" } });
    await api.setPhase("free");
    expect((await asked()).status).toBe(200);
    await setPrices(api.pool, { phase: "paid", prices: standardPrices("paid").prices });
  });
});

describe("case 34", () => {
  it.each(["pull", "push"] as const)("%s pays a mint to the deployer, to the unit", async (mode) => {
    const customer = await tempo.customer();
    let response!: Response;
    const got = await income(world.payTo.deployer, async () => {
      response = await customer.fetch(mode)(`${api.url}/api/v2/mint`, await mintInit(customer, mode));
    });
    expect([response.status, await response.text()]).toMatchObject([201, expect.stringContaining("tokenId")]);
    expect(got).toBe(MINT_PRICE);
    const { method, status, reference } = receiptOf(response);
    expect([method, status]).toEqual(["tempo", "success"]);
    expect((await tempo.node.getTransactionReceipt({ hash: reference as never })).status).toBe("success");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.get("vary")).toMatch(/Payment-Authorization/);
    expect(await last()).toMatchObject({ state: "fulfilled", method: "mpp", tx_hash: reference });
  });

  it.each(["pull", "push"] as const)(
    "%s pays a Solana key's registration, whose identity is the payer's",
    async (mode) => {
      const [key, customer] = [await solanaWallet(), await tempo.customer()];
      const register = async () => {
        const { body } = await api.get(`/api/v2/auth/solana/challenge?address=${key.address}`);
        const { message, nonce } = body as unknown as { message: string; nonce: string };
        const signature = await key.signText(message);
        return customer.fetch(mode)(`${api.url}/api/v2/register/solana`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: "Sol", solanaAddress: key.address, nonce, signature }),
        });
      };
      let response!: Response;
      const registers = async () => {
        response = await register();
      };
      const got = await income(world.payTo.deployer, registers);
      const registered = (await response.json()) as { tokenId: number };
      expect([response.status, registered]).toMatchObject([
        201,
        { mintOrigin: "API", solanaAddress: key.address, evmAddress: getAddress(customer.address) },
      ]);
      expect(got).toBe(MINT_PRICE);
      expect(await world.ownerOf(registered.tokenId)).toBe(getAddress(customer.address));
      expect(receiptOf(response).status).toBe("success");
      // One agent per key: a second one is refused before anything is asked for.
      expect([await income(world.payTo.deployer, registers), response.status]).toEqual([0n, 409]);
    },
  );

  it("a cred report is paid to the treasury, and its receipt names the payment", async () => {
    const customer = await tempo.customer();
    let response!: Response;
    const got = await income(world.payTo.treasury, async () => {
      response = await customer.fetch()(api.url + REPORT);
    });
    const body = (await response.json()) as { receipt: { message: object } };
    expect([response.status, got]).toEqual([200, REPORT_PRICE]);
    expect(JSON.stringify(body.receipt.message)).toContain(`4217:${receiptOf(response).reference}`);
  });

  it("who cannot pay is refused before anything is sent", async () => {
    const customer = await tempo.customer(5_000n);
    const credential = await customer.answer(await asked());
    expect(await report(credential)).toMatchObject({ status: 402, body: { reason: "insufficient_funds" } });
    expect(await tempo.balance(customer.address)).toBe(5_000n);
  });
});

describe("case 35: refused, and nothing is charged", () => {
  it("a replay gets the answer it bought; ten copies at once are one charge", async () => {
    const { credential } = await buyer();
    let answers!: Awaited<ReturnType<typeof report>>[];
    const got = await income(world.payTo.treasury, async () => {
      answers = await Promise.all(Array.from({ length: 10 }, () => report(credential)));
      // On a busy machine one may lose its lease to another: then it does not know.
      expect(answers.map(({ status }) => status).filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
      await until("the answer is stored", async () => (await report(credential)).status === 200);
    });
    expect(got).toBe(REPORT_PRICE);
    const first = answers.find(({ status }) => status === 200) ?? (await report(credential));
    const again = await report(credential);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect(again.headers.get("payment-receipt")).toBe(first.headers.get("payment-receipt"));
    // Used up, it buys nothing else.
    expect(await report(credential, "/api/v2/agent/901/cred-report")).toMatchObject(
      refusal(409, "payment_already_used"),
    );
  });

  it("a hash under another challenge: its payer is served all the same", async () => {
    const customer = await tempo.customer();
    const credential = await customer.answer(await asked(), "push");
    const { payload } = unbase64(credential.replace("Payment ", "")) as { payload: object };
    const thief = await tempo.customer();
    const theirs = await thief.answer(await asked());
    const stolen = changed(theirs, (said) => Object.assign(said, { payload, source: undefined }));
    const named = changed(theirs, (said) => Object.assign(said, { payload }));
    for (const attempt of [stolen, named])
      expect(await report(attempt)).toMatchObject({ status: 402, body: { reason: "no_matching_transfer" } });
    expect((await report(credential)).status).toBe(200);
    expect(await report(stolen)).toMatchObject({ status: 402 });
  });

  it.each([
    ["amount", (request: Record<string, string>) => Object.assign(request, { amount: "1" })],
    ["recipient", (request: Record<string, string>) => Object.assign(request, { recipient: TEMPO.pathUsd })],
  ])("a challenge with another %s", async (_what, change) => {
    const { customer, credential } = await buyer();
    const forged = changed(credential, ({ challenge }) => {
      const request = change(unbase64(challenge.request!));
      challenge.request = Buffer.from(JSON.stringify(request)).toString("base64url");
    });
    expect(await report(forged)).toMatchObject({ status: 402, body: { reason: "unknown_challenge" } });
    expect(await spent(customer)).toBe(0n);
  });

  it("an expired challenge", async () => {
    const { customer, credential } = await buyer();
    trouble.ahead = 301_000;
    expect(await report(credential)).toMatchObject({ status: 402, body: { reason: "challenge_expired" } });
    expect(await spent(customer)).toBe(0n);
  });

  it("another route, another query, another body", async () => {
    const { customer, credential } = await buyer();
    for (const path of ["/api/v2/agent/901/cred-report", `${REPORT}?x=1`])
      expect(await report(credential, path)).toMatchObject({ status: 402, body: { reason: "wrong_resource" } });
    const init = await mintInit(customer, "One");
    const answer = await customer.answer(await fetch(`${api.url}/api/v2/mint`, init));
    const other = await mintWith(init, answer, JSON.stringify({ name: "Two" }));
    expect(other).toMatchObject({ status: 402, body: { reason: "wrong_resource" } });
    expect(await spent(customer)).toBe(0n);
  });

  describe("a cheap challenge raced onto a dearer route", () => {
    /** A paid answer to the report's challenge, the same with somebody else's transaction, and the mint to race it onto. */
    async function cheap() {
      const customer = await tempo.customer();
      const credential = await customer.answer(await asked(), "push");
      const others = await (await tempo.customer()).answer(await asked(), "push");
      const { payload } = unbase64(others.replace("Payment ", "")) as { payload: { hash: Hex } };
      const decoy = changed(credential, (said) => Object.assign(said, { payload }));
      const init = await mintInit(customer, "Cheap");
      const mint = () => mintWith(init, credential);
      return { customer, credential, decoy, decoyHash: payload.hash, mint };
    }
    const minted = async () => (await api.mints()).filter(({ name }) => name === "Cheap").length;
    const cheapMints = async () =>
      (
        await api.pool.query("select from offchain.payment where operation = 'agentMint' and amount_units < $1", [
          String(MINT_PRICE),
        ])
      ).rowCount;

    it("is refused, also when its first answer is released between the look and the write", async () => {
      const { credential, decoy, decoyHash, mint } = await cheap();
      const looking = Promise.withResolvers<void>();
      const looked = Promise.withResolvers<void>();
      trouble.node = {
        async receipt(hash) {
          if (hash === decoyHash) {
            looked.resolve();
            await looking.promise;
          }
          return tempo.chain.receipt(hash);
        },
      };
      const released = report(decoy);
      await looked.promise;
      const tx = await api.pool.connect();
      const waiting = async (count: number) => {
        const rows = await api.sql(
          "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows[0].count >= count;
      };
      try {
        await tx.query("begin");
        await tx.query("select from offchain.payment where state = 'new' and method = 'mpp' for update");
        looking.resolve();
        await until("the release waits for the row", () => waiting(1));
        const raced = mint();
        await until("the copy waits behind it", () => waiting(2));
        await tx.query("commit");
        expect(await released).toMatchObject({ status: 402, body: { reason: "no_matching_transfer" } });
        expect(await raced).toMatchObject({ status: 402, body: { reason: "wrong_resource" } });
      } finally {
        tx.release();
      }
      expect([await minted(), await cheapMints()]).toEqual([0, 0]);
      // It is good for what it was made for.
      expect((await report(credential)).status).toBe(200);
    });

    it("is refused in 100 copies", async () => {
      const { decoy, mint } = await cheap();
      const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? report(decoy) : mint())));
      expect(answers.map(({ status }) => status).filter((status) => status !== 402 && status !== 409)).toEqual([]);
      expect([await minted(), await cheapMints()]).toEqual([0, 0]);
    });
  });

  it("what is not one well-formed payment is 400 in plain words", async () => {
    const { customer, credential } = await buyer();
    const proof = changed(credential, (said) =>
      Object.assign(said, { payload: { type: "proof", signature: `0x${"ab".repeat(65)}` } }),
    );
    const torn = changed(credential, (said) =>
      Object.assign(said, { payload: { type: "transaction", signature: `0x76${"ab".repeat(99)}` } }),
    );
    const bad: Record<string, string>[] = [
      ...["Payment e30", "Payment", "Bearer x", `Payment ${"a".repeat(9000)}`, proof, torn].map((value) => ({
        "payment-authorization": value,
      })),
      { "payment-authorization": credential, "x-payment-tx": `0x${"ab".repeat(32)}` },
      { "payment-authorization": credential, authorization: "Payment e30" },
    ];
    for (const headers of bad) {
      const answer = await api.get(REPORT, { headers });
      expect([JSON.stringify(headers).slice(0, 80), answer.status, answer.body.code]).toEqual([
        JSON.stringify(headers).slice(0, 80),
        400,
        "invalid_input",
      ]);
      expect(answer.text).not.toMatch(/undefined|JSON\.parse|Unexpected token/);
    }
    expect(await spent(customer)).toBe(0n);
  });
});

describe("case 36: beside a sign-in", () => {
  it("the credential in a list in Authorization pays as in its own header", async () => {
    const customer = await tempo.customer();
    const init = await mintInit(customer, "Listed");
    const credential = await customer.answer(await fetch(`${api.url}/api/v2/mint`, init));
    const answer = await api.send("POST", "/api/v2/mint", {
      ...init,
      headers: { ...init.headers, authorization: `${init.headers.authorization}, ${credential}` },
    });
    expect([answer.status, answer.headers.get("payment-receipt")]).toEqual([201, expect.any(String)]);
  });

  it("the client keeps Authorization and pays in Payment-Authorization", async () => {
    const customer = await tempo.customer();
    const sent: Headers[] = [];
    const watching: typeof fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return fetch(input, init);
    };
    const init = await mintInit(customer, "Both");
    const { authorization } = init.headers;
    expect((await customer.fetch("pull", watching)(`${api.url}/api/v2/mint`, init)).status).toBe(201);
    expect(sent.at(-1)!.get("authorization")).toBe(authorization);
    expect(sent.at(-1)!.get("payment-authorization")).toMatch(/^Payment /);
  });
});

describe("case 37: the node does not answer after it was sent", () => {
  it("503, never another challenge; the same payment is served later, charged once", async () => {
    const { credential } = await buyer();
    trouble.node = {
      send: async (raw) => {
        await tempo.chain.send(raw);
        return away();
      },
      receipt: away,
    };
    const pending = await api.impatiently(() => report(credential));
    expect(pending).toMatchObject({ status: 503 });
    expect(pending.headers.get("www-authenticate")).toBeNull();
    trouble.node = { receipt: async () => null };
    expect(await api.impatiently(() => report(credential))).toMatchObject(refusal(503, "payment_pending"));
    trouble.node = {};
    const got = await income(world.payTo.treasury, async () => {
      expect((await report(credential)).status).toBe(200);
    });
    expect([got, (await last()).state]).toEqual([0n, "fulfilled"]);
  });

  it("the sweeper finds a mint's payment on the chain and mints it without its client", async () => {
    const customer = await tempo.customer();
    const init = await mintInit(customer, "Swept");
    const credential = await customer.answer(await fetch(`${api.url}/api/v2/mint`, init), "push");
    trouble.node = { receipt: async () => null };
    expect(await api.impatiently(() => mintWith(init, credential))).toMatchObject(refusal(503, "payment_pending"));
    trouble.node = {};
    await forget();
    await sweep();
    await forget();
    await sweep();
    expect((await last()).state).toBe("fulfilled");
    const answer = await mintWith(init, credential);
    expect([answer.status, (await api.mints()).filter(({ name }) => name === "Swept").length]).toEqual([201, 1]);
  });

  it("a transaction that no node ever saw is released once it is void, and never sent by the sweeper", async () => {
    const { customer, credential } = await buyer();
    trouble.node = { send: away };
    expect((await report(credential)).status).toBe(503);
    trouble.node = {};
    await forget();
    await sweep();
    expect((await last()).state).toBe("settling");
    // The clock of the sweeper alone ends nothing: a block may still be made that contains it.
    trouble.ahead = 600_000;
    await sweep();
    expect((await last()).state).toBe("settling");
    await api.sql("update offchain.payment set valid_before = now() - interval '1 hour' where state = 'settling'");
    await sweep();
    expect([(await last()).state, await spent(customer)]).toEqual(["released", 0n]);
  });
});

describe("case 38: a failure of ours after the payment", () => {
  it.each(["pull", "push"] as const)("is a free retry (%s)", async (mode) => {
    const customer = await tempo.customer();
    const init = await mintInit(customer, `Retry ${mode}`);
    const credential = await customer.answer(await fetch(`${api.url}/api/v2/mint`, init), mode);
    trouble.fault = diesAt("mint.paid", "out of memory");
    const before = await tempo.balance(world.payTo.deployer);
    expect((await mintWith(init, credential)).status).toBe(500);
    recovers();
    expect((await mintWith(init, credential)).status).toBe(201);
    expect((await tempo.balance(world.payTo.deployer)) - before).toBe(mode === "pull" ? MINT_PRICE : 0n);
  });
});
