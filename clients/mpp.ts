/** MPP with the primitives of mppx: signs and recognises challenges, reads untrusted credentials, writes receipts. */
import { Challenge, Credential, Receipt } from "mppx";
import { keccak256 } from "viem";
import { Transaction } from "viem/tempo";
import { z } from "zod";
import { checksum } from "../core/addresses.ts";
import type { Address, Hex } from "../core/agents/facts.ts";
import type { ChallengeClaims, SignedTransaction } from "../core/payments/challenges.ts";
import { isTransactionHash } from "../core/payments/transfers.ts";
import type { Chain, ChallengeAnswer, Mpp } from "./ports.ts";

export type MppOptions = {
  chain: Chain;
  currency: Address;
  realm: string;
  confirmations: number;
  /** Key that signs challenges: the same in every process, at least 32 characters. */
  secretKey: string;
};

const METHOD = "tempo";
const INTENT = "charge";
/** Header of the credential. The standard header Authorization is taken by the wallet's sign-in. */
const CREDENTIAL_HEADER = "Payment-Authorization";

const payload = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hash"), hash: z.string().refine(isTransactionHash) }),
  z.object({ type: z.literal("transaction"), signature: z.string().regex(/^0x(76|78)([0-9a-fA-F]{2}){50,4000}$/) }),
]);
/** A payer as clients name it: an account on a chain. */
const source = z.string().regex(/^did:pkh:eip155:\d{1,10}:0x[0-9a-fA-F]{40}$/);
/** The request of a challenge that this service has signed. */
const request = z.object({
  amount: z.string().transform(BigInt),
  currency: z.string().transform(lower),
  recipient: z.string().transform(lower),
  methodDetails: z.object({ chainId: z.number() }),
});

export function createMpp(options: MppOptions): Mpp {
  const { chain, currency, realm, confirmations, secretKey } = options;

  /** The claims of a challenge; null when its signature is not this service's. */
  function claimsOf(challenge: Challenge.Challenge): ChallengeClaims | null {
    // Older clients leave this parameter out; the signature covers it.
    const whole = { ...challenge, header: CREDENTIAL_HEADER };
    if (challenge.realm !== realm || challenge.method !== METHOD || challenge.intent !== INTENT) return null;
    if (!Challenge.verify(whole, { secretKey })) return null;
    const { amount, currency, recipient, methodDetails } = request.parse(challenge.request);
    const { resource } = JSON.parse(Buffer.from(challenge.opaque!, "base64url").toString()) as { resource: string };
    return {
      challengeId: challenge.id,
      chainId: methodDetails.chainId,
      currency,
      payTo: recipient,
      amountUnits: amount,
      resource,
      bodyDigest: challenge.digest ?? null,
      expiresAt: Date.parse(challenge.expires!),
    };
  }

  return {
    chain,
    currency,
    realm,
    confirmations,

    challenge({ payTo, amountUnits, expiresAt, resource, bodyDigest, description, salt }) {
      const challenge = Challenge.from({
        secretKey,
        realm,
        method: METHOD,
        intent: INTENT,
        header: CREDENTIAL_HEADER,
        description,
        expires: new Date(expiresAt).toISOString(),
        ...(bodyDigest !== null && { digest: bodyDigest }),
        meta: { resource, salt },
        request: {
          amount: String(amountUnits),
          currency: checksum(currency),
          recipient: checksum(payTo),
          methodDetails: { chainId: chain.id, supportedModes: ["pull", "push"] },
        },
      });
      return Challenge.serialize(challenge);
    },

    async read(text) {
      const credential = deserialized(text);
      if (credential === null) return { kind: "malformed", problem: "must be a credential of MPP" };
      const paid = payload.safeParse(credential.payload);
      if (!paid.success)
        return { kind: "malformed", problem: "must hold a transaction of Tempo (0x76), or the hash of one" };
      const claims = claimsOf(credential.challenge);
      if (claims === null) return { kind: "foreign" };
      if (credential.source !== undefined && !source.safeParse(credential.source).success)
        return { kind: "malformed", problem: "must name its payer as did:pkh:eip155:{chain}:{address}" };
      const named = credential.source === undefined ? null : lower(credential.source.slice(-42));
      if (paid.data.type === "hash") {
        const hash = paid.data.hash.toLowerCase() as Hex;
        return { kind: "answer", answer: { ...claims, payer: named, given: { kind: "sent", hash } } };
      }
      const transaction = await signedTransaction(paid.data.signature as Hex);
      if (transaction === null)
        return { kind: "malformed", problem: "must hold a transaction that can be read, signed by its sender" };
      const answer: ChallengeAnswer = { ...claims, payer: transaction.from, given: { kind: "signed", transaction } };
      return { kind: "answer", answer };
    },

    receipt: ({ txHash, at }) =>
      Receipt.serialize(
        Receipt.from({ method: METHOD, status: "success", timestamp: at.toISOString(), reference: txHash }),
      ),
  };
}

/** Decodes a credential without checking it; null when the text is not one. */
function deserialized(text: string) {
  try {
    return Credential.deserialize<unknown>(`Payment ${text}`);
  } catch {
    return null;
  }
}

/** Decodes a transaction in the canonical form that nodes hash; null when it is unreadable or unsigned. */
async function signedTransaction(given: Hex): Promise<SignedTransaction | null> {
  try {
    const read = Transaction.deserialize(given as Transaction.TransactionSerializedTempo);
    const { signature, from, chainId, calls = [], validAfter, validBefore } = read;
    if (!signature || !from || chainId === undefined) return null;
    const raw = (await Transaction.serialize(read)) as Hex;
    return {
      raw,
      hash: keccak256(raw),
      from: lower(from),
      chainId,
      validAfter: validAfter === undefined ? null : Number(validAfter),
      validBefore: validBefore === undefined ? null : Number(validBefore),
      calls: calls.flatMap(({ to, data }) => (to ? [{ to: lower(to), data: data ?? "0x" }] : [])),
    };
  } catch {
    return null;
  }
}

function lower(text: string): Address {
  return text.toLowerCase() as Address;
}
