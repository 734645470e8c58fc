/** Addresses: lower case everywhere inside, checksummed (EIP-55) on the way out. */
import { getAddress } from "viem/utils";
import type { Address } from "./facts.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** An address in any case → its lower-case form; null when it is none. A wrong checksum is no reason to refuse. */
export const parseAddress = (input: string): Address | null =>
  ADDRESS.test(input) ? (input.toLowerCase() as Address) : null;

/** The EIP-55 form, for people and for JSON. */
export const checksum = (address: Address): Address => getAddress(address);
