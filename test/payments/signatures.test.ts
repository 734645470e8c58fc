/**
 * The forms in which wallets and libraries write a signature: each pays like the usual one, or is refused with the
 * signature named, at once and without gas.
 */
import { type Hex, parseSignature, serializeCompactSignature, signatureToCompactSignature } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import type { SignedPayment } from "../../harness/payment-signing.ts";
import { answering } from "../api/support/api.ts";
import { counterfactual, FACTORY } from "../support/counterfactual.ts";
import { base64, type Payer, REPORT_PRICE } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const { world, api } = payingForFile();

/** Presents a payment by a header of its version, with another signature than its own. */
function pay(
  signed: SignedPayment,
  { signature = signed.signature as unknown, version = 2, members = {} as object } = {},
) {
  const sent = { ...world.payload(signed), ...members };
  const payload = { ...sent.payload, signature };
  const [header, value] =
    version === 2
      ? ["payment-signature", { ...sent, payload }]
      : ["x-payment", { x402Version: 1, scheme: "exact", network: "base", payload }];
  return api.get("/api/v2/agent/900/cred-report", { headers: { [header as string]: base64(value as object) } });
}
const compact = (signature: Hex) => serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));
const low = (signature: Hex): Hex => `${signature.slice(0, -2) as Hex}${signature.endsWith("1b") ? "00" : "01"}`;
/** What the service's own facilitator has for gas. */
const gasMoney = () =>
  world.evm.getBalance({ address: privateKeyToAccount(world.config.payments.facilitator.privateKey!).address });

describe("an account's signature", () => {
  let payer: Payer;
  beforeAll(async () => {
    payer = await world.payer();
  });
  const FORMS: [string, (signature: Hex) => string][] = [
    ["v as 27 or 28", (signature) => signature],
    ["v as 0 or 1", low],
    ["64 bytes (EIP-2098)", compact],
    ["digits in upper case", (signature) => `0x${signature.slice(2).toUpperCase()}`],
  ];

  it.each(FORMS.flatMap(([name, form]) => [1, 2].map((version) => ({ name, form, version }))))(
    "pays with $name, version $version",
    async ({ form, version }) => {
      const had = await world.balance(payer.address);
      const signed = await world.authorizeReport(payer.account);
      const answer = await pay(signed, { signature: form(signed.signature), version });
      expect([answer.status, answer.body.reason]).toEqual([200, undefined]);
      expect(had - (await world.balance(payer.address))).toBe(REPORT_PRICE);
    },
  );

  it("is one payment in all of its forms", async () => {
    const had = await world.balance(payer.address);
    const signed = await world.authorizeReport(payer.account);
    const answers = [];
    for (const [, form] of FORMS) answers.push(await pay(signed, { signature: form(signed.signature) }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(had - (await world.balance(payer.address))).toBe(REPORT_PRICE);
  });

  it.each<[string, (signature: Hex) => string]>([
    ["v of another number", (signature) => `${signature.slice(0, -2)}02`],
    ["the parity of the other point", (signature) => low(signature).replace(/.$/, (bit) => String(1 - Number(bit)))],
    ["63 bytes", (signature) => signature.slice(0, 128)],
    ["one byte", () => "0x12"],
  ])("is refused with %s, as a signature and without gas", async (_what, form) => {
    const gas = await gasMoney();
    const signed = await world.authorizeReport(payer.account);
    expect(await pay(signed, { signature: form(signed.signature) })).toMatchObject(
      answering(402, { reason: "invalid_signature" }),
    );
    expect(await gasMoney()).toBe(gas);
  });

  it.each([
    ["no 0x", (signature: Hex) => signature.slice(2)],
    ["half a byte", (signature: Hex) => signature.slice(0, -1)],
    ["null", () => null],
  ])("that has %s is named by the refusal of the header", async (_what, form) => {
    const signed = await world.authorizeReport(payer.account);
    const { status, body } = await pay(signed, { signature: form(signed.signature) });
    expect([status, body.error]).toEqual([
      400,
      expect.stringContaining("payload.signature is missing or not of its form"),
    ]);
  });

  it("pays in a payload whose optional members are null", async () => {
    const signed = await world.authorizeReport(payer.account);
    const { accepted } = world.payload(signed);
    const members = { resource: null, extensions: null, accepted: { ...accepted, extra: null } };
    expect((await pay(signed, { members })).status).toBe(200);
  });
});

describe("a contract wallet's signature", () => {
  const walletOf = async () => {
    const owner = await world.payer(0n);
    const wallet = counterfactual(owner.address);
    await world.transfer({ client: world.walletOf(world.devnet.accounts[0]!.privateKey) }, wallet.address, 100_000n);
    const authorize = (signer = owner) =>
      world.authorizeReport({ address: wallet.address, signTypedData: signer.account.signTypedData });
    const deploy = async () =>
      world.evm.waitForTransactionReceipt({
        hash: await owner.client.sendTransaction({ to: FACTORY, data: wallet.data }),
      });
    return { ...wallet, authorize, deploy };
  };

  it("of a wallet that is not deployed is refused with what helps, without gas, and pays once it is", async () => {
    const wallet = await walletOf();
    const gas = await gasMoney();
    const signed = await wallet.authorize();
    const sent = { signature: wallet.wrap(signed.signature) };
    for (const _again of [1, 2])
      expect(await pay(signed, sent)).toMatchObject(
        answering(402, { reason: "wallet_not_deployed", hint: expect.stringContaining("Deploy the wallet") }),
      );
    expect([await gasMoney(), await world.balance(wallet.address)]).toEqual([gas, 100_000n]);
    await wallet.deploy();
    expect((await pay(signed, sent)).status).toBe(200);
    expect(await world.balance(wallet.address)).toBe(100_000n - REPORT_PRICE);
  });

  it("that is wrapped twice is refused while the wallet is not deployed, before the ledger has it", async () => {
    const wallet = await walletOf();
    const signed = await wallet.authorize();
    const signature = wallet.wrap(wallet.wrap(signed.signature));
    expect(await pay(signed, { signature })).toMatchObject({ status: 402, body: { reason: "invalid_signature" } });
    const rows = await api.sql("select from offchain.payment where payer = $1", wallet.address.toLowerCase());
    expect([rows, await world.balance(wallet.address)]).toEqual([[], 100_000n]);
  });

  it("of a deployed wallet pays wrapped and bare, as one payment", async () => {
    const wallet = await walletOf();
    await wallet.deploy();
    const signed = await wallet.authorize();
    const answers = [await pay(signed, { signature: wallet.wrap(signed.signature) }), await pay(signed)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]!.text).toBe(answers[0]!.text);
    expect(await world.balance(wallet.address)).toBe(100_000n - REPORT_PRICE);
  });

  it("by a key that is no owner's is refused, wrapped and bare, without gas", async () => {
    const wallet = await walletOf();
    await wallet.deploy();
    const gas = await gasMoney();
    const signed = await wallet.authorize(await world.payer(0n));
    for (const signature of [signed.signature, wallet.wrap(signed.signature)])
      expect(await pay(signed, { signature })).toMatchObject({ status: 402, body: { reason: "invalid_signature" } });
    expect(await gasMoney()).toBe(gas);
  });
});
