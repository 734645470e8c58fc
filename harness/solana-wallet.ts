/** A fresh Solana account that signs messages as a wallet does: the bytes as they are, with the key of @solana/keys. */
import { base58 } from "@scure/base";
import { generateKeyPair, signBytes } from "@solana/keys";

export type SolanaWallet = Awaited<ReturnType<typeof solanaWallet>>;

export async function solanaWallet() {
  const { privateKey, publicKey } = await generateKeyPair();
  const address = base58.encode(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)));
  /** The wallet standard's `solana:signMessage`: 64 bytes over the message's UTF-8. */
  const sign = async (message: string | Uint8Array): Promise<Uint8Array> =>
    signBytes(privateKey, typeof message === "string" ? new TextEncoder().encode(message) : message);
  return {
    address,
    sign,
    /** The same in base58, as most libraries hand it on. */
    signText: async (message: string): Promise<string> => base58.encode(await sign(message)),
  };
}
