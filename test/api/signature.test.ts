/** Native recovery of signers against noble, a second implementation: the same answer to every signature, good, edged or broken. */
import { createRequire } from "node:module";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { hashMessage, recoverAddress } from "viem";
import { describe, expect, inject, it } from "vitest";
import { personalHash, recoverSigner, wholeForm } from "../../api/guards/signature.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { forAll } from "../support/for-all.ts";
import { shareOf } from "../support/share.ts";

const native = createRequire(import.meta.url)("secp256k1") as typeof import("secp256k1");
const ORDER = secp256k1.Point.Fn.ORDER;
const HALF = ORDER / 2n;
const FIELD = secp256k1.Point.Fp.ORDER;

const word = (value: bigint) => value.toString(16).padStart(64, "0");
const byte = (value: number) => value.toString(16).padStart(2, "0");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** What noble says, under the rules of EIP-2, EIP-191 and EIP-2098: s in the lower half, v one of 0, 1, 27, 28, or the top bit of s. */
function nobleSigner(hash: Uint8Array, signature: Hex): Hex | null {
  const bytes = Buffer.from(signature.slice(2), "hex");
  if (![64, 65].includes(bytes.length) || signature.length !== 2 + 2 * bytes.length) return null;
  const isCompact = bytes.length === 64;
  const recovery = isCompact ? bytes[32]! >> 7 : { 0: 0, 1: 1, 27: 0, 28: 1 }[bytes[64]!];
  if (isCompact) bytes[32]! &= 0x7f;
  if (recovery === undefined || BigInt(`0x${hex(bytes.subarray(32, 64))}`) > HALF) return null;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), "compact").addRecoveryBit(recovery);
    const key = parsed.recoverPublicKey(hash).toBytes(false);
    return `0x${hex(keccak_256(key.subarray(1)).subarray(12))}`;
  } catch {
    return null;
  }
}

const scalar = fc.oneof(
  { weight: 2, arbitrary: fc.bigInt({ min: 1n, max: ORDER - 1n }) },
  fc.constantFrom(
    0n,
    1n,
    2n,
    HALF - 1n,
    HALF,
    HALF + 1n,
    ORDER - 1n,
    ORDER,
    ORDER + 1n,
    FIELD - 1n,
    FIELD,
    2n ** 256n - 1n,
  ),
);
const anyV = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 27, 28) }, fc.integer({ min: 0, max: 255 }));

/** A good signature and the ways to spoil it. */
type Made = { r: bigint; s: bigint; recovery: number };
const spoil: Record<string, (made: Made, v: number, other: bigint) => Hex> = {
  none: ({ r, s, recovery }) => `0x${word(r)}${word(s)}${byte(27 + recovery)}`,
  "v as 0 or 1": ({ r, s, recovery }) => `0x${word(r)}${word(s)}${byte(recovery)}`,
  "another v": ({ r, s }, v) => `0x${word(r)}${word(s)}${byte(v)}`,
  "the twin in the upper half": ({ r, s, recovery }) => `0x${word(r)}${word(ORDER - s)}${byte(28 - recovery)}`,
  "another r": ({ s, recovery }, _, other) => `0x${word(other)}${word(s)}${byte(27 + recovery)}`,
  "another s": ({ r, recovery }, _, other) => `0x${word(r)}${word(other)}${byte(27 + recovery)}`,
  "64 bytes, compact (EIP-2098)": ({ r, s, recovery }) => `0x${word(r)}${word(s + (BigInt(recovery) << 255n))}`,
  "66 bytes": ({ r, s, recovery }) => `0x${word(r)}${word(s)}${byte(27 + recovery)}00`,
  "an odd number of digits": ({ r, s, recovery }) => `0x${word(r)}${word(s)}${byte(27 + recovery).slice(1)}`,
  nothing: () => "0x",
};

describe("native recovery", () => {
  it("agrees with noble on thousands of signatures", () => {
    const { seed } = inject("fuzz");
    const seen = { signers: 0, nulls: 0 };
    const agree = (hash: Uint8Array, signature: Hex) => {
      const expected = nobleSigner(hash, signature);
      expect(recoverSigner(hash, signature), signature).toBe(expected);
      if (expected === null) seen.nulls++;
      else seen.signers++;
    };
    const made = fc
      .record({
        text: fc.string({ unit: "binary", maxLength: 80 }),
        key: fc.bigInt({ min: 1n, max: ORDER - 1n }),
        how: fc.constantFrom(...Object.keys(spoil)),
        v: anyV,
        other: scalar,
      })
      .map(({ text, key, how, v, other }) => {
        const hash = personalHash(text);
        const { signature, recid } = native.ecdsaSign(hash, Buffer.from(word(key), "hex"));
        const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((part) => BigInt(`0x${hex(part)}`));
        return { hash, signature: spoil[how]!({ r: r!, s: s!, recovery: recid }, v, other) };
      });
    forAll([made], { numRuns: shareOf(8_000), seed }, ({ hash, signature }) => agree(hash, signature));
    // Made of nothing but numbers at the edges.
    const edged = fc.record({ r: scalar, s: scalar, v: anyV, hash: fc.uint8Array({ minLength: 32, maxLength: 32 }) });
    forAll([edged], { numRuns: shareOf(3_000), seed }, ({ r, s, v, hash }) =>
      agree(hash, `0x${word(r)}${word(s)}${byte(v)}`),
    );
    expect(seen.signers + seen.nulls).toBeGreaterThanOrEqual(shareOf(10_000));
    expect(seen.signers).toBeGreaterThan(shareOf(1_000));
    expect(seen.nulls).toBeGreaterThan(shareOf(1_000));
  });

  it("names the signer that signed, and hashes a text as viem does", async () => {
    for (let i = 0; i < 40; i++) {
      const text = `text ${"ä".repeat(i)}`;
      const key = Buffer.from(word(BigInt(i + 1) ** 20n % ORDER), "hex");
      const hash = personalHash(text);
      expect(`0x${hex(hash)}`).toBe(hashMessage(text));
      const { signature, recid } = native.ecdsaSign(hash, key);
      const signed: Hex = `0x${hex(signature)}${byte(27 + recid)}`;
      const expected = `0x${hex(keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12))}`;
      expect(recoverSigner(hash, signed)).toBe(expected);
      expect((await recoverAddress({ hash: hashMessage(text), signature: signed })).toLowerCase()).toBe(expected);
    }
  });

  it("writes a signature in the one form that contracts take, whatever form it has", () => {
    for (const recovery of [0, 1]) {
      const made: Made = { r: 5n, s: 7n, recovery };
      const whole = spoil.none!(made, 0, 0n);
      for (const form of [
        whole,
        spoil["64 bytes, compact (EIP-2098)"]!(made, 0, 0n),
        `${whole.slice(0, -2)}0${recovery}`,
      ])
        expect(wholeForm(form as Hex)).toBe(whole);
    }
    for (const other of ["0x", "0x12", `0x${"12".repeat(66)}`, `0x${"12".repeat(65)}`])
      expect(wholeForm(other as Hex)).toBe(other);
  });

  it("answers null, and throws nothing, to what is no signature", () => {
    const hash = personalHash("text");
    const half = "5".padStart(64, "0");
    for (const r of [0n, ORDER, 2n ** 256n - 1n])
      for (const v of ["00", "1b", "1c", "ff"]) expect(recoverSigner(hash, `0x${word(r)}${half}${v}`)).toBeNull();
    for (const broken of ["0x", "0x00", `0x${"zz".repeat(65)}`, `0x${half}${half}1b00`])
      expect(recoverSigner(hash, broken as Hex)).toBeNull();
  });
});
