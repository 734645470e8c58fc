/** Cred: the score by token id and by address, and its history. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import type { AgentFacts } from "../../core/agents/facts.ts";
import type { Who } from "../../core/callers/shares.ts";
import { SIGNALS, shownCred } from "../../core/cred/cred.ts";
import { causeSays } from "../../core/cred/cred-causes.ts";
import { openPoints } from "../../core/cred/open-points.ts";
import type { ReportEpoch } from "../../core/cred/report/cred-report.ts";
import { tierOf, tierWord } from "../../core/cred/tiers.ts";
import { type CredLeaf, LEAF_TYPES, leafHash } from "../../core/cred/tree/leaf.ts";
import { fail, failNoAgent } from "../../core/errors.ts";
import { txLink } from "../../core/links.ts";
import { caveatsOf } from "../../core/views/agent.ts";
import { credByAddressSchema, credByAddressView, credByIdView, credByTokenSchema } from "../../core/views/cred.ts";
import { type CredEpoch, epochByNumber, latestPublished, leafOf, proofOf } from "../../db/cred/cred-epochs.ts";
import { credHeld, credHistory, provingEpochs, withEpochs } from "../../db/cred/cred-history.ts";
import { historyState } from "../../db/cred/cred-history-months.ts";
import { credUpdates as readUpdates } from "../../db/cred/cred-updates.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { agentRef, blockOrTime, integer, limit } from "../parameters.ts";
import * as schemas from "../schemas/cred.ts";
import { factsOf, ownerAttested, tokenIdOf } from "../services/agent-facts.ts";

const endpoint = endpointsOf({ tag: "Cred", named: { ref: agentRef } });

export const cred = endpoint({
  path: "/api/v2/agent/{ref}/cred",
  operationId: "getCred",
  summary: "The cred score: by token id with its scale, by address with its factors, of the past with its cause",
  description:
    "A contract, or a program that does not trust this service, checks a score by its cred proof: GET /api/v2/agent/{ref}/cred/proof.",
  data: true,
  query: z.object({ at: blockOrTime("The score that the agent had then, with what had changed it").optional() }),
  responses: {
    200: {
      description:
        "By token id: score, tier and scale. By address: score, tier word and factors. With `at`: the past score",
      schema: z.union([credByTokenSchema, credByAddressSchema, schemas.credAtSchema]),
    },
  },
  errors: ["gone", "upstream_unavailable"],
  async handler({ deps, params: { ref }, query, reader, now, at }, json) {
    const facts = await factsOf(deps.facts, ref);
    if (query.at !== undefined) return json(await credAt(deps, facts, query.at, { now, reader }));
    const reservations = caveatsOf(facts, at);
    return json(
      "address" in ref
        ? { ...credByAddressView(facts, at), reservations }
        : { ...credByIdView(facts, { ...deps.site, prices: deps.payments.shown() }, at), reservations },
    );
  },
});

const DEFAULT_DAYS = 90;
const MAX_DAYS = 3650;

export const history = endpoint({
  path: "/api/v2/agent/{ref}/cred/history",
  operationId: "getCredHistory",
  summary: "Changes of the score and what caused them, oldest first; the newest 5,000",
  data: true,
  query: z.object({
    days: integer({ min: 1, max: MAX_DAYS, what: `How far back; ${DEFAULT_DAYS} by default` })
      .optional()
      .transform((days) => days ?? DEFAULT_DAYS),
  }),
  responses: { 200: { description: "The history", schema: schemas.credHistorySchema } },
  async handler({ deps, params: { ref }, query: { days } }, json) {
    const tokenId = await tokenIdOf(deps, ref);
    const points = await credHistory(deps.db, tokenId, days);
    if (points === null) return failNoAgent({ tokenId });
    return json({
      tokenId,
      points: (await withEpochs(deps.db, points)).map(({ at, score, cause, block, epoch }) => {
        return { at: at.toISOString(), score, tier: tierWord(tierOf(score)), cause, block, epoch };
      }),
    });
  },
});

export const advice = endpoint({
  path: "/api/v2/agent/{ref}/cred/advice",
  operationId: "getCredAdvice",
  summary: "What lifts the score: each step that is open to the agent, with the points it wins, the greatest first",
  data: true,
  responses: { 200: { description: "The open steps; none when all are taken", schema: schemas.credAdviceSchema } },
  async handler({ deps, params: { ref }, at }, json) {
    const facts = await factsOf(deps.facts, ref);
    const { score, raw, computedAt } = shownCred(facts, at);
    const attested = await ownerAttested(deps, deps.db, facts, at);
    const reached = SIGNALS.reduce((sum, { key, weight }) => sum + weight * raw[key], 0);
    return json({
      tokenId: facts.tokenId,
      credScore: score,
      points: reached / 100,
      computedAt,
      steps: openPoints(facts, raw, { attested }),
    });
  },
});

export const proof = endpoint({
  path: "/api/v2/agent/{ref}/cred/proof",
  operationId: "getCredProof",
  summary: "A Merkle proof of the score: what a contract or a program checks against the root on chain",
  description:
    "Once an epoch, the root of all scores is published in the contract CredRoots. The answer has everything that a check needs but the root itself, which belongs to be read from the contract. `code` says why there is no proof: `no_epoch`, `not_in_epoch`, or `epoch_pruned`, when the tree is no longer kept.",
  params: z.object({ ref: agentRef }),
  query: z.object({
    epoch: integer({
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      what: "Number of the epoch; the latest by default",
    }).optional(),
  }),
  responses: { 200: { description: "The proof", schema: schemas.credProofSchema } },
  errors: ["no_epoch", "not_in_epoch", "epoch_pruned"],
  handler: async ({ deps, params: { ref }, query: { epoch } }, json) =>
    json(await credProof(deps, await tokenIdOf(deps, ref), epoch)),
});

export const credUpdates = endpoint({
  path: "/api/v2/cred/updates",
  operationId: "getCredUpdates",
  summary: "Every change of a score after the one you know last, oldest first",
  description:
    "Begin with `after=0`, go on with `nextAfter`, at once while `more` is true. Nothing is passed over and nothing given twice, however many changes are written at the same time. The last entry of an agent is its score; `score` null says that it does not exist any more.",
  data: true,
  query: z.object({
    after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what: "`nextAfter` of the answer before; 0 by default" })
      .optional()
      .transform((after) => after ?? 0),
    limit: limit({ default: 100, max: 1000 }),
  }),
  responses: { 200: { description: "Changes in the order of their ids", schema: schemas.credUpdatesSchema } },
  async handler({ deps, query: { after, limit } }, json) {
    const { updates, more } = await readUpdates(deps.db, { after, limit });
    return json({
      updates: updates.map(({ id, tokenId, score, cause, at }) => ({
        id,
        tokenId,
        score,
        tier: score === null ? null : tierWord(tierOf(score)),
        cause,
        at: at.toISOString(),
      })),
      after,
      limit,
      nextAfter: updates.at(-1)?.id ?? after,
      more,
    });
  },
});

/** What is asked for: a block's number, or a time. */
export type PastMoment = number | Date;

