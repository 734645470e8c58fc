/**
 * Authenticates a wallet by its credential, SIWA or SIWE: cheap checks first, then native recovery, the chain only for
 * contract wallets; a valid credential is checked once.
 */
import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";
import type { Networks } from "../../core/callers/shares.ts";
import {
  CREDENTIAL_LIFETIME_MS,
  checkCredentialTime,
  otherSignInTexts,
  type SignInKind,
  type SignInService,
  signInTexts,
  type WalletCredential,
} from "../../core/callers/wallet-credential.ts";
import { fail } from "../../core/errors.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import type { WalletCaller } from "../caller-types.ts";
import type { SignInAttempt } from "./rate-limits.ts";
import type { SignedTexts } from "./signed-text.ts";

/** A contract's verdict may change, so it is cached for one minute. */
const CONTRACT_VERDICT_MS = 60_000;
/** Max signatures that wait to be checked; the last of them waits one to two seconds. */
const MAX_WAITING = 5_000;
const TEXT_OF: Record<SignInKind, string> = { siwa: "auth.agent.message", siwe: "auth.human.message" };

export type WalletGuard = ReturnType<typeof walletGuard>;

/** The client whose credential is checked: `attempt` is counted before an unknown signature is checked. */
export type Asker = { networks: Networks; now: number; attempt: Pick<SignInAttempt, "begin"> };

/**
 * Checks one signature per turn of the event loop: during a storm of bad ones, reads run between any two.
 * Check then write: fewer than MAX_WAITING wait, then one more; no await.
 * Bound: queued signatures, 5,000.
 * @throws Failure overloaded when too many wait already
 */
function turns(): () => Promise<void> {
  const inTurn = pLimit(1);
  return () => {
    if (inTurn.activeCount + inTurn.pendingCount >= MAX_WAITING)
      fail("overloaded", "Too many signatures are waiting to be checked. Try again shortly.", { retryAfter: 2 });
    return inTurn(nextTurn);
  };
}

/**
 * Bound: credentials in memory, and signed texts of contract wallets, 20,000 of each kind.
 * @param service the service as signed texts name it
 */
export function walletGuard(service: SignInService, signed: SignedTexts) {
  /** Valid credentials by id, until they expire. */
  const valid = expiringCache<WalletCaller>(20_000);
  const refused = expiringCache<true>(20_000);
  /** The text that a contract wallet signed, by credential: its next check begins with that text. */
  const agreedTexts = expiringCache<string>(20_000);
  const turn = turns();

  /**
   * The wallet of a credential, and how it signed in.
   * Check then write: the signature is good, then it is cached; the wallet may revoke: revocations are read from the
   * database each time.
   * @param accepted the kinds the operation takes
   * @throws Failure unauthenticated, rate_limited, overloaded, upstream_unavailable
   */
  async function verify(
    credential: WalletCredential,
    accepted: readonly SignInKind[],
    { networks, now, attempt }: Asker,
  ): Promise<WalletCaller> {
    checkCredentialTime(credential, new Date(now));
    const { address, issuedAt, sent, signature } = credential;
    const credentialId = hash("sha256", `${sent.address}:${sent.timestamp}:${signature}`, "hex");
    const wallet = valid.get(credentialId, now);
    if (wallet) return admit(wallet, accepted);
    await attempt.begin();
    const remember = (kind: SignInKind, until: number, signedByContract = false) => {
      const caller: WalletCaller = {
        kind,
        wallet: address,
        issuedAt,
        credentialId,
        ...(signedByContract && { signedByContract }),
      };
      valid.set(credentialId, caller, until);
      return admit(caller, accepted);
    };
    const refusal = `${accepted.join()}:${credentialId}`;
    if (!refused.get(refusal, now)) {
      const kinds = new Map<string, SignInKind>();
      for (const { kind, text } of signInTexts(service, credential, accepted)) {
        await turn();
        if (signed.byKey(credential, text)) return remember(kind, issuedAt + CREDENTIAL_LIFETIME_MS);
        kinds.set(text, kind);
      }
      for (const { kind, text } of otherSignInTexts(service, credential, accepted)) {
        await turn();
        if (signed.byKey(credential, text)) return remember(kind, issuedAt + CREDENTIAL_LIFETIME_MS);
      }
      const before = agreedTexts.get(credentialId, now);
      const texts = new Set([...(before !== undefined && kinds.has(before) ? [before] : []), ...kinds.keys()]);
      const agreed = await signed.byContract(credential, [...texts], networks, now);
      if (agreed !== null) {
        agreedTexts.set(credentialId, agreed, issuedAt + CREDENTIAL_LIFETIME_MS);
        return remember(kinds.get(agreed)!, now + CONTRACT_VERDICT_MS, true);
      }
      refused.set(refusal, true, now + CONTRACT_VERDICT_MS);
    }
    const where = accepted.map((kind) => TEXT_OF[kind]).join(" or ");
    const [expected] = signInTexts(service, credential, accepted);
    return fail("unauthenticated", "The signature is not this wallet's signature of the expected text.", {
      hint: `Sign the text that GET /api/v2 shows under ${where}, with the same address and timestamp.`,
      details: [{ path: "authorization", message: `was expected to sign ${JSON.stringify(expected!.text)}` }],
    });
  }

  return { verify, turn, signed };
}

/** A valid credential of the wrong kind is refused. */
function admit(caller: WalletCaller, accepted: readonly SignInKind[]): WalletCaller {
  if (accepted.includes(caller.kind)) return caller;
  const sentence = `This operation needs ${accepted.join(" or ").toUpperCase()}, not ${caller.kind.toUpperCase()}.`;
  return fail("unauthenticated", sentence, {
    hint: `Sign the text that GET /api/v2 shows under ${TEXT_OF[accepted[0]!]}.`,
  });
}
