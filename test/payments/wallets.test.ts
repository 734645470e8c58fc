/**
 * Every kind of wallet signs in, changes its agent and pays, each by what it has: an account's key, a key whose account
 * has code (EIP-7702), a contract with a key (ERC-1271), a contract with a passkey (P-256, WebAuthn).
 */
import { type Abi, getAddress, type Hex, hashMessage, hashTypedData, parseEther } from "viem";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { readBuild } from "../../contracts/builds.ts";
import { siwaText, siweText } from "../../core/callers/signed-texts.ts";
import { plantAgents } from "../api/support/agents.ts";
import { answering, HOST, refusal } from "../api/support/api.ts";
import { newPasskey } from "./support/passkey.ts";
import { base64, MINT_PRICE, type Payer, paidBy, REPORT_PRICE, transferOf } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

type Signing = Pick<Payer["account"], "address" | "signMessage" | "signTypedData">;

const { world, api } = payingForFile(() => ({ env: { SERVICE_HOST: HOST, LIMITS: "contract-signatures=0" } }));
afterEach(() => expect(api.errors).toEqual([]));

async function deploy(contract: string, args: readonly unknown[] = []): Promise<Hex> {
  const { abi, bytecode } = readBuild(contract);
  const { client } = await world.payer();
  const hash = await client.deployContract({ abi: abi as Abi, bytecode, args });
  return (await world.evm.waitForTransactionReceipt({ hash })).contractAddress!;
}

/** An account with a key, and code from then on. */
async function delegated(contract: string): Promise<Signing> {
  const { account, client } = await world.payer(0n);
  const address = await deploy(contract);
  const authorization = await client.signAuthorization({ contractAddress: address, executor: "self" });
  const hash = await client.sendTransaction({
    to: world.devnet.accounts[1]!.address,
    authorizationList: [authorization],
  });
  await world.evm.waitForTransactionReceipt({ hash });
  expect(await world.evm.getCode({ address: account.address })).toMatch(/^0xef0100/);
  return account;
}

/** A contract wallet that signs hashes by a passkey. */
async function passkey(): Promise<Signing> {
  const key = newPasskey(`https://${HOST}`);
  const address = getAddress(await deploy("PasskeyWallet", [key.x, key.y]));
  return {
    address,
    signMessage: async ({ message }) => key.sign(hashMessage(message)),
    signTypedData: async (data) => key.sign(hashTypedData(data as never)),
  };
}

async function contractWithKey(): Promise<Signing> {
  const { wallet, owner } = await world.contractPayer(0n);
  return { ...wallet.account, signMessage: (text) => owner.account.signMessage(text) };
}

const KINDS: [kind: string, make: () => Promise<Signing>][] = [
  ["an account", async () => (await world.payer(0n)).account],
  ["an account with code (EIP-7702)", () => delegated("DelegatedAccount")],
  ["a contract with a key (ERC-1271)", contractWithKey],
  ["a contract with a passkey (P-256)", passkey],
];

const bearer = async (wallet: Signing, message: string, at: number) =>
  `Bearer ${wallet.address}:${at}:${await wallet.signMessage({ message })}`;
const siwa = (wallet: Signing, at = Date.now()) => bearer(wallet, siwaText(HOST, wallet.address, String(at)), at);
const siwe = (wallet: Signing, at = Date.now()) =>
  bearer(
    wallet,
    siweText({
      ...{ host: HOST, address: wallet.address, serviceName: "Helixa", webUrl: `https://${HOST}`, chainId: 8453 },
      ...{ timestamp: String(at), issuedAt: new Date(at).toISOString() },
    }),
    at,
  );
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  api.write("POST", path, body, headers);

/** Sends USDC out of any wallet; what moves it is not the subject. */
async function transferFrom(wallet: Signing, to: Hex, units: bigint): Promise<Hex> {
  await world.evm.setBalance({ address: wallet.address, value: parseEther("1") });
  await world.evm.impersonateAccount({ address: wallet.address });
  const data = transferOf(to, units);
  const hash = await world.evm.sendUnsignedTransaction({ from: wallet.address, to: world.usdc, data } as never);
  await world.evm.stopImpersonatingAccount({ address: wallet.address });
  await world.evm.waitForTransactionReceipt({ hash });
  return hash;
}

