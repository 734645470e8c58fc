/** Changes of an agent by its controllers, the profile that they change, and its links to other registries. */
import { z } from "zod";
import type { AgentRef, Hex } from "../../core/agents/facts.ts";
import { traitKey } from "../../core/agents/trait-input.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { profileSchema, profileView } from "../../core/views/profile.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { newProfileWrite, onchainTraits, recentChainWrites } from "../../db/transactions/chain-writes.ts";
import { senderState } from "../../db/transactions/sender-state.ts";
import type { WalletCaller } from "../caller-types.ts";
import { type Call, endpointsOf, ignoredOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { agentRef, documented, flag } from "../parameters.ts";
import type { Json } from "../reply.ts";
import * as schemas from "../schemas/updates.ts";
import { factsOf, tokenIdOf, writtenTokenId } from "../services/agent-facts.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { payableTraitPrice, TRAIT_PRICE_LIMIT_WEI } from "../services/chain-writes.ts";
import { freeWriterOf, gasLeft } from "../services/free-gas.ts";
import { updateByHuman } from "../services/human-update.ts";
import { linkToken as link, prepareCrossRegistration, readCrossRegistrations } from "../services/registries.ts";
import { writesShown } from "../services/until-shown.ts";
import { isForChain, requireSomething, type Update, updateOffchain, updateOnchain } from "../services/update.ts";
import { authorizeController, type Write, writeAgent } from "../services/writing.ts";

const endpoint = endpointsOf({ tag: "Changes", named: { ref: agentRef }, data: true });

const query = z.object({
  onchain: flag(
    "Write to the chain; by default the service keeps it. It always keeps services, skills, domains and metadata: the contract has no place for them",
  ),
});

const responses = { 200: { description: "Written", schema: schemas.updateSchema }, 202: schemas.PENDING_WRITE };
const common = {
  guard: { caller: "siwa", price: "update" } as const,
  query,
  responses,
};
const errors: ErrorCode[] = ["forbidden", "conflict", "rate_limited", "out_of_funds"];

export const update = endpoint({
  ...common,
  errors,
  method: "post",
  path: "/api/v2/agent/{ref}/update",
  operationId: "updateAgent",
  summary: "Change personality, narrative, traits and what the agent lists, field by field",
  description:
    "By the token's owner or the agent's wallet. Of each field the newest write wins, whether on chain or off. A trait once given stays. Services, skills, domains and metadata are shown as stated and never move the score.",
  body: schemas.updateBodySchema,
  handler: (call, json) => change(call, call.body, json),
});

export const personality = endpoint({
  ...common,
  errors,
  method: "put",
  path: "/api/v2/agent/{ref}/personality",
  operationId: "updatePersonality",
  summary: "Change the personality, field by field",
  body: schemas.personalityBodySchema,
  handler: (call, json) => change(call, call.body, json),
});

export const profile = endpoint({
  path: "/api/v2/agent/{ref}/profile",
  operationId: "getProfile",
  summary: "Each field of a profile with where it is stored, what is being written on chain, and what a write costs",
  description: "What the agent's controllers see before they change something.",
  responses: { 200: { description: "The profile", schema: profileSchema } },
  handler: async ({ deps, params, now }, json) => json(await readProfile(deps, await tokenIdOf(deps, params.ref), now)),
});

type Change = Call<{ ref: AgentRef }, z.output<typeof query>, unknown, WalletCaller>;

async function change(call: Change, update: Update, json: Json<typeof responses>) {
  const { deps, params, query, caller, now, payment, count } = call;
  requireSomething(update);
  const tokenId = await writtenTokenId(deps, params.ref);
  const target = { tokenId, now };
  const sale = { payment, bought: newProfileWrite(tokenId) };
  const authorize = await authorizeController(deps, tokenId, caller.wallet);
  await count("updates-by-day", `${tokenId}:${caller.wallet}`);
  if (!query.onchain || !isForChain(update)) {
    const work = async (write: Write) => ({ result: await updateOffchain(write, update), scored: true });
    const updated = await writeAgent(deps, target, authorize, work, sale);
    if (!(await writesShown(deps, tokenId))) return pendingWrite(tokenId, []);
    return json({ success: true, tokenId, updated, storage: "offchain", ...ignoredOf(update) });
  }
  const identity = deps.config.contracts.identity.address;
  const indexedBlock = deps.index.block;
  const traitPriceWei = update.traits?.length ? await payableTraitPrice(deps.chain, identity) : 0n;
  const request = { wallet: caller.wallet, identity, indexedBlock, traitPriceWei, profileWrite: sale.bought };
  const work = async (write: Write) => ({ result: await updateOnchain(write, update, request), scored: false });
  const { updated, intentKeys } = await writeAgent(deps, target, authorize, work, sale);
  const { complete, mined, shown } = await minedIntents(deps, intentKeys, { tokenId, what: "update" });
  if (!complete) return pendingWrite(tokenId, mined);
  return json({ success: true, tokenId, updated, storage: "onchain", ...shown, ...ignoredOf(update) });
}

export const humanUpdate = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/human-update",
  operationId: "humanUpdate",
  summary: "Change personality, narrative and accounts as the token's owner, by a signed line of text",
  description:
    "The owner's wallet signs `{service}: Update agent #<id> at <milliseconds since 1970>`, or, so that the signature is good for this change alone, the same line with ` on <host> with content sha256:<hex>` behind it: the SHA-256 of the body without `message` and `signature`, in canonical form (RFC 8785). The text is good for five minutes and for one request.",
  guard: { price: "update" },
  body: schemas.humanUpdateBodySchema,
  responses: { 200: { description: "Written", schema: schemas.updateSchema }, 202: schemas.PENDING_WRITE },
  errors: ["unauthenticated", "forbidden", "conflict", "rate_limited"],
  async handler({ deps, params, body, sent, networks, fingerprint, now, payment, count }, json) {
    const tokenId = await writtenTokenId(deps, params.ref);
    const { message, signature, ...update } = body;
    const { message: _, signature: __, ...content } = sent as typeof body;
    const updated = await updateByHuman(deps, {
      tokenId,
      message,
      signature: signature as Hex,
      update,
      content,
      networks,
      count: (wallet) => count("updates-by-day", `${tokenId}:${wallet}`),
      fingerprint,
      payment,
      now,
    });
    if (!(await writesShown(deps, tokenId))) return pendingWrite(tokenId, []);
    return json({ success: true, tokenId, updated, storage: "offchain" });
  },
});

