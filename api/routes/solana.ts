/** Registration with a Solana key instead of a wallet on Base: a text to sign, a look, the registration. */
import { hash, randomUUID } from "node:crypto";
import { checksum } from "../../core/addresses.ts";
import { fail } from "../../core/errors.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { pendingMintSchema } from "../schemas/mint.ts";
import {
  challengeQuerySchema,
  challengeSchema,
  solanaRegistrationBodySchema,
  solanaRegistrationSchema,
  solanaVerifyBodySchema,
  solanaVerifySchema,
} from "../schemas/solana.ts";
import { giveChallenge, registerSolanaKey, verifySolanaKey } from "../services/solana.ts";
import { clientOf, mintOutcome, PENDING, statusUrl } from "./mint.ts";

export const challengeForSolana = endpoint({
  path: "/api/v2/auth/solana/challenge",
  operationId: "getSolanaChallenge",
  tag: "Authentication",
  summary: "A text for a Solana key to sign",
  description:
    "CAIP-122, good for five minutes and one request. The text says what it is for: with `purpose=verify` the signature registers nothing; with `evmAddress` it registers for that receiver alone.",
  // Each is written down until it is used.
  guard: { bucket: "writes" },
  query: challengeQuerySchema,
  responses: { 200: { description: "The text", schema: challengeSchema } },
  cache: CACHE.never,
  async handler({ deps, query: { address, purpose = "register", evmAddress = null }, now }, json) {
    if (purpose === "verify" && evmAddress !== null)
      fail("invalid_input", "The request is not valid: evmAddress is for registering, not for purpose=verify.", {
        details: [{ path: "evmAddress", message: "is for registering, not for purpose=verify" }],
      });
    const challenge = await giveChallenge(deps, { address, purpose, evmAddress, now });
    return json({
      message: challenge.message,
      timestamp: now,
      nonce: challenge.nonce,
      expiresAt: challenge.expiresAt.toISOString(),
    });
  },
});

export const verifySolana = endpoint({
  method: "post",
  path: "/api/v2/auth/solana/verify",
  operationId: "verifySolanaKey",
  tag: "Authentication",
  summary: "Check the signature of a Solana key",
  description: "Uses the challenge up and changes nothing else. Tells the key's registration.",
  body: solanaVerifyBodySchema,
  responses: { 200: { description: "Signed by the key", schema: solanaVerifySchema } },
  errors: ["unauthenticated"],
  async handler({ deps, body: { address, nonce, signature }, idempotencyKey, fingerprint, now }, json) {
    // Without an Idempotency-Key no request repeats another, so a challenge is valid for one request.
    const by = idempotencyKey ? hash("sha256", JSON.stringify([idempotencyKey, fingerprint]), "hex") : randomUUID();
    const mint = await verifySolanaKey(deps, { address, nonce, signature, by, now });
    return json({
      verified: true,
      address,
      registration: mint && {
        status: mint.state,
        mintId: mint.mintId,
        statusUrl: statusUrl(deps, mint),
        tokenId: mint.tokenId,
        txHash: mint.txHash,
        block: mint.block,
        evmAddress: checksum(mint.recipient),
      },
    });
  },
});

export const registerSolana = endpoint({
  method: "post",
  path: "/api/v2/register/solana",
  operationId: "registerSolana",
  tag: "Registration",
  summary: "Register a Solana key as an agent",
  description:
    "The key signs a challenge. The identity goes to the wallet on Base that the signed text names, else to `evmAddress`, else to the payer. One agent per key. Nobody pays for a request that is refused; the very same request again is answered like the first.",
  guard: { caller: "anyone", price: "solanaRegistration" },
  body: solanaRegistrationBodySchema,
  responses: {
    201: { description: "Registered on chain", schema: solanaRegistrationSchema },
    202: { description: "Accepted; the chain is slow. `statusUrl` tells the rest", schema: pendingMintSchema },
  },
  errors: ["unauthenticated", "already_registered", "conflict", "out_of_funds", "indexer_behind"],
  async handler(call, json) {
    const accepted = await registerSolanaKey(call.deps, { ...call, client: clientOf(call) });
    const outcome = await mintOutcome(call, accepted, {
      again: "Sign a new challenge to try again.",
      credit:
        "What was paid is a credit of the wallet that paid: it is used when that wallet signs in (SIWA) beside the next request.",
    });
    if ("pending" in outcome) return json(outcome.pending, PENDING);
    const { solanaAddress } = call.body;
    return json({ ...outcome.registration, solanaAddress, evmAddress: checksum(accepted.recipient) }, outcome.sent);
  },
});
