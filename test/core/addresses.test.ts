/** Addresses: lower case inside, EIP-55 outside, exactly as everybody else writes them. */
import fc from "fast-check";
import { getAddress } from "viem/utils";
import { expect, it } from "vitest";
import { checksum, parseAddress } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { forAll } from "../support/for-all.ts";

const hex = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), minLength: 40, maxLength: 40 });

it("checksums as viem does, also when it remembers", () =>
  forAll([fc.array(hex("0123456789abcdef"), { minLength: 1, maxLength: 50 })], (all) => {
    for (const digits of [...all, ...all]) {
      const address: Address = `0x${digits}`;
      expect(checksum(address)).toBe(getAddress(address));
      expect(checksum(`0x${digits.toUpperCase()}`)).toBe(getAddress(address));
    }
  }));

it("keeps to the examples of EIP-55", () => {
  for (const written of [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x0000000000000000000000000000000000000000",
  ])
    expect(checksum(written.toLowerCase() as Address)).toBe(written);
});

it("forgets and knows again", () => {
  const many = Array.from({ length: 25_000 }, (_, i): Address => `0x${i.toString(16).padStart(40, "a")}`);
  for (const address of [...many, ...many.slice(0, 100)]) checksum(address);
  expect(checksum(many[7]!)).toBe(getAddress(many[7]!));
});

it("understands an address in any case, and nothing else", () =>
  forAll([hex("0123456789abcdefABCDEF")], (digits) => {
    expect(parseAddress(`0x${digits}`)).toBe(`0x${digits.toLowerCase()}`);
    expect(parseAddress(digits)).toBeNull();
    expect(parseAddress(`0x${digits}0`)).toBeNull();
    expect(parseAddress(`0X${digits}`)).toBeNull();
  }));
