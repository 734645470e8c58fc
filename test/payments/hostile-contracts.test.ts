/** Wallets that are contracts of an attacker: what their code burns stops nobody, costs nobody and is bounded for each network. */
import { type Abi, encodeDeployData, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBuild } from "../../contracts/builds.ts";
import { type Payer, type Paying, startPaying } from "./support/paying.ts";

/** More than a hook and a mint may use, less than a verdict on a signature. */
const BEYOND_A_MINT = 2_000_000n;
const TWO_THIRDS_OF_A_BLOCK = 20_000_000n;

let world: Paying;
let api: Awaited<ReturnType<Paying["api"]>>;
beforeAll(async () => {
  world = await startPaying();
  api = await world.api({ env: { RATE_CONTRACT_MINTS_PER_CLIENT: "3" } });
});
afterAll(async () => {
  await api?.close();
  await world?.stop();
});

/** A contract that burns so much gas before it takes a token, and before it accepts any signature. */
async function burner(gas: bigint) {
  const { abi, bytecode } = readBuild("GasBurner");
  const address = privateKeyToAddress(generatePrivateKey());
  const { data } = await world.evm.call({ data: encodeDeployData({ abi: abi as Abi, bytecode, args: [gas] }) });
  await world.evm.setCode({ address, bytecode: data! });
  const signature: Hex = `0x${"11".repeat(64)}1b`;
  const credential = `Bearer ${address}:${Date.now()}:${signature}`;
  return { address, credential, account: { address, signTypedData: async () => signature } };
}

/** Wallets with money, one after the other: they get it from one account. */
async function payers(count: number, units?: bigint): Promise<Payer[]> {
  const all: Payer[] = [];
  for (let n = 0; n < count; n++) all.push(await world.payer(units));
  return all;
}

describe.each(["free", "paid"] as const)("in phase %s", (phase) => {
  beforeAll(() => api.setPhase(phase));

  it("twenty receivers that burn gas are refused before anything is charged, and honest wallets are minted beside them", async () => {
    const payer = await world.payer(100_000_000n);
    const hostile = await Promise.all(
      Array.from({ length: 20 }, (_, n) => burner(n % 2 ? BEYOND_A_MINT : TWO_THIRDS_OF_A_BLOCK)),
    );
    const honest = await payers(3);
    const before = await world.balance(payer.address);
    const mints = (await api.mints()).length;
    const [refused, minted] = await Promise.all([
      Promise.all(
        hostile.map(async ({ credential }) =>
          phase === "paid"
            ? api.pay(payer, await world.authorize(payer.account), { credential })
            : api.mint(payer, { credential }),
        ),
      ),
      Promise.all(honest.map((wallet) => (phase === "paid" ? api.pay(wallet) : api.mint(wallet)))),
    ]);
    expect(minted.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const [n, answer] of refused.entries()) {
      // What burns more than a verdict on a signature may is not even let in.
      expect(answer).toMatchObject(
        n % 2 ? { status: 409, body: { error: expect.stringMatching(/needs more than 500000 gas/) } } : { status: 401 },
      );
    }
    expect(await world.balance(payer.address)).toBe(before);
    expect((await api.mints()).length).toBe(mints + 3);
  });
});

describe("free registrations of contract wallets", () => {
  it("are counted for each network and day, however many come at once; wallets with a key are not", async () => {
    await api.setPhase("free");
    const wallets = await Promise.all(Array.from({ length: 8 }, () => burner(1_000n)));
    const key = await world.payer(0n);
    const answers = await Promise.all(wallets.map(({ credential }) => api.mint(key, { credential })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: "rate_limited", error: expect.stringMatching(/contract wallets/) });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(80_000);
    expect((await api.mint(key)).status).toBe(201);

    await api.setPhase("paid");
    const paid = await burner(1_000n);
    const payer = await world.payer();
    expect((await api.pay(payer, await world.authorize(payer.account), { credential: paid.credential })).status).toBe(
      201,
    );
  });
});

describe("payers that burn gas at the facilitator", () => {
  it("are refused, and the payments of others are settled beside them", async () => {
    await api.setPhase("paid");
    const rich = await world.payer(100_000_000n);
    const hostile = await Promise.all(
      Array.from({ length: 6 }, (_, n) => burner(n % 2 ? BEYOND_A_MINT : TWO_THIRDS_OF_A_BLOCK)),
    );
    for (const { address } of hostile) await world.transfer(rich, address, 1_000_000n);
    const asking = await payers(hostile.length, 0n);
    const honest = await payers(3);
    const [refused, settled] = await Promise.all([
      Promise.all(hostile.map(async ({ account }, n) => api.pay(asking[n]!, await world.authorize(account)))),
      Promise.all(honest.map((wallet) => api.pay(wallet))),
    ]);
    expect(settled.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(refused.map(({ status }) => status)).toEqual([402, 402, 402, 402, 402, 402]);
    for (const { address } of hostile) expect(await world.balance(address)).toBe(1_000_000n);
  });
});
