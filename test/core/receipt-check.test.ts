/** The check of a receipt without the service: what it hashes and recovers is what wallets hash and recover. */
import { hashTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import type { Hex } from "../../core/agents/facts.ts";
import { checkReceipt, receiptDigest, signerOf } from "../../core/cred/report/check.ts";
import type { CredReportView } from "../../core/cred/report/cred-report.ts";
import { type ReceiptDomain, receiptData } from "../../core/cred/report/receipt.ts";

const account = privateKeyToAccount(`0x${"7a".repeat(32)}`);
const domain: ReceiptDomain = {
  name: "Agents \u{1f9ed}",
  version: "1",
  chainId: 8453,
  verifyingContract: "0x5c46ab0e4aad3ef1ef5c8f2ce2d2a2de0e0f1a01" as Hex,
};
const reportOf = (tokenId: number, score = 54) =>
  ({
    reportId: `report-${tokenId}`,
    payment: "free",
    generatedAt: "2026-11-23T05:00:00.000Z",
    agent: { tokenId },
    credScore: { score, tier: "QUALIFIED" },
    scoreBreakdown: { a: { weight: 0.6, rawScore: 80 }, b: { weight: 0.4, rawScore: 14 } },
  }) as unknown as CredReportView;

async function receiptOf(report: CredReportView) {
  const payload = JSON.stringify(report);
  const data = receiptData(payload, report, domain);
  const typed = {
    ...data,
    message: { ...data.message, tokenId: BigInt(data.message.tokenId), generatedAt: BigInt(data.message.generatedAt) },
  };
  return { payload, ...data, digest: hashTypedData(typed), signature: await account.signTypedData(typed) };
}
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

it.each([0, 7, Number.MAX_SAFE_INTEGER])(
  "hashes the receipt of agent %i as wallets do, and finds its signer",
  async (tokenId) => {
    const report = reportOf(tokenId);
    const receipt = await receiptOf(report);
    expect(hex(receiptDigest(domain, receipt.message))).toBe(receipt.digest);
    expect(checkReceipt(receipt, report)).toEqual({
      report,
      signer: account.address.toLowerCase(),
      messageFits: true,
      shownFits: true,
      addsUp: true,
    });
  },
);

it("takes no other score, contract, payload or signature for what was signed", async () => {
  const receipt = await receiptOf(reportOf(7));
  const signer = account.address.toLowerCase();
  const better = reportOf(7, 99);
  expect(checkReceipt(receipt, better)).toMatchObject({ signer, shownFits: false });
  expect(checkReceipt({ ...receipt, message: { ...receipt.message, score: 99 } }, null)).toMatchObject({
    signer,
    messageFits: false,
    shownFits: null,
  });
  const changed = checkReceipt({ ...receipt, payload: JSON.stringify(better) }, better);
  expect(changed).toMatchObject({ messageFits: false, addsUp: false });
  expect(changed.signer).not.toBe(signer);
  expect(checkReceipt({ ...receipt, domain: { ...domain, chainId: 1 } }, null).signer).not.toBe(signer);
  // The twin of a signature, which anyone can compute, is not another one.
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = (order - BigInt(`0x${receipt.signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
  const v = receipt.signature.endsWith("1b") ? "1c" : "1b";
  const digest = Buffer.from(receipt.digest.slice(2), "hex");
  expect(signerOf(digest, `${receipt.signature.slice(0, 66)}${s}${v}`)).toBeNull();
});

it.each(["", "null", "[]", '{"agent":null}', '{"reportId":"x"}', "{"])("finds no report in %j", (payload) => {
  expect(checkReceipt({ payload, signature: `0x${"11".repeat(65)}`, domain }, {})).toMatchObject({
    report: null,
    signer: null,
    shownFits: false,
  });
});

it("answers for every hostile domain and signature", async () => {
  const receipt = await receiptOf(reportOf(7));
  for (const hostile of [
    null,
    {},
    { ...domain, chainId: "x" },
    { ...domain, name: 5 },
    { ...domain, verifyingContract: "0xzz" },
  ])
    expect(checkReceipt({ ...receipt, domain: hostile as never }, null).signer).toBeNull();
  for (const signature of ["0x", "0x00", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`])
    expect(checkReceipt({ ...receipt, signature: signature as Hex }, null).signer).toBeNull();
});