/**
 * The score that an agent had, with the reason of its last change before.
 * @param by.now milliseconds since the epoch @param by.reader whose allowance is used where a node has to be asked
 * @throws Failure invalid_input (the future), indexer_behind, not_found (before the first score), gone (no longer kept),
 * rate_limited, upstream_unavailable
 */
async function credAt(
  deps: Pick<HandlerDeps, "db" | "index" | "chainHead" | "blockTimes">,
  { tokenId, name, mintedAt }: AgentFacts,
  time: PastMoment,
  { now, reader }: { now: number; reader: Who },
) {
  const block = typeof time === "number" ? time : null;
  const at = typeof time === "number" ? await timeOfBlock(deps, time, reader) : pastTime(time, now);
  const held = await credHeld(deps.db, tokenId, { at, block });
  if (held === null) await refuseForgotten(deps.db, { at, mintedAt });
  if (held === null)
    return fail(
      "not_found",
      `Agent ${tokenId} had no score at ${block === null ? at.toISOString() : `block ${block}`}.`,
      {
        hint: `GET /api/v2/agent/${tokenId}/cred/history lists its scores.`,
      },
    );
  const tier = tierOf(held.score);
  return {
    tokenId,
    name,
    credScore: held.score,
    tier: tierWord(tier),
    tierLabel: tier.label,
    asked: { at: at.toISOString(), block },
    computedAt: held.at.toISOString(),
    block: held.block,
    cause: held.cause,
    why: causeSays(held.cause),
    previousScore: held.previous,
    until: held.until?.toISOString() ?? null,
    onchain: await epochOfScore(deps.db, tokenId, held),
  };
}

/** An agent that existed may have had a score whose point is no longer kept. */
async function refuseForgotten(db: HandlerDeps["db"], { at, mintedAt }: { at: Date; mintedAt: number }) {
  const { keptSince } = await historyState(db);
  if (keptSince === null || at >= keptSince || at.getTime() < mintedAt * 1000) return;
  fail("gone", `The scores of that time are no longer kept; those since ${keptSince.toISOString()} are.`);
}

function pastTime(at: Date, now: number): Date {
  if (at.getTime() > now)
    return fail("invalid_input", "That time is in the future.", {
      details: [{ path: "at", message: `must not be after ${new Date(now).toISOString()}` }],
    });
  // The years before 1970 have no score; Postgres reads some of them in another way than JavaScript writes them.
  return new Date(Math.max(0, at.getTime()));
}

