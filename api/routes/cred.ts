/** Cred: the score by token id and by address, and its history. */
import { z } from "zod";
import { SIGNALS, shownCred } from "../../core/cred/cred.ts";
import { openPoints } from "../../core/cred/open-points.ts";
import { tierOf, tierWord } from "../../core/cred/tiers.ts";
import { failNoAgent } from "../../core/errors.ts";
import { unixSeconds } from "../../core/times.ts";
import { credByAddressSchema, credByAddressView, credByIdView, credByTokenSchema } from "../../core/views/cred.ts";
import { reservationsOf } from "../../core/views/reservations.ts";
import { walletAttested } from "../../db/agents/attestations.ts";
import { credHistory, withEpochs } from "../../db/cred/cred-history.ts";
import { endpoint } from "../endpoint.ts";
import { agentRef, blockOrTime, integer } from "../parameters.ts";
import { credAdviceSchema, credAtSchema, credHistorySchema, credProofSchema } from "../schemas/cred.ts";
import { factsOf, siteOf, tokenIdOf } from "../services/agent-facts.ts";
import { credAt } from "../services/cred-past.ts";
import { credProof } from "../services/cred-proofs.ts";

export const cred = endpoint({
  path: "/api/v2/agent/{ref}/cred",
  operationId: "getCred",
  tag: "Cred",
  summary: "The cred score: by token id with its scale, by address with its factors, of the past with its cause",
  description:
    "A contract, or a program that does not trust this service, checks a score by its cred proof: GET /api/v2/agent/{ref}/cred/proof.",
  data: true,
  params: z.object({ ref: agentRef }),
  query: z.object({
    at: blockOrTime("The score that the agent had then, with what had changed it").optional(),
  }),
  responses: {
    200: {
      description:
        "By token id: score, tier and scale. By address: score, tier word and factors. With `at`: the past score",
      schema: z.union([credByTokenSchema, credByAddressSchema, credAtSchema]),
    },
  },
  errors: ["not_found", "gone", "upstream_unavailable"],
  async handler({ deps, params: { ref }, query, reader, now }, json) {
    const facts = await factsOf(deps.facts, ref);
    if (query.at !== undefined) return json(await credAt(deps, facts, query.at, { now, reader }));
    const at = new Date(now);
    const reservations = reservationsOf(facts, at);
    return json(
      "address" in ref
        ? { ...credByAddressView(facts, at), reservations }
        : { ...credByIdView(facts, siteOf(deps.config, deps.payments.shown()), at), reservations },
    );
  },
});

const DEFAULT_DAYS = 90;
const MAX_DAYS = 3650;

export const history = endpoint({
  path: "/api/v2/agent/{ref}/cred/history",
  operationId: "getCredHistory",
  tag: "Cred",
  summary: "Changes of the score and what caused them, oldest first; the newest 5,000",
  data: true,
  params: z.object({ ref: agentRef }),
  query: z.object({
    days: integer({ min: 1, max: MAX_DAYS, what: `How far back; ${DEFAULT_DAYS} by default` })
      .optional()
      .transform((days) => days ?? DEFAULT_DAYS),
  }),
  responses: { 200: { description: "The history", schema: credHistorySchema } },
  errors: ["not_found"],
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
  tag: "Cred",
  summary: "What lifts the score: each step that is open to the agent, with the points it wins, the greatest first",
  data: true,
  params: z.object({ ref: agentRef }),
  responses: { 200: { description: "The open steps; none when all are taken", schema: credAdviceSchema } },
  errors: ["not_found"],
  async handler({ deps, params: { ref }, now }, json) {
    const facts = await factsOf(deps.facts, ref);
    const { score, raw, computedAt } = shownCred(facts, new Date(now));
    const attested = await walletAttested(deps.db, {
      wallet: facts.owner,
      schema: deps.config.attestationSchemas[0]!,
      now: unixSeconds(new Date(now)),
    });
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
  tag: "Cred",
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
  responses: { 200: { description: "The proof", schema: credProofSchema } },
  errors: ["no_epoch", "not_in_epoch", "epoch_pruned"],
  async handler({ deps, params: { ref }, query: { epoch } }, json) {
    return json(await credProof(deps, await tokenIdOf(deps, ref), epoch));
  },
});
