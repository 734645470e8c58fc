/** Registration: POST /mint, and its state afterwards. */
import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { DEFAULT_FRAMEWORK } from "../../core/agents/frameworks.ts";
import type { ListingInput } from "../../core/agents/listing-input.ts";
import { fail } from "../../core/errors.ts";
import { mintOriginIndex } from "../../core/mints/mint-origins.ts";
import type { Mint } from "../../db/mints/mints.ts";
import type { Checkout } from "../../payments/checkout.ts";
import type { WalletCaller } from "../caller-types.ts";
import { CACHE, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { networksOf } from "../http/client-network.ts";
import * as schemas from "../schemas/mint.ts";
import {
  acceptMint,
  awaitMint,
  isMinted,
  type MintDeps,
  mintStatus,
  type RegistrationView,
  receiverOf,
  registrationOf,
} from "../services/mint.ts";
import { giveChallenge, registerSolanaKey, verifySolanaKey } from "../services/solana.ts";
import { isShown } from "../services/until-shown.ts";

const endpoint = endpointsOf({ tag: "Registration" });

/** Max milliseconds that the state of a registration waits for the index, to show the agent in full. */
const INDEX_TIMEOUT_MS = 500;

export const mint = endpoint({
  method: "post",
  path: "/api/v2/mint",
  operationId: "mint",
  summary: "Register the calling wallet as an agent",
  description:
    "One agent per wallet. Nobody pays for a request that is refused. A retry with the same Idempotency-Key, or of the very same bytes, is answered like the first.",
  guard: { caller: "siwa", price: "agentMint" },
  body: schemas.mintBodySchema,
  responses: {
    201: { description: "Registered on chain", schema: schemas.registrationSchema },
    202: { description: "Accepted; the chain is slow. `statusUrl` has the rest", schema: schemas.pendingMintSchema },
  },
  errors: ["already_registered", "conflict", "out_of_funds", "indexer_behind"],
  async handler(call, json) {
    const { deps, body, caller, at } = call;
    const accepted = await acceptMint(
      deps.db,
      {
        wallet: caller.wallet,
        solanaAddress: null,
        recipient: caller.wallet,
        name: body.name,
        framework: body.framework ?? DEFAULT_FRAMEWORK,
        soulbound: body.soulbound ?? false,
        origin: mintOriginIndex("AGENT_SIWA"),
        personality: body.personality ?? null,
        narrative: body.narrative ?? null,
        listing: listed(body),
        referralCode: body.referralCode ?? null,
        fingerprint: identify(call),
      },
      {
        identity: deps.config.contracts.identity.address,
        chain: deps.chain,
        now: at,
        fault: deps.fault,
        payment: call.payment,
        client: clientOf(call),
      },
    );
    const outcome = await mintOutcome(call, accepted, {
      again: "Sign a new credential, or use a new Idempotency-Key, to try again.",
      credit: "What was paid is a credit that the next request uses.",
    });
    if ("pending" in outcome) return json(outcome.pending, PENDING);
    return json(outcome.registration, outcome.sent);
  },
});

/** The listing in a request; null without one. */
function listed({ services, skills, domains, metadata }: ListingInput): ListingInput | null {
  const listing = { services, skills, domains, metadata };
  return Object.values(listing).every((value) => value === undefined) ? null : listing;
}

/** The networks that a free registration counts for. */
const clientOf = ({ deps, clientAddress }: { deps: HandlerDeps; clientAddress: string }): MintDeps["client"] => ({
  networks: networksOf(clientAddress),
  perDay: deps.config.freeMintsPerClient,
});

/** How a 202 of a registration is sent. */
const PENDING = { status: 202, final: false } as const;

type MintOutcome =
  | { pending: z.output<typeof schemas.pendingMintSchema> }
  | { registration: RegistrationView; sent: { status: 201; headers: Record<string, string> } };

/**
 * What became of an accepted registration: 201 when the chain decides and reads show the agent in time, else 202.
 * @param hint the advice for a registration that the chain refused, and the state of its payment
 * @throws Failure conflict when the chain has refused it
 */
async function mintOutcome(
  { deps, now, payment }: { deps: HandlerDeps; now: number; payment: Pick<Checkout, "price"> },
  accepted: Mint,
  hint: { again: string; credit: string },
): Promise<MintOutcome> {
  const isRepeat = accepted.createdAt.getTime() !== now;
  const { mintWaitMs } = deps.config;
  const deadline = performance.now() + mintWaitMs;
  const decided = await awaitMint(deps.db, accepted.mintId, mintWaitMs);
  if (decided.state === "pending") return { pending: pending(deps, decided) };
  if (!isMinted(decided))
    return fail("conflict", `The chain refused the registration: ${decided.error ?? "no reason was given"}.`, {
      extra: { mintId: decided.mintId },
      hint: payment.price > 0n ? `${hint.again} ${hint.credit}` : hint.again,
    });
  if (!(await isShown(deps, decided, deadline))) return { pending: pending(deps, decided) };
  const registration = await registrationOf(deps, decided, now);
  return { registration, sent: { status: 201, headers: isRepeat ? { "Idempotent-Replayed": "true" } : {} } };
}

/**
 * The fingerprint that two equal requests share. With a payment: wallet, payment and content. With an Idempotency-Key:
 * wallet, key and content, so that a retry may be signed anew. Without: the credential and the content, byte for byte.
 */
function identify(call: {
  caller: WalletCaller;
  idempotencyKey: string | undefined;
  fingerprint: string;
  payment: Pick<Checkout, "key">;
}): string {
  const { caller, idempotencyKey, fingerprint, payment } = call;
  const name =
    payment.key !== null
      ? ["payment", payment.key]
      : idempotencyKey === undefined
        ? ["credential", caller.credentialId]
        : ["key", idempotencyKey];
  return hash("sha256", JSON.stringify([caller.wallet, ...name, fingerprint]), "hex");
}

/** The path at which a registration shows its state. */
const statusUrl = ({ config }: Pick<HandlerDeps, "config">, { mintId }: Mint): string =>
  `${config.service.publicUrl}/api/v2/mint/${mintId}`;

const pending = (deps: HandlerDeps, mint: Mint): z.output<typeof schemas.pendingMintSchema> => ({
  status: "pending",
  mintId: mint.mintId,
  statusUrl: statusUrl(deps, mint),
});

export const mintState = endpoint({
  path: "/api/v2/mint/{mintId}",
  operationId: "getMint",
  summary: "What became of a registration",
  params: z.object({
    mintId: z
      .string()
      .toLowerCase()
      .pipe(z.uuid({ error: "must be a mint id" }))
      .meta({
        documented: { type: "string", format: "uuid" },
        description: "`mintId` of the 202",
        examples: ["8d1b0a52-c7e9-4d5f-9b3a-6c1e2f40d7a9"],
      }),
  }),
  responses: { 200: { description: "Pending, minted or failed", schema: schemas.mintStateSchema } },
  errors: ["not_found", "upstream_unavailable", "timeout", "indexer_behind"],
  cache: CACHE.never,
  async handler({ deps, params: { mintId }, now }, json) {
    const status = await mintStatus(deps.db, mintId);
    if (!status) return fail("not_found", "There is no such registration.");
    if (isMinted(status)) {
      await deps.index.waitFor(status.block, INDEX_TIMEOUT_MS);
      const registration = await registrationOf(deps, status, now);
      return json({ status: "minted", mintId, ...registration, ...receiverOf(status) });
    }
    if (status.state === "pending") return json(pending(deps, status));
    return json({ status: "failed", mintId, reason: status.error ?? "no reason was given" });
  },
});

export const challengeForSolana = endpoint({
  path: "/api/v2/auth/solana/challenge",
  operationId: "getSolanaChallenge",
  tag: "Authentication",
  summary: "A text for a Solana key to sign",
  description:
    "CAIP-122, good for five minutes and one request. The text says what it is for: with `purpose=verify` the signature registers nothing; with `evmAddress` it registers for that receiver alone.",
  // Each is written down until it is used.
  guard: { bucket: "writes" },
  query: schemas.challengeQuerySchema,
  responses: { 200: { description: "The text", schema: schemas.challengeSchema } },
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
  description: "Uses the challenge up and changes nothing else. Returns the key's registration.",
  body: schemas.solanaVerifyBodySchema,
  responses: { 200: { description: "Signed by the key", schema: schemas.solanaVerifySchema } },
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
  summary: "Register a Solana key as an agent",
  description:
    "The key signs a challenge. The identity goes to the wallet on Base that the signed text names, else to `evmAddress`, else to the payer. One agent per key. Nobody pays for a request that is refused; the very same request again is answered like the first.",
  guard: { caller: "anyone", price: "solanaRegistration" },
  body: schemas.solanaRegistrationBodySchema,
  responses: {
    201: { description: "Registered on chain", schema: schemas.solanaRegistrationSchema },
    202: { description: "Accepted; the chain is slow. `statusUrl` has the rest", schema: schemas.pendingMintSchema },
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
