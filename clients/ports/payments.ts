/** Ports of payments: the facilitator of x402, and MPP. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { ChallengeClaims, RequestBinding, SignedTransaction } from "../../core/payments/challenges.ts";
import type { Chain } from "./chain.ts";

/** A signed authorization of EIP-3009 and its terms, in Unix seconds; `declared` is for catalogues of paid endpoints. */
export type PaymentOrder = {
  authorization: {
    from: Address;
    to: Address;
    value: bigint;
    validAfter: bigint;
    validBefore: bigint;
    nonce: Hex;
  };
  signature: Hex;
  /** The token; it is also the EIP-712 domain of the signature. */
  token: { address: Address; name: string; version: string; chainId: number };
  maxTimeoutSeconds: number;
  resourceUrl: string;
  declared?: { description: string; serviceName: string; extensions: Record<string, unknown> } | undefined;
};

/** A facilitator's verdict on an order. `reason` is its stable error code, or "unspecified". */
export type FacilitatorVerdict =
  | { kind: "good" }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; cause: unknown };

/** What a facilitator says it has done. Only the chain proves it. */
export type FacilitatorOutcome =
  | { kind: "settled"; txHash: Hex }
  | { kind: "refused"; reason: string }
  /** No answer in time, an unusable answer, or an answer without a verdict. */
  | { kind: "unknown"; cause: unknown };

/** Moves the money of signed authorizations (x402 scheme `exact`). Nothing throws: an error is `unknown`. */
export interface Facilitator {
  verify(order: PaymentOrder): Promise<FacilitatorVerdict>;
  /** Repeating it for the same order moves no more money: the authorization is good once. */
  settle(order: PaymentOrder): Promise<FacilitatorOutcome>;
}

type ChallengeDraft = RequestBinding &
  Pick<ChallengeClaims, "payTo" | "amountUnits" | "expiresAt"> & {
    description: string;
    /** Makes two challenges of the same terms different. */
    salt: string;
  };

/** The answer to one of our challenges. Not yet verified on the chain. */
export type ChallengeAnswer = ChallengeClaims & {
  /** The payer that it names; null when it names none. */
  payer: Address | null;
  /** A transaction for us to send, or the hash of one that its payer has sent. */
  given: { kind: "signed"; transaction: SignedTransaction } | { kind: "sent"; hash: Hex };
};

type ReadCredential =
  | { kind: "answer"; answer: ChallengeAnswer }
  /** Its challenge is not ours, or was changed. */
  | { kind: "foreign" }
  /** `problem` ends the sentence "The header …". */
  | { kind: "malformed"; problem: string };

/**
 * Payments by MPP (method tempo, intent charge). Challenges carry their own proof (HMAC): every process with the
 * same key recognises them, no process stores any.
 * @see https://mpp.dev
 */
export interface Mpp {
  /** Where the money moves. */
  readonly chain: Chain;
  readonly currency: Address;
  /** The name of the service in its challenges. */
  readonly realm: string;
  readonly confirmations: number;
  /** A value of WWW-Authenticate. */
  challenge(draft: ChallengeDraft): string;
  /** @param credential what follows the word Payment */
  read(credential: string): Promise<ReadCredential>;
  /** A value of Payment-Receipt. */
  receipt(paid: { txHash: Hex; at: Date }): string;
}
