/** Lets a wallet in by its credential, SIWA or SIWE: cheap checks first, native recovery, the chain only for contract wallets, a good credential once. */
import { hash } from "node:crypto";
import { fail } from "../../core/errors.ts";
import {
  CREDENTIAL_LIFETIME_MS,
  checkCredentialTime,
  type SignInKind,
  type SignInService,
  signInTexts,
  type WalletCredential,
} from "../../core/wallet-credential.ts";
import type { WalletCaller } from "../endpoint.ts";
import { expiringCache } from "./expiring-cache.ts";
import type { SignedTexts } from "./signed-text.ts";

/** A contract may change its mind, so its verdict is asked for again after a minute. */
const CONTRACT_VERDICT_MS = 60_000;
const KINDS: readonly SignInKind[] = ["siwa", "siwe"];
const TEXT_OF: Record<SignInKind, string> = { siwa: "auth.agent.message", siwe: "auth.human.message" };

export type WalletGuard = {
  /**
   * The wallet of a credential, and how it signed in.
   * @param accepted the kinds the operation takes
   * @throws Failure unauthenticated, rate_limited, upstream_unavailable
   */
  verify(
    credential: WalletCredential,
    accepted: readonly SignInKind[],
    client: string,
    now: number,
  ): Promise<WalletCaller>;
};

/** @param service what signed texts say about the service */
export function walletGuard(service: SignInService, signed: SignedTexts): WalletGuard {
  /** Credentials known to be good, by id, until they expire. */
  const good = expiringCache<WalletCaller>(20_000);
  const bad = expiringCache<true>(20_000);

  async function verify(
    credential: WalletCredential,
    accepted: readonly SignInKind[],
    client: string,
    now: number,
  ): Promise<WalletCaller> {
    checkCredentialTime(credential, new Date(now));
    const { address, issuedAt, sent, signature } = credential;
    const credentialId = hash("sha256", `${sent.address}:${sent.timestamp}:${signature}`, "hex");
    const known = good.get(credentialId, now);
    if (known) return admit(known, accepted);
    const enter = (kind: SignInKind, until: number) => {
      const caller: WalletCaller = { kind, wallet: address, issuedAt, credentialId };
      good.set(credentialId, caller, until);
      return admit(caller, accepted);
    };
    for (const { kind, text } of signInTexts(service, credential, KINDS))
      if (signed.byKey(credential, text)) return enter(kind, issuedAt + CREDENTIAL_LIFETIME_MS);

    const refusal = `${accepted.join()}:${credentialId}`;
    if (!bad.get(refusal, now)) {
      const asked = [...signInTexts(service, credential, accepted)];
      const texts = asked.map(({ text }) => text);
      const agreed = await signed.byContract(credential, texts, client, now);
      const found = asked.find(({ text }) => text === agreed);
      if (found) return enter(found.kind, now + CONTRACT_VERDICT_MS);
      bad.set(refusal, true, now + CONTRACT_VERDICT_MS);
    }
    const where = accepted.map((kind) => TEXT_OF[kind]).join(" or ");
    return fail("unauthenticated", "The signature is not this wallet's signature of the expected text.", {
      hint: `Sign the text that GET /api/v2 shows under ${where}, with the same address and timestamp.`,
    });
  }

  return { verify };
}

/** A good credential of the wrong kind is none. */
function admit(caller: WalletCaller, accepted: readonly SignInKind[]): WalletCaller {
  if (accepted.includes(caller.kind)) return caller;
  return fail(
    "unauthenticated",
    `This operation needs ${accepted.join(" or ").toUpperCase()}, not ${caller.kind.toUpperCase()}.`,
    {
      hint: `Sign the text that GET /api/v2 shows under ${TEXT_OF[accepted[0]!]}.`,
    },
  );
}
