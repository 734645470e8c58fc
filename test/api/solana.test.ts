/** Solana keys over HTTP while registration is free: challenges, looks, registrations, and every signature that must not count. */
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { base58, base64 } from "@scure/base";
import { beforeEach, describe, expect, it } from "vitest";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import { isTransaction } from "../../core/solana/keys.ts";
import { failMint } from "../../db/mints/mints.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { type SolanaWallet, solanaWallet } from "../../harness/solana-wallet.ts";
import { until } from "../../harness/until.ts";
import { perTest } from "../support/started.ts";
import { type Answer, answering, apiForFile, HOST, refusal } from "./support/api.ts";
import { mineRegistration } from "./support/plants.ts";

/** Milliseconds the service's clock is ahead. */
let ahead = 0;
const api = apiForFile({ now: () => Date.now() + ahead });
beforeEach(async () => {
  ahead = 0;
  await api.sql(
    "truncate offchain.mint, offchain.transaction_outbox, offchain.idempotency, offchain.solana_challenge, onchain.agent cascade",
  );
});

const key = perTest(solanaWallet);

type Challenge = { message: string; nonce: string; timestamp: number; expiresAt: string };
const evm = () => agentWallet({ host: HOST }).address;
const ask = (query: Record<string, string>) =>
  api.get(`/api/v2/auth/solana/challenge?${new URLSearchParams(query)}`) as Promise<Answer & { body: Challenge }>;
async function challenge(address: string, more: Record<string, string> = {}): Promise<Challenge> {
  const { status, body } = await ask({ address, ...more });
  expect(status).toBe(200);
  return body;
}
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.write("POST", path, body, headers);
const verify = (body: object, headers?: Record<string, string>) => post("/api/v2/auth/solana/verify", body, headers);
const register = (body: object, headers?: Record<string, string>) => post("/api/v2/register/solana", body, headers);
/** A challenge of the key, signed. */
async function signed(key: SolanaWallet, more: Record<string, string> = {}) {
  const { message, nonce } = await challenge(key.address, more);
  return { nonce, signature: await key.signText(message) };
}
/** A whole registration of the key. */
const registration = async (key: SolanaWallet, more: object = {}, asked: Record<string, string> = {}) => ({
  ...{ name: "Sol", solanaAddress: key.address, evmAddress: evm() },
  ...(await signed(key, asked)),
  ...more,
});
const mints = async () => await api.sql("select * from offchain.mint order by created_at");

/** Plays worker and indexer for the next pending registration. */
const mineNext = (tokenId?: number) => mineRegistration(api.pool, { tokenId, agent: { origin: 2 } });
const minted = async (answer: Promise<Answer>, tokenId?: number) => (await Promise.all([answer, mineNext(tokenId)]))[0];
const refused = { status: 401, body: { code: "unauthenticated" } };

