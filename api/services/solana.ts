/** Solana keys: texts for a key to sign, the check of its signature, and its registration as an agent. */
import { hash, randomBytes } from "node:crypto";
import { checksum } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { DEFAULT_FRAMEWORK } from "../../core/agents/frameworks.ts";
import { type SolanaPurpose, solanaSignInText } from "../../core/callers/signed-texts.ts";
import { fail } from "../../core/errors.ts";
import { mintOriginIndex } from "../../core/mints/mint-origins.ts";
import { isSignedBy, type SolanaAddress } from "../../core/solana/keys.ts";
import {
  insertSolanaChallenge,
  type SolanaChallenge,
  solanaChallenge,
  useSolanaChallenge,
} from "../../db/callers/solana-challenges.ts";
import type { LiveMint } from "../../db/mints/mints.ts";
import { liveMintOf, type Mint, mintByFingerprint } from "../../db/mints/mints.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { Checkout } from "../../payments/checkout.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { SolanaRegistrationBody } from "../schemas/mint.ts";
import { acceptMint, type MintDeps, refuseRegistered, type SingleUse } from "./mint.ts";

/** Milliseconds in which a text can be signed and presented. */
const CHALLENGE_LIFETIME_MS = 300_000;

type Site = Pick<HandlerDeps["config"], "service">;

/** The text of a challenge, the same each time. */
const textOf = ({ service }: Site, challenge: SolanaChallenge): string =>
  solanaSignInText({
    host: service.hosts[0]!,
    serviceName: service.name,
    webUrl: service.webUrl,
    address: challenge.address,
    purpose: challenge.purpose,
    recipient: challenge.evmAddress && checksum(challenge.evmAddress),
    nonce: challenge.nonce,
    issuedAt: challenge.issuedAt.toISOString(),
    expiresAt: challenge.expiresAt.toISOString(),
  });

/** Makes a text to sign. @param request.now milliseconds since the epoch */
export async function giveChallenge(
  { db, config }: HandlerDeps,
  request: { address: SolanaAddress; purpose: SolanaPurpose; evmAddress: Address | null; now: number },
): Promise<SolanaChallenge & { message: string }> {
  const { now, ...rest } = request;
  const challenge: SolanaChallenge = {
    ...rest,
    nonce: randomBytes(16).toString("hex"),
    issuedAt: new Date(now),
    expiresAt: new Date(now + CHALLENGE_LIFETIME_MS),
  };
  await insertSolanaChallenge(db, challenge);
  return { ...challenge, message: textOf(config, challenge) };
}

/** A signed challenge as a request shows it. */
type ShownChallenge = {
  address: SolanaAddress;
  nonce: string;
  signature: Uint8Array;
  /**
   * The purpose of the request: a text for a registration is also valid for a check, a text for a check is valid for
   * nothing else.
   */
  purpose: SolanaPurpose;
  /** Names the request, which may use the challenge again when it is repeated. */
  by: string;
  /** Milliseconds since the epoch. */
  now: number;
};

const refuse = (sentence: string): never =>
  fail("unauthenticated", sentence, {
    hint: "Ask GET /api/v2/auth/solana/challenge for a text, sign it with the key, and show it within five minutes.",
  });

/**
 * The challenge that the key has signed.
 * @throws Failure unauthenticated unless it is open, for this address and purpose, and signed by the key
 */
async function signedChallenge({ db, config }: HandlerDeps, shown: ShownChallenge): Promise<SolanaChallenge> {
  const challenge = await openChallenge(db, shown);
  if (!isSignedBy(textOf(config, challenge), shown.address, shown.signature))
    refuse("This is not the key's signature of the challenge's message.");
  return challenge;
}

async function openChallenge(db: Queryable, shown: ShownChallenge): Promise<SolanaChallenge> {
  const entry = await solanaChallenge(db, { nonce: shown.nonce });
  if (entry === null || entry.address !== shown.address) return refuse("There is no such challenge for this address.");
  if (entry.purpose === "verify" && shown.purpose === "register")
    refuse("This challenge was given out to verify the key; it registers nothing.");
  if (entry.usedBy === shown.by) return entry;
  if (entry.usedBy !== null) refuse("This challenge has been used.");
  if (entry.expiresAt.getTime() <= shown.now) refuse("This challenge has expired.");
  return entry;
}

