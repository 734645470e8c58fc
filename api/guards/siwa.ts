/** Lets a wallet in by its SIWA credential: cheap checks first, native recovery, the chain only for contract wallets. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Chain } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import type { Hex } from "../../core/facts.ts";
import { checkSiwaTime, findSiwa, SIWA_LIFETIME_MS, type SiwaCredential, siwaTexts } from "../../core/siwa.ts";
import type { WalletCaller } from "../endpoint.ts";
import { expiringCache } from "./expiring-cache.ts";
import { personalHash, recoverSigner } from "./signature.ts";
import { tokenBuckets } from "./token-bucket.ts";

/** A contract may change its mind, so its verdict is asked for again after a minute. */
const CONTRACT_VERDICT_MS = 60_000;
/** Suffix of a signature for a wallet that is not deployed yet (ERC-6492). */
const ERC6492_SUFFIX = "6492649264926492649264926492649264926492649264926492649264926492";

export type SiwaGuard = {
  /** @throws Failure unauthenticated, rate_limited, upstream_unavailable */
  verify(credential: SiwaCredential, client: string, now: number): Promise<WalletCaller>;
};

/**
 * @param options.hosts host names accepted in the signed text
 * @param options.chain asked for contract wallets only; anyone can make us ask, so it is bounded per client and in all
 */
export function siwaGuard({ hosts, chain }: { hosts: readonly string[]; chain: Chain }): SiwaGuard {
  /** Credentials known to be good, by id, until they expire. */
  const good = expiringCache<WalletCaller>(20_000);
  const bad = expiringCache<true>(20_000);
  const perClient = tokenBuckets({ burst: 60, perSecond: 5 });
  const inAll = tokenBuckets({ burst: 200, perSecond: 50 });

  async function verify(credential: SiwaCredential, client: string, now: number): Promise<WalletCaller> {
    checkSiwaTime(credential, new Date(now));
    const { address, sent, signature } = credential;
    const credentialId = hash("sha256", `${sent.address}:${sent.timestamp}:${signature}`, "hex");
    const known = good.get(credentialId, now);
    if (known) return known;
    const caller: WalletCaller = { kind: "siwa", wallet: address, credentialId };
    const hashes = siwaTexts(hosts, credential).map(personalHash);
    if (hashes.some((text) => recoverSigner(text, signature) === address)) {
      good.set(credentialId, caller, credential.issuedAt + SIWA_LIFETIME_MS);
      return caller;
    }
    if (bad.get(credentialId, now) || !(await contractAccepts(credential, hashes, client, now))) {
      bad.set(credentialId, true, now + CONTRACT_VERDICT_MS);
      fail("unauthenticated", "The SIWA signature is not this wallet's signature of the expected text.", {
        hint: "Sign the text that GET /api/v2 shows under auth.agent.message, with the same address and timestamp.",
      });
    }
    good.set(credentialId, caller, now + CONTRACT_VERDICT_MS);
    return caller;
  }

  /** ERC-1271 and ERC-6492. An outage of the chain is no verdict: it is thrown. */
  async function contractAccepts(credential: SiwaCredential, hashes: Uint8Array[], client: string, now: number) {
    const { address, signature } = credential;
    const wait = perClient.take(client, now) || inAll.take("all", now);
    if (wait > 0) fail("rate_limited", "Too many signatures that need the chain to be checked.", { retryAfter: wait });
    if (!signature.toLowerCase().endsWith(ERC6492_SUFFIX) && !(await chain.isDeployed(address))) return false;
    for (const text of hashes) {
      const digest: Hex = `0x${Buffer.from(text).toString("hex")}`;
      if (await chain.verifySignature({ address, hash: digest, signature })) return true;
    }
    return false;
  }

  return { verify };
}

/**
 * The caller of a request that needs a wallet.
 * @throws Failure unauthenticated when there is no credential or it is not good; invalid_input for two different ones
 */
export function requireSiwa(
  guard: SiwaGuard,
  incoming: IncomingMessage,
  client: string,
  now: number,
): Promise<WalletCaller> {
  // Node drops all but the first of repeated Authorization headers; here every one counts.
  const all = incoming.headersDistinct;
  const credential = findSiwa({ authorization: all.authorization?.join(","), siwa: all["x-siwa"]?.join(",") });
  if (credential === null)
    return fail("unauthenticated", "This operation needs a SIWA credential.", {
      hint: "Authorization: Bearer {address}:{timestamp}:{signature}",
    });
  return guard.verify(credential, client, now);
}
