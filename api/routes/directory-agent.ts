/**
 * One agent of the directory: what names it and finds it, what it offers, and claims about its token, open to anyone and shown as claimed.
 */
import { z } from "zod";
import { checksum, parseAddress } from "../../core/addresses.ts";
import type { OwnedFacts, Ownership } from "../../core/agents/caveats.ts";
import type { Address, AgentFacts, AgentRef, Hex } from "../../core/agents/facts.ts";
import {
  AGENT_REF_SCHEMA,
  OWN_PLATFORM,
  PLATFORMS,
  type PlatformKey,
  readOwnTokenRef,
} from "../../core/directory/platforms.ts";
import { fail } from "../../core/errors.ts";
import { isoSeconds, unixSeconds } from "../../core/times.ts";
import { type OfferingParties, offeringSchema, offeringView } from "../../core/views/offering.ts";
import { walletAttested } from "../../db/agents/attestations.ts";
import { findDirectoryId, writtenDirectoryId } from "../../db/directory/rows.ts";
import { claimToken } from "../../db/directory/token-links.ts";
import { offeringOf } from "../../db/discovery/offering.ts";
import { agentsOfWallet } from "../../db/income/followed.ts";
import { humanIdOf, humanName } from "../../db/principals/humans.ts";
import { organizationIdOf, organizationName } from "../../db/principals/organizations.ts";
import { type Queryable, withoutIndex } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { documented, minBlock, optionalChoice, textAs } from "../parameters.ts";
import { claimedSchema, tokenClaimSchema } from "../schemas/directory.ts";
import { listsShow, untilShown, waitForDirectory } from "../services/until-shown.ts";

export const ref = textAs((text) => {
  const trimmed = text.trim();
  const isText = trimmed !== "" && trimmed.isWellFormed() && !trimmed.includes("\0");
  return isText && trimmed.length <= AGENT_REF_SCHEMA.maxLength ? trimmed : null;
}, "must be an address, an agent's id or a token id").meta({
  documented: AGENT_REF_SCHEMA,
  description:
    "`token_id` of a row, which means no other; or an address, agent id or token id, in any case: in reads of several agents the own registry's, else the one with the highest score",
  examples: ["helixa-1"],
});

/** The platform among whose agents a reference is looked up. */
export const ofPlatform = optionalChoice(
  PLATFORMS.map(({ key }) => key) as [PlatformKey, ...PlatformKey[]],
  "Looks among the agents of this platform only: ids and wallets may be those of several",
);

/** Where a page ended in a list that has the order of the chain's logs: `<block>-<log index>`. */
export const logPlace = documented(
  textAs((text) => {
    const [, block, logIndex] = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,8})$/.exec(text) ?? [];
    return block === undefined ? null : { block: Number(block), logIndex: Number(logIndex) };
  }, "must be `nextCursor` of the answer before"),
  { documented: { type: "string", maxLength: 25 }, description: "`nextCursor` of the answer before" },
).optional();
export const cursorAt = ({ block, logIndex }: { block: number; logIndex: number }): string => `${block}-${logIndex}`;

export const unknownAgent = () =>
  fail("not_found", "The directory knows no such agent.", {
    hint: "GET /api/terminal/agents?q=<name, wallet or id> finds agents of all registries.",
  });

/** An agent by its row of the directory; an own one that the index has and the directory not yet, by its facts. */
type Meant = { id: number } | { id: null; own: OwnedFacts };

/** The own agent that a reference may mean. */
function ownRef(ref: string, platform: PlatformKey = OWN_PLATFORM): AgentRef | null {
  if (platform !== OWN_PLATFORM) return null;
  const address = parseAddress(ref);
  const tokenId = readOwnTokenRef(ref) ?? (/^(0|[1-9]\d{0,14})$/.test(ref) ? Number(ref) : null);
  return address ? { address } : tokenId === null ? null : { tokenId };
}

/** The directory is there before the index. */
const factsOf = ({ facts }: Pick<HandlerDeps, "facts">, ref: AgentRef) => facts(ref).catch(withoutIndex(null));

/**
 * The agent of a reference, as `findDirectoryId` has it. Of an own agent the chain's index decides: its row of the directory
 * comes a moment later.
 * @param minBlock waits until the directory shows this block, and an own agent its row
 * @throws Failure not_found, indexer_behind
 */
export async function directoryAgent(
  deps: Pick<HandlerDeps, "db" | "directory" | "facts" | "index">,
  ref: string,
  { platform, minBlock }: { platform?: PlatformKey | undefined; minBlock?: number | undefined },
): Promise<Meant> {
  await waitForDirectory(deps, minBlock);
  const reference = ownRef(ref, platform);
  const row = () => findDirectoryId(deps.db, ref, OWN_PLATFORM);
  let id = reference && (await row());
  if (reference !== null && id === null) {
    const own = await factsOf(deps, reference);
    if (own !== null && minBlock === undefined) return { id: null, own };
    if (own !== null) {
      const isShown = async () => {
        id = await row();
        return id !== null;
      };
      await untilShown(deps, "The directory does not show the agent yet.", [isShown]);
    }
  }
  id ??= await findDirectoryId(deps.db, ref, platform);
  return id === null ? unknownAgent() : { id };
}

