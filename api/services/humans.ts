/**
 * Human principals: registration, reads, and deletion.
 * Bound: humans and organizations are kept; a network registers 100 a day of both (`principals`); stated JSON 12 KiB of a
 * principal; names in `ignored` 20 of 64 characters.
 */
import { hash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { checksum } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { fail, failNoAgent } from "../../core/errors.ts";
import type { HumanFacts } from "../../core/principals/facts.ts";
import { humanView, type OwnHumanView, organizationView, type PrivateFields } from "../../core/views/human.ts";
import { lockAgentWrites } from "../../db/agents/profiles.ts";
import { holdingOf } from "../../db/agents/token-ownership.ts";
import {
  deleteHuman,
  type HumanWrite,
  linkHumanAgent,
  lockHuman,
  otherLinks,
  unlinkHumanAgent,
  writeHuman,
} from "../../db/principals/human-writes.ts";
import {
  type HumanRef,
  type HumanSources,
  humanIdOf,
  humanOfPrincipal,
  humanPrivate,
  listHumans,
  loadHumans,
  type PrivateRow,
  storeTransactionCount,
} from "../../db/principals/humans.ts";
import {
  deleteOrganizations,
  loadOrganizations,
  lockPrincipal,
  organizationsOf,
} from "../../db/principals/organizations.ts";
import type { PageQuery } from "../../db/principals/page.ts";
import { type Queryable, snapshot, transaction } from "../../db/sql/transaction.ts";
import { nameOf, type OwnerCaller, type TokenCaller, type WalletCaller } from "../caller-types.ts";
import { walletOf } from "../guards/callers.ts";
import type { HandlerDeps } from "../handler-deps.ts";

export type HumanCaller = WalletCaller | TokenCaller;

/** Max milliseconds a registration waits for the wallet's number of transactions; the worker reads it again. */
const CHAIN_TIMEOUT_MS = 1_500;

/** @throws Failure not_found */
const noSuchHuman = (): never =>
  fail("not_found", "There is no such human.", { hint: "GET /api/v2/humans?search=<name> finds humans." });

/** The name under which a deleted principal's slugs are reserved for it. */
export const holderHash = (caller: HumanCaller): string => hash("sha256", nameOf(caller), "hex");

const sourcesOf = ({ contracts, attestationSchemas, attesters }: HandlerDeps["config"]): HumanSources => ({
  identity: contracts.identity.address,
  schema: attestationSchemas[0]!,
  attesters,
});

/**
 * The identity token that a principal names as its own, with the number of its transfers.
 * @returns undefined where none is named, null where it is removed
 * @throws Failure not_found, forbidden unless the signing wallet owns it
 */
export async function ownToken(
  deps: HandlerDeps,
  tx: Queryable,
  caller: HumanCaller,
  tokenId: number | null | undefined,
): Promise<HumanWrite["token"]> {
  if (tokenId === undefined || tokenId === null) return tokenId;
  const wallet = walletOf(caller);
  const holding = await holdingOf(tx, { tokenId, identity: deps.config.contracts.identity.address });
  if (holding === null) return failNoAgent({ tokenId });
  if (wallet !== holding.owner)
    fail("forbidden", `The identity token ${tokenId} belongs to another wallet.`, {
      hint: `Sign with the owner ${checksum(holding.owner)}.`,
    });
  return { tokenId, transfers: holding.transfers };
}

/**
 * Registers the caller as a human, or changes the one it is. No answer of an upstream can make it fail.
 * Check then write: who holds the token, then human and organizations (also `deletePrincipal`); a transfer or a
 * parallel request may come: advisory lock of the principal, unique principal, and a token counts at each read only
 * while it is held.
 * @param allowed counts a registration that is new
 * @throws Failure not_found and forbidden about the token, rate_limited, indexer_behind
 */
export async function registerHuman(
  deps: HandlerDeps,
  caller: HumanCaller,
  { tokenId, ...profile }: Omit<HumanWrite, "token"> & { tokenId?: number | null | undefined },
  { now, allowed }: { now: number; allowed(): Promise<void> },
): Promise<{ id: string; created: boolean }> {
  const wallet = walletOf(caller);
  const written = await transaction(deps.db, async (tx) => {
    await lockPrincipal(tx, { principal: nameOf(caller) });
    const token = await ownToken(deps, tx, caller, tokenId);
    if ((await humanOfPrincipal(tx, { value: nameOf(caller) })) === null) await allowed();
    const who = { id: `hum_${randomUUID().replaceAll("-", "")}`, principal: nameOf(caller), wallet };
    return writeHuman(tx, who, { ...profile, token }, new Date(now));
  });
  if (wallet !== null && written.created) await countTransactions(deps, wallet, now);
  return written;
}

/**
 * Reads once from the chain how many transactions the wallet has sent; without an answer in time it stays unknown.
 * Check then write: the count from the chain, then the column; a later count may come first: either is right to the
 * minute, and read again each hour (workers/principals/transaction-counts.ts).
 */
async function countTransactions({ chain, db, log }: HandlerDeps, wallet: Address, now: number): Promise<void> {
  const reading = chain
    .nonce(wallet, "latest")
    .then((count) => storeTransactionCount(db, { wallet, count, at: new Date(now) }))
    .catch((err) => log.debug({ err }, "a human's transactions could not be counted"));
  await Promise.race([reading, pause(CHAIN_TIMEOUT_MS, undefined, { ref: false })]);
}

/** @throws Failure not_found, indexer_behind */
export const humanFacts = (deps: HandlerDeps, ref: HumanRef): Promise<HumanFacts> =>
  snapshot(deps.db, async (tx) => {
    const sources = sourcesOf(deps.config);
    const id = await humanIdOf(tx, ref, sources.identity);
    const [facts] = id === null ? [] : await loadHumans(tx, [id], sources);
    return facts ?? noSuchHuman();
  });

/** A page of humans with everything public about each. */
export const pageOfHumans = (deps: HandlerDeps, query: PageQuery): Promise<{ total: number; humans: HumanFacts[] }> =>
  snapshot(deps.db, async (tx) => {
    const sources = sourcesOf(deps.config);
    const { total, ids } = await listHumans(tx, query, sources.identity);
    return { total, humans: await loadHumans(tx, ids, sources) };
  });

/**
 * The caller's own human and organizations, with their private data.
 * @throws Failure not_found when it is not registered, indexer_behind
 */
export const ownHuman = (deps: HandlerDeps, caller: HumanCaller, now: number): Promise<OwnHumanView> =>
  snapshot(deps.db, async (tx) => {
    const sources = sourcesOf(deps.config);
    const id = await humanOfPrincipal(tx, { value: nameOf(caller) });
    const [facts] = id === null ? [] : await loadHumans(tx, [id], sources);
    if (!facts)
      return fail("not_found", "You are not registered as a human.", {
        hint: "POST /api/v2/principals/human/register with a name registers you, for nothing.",
      });
    const owned = await organizationsOf(tx, { principal: nameOf(caller) });
    const ids = owned.map((organization) => organization.id);
    const organizations = await loadOrganizations(tx, { ids, identity: sources.identity });
    return {
      ...humanView(facts, deps.site, new Date(now)),
      ...privateOf(await humanPrivate(tx, { id: facts.id })),
      organizations: organizations.map((organization, i) => ({
        ...organizationView(organization),
        ...privateOf(owned[i]!),
      })),
    };
  });

function privateOf(row: PrivateRow | null): PrivateFields {
  const { email = null, telegram = null } = row?.contact ?? {};
  return { contact: { email, telegram }, notificationPreferences: row?.notificationPreferences ?? {} };
}

/**
 * Deletes the caller's registrations: the human with its links and contact data, and the organizations it owns.
 * @throws Failure not_found when there is nothing, indexer_behind
 */
export const deletePrincipal = (deps: HandlerDeps, caller: HumanCaller, now: number) =>
  transaction(deps.db, async (tx) => {
    await lockPrincipal(tx, { principal: nameOf(caller) });
    const organizations = await deleteOrganizations(tx, {
      principal: nameOf(caller),
      holder: holderHash(caller),
      now: new Date(now),
    });
    const human = await deleteHuman(tx, nameOf(caller));
    if (human === null && organizations.length === 0) fail("not_found", "You are not registered here.");
    return { id: human?.id ?? null, links: human?.links ?? 0, organizations };
  });

/** Bound: links of one human. */
export const LINKS_PER_HUMAN = 50;

/**
 * Links an agent. The wallet that signed has to own the token; it must be the human's own, or the request must also
 * carry the human's access token.
 * Check then write: fewer than 50 links and the owner, then the link; the agent may be sold, or linked twice: the
 * agent's advisory lock, the human's row lock, and the owner in the insert's `where`.
 * @returns the human's id
 * @throws Failure not_found, forbidden, conflict, indexer_behind
 */
export const linkAgent = (
  deps: HandlerDeps,
  caller: OwnerCaller,
  request: { human: HumanRef; tokenId: number },
  now: number,
): Promise<string> =>
  transaction(deps.db, async (tx) => {
    const { identity } = deps.config.contracts;
    const { tokenId } = request;
    // Serialised, so that an agent that its owner links twice at once is linked to one human.
    await lockAgentWrites(tx, tokenId);
    const id = await humanIdOf(tx, request.human, identity.address);
    const principal = id === null ? null : await lockHuman(tx, id);
    if (id === null || principal === null) return noSuchHuman();
    if (principal !== nameOf(caller) && (caller.tokenCaller === null || principal !== nameOf(caller.tokenCaller)))
      fail("forbidden", "Only the human itself links agents to itself.", {
        hint: "Sign with the human's own wallet; for one without a wallet, send its access token with the owner's X-SIWA.",
      });
    const holding = await holdingOf(tx, { tokenId, identity: identity.address });
    if (holding === null) return failNoAgent({ tokenId });
    if ((await otherLinks(tx, { id, tokenId, identity: identity.address })) >= LINKS_PER_HUMAN)
      fail("conflict", `A human has at most ${LINKS_PER_HUMAN} linked agents.`);
    const link = { humanId: id, tokenId, owner: caller.wallet };
    if (!(await linkHumanAgent(tx, link, identity.address, new Date(now))))
      fail("forbidden", `Agent ${tokenId} belongs to another wallet.`, {
        hint: `Sign with the owner ${checksum(holding.owner)}.`,
      });
    return id;
  });

/**
 * Ends a link between a human and an agent, by the human itself.
 * @returns the human's id
 * @throws Failure not_found, forbidden, indexer_behind
 */
export const unlinkAgent = (
  deps: HandlerDeps,
  caller: WalletCaller | TokenCaller,
  request: { human: HumanRef; tokenId: number },
): Promise<string> =>
  transaction(deps.db, async (tx) => {
    const id = await humanIdOf(tx, request.human, deps.config.contracts.identity.address);
    const principal = id === null ? null : await lockHuman(tx, id);
    if (id === null || principal === null) return noSuchHuman();
    if (principal !== nameOf(caller))
      fail("forbidden", "Only the human itself ends its links.", { hint: "Sign with the human's own wallet." });
    if (!(await unlinkHumanAgent(tx, { humanId: id, tokenId: request.tokenId })))
      fail("not_found", `Agent ${request.tokenId} is not linked to this human.`);
    return id;
  });
