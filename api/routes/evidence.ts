/**
 * What is known of an agent by others: its reviews, its jobs and the payments it received, raw beside what counts, and why.
 */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { unweighed } from "../../core/commerce/stats.ts";
import { OWN_PLATFORM, type PlatformKey } from "../../core/directory/platforms.ts";
import type { DirectoryRow } from "../../core/directory/row.ts";
import { incomeStatsView, jobStatsView, jobView, receivedPaymentView } from "../../core/income/view.ts";
import { reviewStatsView, weighedReviewView } from "../../core/reviews/view.ts";
import { canonicalIdentityOf } from "../../db/agents/canonical-identity.ts";
import { readContract } from "../../db/commerce/commerce-logs.ts";
import { agentCommerce, jobPage } from "../../db/commerce/job-stats.ts";
import { ERC8004 } from "../../db/directory/erc8004-rows.ts";
import { directoryDetail } from "../../db/directory/rows.ts";
import { groupMembers } from "../../db/income/followed.ts";
import { incomeOf, incomePage } from "../../db/income/income-stats.ts";
import type { RegistryAgent } from "../../db/reviews/review-facts.ts";
import { type ReviewPlace, reviewPage, statsAreCurrent, statsOf } from "../../db/reviews/review-pages.ts";
import { type Queryable, snapshot } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { flag, limit, minBlock, textAs, walletAddress } from "../parameters.ts";
import { pageOf } from "../reply.ts";
import { agentJobsPageSchema, agentPaymentsSchema, agentReviewsSchema } from "../schemas/evidence.ts";
import { untilShown, waitForDirectory } from "../services/until-shown.ts";
import {
  cursorAt,
  directoryAgent,
  logPlace,
  ofPlatform,
  ref,
  unknownAgent,
  walletWithoutRow,
} from "./directory-agent.ts";

const endpoint = endpointsOf({ tag: "Agents", named: { ref }, data: true });

/** @param what subject of the sentence for a reader whose wait is over */
const waitingFor =
  (what: string, isRead: (db: Queryable, id: number, block: number) => Promise<boolean>) =>
  async ({ db, index }: Pick<HandlerDeps, "db" | "index">, id: number, block: number | undefined): Promise<void> => {
    if (block === undefined) return;
    await untilShown({ index }, `${what} are not read up to block ${block} yet.`, [() => isRead(db, id, block)]);
  };

/**
 * Waits until the payments to an agent's wallet are read up to a block, and weighed.
 * @throws Failure indexer_behind when that takes too long
 */
const waitForIncome = waitingFor("Payments", async (db, id, block) => {
  const income = await incomeOf(db, { id });
  return income === null || (income.current === true && (income.readTo ?? -1) >= block);
});

/**
 * Waits until jobs are read up to a block, and those of the agent weighed: not where no jobs are read or the agent has no wallet.
 * @throws Failure indexer_behind when that takes too long
 */
const waitForJobs = waitingFor("Jobs", async (db, id, block) => {
  const commerce = await agentCommerce(db, { id });
  return !commerce?.contract || commerce.wallet === null || (commerce.current === true && commerce.readTo! >= block);
});

/**
 * Waits until the index has a block and an agent's figures are of that index.
 * @param block undefined returns at once
 * @throws Failure indexer_behind when that takes too long
 */
async function waitForStats(
  { db, index }: Pick<HandlerDeps, "db" | "index">,
  agent: RegistryAgent,
  block: number | undefined,
): Promise<void> {
  if (block === undefined) return;
  const current = () => statsAreCurrent(db, agent);
  await untilShown({ index }, `The reviews of block ${block} are not weighed yet.`, [current]);
}

const CURSOR = /^([0-2])-(0x[0-9a-f]{40})-(\d{1,78})-([1-9]\d{0,19})$/;

const cursor = textAs((text): ReviewPlace | null => {
  const [, rank, client, of, index] = CURSOR.exec(text) ?? [];
  return rank === undefined ? null : { rank: Number(rank), client: client!, of: of!, index: index! };
}, "must be `nextCursor` of the answer before")
  .meta({
    documented: { type: "string", maxLength: 145 },
    description: "`nextCursor` of the answer before",
  })
  .optional();

