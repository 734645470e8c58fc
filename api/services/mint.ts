/**
 * Registration: accepts a request and its transaction in one commit, and waits for the chain. The registrant is
 * authenticated before: a wallet by its credential, a Solana key by a text that is valid once.
 */
import type pg from "pg";
import { concatHex, encodeAbiParameters, encodeFunctionData } from "viem/utils";
import type { z } from "zod";
import { identityAbi } from "../../abis/identity.ts";
import type { Chain } from "../../clients/ports.ts";
import { checksum, ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { OG_TRAIT, ogOf } from "../../core/agents/og-wallets.ts";
import type { Networks } from "../../core/callers/shares.ts";
import { Failure, fail } from "../../core/errors.ts";
import { referralLink, tokenLink } from "../../core/links.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { mintOriginAt } from "../../core/mints/mint-origins.ts";
import { quoted } from "../../core/quoted.ts";
import { keyTail } from "../../core/solana/keys.ts";
import { kindGasBound, RECEIVER_GAS } from "../../core/transactions/gas-bounds.ts";
import { agentView } from "../../core/views/agent.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { ensureReferralCodes, referralCodeOf } from "../../db/agents/referral-codes.ts";
import { referrerOf } from "../../db/agents/referrals.ts";
import {
  beginLocked,
  commitMint,
  type MintCall,
  type RegistrationState,
  registrationName,
  registrationStateOf,
} from "../../db/mints/mint-acceptance.ts";
import {
  MINT_CHANNEL,
  type Mint,
  type MintRequest,
  mintByFingerprint,
  mintById,
  nameOf,
  type Registrant,
} from "../../db/mints/mints.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import { notifySender } from "../../db/transactions/notify-sender.ts";
import type { Checkout, PaymentReference } from "../../payments/checkout.ts";
import type { MintEffect } from "../../payments/effects.ts";
import type { Fault } from "../../runtime/faults.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { registrationSchema } from "../schemas/mint.ts";
import { waitFor } from "./await-intent.ts";
import { type FreeWriter, refuseUnlessFunded, requireGas } from "./free-gas.ts";

/** Places where a crash test kills the process, in the order a request passes them. */
export const MINT_FAULT_POINTS = ["mint.checked", "mint.before-commit", "mint.after-commit"] as const;
/** Another one for paid mints: the payment is settled, the mint is not written. */
export const PAID_MINT_FAULT_POINT = "mint.paid";

/** A proof that is valid for one request and its repetitions. Both functions throw when another request has used it. */
export type SingleUse = {
  check(tx: Queryable): Promise<void>;
  use(tx: Queryable): Promise<void>;
};

export type MintDeps = {
  identity: Address;
  chain: Pick<Chain, "call" | "code">;
  now: Date;
  fault: Fault;
  /** Pays for it, unless the wallet is a V1 wallet. */
  payment: Pick<Checkout, "price" | "given" | "settle">;
  /** The single-use proof of the registrant, where there is one. It is used up before a payment is collected. */
  proof?: SingleUse;
  /** The client's networks, the narrowest first, and the free registrations of a day of one; absent without a limit. */
  client?: { networks: Networks; perDay: number };
};

/**
 * Accepts a request to mint: its row and its transaction are committed together, so that it is minted exactly once, also if
 * a process dies afterwards. A paid request is checked, paid and checked again: no transaction of the database waits for a
 * settlement. The same fingerprint is the same mint, in its present state.
 * @throws Failure out_of_funds, already_registered (with the wallet's `tokenId`), invalid_input (referral code),
 *   conflict (a receiver that takes no tokens), rate_limited, indexer_behind, upstream_unavailable, and the errors of
 *   `settle`
 */
export async function acceptMint(db: pg.Pool, request: MintRequest, deps: MintDeps): Promise<Mint> {
  // A V1 wallet's own registration is free; `accept` makes sure that it happens once.
  const free = deps.payment.price === 0n || (request.solanaAddress === null && ogOf(request.wallet) !== undefined);
  const accepted = free ? await acceptFree(db, request, deps) : await acceptPaid(db, request, deps);
  deps.fault("mint.after-commit");
  return accepted;
}

async function acceptFree(db: pg.Pool, request: MintRequest, deps: MintDeps): Promise<Mint> {
  try {
    await checkReceiver(deps, request.recipient);
  } catch (error) {
    // A request accepted before gets the same answer, independent of the chain's present state.
    const mint = await mintByFingerprint(db, { fingerprint: request.fingerprint });
    if (mint) return mint;
    throw error;
  }
  const networks = deps.client?.networks ?? null;
  const known = ogOf(request.wallet) !== undefined;
  return accept(db, request, deps, null, { account: nameOf(request), tokenId: null, networks, known, at: deps.now });
}

async function acceptPaid(db: pg.Pool, request: MintRequest, deps: MintDeps): Promise<Mint> {
  const { proof, payment } = deps;
  const known = await transaction(db, async (tx) => {
    const state = await registrationStateOf(tx, request, request.fingerprint);
    if (state.known) return state.known;
    try {
      await refuseUnlessPossible(tx, request, state);
    } catch (error) {
      // A copy of this request, committed between the two looks, is no reason to refuse it.
      const copy = error instanceof Failure ? await mintByFingerprint(tx, { fingerprint: request.fingerprint }) : null;
      if (copy) return copy;
      throw error;
    }
    // Without a payment the proof stays unused for the next request, which is the same with one.
    await (payment.given ? proof?.use(tx) : proof?.check(tx));
    return null;
  });
  if (known) return known;
  await checkReceiver(deps, request.recipient);
  const effect: MintEffect = { kind: "mint", request, call: mintCall(request, deps.identity) };
  const paid = await payment.settle({ uniqueKey: registrationName(request), effect });
  deps.fault("mint.paid");
  return accept(db, request, deps, paid, null);
}

/**
 * The commit point.
 * Check then write: receiver, registrant's state and referral code, then the mint and its intent (`acceptFree`,
 * `acceptPaid`); the registrant may register elsewhere, the receiver change its code: the state again under the
 * registrant's advisory lock, unique `mint_registrant` and fingerprint, and the sender simulates once more; a paid mint
 * that fails is a credit.
 * @param writer that a free registration counts for; null where it is paid for
 */
async function accept(
  db: pg.Pool,
  request: MintRequest,
  deps: MintDeps,
  paid: PaymentReference | null,
  writer: FreeWriter | null,
): Promise<Mint> {
  const work = async (tx: pg.ClientBase) => {
    const state = await registrationStateOf(tx, request, request.fingerprint);
    if (state.known) return { mint: state.known, fresh: false };
    await refuseUnlessPossible(tx, request, state);
    await deps.proof?.use(tx);
    deps.fault("mint.checked");
    const free = writer && { ...writer, gasBound: kindGasBound("mint:") };
    const mint = await commitMint(tx, request, mintCall(request, deps.identity), deps.now, free);
    if (writer) await requireGas(tx, writer, deps.client?.perDay);
    await paid?.fulfil(tx, `mint:${mint.mintId}`);
    deps.fault("mint.before-commit");
    return { mint, fresh: true };
  };
  const { mint, fresh } = await transaction(db, work, beginLocked(request));
  if (fresh) notifySender(db);
  return mint;
}

/** Every check of the database that may refuse, cheapest first. */
async function refuseUnlessPossible(tx: Queryable, request: MintRequest, state: RegistrationState): Promise<void> {
  refuseBy(state, request);
  if (request.referralCode === null) return;
  const refusal = (message: string) =>
    fail("invalid_input", message, {
      details: [{ path: "referralCode", message }],
      hint: "Leave referralCode out. GET /api/v2/referral/<code> tells whether a code is good.",
    });
  const referrer = await referrerOf(tx, request.referralCode);
  if (!referrer) return refusal("There is no such referral code.");
  if (referrer.wallets.some((wallet) => wallet === request.wallet || wallet === request.recipient))
    refusal("A wallet cannot use its own referral code.");
}

/**
 * Refuses a registration that the service cannot send now, and a registrant that has registered before.
 * @throws Failure out_of_funds, already_registered
 */
export async function refuseRegistered(tx: Queryable, registrant: Registrant): Promise<void> {
  refuseBy(await registrationStateOf(tx, registrant, null), registrant);
}

function refuseBy({ funded, pausedUntil, before }: RegistrationState, registrant: Registrant): void {
  refuseUnlessFunded({ funded, pausedUntil });
  if (before === null) return;
  const { tokenId, mintId } = before;
  const who = registrant.solanaAddress === null ? "wallet" : "Solana key";
  const sentence =
    tokenId === null ? `This ${who}'s registration is under way.` : `This ${who} is already agent ${tokenId}.`;
  fail("already_registered", sentence, {
    extra: { tokenId, ...(tokenId === null && { mintId }) },
    hint:
      tokenId === null
        ? `GET /api/v2/mint/${mintId} tells how far it is.`
        : `GET /api/v2/agent/${tokenId} shows it, POST /api/v2/agent/${tokenId}/update changes it.`,
  });
}

function mintCall(request: MintRequest, identity: Address): MintCall {
  const { recipient, wallet, name, framework, soulbound, origin, solanaAddress } = request;
  const data = encodeFunctionData({
    abi: identityAbi,
    functionName: "mintFor",
    args: [recipient, wallet, name, framework, soulbound, origin],
  });
  return { to: identity, data: solanaAddress === null ? data : concatHex([data, keyTail(solanaAddress)]) };
}

/** A mint by its id; null when there is none. */
export const mintStatus = (db: Queryable, mintId: string): Promise<Mint | null> => mintById(db, mintId);

/**
 * Waits until the chain has decided.
 * @returns the mint: minted, failed, or still pending after `timeoutMs`
 * @throws Failure not_found for an unknown id
 */
export function awaitMint(db: pg.Pool, mintId: string, timeoutMs: number): Promise<Mint> {
  return waitFor(db, {
    channel: MINT_CHANNEL,
    concerns: (decided) => decided === mintId,
    timeoutMs,
    read: async () => (await mintById(db, mintId)) ?? fail("not_found", "There is no such mint."),
    decided: (mint) => mint.state !== "pending",
  });
}

/** Selector and answer of `onERC721Received(address,address,uint256,bytes)`. */
const RECEIVED = "0x150b7a02";

/**
 * Asks a receiver that is a contract whether it takes tokens, for a bounded amount of gas: the mint of one that does not
 * would be refused by the chain, after it was accepted or paid for.
 * @throws Failure conflict, upstream_unavailable
 */
async function checkReceiver(
  { chain, identity }: { chain: Pick<Chain, "call" | "code">; identity: Address },
  recipient: Address,
): Promise<void> {
  if ((await chain.code(recipient)) === "0x") return;
  const parameters = encodeAbiParameters(
    [{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "bytes" }],
    [identity, ZERO_ADDRESS, 0n, "0x"],
  );
  const data = `${RECEIVED}${parameters.slice(2)}` as const;
  const answer = await chain.call({ from: identity, to: recipient, data, gas: RECEIVER_GAS });
  if (answer.ok && answer.data.startsWith(RECEIVED)) return;
  fail(
    "conflict",
    `The wallet that is to receive the identity is a contract that takes no tokens (ERC-721), or needs more than ${RECEIVER_GAS} gas to take one.`,
    { hint: "Nothing was charged. Let the contract implement onERC721Received, or name another wallet." },
  );
}

/** A mint that is done: its token, transaction and block are known. */
export type MintedMint = Mint & { tokenId: number; txHash: string; block: number };

export type RegistrationView = z.output<typeof registrationSchema>;

export const isMinted = (mint: Mint): mint is MintedMint => mint.state === "minted";

/** The registration of a finished mint, with its agent once the index has it. */
export async function registrationOf(deps: HandlerDeps, mint: MintedMint, now: number): Promise<RegistrationView> {
  const { db, config, index } = deps;
  const { service, contracts } = config;
  const { tokenId } = mint;
  const [facts] = index.block >= mint.block ? await loadFacts(db, [tokenId]) : [];
  const code = await ownCode(deps, mint);
  const og = mint.solanaAddress === null ? ogOf(mint.wallet) : undefined;
  const referrer = mint.referralCode === null ? null : await referrerOf(db, mint.referralCode);
  return {
    success: true,
    tokenId,
    txHash: mint.txHash,
    block: mint.block,
    mintOrigin: mintOriginAt(mint.origin).name,
    explorer: tokenLink(service.explorer, contracts.identity.address, tokenId),
    message: `${quoted(mint.name)} is registered as agent ${tokenId}.`,
    canonical8004: {
      status: "manual_required",
      registry: checksum(contracts.erc8004Identity.address),
      note: "The canonical registration is the owner wallet's to submit.",
    },
    yourReferralCode: code,
    yourReferralLink: referralLink(service.webUrl, code),
    agent: facts ? agentView(facts, deps.site, new Date(now), index.block) : null,
    og: og ? { v1Name: og.v1Name, bonusPoints: BONUSES.og.points, trait: OG_TRAIT.name } : null,
    referral: referrer && {
      code: mint.referralCode!,
      // A V1 wallet whose code this is may have no agent to refer with.
      referrerTokenId: referrer.tokenId,
      referrerPoints: referrer.tokenId === null ? 0 : BONUSES.referrer.points,
      minterPoints: BONUSES.minter.points,
    },
  };
}

/** Of a Solana key's registration: the key, and the wallet that has the identity. */
export const receiverOf = ({ solanaAddress, recipient }: Mint) =>
  solanaAddress === null ? {} : { solanaAddress, evmAddress: checksum(recipient) };

/** The agent's own code. It is written with the mint; a mint that was finished by hand gets it here. */
async function ownCode({ db }: HandlerDeps, { tokenId, name, wallet }: MintedMint): Promise<string> {
  const code = await referralCodeOf(db, tokenId);
  if (code !== null) return code;
  await ensureReferralCodes(db, [{ tokenId, name, agentAddress: wallet }]);
  return (await referralCodeOf(db, tokenId))!;
}