const DAY_MS = 86_400_000;
/** Writes are shown for a week: the service may be without funds for days. */
const SHOWN_MS = 7 * DAY_MS;

/** @throws Failure not_found */
async function readProfile(deps: HandlerDeps, tokenId: number, now: number) {
  const { traitPriceWei } = await deps.contract.current();
  const indexedBlock = deps.index.block;
  return snapshot(deps.db, async (db) => {
    const facts = await factsOf({ db, config: deps.config }, { tokenId });
    const writes = await recentChainWrites(db, { tokenId, since: new Date(now - SHOWN_MS) });
    const writer = await freeWriterOf({ tx: db, facts, now: new Date(now), paid: false }, facts.owner);
    const traits = await onchainTraits(db, { tokenId });
    const sender = await senderState(db);
    const chain = {
      writes,
      indexedBlock,
      traitPriceWei,
      traitPriceLimitWei: TRAIT_PRICE_LIMIT_WEI,
      traitsOnchain: new Set(traits.map(({ name }) => traitKey(name))),
      gas: await gasLeft(db, { ...writer!, tokenId }),
      funded: sender === null || (sender.funded && sender.pausedUntil === null),
    };
    return profileView(facts, deps.payments.shown(), chain, new Date(now));
  });
}

export const linkToken = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/link-token",
  operationId: "linkToken",
  summary: "Link a token to the agent",
  description:
    "Stored on chain. A token on Base must be a contract with this symbol; for other chains the address is checked by its form. Of several the newest counts.",
  guard: { caller: "siwa" },
  body: schemas.linkTokenBodySchema,
  responses: {
    200: { description: "Linked on chain", schema: schemas.linkTokenAnswerSchema },
    202: schemas.PENDING_WRITE,
  },
  errors: ["forbidden", "conflict", "rate_limited", "out_of_funds"],
  async handler({ deps, params: { ref }, body, caller, now }, json) {
    const tokenId = await writtenTokenId(deps, ref);
    const { token, intentKeys } = await link(deps, { tokenId, wallet: caller.wallet, input: body, now });
    const { complete, mined, shown } = await minedIntents(deps, intentKeys, { tokenId, what: "link" });
    if (!complete) return pendingWrite(tokenId, mined);
    return json({ success: true, tokenId, linkedToken: token, ...shown });
  },
});

const agentId = documented(
  z
    .string()
    .regex(/^\d{1,78}$/, { error: "must be a number of the registry" })
    .optional(),
  {
    documented: { type: "string", pattern: "^[0-9]{1,78}$" },
    description:
      "A registration of the owner: the transaction publishes the present file under it instead of a new one",
  },
);

export const crossRegistration = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/crossreg",
  operationId: "prepareCrossRegistration",
  summary: "Prepare the agent's registration in the canonical ERC-8004 registry, or a new file for it",
  description: "Nothing is sent: the owner's wallet submits the transaction, so that the registration is its own.",
  guard: { caller: "siwa" },
  query: z.object({ agentId }),
  responses: { 200: { description: "What the owner submits", schema: schemas.crossRegistrationSchema } },
  errors: ["forbidden", "conflict"],
  async handler({ deps, params: { ref }, query, caller, now }, json) {
    const tokenId = await writtenTokenId(deps, ref);
    await authorizeController(deps, tokenId, caller.wallet);
    return json(await prepareCrossRegistration(deps, { tokenId, agentId: query.agentId, now }));
  },
});

export const crossRegistrations = endpoint({
  path: "/api/v2/agent/{ref}/crossreg",
  operationId: "getCrossRegistrations",
  summary: "The registrations of an agent's owner and wallet in the canonical ERC-8004 registry",
  description: "As indexed: `txHash` finds the registration of a transaction that was sent.",
  responses: { 200: { description: "The registrations", schema: schemas.crossRegistrationsSchema } },
  handler: async ({ deps, params: { ref }, now }, json) =>
    json(await readCrossRegistrations(deps, await tokenIdOf(deps, ref), now)),
});