export const agentReviews = endpoint({
  path: "/api/v2/agent/{ref}/reviews",
  operationId: "listAgentReviews",
  summary: "What the reviews of an agent are worth: raw and adjusted value, clusters, why each counts how much",
  description:
    "Reviews of the canonical ERC-8004 reputation registry, of an agent there or of an own agent, of all registrations there that are or ever were its own. Anybody writes any number of them for less than a cent; the registry's average counts all alike. Here a reviewer counts by what the chain proves about it, reviewers that share two evidences count as one, and all without proof together move the value by less than five points. Reviews by reviewers with proof come first, then all others that count, then those that count nothing; each with its reasons. No figure is part of a cred score.",
  query: z.object({
    minBlock,
    platform: ofPlatform,
    cursor,
    newest: flag("true: of each reviewer its newest review, with the number of all that it wrote"),
    client: walletAddress.optional().meta({ description: "Only what this account wrote, the newest first" }),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Figures and reviews", schema: agentReviewsSchema } },
  async handler({ deps, params, query }, json) {
    const { limit } = query;
    await waitForDirectory(deps, query.minBlock);
    const found = await reviewed(deps, params.ref, { platform: query.platform });
    const none = { reviews: [], limit, nextCursor: null };
    if (found === null) {
      const unknown = { registry: null, agentId: params.ref, registrations: [] };
      return json({ ...unknown, ...reviewStatsView(null), ...none });
    }
    const { agent, registry, registrations } = found;
    await waitForStats(deps, agent, query.minBlock);
    return snapshot(deps.db, async (tx) => {
      const figures = await statsOf(tx, agent);
      const head = { registry, agentId: registrations[0]!, registrations, ...reviewStatsView(figures) };
      if (figures === null) return json({ ...head, ...none });
      const client = query.client?.toLowerCase();
      const choice = client !== undefined ? { client } : query.newest ? "newest" : "all";
      const page = { choice, after: query.cursor ?? null, limit: limit + 1 } as const;
      const { rows, last } = pageOf([...(await reviewPage(tx, agent, page))], limit);
      return json({
        ...head,
        reviews: rows.map((one) => weighedReviewView(one, figures)),
        limit,
        nextCursor: last && `${last.rank}-${last.review.client}-${last.of}-${last.review.index}`,
      });
    });
  },
});

/** What a page takes of a list of one agent in the order of the chain's logs: its jobs, or its payments. */
const OF_LOGS = {
  query: z.object({ minBlock, platform: ofPlatform, cursor: logPlace, limit: limit({ default: 20, max: 100 }) }),
};

type Earned = { agents: number; readTo: number | null; computedAt: Date | null };
/** What is known of all that an agent's wallet earned. @param wallet null where none is known to be its own */
const earnedView = (wallet: string | null, { agents, readTo, computedAt }: Earned) => ({
  wallet: wallet && checksum(wallet),
  walletAgents: agents,
  readTo,
  computedAt: computedAt?.toISOString() ?? null,
});
const NOTHING: Earned = { agents: 0, readTo: null, computedAt: null };

export const agentJobs = endpoint({
  ...OF_LOGS,
  path: "/api/v2/agent/{ref}/jobs",
  operationId: "listAgentJobs",
  summary:
    "The jobs that an agent was paid for by escrow: raw and organic, clients, evaluators, why each counts or not",
  description:
    "Jobs of one contract of agent commerce (ERC-8183) whose provider is the agent's wallet, by the logs of the chain: the client's money is in escrow until an evaluator completes or rejects, or time is over. `raw` is all that were funded; `organic` is what is left without those whose client or evaluator is of the agent's own side, or whose client's money came from there or went back there, dust, other tokens, and where there is one client only. Each removed job names its rule, which is a reason and no verdict; who evaluates is a fact beside it. No figure is part of a cred score. The wallet is one that the registry has shown to be the agent's; agents of other registries have none.",
  responses: { 200: { description: "Figures and jobs", schema: agentJobsPageSchema } },
  async handler({ deps, params, query }, json) {
    const { limit } = query;
    const agent = await directoryAgent(deps, params.ref, query);
    const { id } = agent;
    if (id === null) {
      const none = { ...earnedView(null, NOTHING), ...jobStatsView(null), jobs: [], limit, nextCursor: null };
      const contract = await readContract(deps.db);
      return json({ ...none, contract: contract && checksum(contract), ...(await walletWithoutRow(deps, agent.own)) });
    }
    await waitForJobs(deps, id, query.minBlock);
    return snapshot(deps.db, async (tx) => {
      const commerce = await agentCommerce(tx, { id });
      if (commerce === null) return unknownAgent();
      const { contract, wallet, owner, figures } = commerce;
      const head = {
        contract: contract && checksum(contract),
        ...earnedView(wallet, commerce),
        ...jobStatsView(figures),
      };
      if (wallet === null || contract === null) return json({ ...head, jobs: [], limit, nextCursor: null });
      const page = { after: query.cursor ?? null, limit: limit + 1 };
      const { rows: shown, last } = pageOf(await jobPage(tx, { id, wallet }, page), limit);
      const usdc = deps.config.contracts.usdc.address;
      const named = shown.flatMap(({ job, weighed }) => (weighed ? [] : [job.client, job.evaluator ?? job.client]));
      const side = { wallet, owner, usdc, group: await groupMembers(tx, owner, named) };
      const isBeyond = figures?.windows.at(-1)?.removed.some(({ rule }) => rule === "beyond");
      return json({
        ...head,
        jobs: shown.map(({ job, weighed, rule, through }) => {
          const known = { ...job, units: BigInt(job.units) };
          return jobView(
            known,
            usdc,
            weighed ? rule && { rule, through } : unweighed(known, side, isBeyond ? "beyond" : "unread"),
          );
        }),
        limit,
        nextCursor: last && cursorAt(last),
      });
    });
  },
});

export const agentPayments = endpoint({
  ...OF_LOGS,
  path: "/api/v2/agent/{ref}/payments",
  operationId: "listAgentPayments",
  summary: "The payments that an agent's wallet received: raw and organic, payers, refunds, why each counts or not",
  description:
    "Settlements of EIP-3009 authorizations in USDC, which x402 pays by, to the agent's wallet: by the logs of the chain, of the last 90 days. `raw` is all of it; `organic` is what is left without the payments whose money came from the agent's side or went back to it, and without dust. Each removed payment names its rule, which is a reason and no verdict. No figure is part of a cred score. The wallet is one that the registry has shown to be the agent's; agents of other registries have none.",
  responses: { 200: { description: "Figures and payments", schema: agentPaymentsSchema } },
  async handler({ deps, params, query }, json) {
    const { limit } = query;
    const agent = await directoryAgent(deps, params.ref, query);
    const { id } = agent;
    if (id === null) {
      const none = { ...earnedView(null, NOTHING), ...incomeStatsView(null), payments: [], limit, nextCursor: null };
      return json({ ...none, ...(await walletWithoutRow(deps, agent.own)) });
    }
    await waitForIncome(deps, id, query.minBlock);
    return snapshot(deps.db, async (tx) => {
      const income = await incomeOf(tx, { id });
      const figures = income?.figures ?? null;
      const page = { after: query.cursor ?? null, limit: limit + 1 };
      const { rows, last } = pageOf(figures ? await incomePage(tx, id, page) : [], limit);
      return json({
        ...earnedView(income?.wallet ?? null, income ?? NOTHING),
        ...incomeStatsView(figures),
        payments: rows.map(receivedPaymentView),
        limit,
        nextCursor: last && cursorAt(last),
      });
    });
  },
});

const ownTokenOf = ({ platform, tokenId }: DirectoryRow) => (platform === OWN_PLATFORM ? tokenId : null);

/** What is weighed, and how the canonical registry names it: by one number, or of an own agent by one or more. */
type Reviewed = { agent: RegistryAgent; registry: string; registrations: string[] };

/**
 * The agent of a reference: an own one with all registrations that it ever had.
 * @returns null for one that has no reviews
 * @throws Failure not_found, indexer_behind
 */
async function reviewed(
  deps: Pick<HandlerDeps, "db" | "directory" | "facts" | "index">,
  ref: string,
  of: { platform?: PlatformKey | undefined },
): Promise<Reviewed | null> {
  const { db } = deps;
  const meant = await directoryAgent(deps, ref, of);
  const detail = meant.id === null ? null : await directoryDetail(db, { id: meant.id });
  const tokenId = meant.id === null ? meant.own.tokenId : detail && ownTokenOf(detail.row);
  if (tokenId !== null) {
    const { registry, registrations } = (await canonicalIdentityOf(db, { tokenId })) ?? unknownAgent();
    if (registry === null) return null;
    return { agent: { registry: OWN_PLATFORM, agentId: String(tokenId) }, registry, registrations };
  }
  if (detail === null) return unknownAgent();
  const { row } = detail;
  if (row.platform !== ERC8004 || row.registry === null) return null;
  const { registry, agentId } = row;
  return { agent: { registry, agentId }, registry, registrations: [agentId] };
}
