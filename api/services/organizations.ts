/** Organizations: registered and changed only by the principal that owns them. */
import { randomInt, randomUUID } from "node:crypto";
import { fail } from "../../core/errors.ts";
import type { OrganizationFacts } from "../../core/principals/facts.ts";
import { SLUG_RETIREMENT_MS, slugKey, suggestedSlug } from "../../core/principals/slugs.ts";
import { unknownTokens } from "../../db/agents/token-ownership.ts";
import {
  insertOrganization,
  isRetired,
  listOrganizations,
  loadOrganizations,
  lockPrincipal,
  type OrganizationRef,
  type OrganizationWrite,
  organizationIdOf,
  organizationsOf,
  ownByName,
  slugHolder,
  updateOrganization,
} from "../../db/principals/organizations.ts";
import type { PageQuery } from "../../db/principals/page.ts";
import { type Queryable, snapshot, transaction } from "../../db/sql/transaction.ts";
import { nameOf } from "../caller-types.ts";
import { walletOf } from "../guards/callers.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { type HumanCaller, holderHash, ownToken } from "./humans.ts";

/** Bound: organizations of one principal. */
export const ORGANIZATIONS_PER_PRINCIPAL = 20;
const SLUG_ATTEMPTS = 8;
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";

type Registration = Omit<OrganizationWrite, "token"> & {
  slug?: string | undefined;
  tokenId?: number | null | undefined;
};

/**
 * Registers an organization, or changes one of the caller's: the one with the slug, without a slug the one of the same
 * name.
 * @param allowed counts a registration that is new
 * @throws Failure rate_limited, conflict (the slug is another's, too many), invalid_input (members), not_found and forbidden (token)
 */
export const registerOrganization = (
  deps: HandlerDeps,
  caller: HumanCaller,
  { slug, tokenId, ...write }: Registration,
  { now, allowed }: { now: number; allowed(): Promise<void> },
): Promise<{ id: string; created: boolean }> =>
  transaction(deps.db, async (tx) => {
    const principal = nameOf(caller);
    await lockPrincipal(tx, { principal });
    const token = await ownToken(deps, tx, caller, tokenId);
    await requireAgents(tx, write.members ?? []);
    const at = new Date(now);
    const known =
      slug === undefined
        ? await ownByName(tx, { principal, name: write.displayName })
        : await ownBySlug(tx, principal, slug);
    if (known === null) await allowed();
    const id = known ?? (await addOrganization(tx, caller, { slug, displayName: write.displayName }, at));
    await updateOrganization(tx, { id, principal }, { ...write, token }, at);
    return { id, created: known === null };
  });

/** The principal's own organization of a slug; null when the slug is free. @throws Failure conflict */
async function ownBySlug(tx: Queryable, principal: string, slug: string): Promise<string | null> {
  const holder = await slugHolder(tx, slugKey(slug));
  if (holder === null) return null;
  if (holder.principal !== principal) taken(slug);
  if (holder.slug !== slug)
    fail("conflict", `The slug ${slug} looks like ${holder.slug}, which you have.`, {
      hint: "A slug stays as it was registered.",
    });
  return holder.id;
}

const taken = (slug: string): never =>
  fail("conflict", `The slug ${slug} is taken, or looks like one that is.`, { hint: "Choose another slug." });

/**
 * Check then write: the slug is free and the principal has fewer than 20, then the insert; the slug may be taken: the
 * principal's advisory lock; `slug_key` is unique, and the next suggestion is tried.
 */
async function addOrganization(
  tx: Queryable,
  caller: HumanCaller,
  { slug, displayName }: { slug: string | undefined; displayName: string },
  at: Date,
): Promise<string> {
  const principal = nameOf(caller);
  if ((await organizationsOf(tx, { principal })).length >= ORGANIZATIONS_PER_PRINCIPAL)
    fail("conflict", `A principal has at most ${ORGANIZATIONS_PER_PRINCIPAL} organizations.`);
  const since = new Date(at.getTime() - SLUG_RETIREMENT_MS);
  for (const candidate of slug === undefined ? suggestions(displayName) : [slug]) {
    const key = slugKey(candidate);
    if (await isRetired(tx, key, holderHash(caller), since)) continue;
    const id = `org_${randomUUID().replaceAll("-", "")}`;
    const who = { id, slug: candidate, slugKey: key, principal, wallet: walletOf(caller), displayName };
    if (await insertOrganization(tx, { ...who, now: at })) return id;
  }
  return taken(slug ?? suggestedSlug(displayName) ?? "org");
}

/** Slugs for a name: the plain one first, then with a random ending. */
function* suggestions(displayName: string): Generator<string> {
  const plain = suggestedSlug(displayName);
  if (plain !== null) yield plain;
  for (let i = 0; i < SLUG_ATTEMPTS; i++) {
    const ending = Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
    yield `${plain ?? "org"}-${ending}`;
  }
}

/** Members by token id have to be agents. @throws Failure invalid_input */
async function requireAgents(tx: Queryable, members: OrganizationFacts["members"]): Promise<void> {
  const tokenIds = members.filter((member) => typeof member === "number");
  const unknown = await unknownTokens(tx, { tokenIds });
  if (unknown.length === 0) return;
  fail("invalid_input", `There is no agent ${unknown[0]}.`, {
    details: unknown.map((tokenId) => ({ path: `members.${members.indexOf(tokenId)}`, message: "is no agent" })),
  });
}

/** @throws Failure not_found, indexer_behind */
export const organizationFacts = (deps: HandlerDeps, ref: OrganizationRef | null): Promise<OrganizationFacts> =>
  snapshot(deps.db, async (tx) => {
    const id = ref === null ? null : await organizationIdOf(tx, ref);
    const [facts] =
      id === null ? [] : await loadOrganizations(tx, { ids: [id], identity: deps.config.contracts.identity.address });
    return (
      facts ??
      fail("not_found", "There is no such organization.", {
        hint: "GET /api/v2/organizations?search=<name> finds organizations.",
      })
    );
  });

/** A page of organizations. */
export const pageOfOrganizations = (
  deps: HandlerDeps,
  query: PageQuery,
): Promise<{ total: number; organizations: OrganizationFacts[] }> =>
  snapshot(deps.db, async (tx) => {
    const identity = deps.config.contracts.identity.address;
    const { total, ids } = await listOrganizations(tx, query, identity);
    return { total, organizations: await loadOrganizations(tx, { ids, identity }) };
  });
