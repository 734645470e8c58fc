/** Whether a wallet signed a text: native recovery for keys, the chain for wallets that are contracts, and as little of it as possible. */
import type { Chain } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import type { Address, Hex } from "../../core/facts.ts";
import { personalHash, recoverSigner } from "./signature.ts";
import { tokenBuckets } from "./token-bucket.ts";

/** Suffix of a signature for a wallet that is not deployed yet (ERC-6492). */
const ERC6492_SUFFIX = "6492649264926492649264926492649264926492649264926492649264926492";

export type Signed = { address: Address; texts: readonly string[]; signature: Hex };

export type SignedTexts = {
  /** The first text that the address's own key signed, by its place in the list; -1 for none. Asks nobody. */
  byKey(signed: Signed): number;
  /**
   * The first text whose signature the contract at the address accepts (ERC-1271, ERC-6492); -1 for none.
   * @param client whose allowance of questions to the chain is used
   * @throws Failure rate_limited, and upstream_unavailable when the chain cannot be asked: that is no verdict
   */
  byContract(signed: Signed, client: string, now: number): Promise<number>;
};

/** @param chain anyone can make us ask it, so it is bounded per client and in all */
export function signedTexts(chain: Chain): SignedTexts {
  const perClient = tokenBuckets({ burst: 60, perSecond: 5 });
  const inAll = tokenBuckets({ burst: 200, perSecond: 50 });
  return {
    byKey: ({ address, texts, signature }) =>
      texts.findIndex((text) => recoverSigner(personalHash(text), signature) === address),
    async byContract({ address, texts, signature }, client, now) {
      const wait = perClient.take(client, now) || inAll.take("all", now);
      if (wait > 0)
        fail("rate_limited", "Too many signatures that need the chain to be checked.", { retryAfter: wait });
      if (!signature.toLowerCase().endsWith(ERC6492_SUFFIX) && !(await chain.isDeployed(address))) return -1;
      for (const [place, text] of texts.entries()) {
        const digest: Hex = `0x${Buffer.from(personalHash(text)).toString("hex")}`;
        if (await chain.verifySignature({ address, hash: digest, signature })) return place;
      }
      return -1;
    },
  };
}

/**
 * Lets a wallet pass that signed exactly this text.
 * @throws Failure unauthenticated, rate_limited, upstream_unavailable
 */
export async function requireSignature(
  check: SignedTexts,
  signed: { address: Address; text: string; signature: Hex },
  client: string,
  now: number,
): Promise<void> {
  const one = { address: signed.address, texts: [signed.text], signature: signed.signature };
  if (check.byKey(one) < 0 && (await check.byContract(one, client, now)) < 0)
    fail("unauthenticated", "The signature is not this wallet's signature of the text.");
}
