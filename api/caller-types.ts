/** Who may call and who calls, as types: guards make them, endpoints state and receive them. */
import type { Address } from "../core/agents/facts.ts";
import type { SignInKind } from "../core/callers/wallet-credential.ts";

/** A wallet that signed in: as an agent (SIWA) or as a human (SIWE), which follows from the text it signed. */
export type WalletCaller = {
  kind: SignInKind;
  /** The authenticated wallet, lower-case. */
  wallet: Address;
  /** When the credential was signed, milliseconds since the epoch. */
  issuedAt: number;
  /** Identifies the credential without revealing it: hash of address, timestamp and signature. */
  credentialId: string;
  /** A contract accepted the signature (ERC-1271, ERC-6492); the wallet may have no code yet. */
  signedByContract?: boolean;
};

/** A human whom the identity provider vouches for. Its access tokens name no wallet. */
export type TokenCaller = {
  kind: "accessToken";
  issuer: string;
  /** The provider's own, lasting name of the human; together with the issuer it is the principal. */
  subject: string;
};

/** A wallet that signed the request, and the human of an access token that the request carries as well; null without one. */
export type OwnerCaller = WalletCaller & { tokenCaller: TokenCaller | null };

export type KeyCaller = { kind: "apiKey"; apiKeyId: string };

/** Who calls, as a guard has established it. */
export type Caller = WalletCaller | TokenCaller | KeyCaller;

/**
 * Who may call: anyone, anyone with or without an agent's wallet (SIWA), an agent's wallet, a human (SIWE, SIWA
 * or access token), an owner's wallet (SIWE or SIWA, alone or with a human's access token), the holder of an API key
 * of scope `sessions:write`, of one of scope `index:read`, or of one of scope `operator:read`.
 */
export type CallerRule = "anyone" | "anyoneOrSiwa" | "siwa" | "human" | "owner" | "apiKey" | "indexKey" | "operatorKey";

/** Whether a rule lets callers in without a credential. */
export const isOpen = (rule: CallerRule): boolean => rule === "anyone" || rule === "anyoneOrSiwa";

/** The caller a handler gets, by the rule in front of it. */
export type CallerOf = {
  anyone: undefined;
  anyoneOrSiwa: WalletCaller | undefined;
  siwa: WalletCaller;
  human: WalletCaller | TokenCaller;
  owner: OwnerCaller;
  apiKey: KeyCaller;
  indexKey: KeyCaller;
  operatorKey: KeyCaller;
};

/** Names a caller in one word, the same for each of its credentials. */
export function nameOf(caller: Caller): string {
  switch (caller.kind) {
    case "siwa":
    case "siwe":
      return caller.wallet;
    case "accessToken":
      return `${caller.issuer}#${caller.subject}`;
    case "apiKey":
      return `api-key:${(caller satisfies KeyCaller).apiKeyId}`;
  }
}