describe("a challenge", () => {
  it("is a text of this service for this key, new each time, and good for five minutes", async () => {
    const before = Date.now();
    const answer = await ask({ address: key.address });
    const { message, nonce, timestamp, expiresAt } = answer.body;
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(message.startsWith(`${HOST} wants you to sign in with your Solana account:\n${key.address}\n`)).toBe(true);
    expect(message).toContain(`\nNonce: ${nonce}\n`);
    expect(message.endsWith(`\nExpiration Time: ${expiresAt}`)).toBe(true);
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(Date.parse(expiresAt) - timestamp).toBe(300_000);
    expect((await challenge(key.address)).nonce).not.toBe(nonce);
  });

  it("says what it is for, and names the receiver it is bound to", async () => {
    const { address } = await solanaWallet();
    const receiver = evm();
    expect((await challenge(address, { purpose: "verify" })).message).toContain("Nothing is registered.");
    expect((await challenge(address, { purpose: "register" })).message).toContain("Register this account");
    const bound = await challenge(address, { evmAddress: receiver.toLowerCase() });
    expect(bound.message).toContain(`The identity goes to ${receiver}.`);
  });

  const valid = base58.encode(new Uint8Array(32).fill(9));
  it.each([
    ["no address", {}, "query.address"],
    ["an EVM address", { address: OG_WALLETS[0]!.wallet }, "address"],
    ["the system program, a key of small order", { address: "11111111111111111111111111111111" }, "address"],
    ["an address off the curve", { address: base58.encode(new Uint8Array(32).fill(2)) }, "address"],
    ["an unknown purpose", { address: valid, purpose: "login" }, "purpose"],
    ["a bad receiver", { address: valid, evmAddress: "0x12" }, "evmAddress"],
    ["the zero address", { address: valid, evmAddress: `0x${"0".repeat(40)}` }, "evmAddress"],
  ])("of %s is 400", async (_what, query, path) => {
    const given = "address" in query && query.address === valid ? { ...query, address: key.address } : query;
    const answer = await ask(given as Record<string, string>);
    expect(answer).toMatchObject(refusal(400, "invalid_input"));
    expect(JSON.stringify((answer.body as unknown as { details: unknown }).details)).toContain(path.split(".").at(-1));
  });

  it("to look has no receiver", async () => {
    const { address } = await solanaWallet();
    expect((await ask({ address, purpose: "verify", evmAddress: evm() })).status).toBe(400);
  });

  it("that ended long ago is removed by those that follow", async () => {
    const old = await challenge(key.address);
    ahead = 25 * 3_600_000;
    const fresh = await challenge(key.address);
    const rows = await api.sql("select nonce from offchain.solana_challenge");
    expect(rows).toEqual([{ nonce: fresh.nonce }]);
    expect(old.nonce).not.toBe(fresh.nonce);
  });
});

