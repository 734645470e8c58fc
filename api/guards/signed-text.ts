/** Whether a wallet signed a text: native recovery for keys; for contract wallets the chain, with as few calls as possible. */
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { RateLimits } from "./rate-limits.ts";
import { personalHash, recoverSigner } from "./signature.ts";

/** Suffix of a signature for a wallet that is not deployed yet (ERC-6492). */
const ERC6492_SUFFIX = "6492649264926492649264926492649264926492649264926492649264926492";

/** Texts checked on the chain for one token of the allowance; the right text is nearly always among the first 8. */
const TEXTS_PER_TOKEN = 8;

/** The claimed signer and the signature. */
type SignatureClaim = { address: Address; signature: Hex };

export type SignedTexts = {
  /** Whether the address's own key signed the text. Makes no call. */
  byKey(claim: SignatureClaim, text: string): boolean;
  /**
   * The first of the texts whose signature the contract at the address accepts (ERC-1271, ERC-6492); null for none. The
   * chain is called for one text after the other, and every eighth counts against the allowance.
   * @param client network whose allowance of calls of the chain is used
   * @throws Failure rate_limited, and upstream_unavailable when the chain cannot be reached, which says nothing about
   *   the signature
   */
  byContract(claim: SignatureClaim, texts: readonly string[], client: string, now: number): Promise<string | null>;
};

/** @param limits bound the calls of the chain per client and in total, because any client can cause them */
export function signedTexts(chain: Chain, limits: Pick<RateLimits, "take">): SignedTexts {
  return {
    byKey: ({ address, signature }, text) => recoverSigner(personalHash(text), signature) === address,
    async byContract({ address, signature }, texts, client, now) {
      const tokens = [
        ["contract-signatures", client],
        ["contract-signatures-of-all", "all"],
      ] as const;
      await limits.take(tokens, now);
      if (!signature.toLowerCase().endsWith(ERC6492_SUFFIX) && !(await chain.isDeployed(address))) return null;
      for (const [i, text] of texts.entries()) {
        if (i > 0 && i % TEXTS_PER_TOKEN === 0) await limits.take(tokens, now);
        const digest: Hex = `0x${Buffer.from(personalHash(text)).toString("hex")}`;
        if (await chain.verifySignature({ address, hash: digest, signature })) return text;
      }
      return null;
    },
  };
}