async function timeOfBlock(
  { index, chainHead, blockTimes }: Pick<HandlerDeps, "index" | "chainHead" | "blockTimes">,
  number: number,
  reader: Who,
): Promise<Date> {
  if (number > index.block) await index.refresh();
  if (number > index.block) {
    const head = await chainHead();
    if (number <= head)
      fail("indexer_behind", `Block ${number} is not indexed yet.`, {
        retryAfter: 5,
        extra: { indexedBlock: index.block },
      });
    fail("invalid_input", `There is no block ${number} yet.`, {
      details: [{ path: "at", message: `must not be above block ${Math.max(head, index.block)}` }],
    });
  }
  return new Date(await blockTimes.of(number, index.block, reader));
}

/**
 * The proof of an agent's score.
 * @param number number of the epoch; undefined for the latest one
 * @throws Failure no_epoch, epoch_pruned, not_in_epoch
 */
async function credProof({ db, config }: HandlerDeps, tokenId: number, number: number | undefined) {
  const epoch = await publishedEpoch(db, number);
  const proved = await proofOf(db, epoch.epoch, tokenId);
  if (proved === null) return refuse(db, epoch, tokenId);
  const { leaf, proof, root } = proved;
  return {
    tokenId,
    epoch: epoch.epoch,
    ...whereOf(epoch),
    registry: checksum(epoch.registry),
    root,
    leaf: shownLeaf(leaf),
    leafTypes: [...LEAF_TYPES],
    leafHash: leafHash(leaf),
    proof,
    leaves: epoch.leaves,
    block: epoch.block,
    computedAt: epoch.computedAt.toISOString(),
    transactionBlock: epoch.txBlock,
    latestEpoch: (number === undefined ? null : await latestPublished(db))?.epoch ?? epoch.epoch,
    explorer: txLink(config.service.explorer, epoch.txHash!),
  };
}

const shownLeaf = (leaf: CredLeaf) => ({ ...leaf, registry: checksum(leaf.registry) });

/** Where the root of a published epoch is on chain. */
const whereOf = ({ chainId, contract, txHash, publishedAt }: CredEpoch) => ({
  chainId,
  contract: checksum(contract),
  transaction: txHash!,
  publishedAt: publishedAt!.toISOString(),
});

async function publishedEpoch(db: Queryable, number: number | undefined): Promise<CredEpoch> {
  const epoch = number === undefined ? await latestPublished(db) : await epochByNumber(db, number);
  if (epoch?.state === "published") return epoch;
  if (number === undefined) return fail("no_epoch", "No epoch of scores is on chain yet.");
  const state = { built: "is not on chain yet", failed: "was never published", none: "does not exist" } as const;
  const latest = await latestPublished(db);
  return fail("no_epoch", `Epoch ${number} ${state[(epoch?.state as "built" | "failed" | undefined) ?? "none"]}.`, {
    hint: latest ? `The latest epoch is ${latest.epoch}.` : "No epoch of scores is on chain yet.",
  });
}

/** Says why there is no proof: the tree may have been removed since the epoch was read. */
async function refuse(db: Queryable, { epoch }: CredEpoch, tokenId: number): Promise<never> {
  if (!(await epochByNumber(db, epoch))?.kept)
    return fail("epoch_pruned", `The tree of epoch ${epoch} is no longer kept, so proofs of it cannot be made.`, {
      hint: "Leave epoch away for a proof of the latest one. A proof that was stored earlier is valid for all time.",
    });
  return fail("not_in_epoch", `Agent ${tokenId} had no score when epoch ${epoch} was made.`, {
    hint: "An agent is in the first epoch after its registration.",
  });
}

/** The epoch that names an agent's score on chain; undefined when the latest one does not have the agent. */
export async function reportEpoch(db: Queryable, tokenId: number): Promise<ReportEpoch | undefined> {
  const epoch = await latestPublished(db);
  const leaf = epoch && (await leafOf(db, epoch, tokenId));
  if (!leaf) return undefined;
  return { epoch: epoch.epoch, ...whereOf(epoch), root: epoch.root, score: leaf.score };
}

/**
 * The first epoch that proves a score of the past. An epoch whose tree is kept is held against the score: its snapshot may
 * have been taken while the score was being written.
 */
async function epochOfScore(
  db: Queryable,
  tokenId: number,
  held: { score: number; at: Date; until: Date | null },
): Promise<{ epoch: number; proof: string | null } | null> {
  for (const { epoch } of await provingEpochs(db, held)) {
    const of = await epochByNumber(db, epoch);
    if (!of?.kept) return { epoch, proof: null };
    if ((await leafOf(db, of, tokenId))?.score === held.score)
      return { epoch, proof: `/api/v2/agent/${tokenId}/cred/proof?epoch=${epoch}` };
  }
  return null;
}