let nextToken = 950;

describe.each(KINDS)("%s", (_kind, make) => {
  let wallet: Signing;
  let other: Signing;
  let tokenId: number;
  beforeAll(async () => {
    [wallet, other] = [await make(), await make()];
    tokenId = nextToken++;
    await plantAgents(api.pool, [{ tokenId, name: "Ada", owner: wallet.address.toLowerCase() as Hex }]);
    await world.transfer({ client: world.walletOf(world.devnet.accounts[0]!.privateKey) }, wallet.address, 5_000_000n);
  });
  const forgedBy = (signer: Signing): Signing => ({ ...signer, address: wallet.address });

  it("signs in as an agent and as a human, and nobody's key in its place", async () => {
    const me = (authorization: string) => api.get("/api/v2/principals/human/me", { headers: { authorization } });
    for (const sign of [siwa, siwe]) {
      expect((await me(await sign(wallet))).status).not.toBe(401);
      expect((await me(await sign(forgedBy(other)))).status).toBe(401);
    }
  });

  it("changes its agent by a signed line, once", async () => {
    const path = `/api/v2/agent/${tokenId}/human-update`;
    const change = async (signer: Signing) => {
      const message = `Helixa: Update agent #${tokenId} at ${Date.now()}`;
      return { narrative: { origin: "Here." }, message, signature: await signer.signMessage({ message }) };
    };
    expect([401, 403]).toContain((await post(path, await change(forgedBy(other)))).status);
    const body = await change(wallet);
    expect((await post(path, body)).status).toBe(200);
    expect((await post(path, { ...body, narrative: { origin: "There." } })).status).not.toBe(200);
  });

  it("pays by x402 of both versions, and nobody's key pays for it", async () => {
    const had = await world.balance(wallet.address);
    const report = `/api/v2/agent/${tokenId}/cred-report`;
    const forged = paidBy(await world.authorizeReport(forgedBy(other)));
    expect(await api.get(report, { headers: forged })).toMatchObject(answering(402, { reason: "invalid_signature" }));
    const version2 = paidBy(await world.authorizeReport(wallet));
    expect((await api.get(report, { headers: version2 })).status).toBe(200);
    const { payload } = world.payload(await world.authorizeReport(wallet));
    const version1 = { x402Version: 1, scheme: "exact", network: "base", payload };
    expect((await api.get(report, { headers: { "x-payment": base64(version1) } })).status).toBe(200);
    expect(had - (await world.balance(wallet.address))).toBe(2n * REPORT_PRICE);
  });

  it("pays by a transfer of its own, signed in", async () => {
    const hash = await transferFrom(wallet, world.payTo.treasury, REPORT_PRICE);
    await world.evm.mine({ blocks: 2 });
    const report = `/api/v2/agent/${tokenId}/cred-report`;
    const paid = async (signer: Signing) =>
      api.get(report, { headers: { "x-payment-tx": hash, authorization: await siwa(signer) } });
    expect((await paid(other)).status).toBe(402);
    expect((await paid(wallet)).status).toBe(200);
  });

  it("registers itself for money", async () => {
    const had = await world.balance(wallet.address);
    const paid = paidBy(await world.authorize(wallet));
    const minted = await post("/api/v2/mint", { name: "Ada" }, { authorization: await siwa(wallet), ...paid });
    expect(minted).toMatchObject({ status: 201 });
    expect(had - (await world.balance(wallet.address))).toBe(MINT_PRICE);
  });
});

it("an account whose code takes no token signs in by its key, and is refused before a charge", async () => {
  const wallet = await delegated("Multicall3");
  await world.transfer({ client: world.walletOf(world.devnet.accounts[0]!.privateKey) }, wallet.address, 5_000_000n);
  const paid = paidBy(await world.authorize(wallet));
  const refused = await post("/api/v2/mint", { name: "Ada" }, { authorization: await siwa(wallet), ...paid });
  expect(refused).toMatchObject(refusal(409, "conflict", { hint: expect.stringContaining("Nothing was charged") }));
  expect(await world.balance(wallet.address)).toBe(5_000_000n);
});