describe("a signature", () => {
  it.each([
    ["base58", (bytes: Uint8Array) => base58.encode(bytes)],
    ["base64", (bytes: Uint8Array) => base64.encode(bytes)],
    ["hex", (bytes: Uint8Array) => bytesToHex(bytes)],
  ])("in %s is understood", async (_, written) => {
    const { message, nonce } = await challenge(key.address);
    const signature = written(await key.sign(message));
    expect(await verify({ address: key.address, nonce, signature })).toMatchObject(
      answering(200, { verified: true, address: key.address, registration: null }),
    );
  });

  it("is good once, whatever it is shown for", async () => {
    const proof = { address: key.address, ...(await signed(key)) };
    expect((await verify(proof)).status).toBe(200);
    expect(await verify(proof)).toMatchObject(refused);
    const { nonce, signature } = proof;
    expect(
      await register({ name: "Sol", solanaAddress: key.address, evmAddress: evm(), nonce, signature }),
    ).toMatchObject(refused);
    expect(await mints()).toEqual([]);
  });

  it("shown twice at once passes once", async () => {
    const proof = { address: key.address, ...(await signed(key)) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(proof)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it("that does not fit leaves the challenge open", async () => {
    const { message, nonce } = await challenge(key.address);
    const stranger = await solanaWallet();
    expect(await verify({ address: key.address, nonce, signature: await stranger.signText(message) })).toMatchObject(
      refused,
    );
    expect((await verify({ address: key.address, nonce, signature: await key.signText(message) })).status).toBe(200);
  });

  it("is answered again under its Idempotency-Key, and a crash in between does not lose it", async () => {
    const proof = { address: key.address, ...(await signed(key)) };
    const once = { "idempotency-key": "look" };
    const first = await verify(proof, once);
    expect(first.status).toBe(200);
    await api.sql("delete from offchain.idempotency");
    expect(await verify(proof, once)).toMatchObject({ status: 200, body: first.body });
    expect((await verify(proof, once)).headers.get("idempotent-replayed")).toBe("true");
    expect(await verify(proof)).toMatchObject(refused);
  });

  const wrong: [string, (key: SolanaWallet) => Promise<object>][] = [
    ["given out for looking", async (key) => signed(key, { purpose: "verify" })],
    [
      "after five minutes",
      async (key) => {
        const proof = await signed(key);
        ahead = 300_000;
        return proof;
      },
    ],
    [
      "of another key's challenge",
      async (key) => {
        const { message, nonce } = await challenge((await solanaWallet()).address);
        return { nonce, signature: await key.signText(message) };
      },
    ],
    [
      "of a challenge that was never given out",
      async (key) => {
        const { message, nonce } = await challenge(key.address);
        const other = "0".repeat(32);
        return { nonce: other, signature: await key.signText(message.replace(nonce, other)) };
      },
    ],
    [
      "of the text for another host",
      async (key) => {
        const { message, nonce } = await challenge(key.address);
        return { nonce, signature: await key.signText(message.replaceAll(HOST, "evil.test")) };
      },
    ],
    [
      "of the text with another receiver",
      async (key) => {
        const { message, nonce } = await challenge(key.address, { evmAddress: evm() });
        return { nonce, signature: await key.signText(message.replace(/0x\w{40}/, evm())) };
      },
    ],
    [
      "of a transaction that carries the text",
      async (key) => {
        const { message, nonce } = await challenge(key.address);
        const text = new TextEncoder().encode(message);
        const memo = concatBytes(
          ...[Uint8Array.of(1, 0, 1, 2), base58.decode(key.address), new Uint8Array(32).fill(5), new Uint8Array(32)],
          ...[Uint8Array.of(1, 1, 0, (text.length & 127) | 128, text.length >> 7), text],
        );
        expect(isTransaction(memo)).toBe(true);
        return { nonce, signature: base58.encode(await key.sign(memo)) };
      },
    ],
  ];
  it.each(wrong)("%s registers nothing", async (_, make) => {
    const proof = await make(key);
    expect(await register({ name: "Sol", solanaAddress: key.address, evmAddress: evm(), ...proof })).toMatchObject(
      refused,
    );
    expect(await mints()).toEqual([]);
  });

  it.each([
    ["of 63 bytes", { signature: "ab".repeat(63) }, "signature"],
    ["in words", { signature: "trust me" }, "signature"],
    ["for a nonce of another form", { nonce: "../../etc" }, "nonce"],
    ["for a key of small order", { address: "11111111111111111111111111111111" }, "address"],
    ["with something else", { purpose: "verify" }, "purpose"],
  ])("%s is 400", async (_, change, path) => {
    expect(await verify({ address: key.address, ...(await signed(key)), ...change })).toMatchObject(
      answering(400, { details: [{ path }] }),
    );
  });
});

describe("a registration", () => {
  it("is 201 like a mint, with both addresses, and the look tells it", async () => {
    const receiver = evm();
    const body = await registration(key, { framework: "Eliza", soulbound: true, evmAddress: receiver.toLowerCase() });
    const answer = await minted(register(body));
    expect(answer).toMatchObject(
      answering(201, {
        success: true,
        tokenId: 7,
        mintOrigin: "API",
        ...{ solanaAddress: key.address, evmAddress: receiver, og: null, referral: null },
        agent: { name: "Sol", owner: receiver, agentAddress: receiver, mintOrigin: "API" },
        yourReferralCode: expect.stringMatching(/^sol-[a-z0-9]{4}$/),
      }),
    );
    expect(await mints()).toMatchObject([
      {
        ...{ solana_address: key.address, wallet: receiver.toLowerCase(), recipient: receiver.toLowerCase() },
        ...{ framework: "eliza", soulbound: true, origin: 2 },
      },
    ]);
    const { mint_id: mintId } = (await mints())[0];
    const look = await verify({ address: key.address, ...(await signed(key, { purpose: "verify" })) });
    expect(look.body).toMatchObject({
      registration: { status: "minted", mintId, tokenId: 7, evmAddress: receiver },
    });
    expect((await api.get(`/api/v2/mint/${mintId}`)).body).toMatchObject({
      status: "minted",
      solanaAddress: key.address,
      evmAddress: receiver,
    });
  });

  it("goes where the signed text says: not elsewhere, and there without being told again", async () => {
    const receiver = evm();
    const proof = await signed(key, { evmAddress: receiver });
    const request = { name: "Sol", solanaAddress: key.address, ...proof };
    expect(await register({ ...request, evmAddress: evm() })).toMatchObject(refused);
    // Empty optional texts count as absent.
    const answer = await minted(register({ ...request, evmAddress: "", framework: " " }));
    expect(answer).toMatchObject({ status: 201, body: { evmAddress: receiver } });
  });

  it("needs a receiver while nobody pays", async () => {
    expect(await register(await registration(key, { evmAddress: undefined }))).toMatchObject(
      answering(400, { details: [{ path: "evmAddress" }] }),
    );
  });

  it.each([
    ["the zero address as receiver", { evmAddress: `0x${"0".repeat(40)}` }, "evmAddress"],
    ["no name", { name: "" }, "name"],
    ["an unknown framework", { framework: "cobol" }, "framework"],
    ["a referral code", { referralCode: "bendr" }, "referralCode"],
    ["a key of small order", { solanaAddress: "11111111111111111111111111111111" }, "solanaAddress"],
  ])("with %s is 400 and leaves the challenge open", async (_, change, path) => {
    const body = await registration(key);
    expect(await register({ ...body, ...change })).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect((await minted(register(body))).status).toBe(201);
  });

  it("that takes long is 202; the same request again gets the 201, also after its challenge has ended", async () => {
    const body = await registration(key);
    const pending = await api.impatiently(() => register(body));
    expect(pending).toMatchObject({ status: 202, body: { status: "pending" } });
    const look = await verify({ address: key.address, ...(await signed(key)) });
    expect(look.body).toMatchObject({ registration: { status: "pending", tokenId: null, txHash: null } });
    await mineNext();
    ahead = 3_600_000;
    const again = await register(body);
    expect(again).toMatchObject({ status: 201, body: { tokenId: 7 } });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await register({ ...body, name: "Else" })).toMatchObject(refused);
    expect(await mints()).toHaveLength(1);
  });

  it("of a registered key is 409 and names the token", async () => {
    await minted(register(await registration(key)), 0);
    expect(await register(await registration(key, { name: "Second" }))).toMatchObject(
      refusal(409, "already_registered", { tokenId: 0 }),
    );
  });

  it("20 at once of one key are one registration", async () => {
    const bodies = await Promise.all(Array.from({ length: 20 }, () => registration(key)));
    const all = Promise.all(bodies.map((body) => register(body)));
    await mineNext();
    expect((await all).map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(await mints()).toHaveLength(1);
  });

  it("20 copies at once are one registration, told to all", async () => {
    const body = await registration(await solanaWallet());
    const all = Promise.all(Array.from({ length: 20 }, () => register(body)));
    await mineNext();
    expect(new Set((await all).map(({ status }) => status))).toEqual(new Set([201]));
    expect(await mints()).toHaveLength(1);
  });

  it("that the chain refuses is 409 with its reason; a new challenge may succeed", async () => {
    const answer = register(await registration(key));
    const row = await until("the mint", async () => (await mints())[0]);
    await failMint(api.pool, row.mint_id, "the contract is paused", new Date());
    expect(await answer).toMatchObject(refusal(409, "conflict", { hint: "Sign a new challenge to try again." }));
    expect((await minted(register(await registration(key)))).status).toBe(201);
  });
});

describe("a wallet that a Solana key names", () => {
  const mint = async (wallet: ReturnType<typeof agentWallet>) =>
    post("/api/v2/mint", { name: "Ada" }, { authorization: await wallet.siwa() });

  it("may still register itself, once", async () => {
    const wallet = agentWallet({ host: HOST });
    for (const tokenId of [1, 2]) {
      const body = await registration(await solanaWallet(), { evmAddress: wallet.address });
      expect((await minted(register(body), tokenId)).status).toBe(201);
    }
    expect(await minted(mint(wallet), 3)).toMatchObject({ status: 201, body: { tokenId: 3 } });
    expect(await mint(wallet)).toMatchObject(refusal(409, "already_registered", { tokenId: 3 }));
  });

  it("that is a V1 wallet keeps what is its own", async () => {
    const [veteran] = OG_WALLETS;
    const body = await registration(await solanaWallet(), { evmAddress: veteran!.wallet });
    expect(await minted(register(body))).toMatchObject({ status: 201, body: { og: null } });
    const rows = await api.sql("select awards_due_at from offchain.mint");
    expect(rows).toEqual([{ awards_due_at: null }]);
  });
});