async function useUp(tx: Queryable, { nonce, by, now }: ShownChallenge): Promise<void> {
  if (!(await useSolanaChallenge(tx, { nonce, by, at: new Date(now) }))) refuse("This challenge has been used.");
}

/**
 * Checks the key's signature, which uses the challenge up.
 * @returns the key's registration, done or under way; null without one
 * @throws Failure unauthenticated
 */
export async function verifySolanaKey(
  deps: HandlerDeps,
  shown: Omit<ShownChallenge, "purpose">,
): Promise<LiveMint | null> {
  const looking: ShownChallenge = { ...shown, purpose: "verify" };
  await signedChallenge(deps, looking);
  await useUp(deps.db, looking);
  return liveMintOf(deps.db, { solanaAddress: shown.address });
}

/**
 * Registers the key that signed. The identity goes to the wallet that the signed text names, else to the one the
 * request names, else to the payer. The same request again is the same registration, also after its challenge has
 * expired.
 * Check then write: the challenge is open and signed, then `useSolanaChallenge` (also in `verifySolanaKey`); another
 * request may use it, or its five minutes end: guarded update on `used_by`; expiry is judged by the time at which the
 * request came.
 * @param request.fingerprint of the request, byte for byte
 * @throws Failure unauthenticated, invalid_input, and the errors of `acceptMint`
 */
export async function registerSolanaKey(
  deps: HandlerDeps,
  request: {
    body: SolanaRegistrationBody;
    fingerprint: string;
    payment: Checkout;
    now: number;
    client: MintDeps["client"];
  },
): Promise<Mint> {
  const { body, payment, now, client } = request;
  const { solanaAddress, nonce, signature } = body;
  const fingerprint = hash("sha256", JSON.stringify(["solana", request.fingerprint]), "hex");
  const mint = await mintByFingerprint(deps.db, { fingerprint });
  if (mint) return mint;
  const shown: ShownChallenge = { address: solanaAddress, nonce, signature, purpose: "register", by: fingerprint, now };
  const challenge = await signedChallenge(deps, shown);
  const recipient = await receiverOf(deps, body, challenge, payment);
  const proof: SingleUse = {
    check: async (tx) => void (await openChallenge(tx, shown)),
    use: (tx) => useUp(tx, shown),
  };
  return acceptMint(
    deps.db,
    {
      wallet: recipient,
      solanaAddress,
      recipient,
      name: body.name,
      framework: body.framework ?? DEFAULT_FRAMEWORK,
      soulbound: body.soulbound ?? false,
      origin: mintOriginIndex("API"),
      personality: null,
      narrative: null,
      listing: null,
      referralCode: null,
      fingerprint,
    },
    {
      identity: deps.config.contracts.identity.address,
      chain: deps.chain,
      now: new Date(now),
      fault: deps.fault,
      payment,
      proof,
      client,
    },
  );
}

/** @throws Failure payment_required where the payer is the receiver and there is no payment yet, after all checks that may refuse */
async function receiverOf(
  { db }: HandlerDeps,
  { evmAddress, solanaAddress }: SolanaRegistrationBody,
  challenge: SolanaChallenge,
  payment: Checkout,
): Promise<Address> {
  const bound = challenge.evmAddress;
  if (bound && evmAddress && evmAddress !== bound)
    fail("unauthenticated", `The signed text sends the identity to ${checksum(bound)}, and to no other wallet.`);
  const named = bound ?? evmAddress ?? (payment.price > 0n ? await payment.payer() : null);
  if (named) return named;
  if (payment.price > 0n && payment.given === null) {
    await refuseRegistered(db, { solanaAddress });
    throw payment.refusal();
  }
  const message =
    payment.price > 0n
      ? "is required with this payment, whose payer is not known beforehand"
      : "is required while registration is free, for there is no payer to receive the identity";
  return fail("invalid_input", `The request is not valid: evmAddress ${message}.`, {
    details: [{ path: "evmAddress", message }],
  });
}
