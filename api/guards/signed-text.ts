/** Whether a wallet signed a text: native recovery for keys; for contract wallets the chain, with as few calls as possible. */
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { SHARED_PLACES } from "../../core/callers/shared-places.ts";
import { type Networks, places, type Who } from "../../core/callers/shares.ts";
import { Failure } from "../../core/errors.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import type { RateLimits, Token } from "./rate-limits.ts";
import { personalHash, recoverSigner } from "./signature.ts";

/** Suffix of a signature for a wallet that is not deployed yet (ERC-6492). */
const ERC6492_SUFFIX = "6492649264926492649264926492649264926492649264926492649264926492";

/** Texts checked on the chain for one token of the allowance; the right text is nearly always among the first 8. */
const TEXTS_PER_TOKEN = 8;

/**
 * Milliseconds for which it is remembered that an address has code.
 * Bound: 20,000 addresses; each was asked about for a sign-in or an open write, which networks are counted for.
 */
const [DEPLOYED_MS, MAX_ADDRESSES] = [86_400_000, 20_000];

type SignatureClaim = { address: Address; signature: Hex };

export type SignedTexts = ReturnType<typeof signedTexts>;

/**
 * Check then write: the signature is good, then the wallet is known; what it stands for may end: it only says whose
 * allowance is used.
 * @param limits bound the calls of the chain per client and in total, because any client can cause them
 */
export function signedTexts(chain: Chain, limits: Pick<RateLimits, "take" | "giveBack">) {
  const wallets = knownWallets();
  const deployed = expiringCache<true>(MAX_ADDRESSES);

  async function isDeployed(address: Address, who: Who, now: number): Promise<boolean> {
    if (deployed.get(address, now)) return true;
    const tokens: Token[] = [["wallet-lookups", who]];
    await limits.take(tokens, now);
    try {
      if (!(await chain.isDeployed(address))) return false;
    } catch (error) {
      // Nodes that are away use up nothing. What a contract answers to a signature is its own doing, and counts.
      await limits.giveBack(tokens, now);
      throw error;
    }
    deployed.set(address, true, now + DEPLOYED_MS);
    return true;
  }

  /** Takes a token of the wallet's own, where it is known and has one left, else of those that unknown wallets share. */
  async function takeToken(own: string | undefined, networks: Networks, now: number): Promise<void> {
    if (own !== undefined) {
      try {
        return await limits.take([["contract-signatures", own]], now);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
    await limits.take([["contract-signatures", networks]], now);
  }

  return {
    /** Whether the address's own key signed the text. Makes no call. */
    byKey: ({ address, signature }: SignatureClaim, text: string): boolean =>
      recoverSigner(personalHash(text), signature) === address,
    /**
     * The first of the texts whose signature the contract at the address accepts (ERC-1271, ERC-6492); null for none. The
     * chain is called for one text after the other, and every eighth counts against an allowance: that of the wallet where
     * it was good from this network before, else the one that unknown wallets share. An address without code takes none
     * of them, but one of the lookups.
     * @throws Failure rate_limited, and upstream_unavailable when the chain cannot be reached, which says nothing about
     *   the signature
     */
    async byContract(
      { address, signature }: SignatureClaim,
      texts: readonly string[],
      networks: Networks,
      now: number,
    ): Promise<string | null> {
      const isCounterfactual = signature.toLowerCase().endsWith(ERC6492_SUFFIX);
      const own = wallets.nameOf(address, networks, now);
      if (!isCounterfactual && !(await isDeployed(address, own ?? networks, now))) return null;
      for (const [i, text] of texts.entries()) {
        if (i % TEXTS_PER_TOKEN === 0) await takeToken(own, networks, now);
        const digest: Hex = `0x${Buffer.from(personalHash(text)).toString("hex")}`;
        if (!(await chain.verifySignature({ address, hash: digest, signature }))) continue;
        // A wallet that is not deployed costs nothing: anyone could make as many known ones as they like.
        if (!isCounterfactual) wallets.add(address, networks, now);
        return text;
      }
      return null;
    },
  };
}

/** Milliseconds after its last good signature for which a wallet is known. */
const KNOWN_MS = 30 * 86_400_000;

/**
 * A wallet is known from its own network only: one who names it in bad signatures uses up nothing of it.
 * Bound: one of SHARED_PLACES; a newcomer displaces no one, so others cannot flush those that are known.
 */
export function knownWallets() {
  const held = places(SHARED_PLACES["known-wallets"]);
  /** By name, the longest unused first. */
  const wallets = new Map<string, { until: number; release: () => void }>();
  const nameOf = (wallet: string, networks: Networks) => `${wallet}@${networks[0].name}`;

  function forgetOld(now: number): void {
    for (const [name, { until, release }] of wallets) {
      if (until > now) return;
      wallets.delete(name);
      release();
    }
  }

  return {
    /** The name of a wallet that was good from this network; undefined for any other. */
    nameOf(wallet: string, networks: Networks, now: number): string | undefined {
      const name = nameOf(wallet, networks);
      return (wallets.get(name)?.until ?? 0) > now ? name : undefined;
    },
    /** Remembers a deployed wallet whose signature is good. */
    add(wallet: string, networks: Networks, now: number): void {
      forgetOld(now);
      const name = nameOf(wallet, networks);
      const release = wallets.get(name)?.release ?? held.take([networks]);
      if (typeof release === "string") return;
      wallets.delete(name);
      wallets.set(name, { until: now + KNOWN_MS, release });
    },
  };
}