/** The wallet of an own agent without a row, where it is known to be its own, and how many agents have it. */
export async function walletWithoutRow({ db }: Pick<HandlerDeps, "db">, { agentAddress, walletConfirmed }: OwnedFacts) {
  if (!walletConfirmed) return { wallet: null, walletAgents: 0 };
  return { wallet: checksum(agentAddress), walletAgents: 1 + (await agentsOfWallet(db, { wallet: agentAddress })) };
}

export const terminalToken = endpoint({
  method: "post",
  path: "/api/terminal/agent/{ref}/token",
  operationId: "claimTerminalToken",
  tag: "Terminal",
  summary: "Say which token is an agent's",
  description:
    "Open to anybody, and therefore a claim: shown with token_source `claimed`, whatever a market says about the token, never sorted or filtered by, never in place of the token that the registry or the owner names.",
  params: z.object({ ref }),
  query: z.object({ platform: ofPlatform }),
  body: tokenClaimSchema,
  responses: {
    200: { description: "Stored as a claim", schema: claimedSchema },
    202: { description: "Stored as a claim; reads show it in a moment", schema: claimedSchema },
  },
  errors: ["not_found", "conflict"],
  async handler({ deps, params, query, body, at, networks, count }, json) {
    const { db } = deps;
    await count("claims", networks);
    const id = await writtenDirectoryId(db, params.ref, query.platform);
    if (id === null) return unknownAgent();
    const claim = {
      tokenAddress: body.token_address,
      tokenSymbol: body.token_symbol,
      tokenName: body.token_name,
      marketCapUsd: body.token_market_cap,
    };
    const updated = await claimToken(db, id, claim, at);
    if (updated === 0) return unknownAgent();
    return json({ success: true, updated }, { status: (await listsShow(deps)) ? 200 : 202 });
  },
});

export const terminalOffers = endpoint({
  path: "/api/terminal/agent/{ref}/offers",
  operationId: "getTerminalOffers",
  tag: "Terminal",
  summary:
    "What an agent offers at which price, who operates it, whether its endpoints answer, what it is trusted by, and who resembles it",
  description:
    "Texts, addresses, terms and prices are the agent's own; `receiver` says whose wallet the terms of payment name. Agents of the same name and of the same endpoints are named, the oldest first.",
  data: true,
  params: z.object({ ref }),
  query: z.object({ minBlock, platform: ofPlatform }),
  responses: { 200: { description: "Its offers", schema: offeringSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query, at }, json) {
    const { db } = deps;
    await waitForDirectory(deps, query.minBlock);
    const id = await findDirectoryId(db, params.ref, query.platform);
    const offering = id === null ? null : await offeringOf(db, id, at);
    if (offering === null) return unknownAgent();
    const { platform, tokenId, ownerAddress, ownerSince } = offering;
    const own = platform === OWN_PLATFORM && tokenId !== null ? await deps.facts({ tokenId }) : null;
    const owner = own?.owner ?? (ownerAddress as Address | null);
    const { contracts, attestationSchemas } = deps.config;
    const behind = await behindAgent(db, {
      ...{ owner, own, ownerSince },
      identity: contracts.identity.address,
      schema: attestationSchemas[0]!,
      now: at,
    });
    return json(offeringView(offering, behind));
  },
});

type BehindOf = {
  owner: Address | null;
  own: OwnFacts | null;
  /** Of an agent of another registry, where it says so. */
  ownerSince: Date | null;
  identity: Address;
  /** Of the exchange's attestations. */
  schema: Hex;
  now: Date;
};

/**
 * @param of.owner null where the agent's registry names none
 * @param of.own facts of an agent registered here: the human it is linked to comes before the one of its owner's wallet
 */
async function behindAgent(
  db: Queryable,
  { owner, own, ownerSince, identity, schema, now }: BehindOf,
): Promise<OfferingParties> {
  const linked = own && (await humanIdOf(db, { tokenId: own.tokenId }, identity));
  const [attested, humanId, organizationId] = await Promise.all([
    own && walletAttested(db, { wallet: own.owner, schema, now: unixSeconds(now) }),
    linked ?? (owner && humanIdOf(db, { wallet: owner }, identity)),
    owner && organizationIdOf(db, { wallet: owner }),
  ]);
  const [name, organization] = await Promise.all([
    humanId && humanName(db, { id: humanId }),
    organizationId && organizationName(db, { id: organizationId }),
  ]);
  return {
    owner: owner && checksum(owner),
    attested,
    ownerSince: own
      ? isoSeconds(own.ownership.heldSince ?? own.mintedAt)
      : ((owner && ownerSince?.toISOString()) ?? null),
    human: humanId && name !== null ? { id: humanId, name } : null,
    organization: organization || null,
  };
}

type OwnFacts = Pick<AgentFacts, "tokenId" | "mintedAt" | "owner"> & { ownership: Pick<Ownership, "heldSince"> };
