/** Keccak-256 in WebAssembly, for processes that write many addresses. */
import { createKeccak } from "hash-wasm";
import { hashAddressesBy } from "../core/addresses.ts";

export async function openKeccak(): Promise<void> {
  const keccak = await createKeccak(256);
  hashAddressesBy((digits) => keccak.init().update(digits).digest("binary"));
}
