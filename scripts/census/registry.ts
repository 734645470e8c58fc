/** The reviews of a whole registry, read from a node's logs without a database, and their figures in the shape of an empirical study. */
import type { AbiEvent } from "viem";
import { decodeEventLog, getAbiItem, toEventSelector } from "viem/utils";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../../abis/erc8004.ts";
import type { Chain, FoundLog } from "../../clients/ports.ts";
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import {
  type AccountHistory,
  MAX_TAG,
  type ReviewEntry,
  type ReviewsFacts,
  UNKNOWN_HISTORY,
} from "../../core/reviews/facts.ts";
import { SCALES } from "../../core/reviews/rules.ts";
import { computeReviews } from "../../core/reviews/stats.ts";
import { logsPrice, RANGE_BLOCKS } from "../../workers/chain-ranges.ts";
import { readHistory } from "../../workers/reviews/reviewer-histories.ts";

/** Which blocks of which contracts; how many reviewers' histories, and requests at most. */
export type CensusOf = {
  identity: Address;
  reputation: Address;
  from: number;
  to: number;
  histories: number;
  requests: number;
};
type CensusChain = Pick<Chain, "block" | "logs" | "transactionsIn" | "balance" | "code" | "nonce">;

/** Requests of one history at most. */
const PER_HISTORY = 200;

/** What reading takes: requests for logs, and for histories at most; times of blocks come with the logs, or take one a block. */
export function censusRequests({ from, to, histories }: Pick<CensusOf, "from" | "to" | "histories">) {
  const blocks = Math.max(0, to - from + 1);
  const rest = blocks % RANGE_BLOCKS;
  const whole = Math.floor(blocks / RANGE_BLOCKS) * logsPrice(RANGE_BLOCKS);
  return { logs: 2 * (whole + (rest > 0 ? logsPrice(rest) : 0)), histories: histories * PER_HISTORY };
}

const abi = [...erc8004IdentityAbi, ...erc8004ReputationAbi] as const;
type EventName = "Transfer" | "NewFeedback" | "FeedbackRevoked";
const lower = (address: unknown) => String(address).toLowerCase() as Address;

type Entry = ReviewEntry & { agentId: string; block: number };

/**
 * The facts about each agent that has reviews, by the registry's events, and the histories of the first `asked.histories`
 * reviewers in the order of their first review. Payments, attestations and wallets are not read and count as "none", which
 * marks no reviewer.
 * @throws Failure upstream_unavailable; Error when it takes more requests than it may
 */
export async function readCensus(
  of: CensusChain,
  options: CensusOf,
): Promise<{ agents: number; facts: ReviewsFacts[]; requests: number; histories: number }> {
  const { chain, made } = bounded(of, options.requests);
  const owners = await ownersIn(chain, options);
  const entries = await entriesIn(chain, options);
  const first = new Map<string, Entry>();
  for (const entry of entries) if (!first.has(entry.reviewer)) first.set(entry.reviewer, entry);
  const histories = new Map<string, AccountHistory>();
  for (const [reviewer, { block }] of [...first].slice(0, options.histories))
    histories.set(reviewer, await readHistory(chain, reviewer as Address, block));
  const facts = factsOf(owners, entries, first, histories);
  return { agents: owners.size, facts, requests: made(), histories: histories.size };
}

/** A chain with a maximum of requests. */
function bounded(of: CensusChain, most: number): { chain: CensusChain; made: () => number } {
  let made = 0;
  const chain = new Proxy(of, {
    get: (_, name: keyof CensusChain) => (filter: Parameters<Chain["logs"]>[0], at?: number) => {
      made += name === "logs" ? logsPrice(filter.toBlock! - filter.fromBlock + 1) : 1;
      if (made > most) throw new Error(`It takes more than ${most} requests: give more (--requests).`);
      return of[name](filter as never, at as never);
    },
  });
  return { made: () => made, chain };
}

/** The logs of some events with what they say, range by range; those that are not of their event's form are left out. */
async function* eventsOf(chain: CensusChain, address: Address, names: EventName[], { from, to }: CensusOf) {
  const selectors = names.map((name) => toEventSelector(getAbiItem({ abi, name }) as AbiEvent));
  for (let fromBlock = from; fromBlock <= to; fromBlock += RANGE_BLOCKS) {
    const toBlock = Math.min(to, fromBlock + RANGE_BLOCKS - 1);
    for (const log of await chain.logs({ address, topics: [selectors], fromBlock, toBlock })) {
      const event = decoded(log);
      if (event !== null) yield { log, event };
    }
  }
}

function decoded({ topics, data }: FoundLog) {
  try {
    return decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data });
  } catch {
    return null;
  }
}

/** Who registered an agent, which is its side: an owner that was only sent the token has done nothing; and its present owner. */
type Owners = { registrant: Address | undefined; owner: Address };

async function ownersIn(chain: CensusChain, of: CensusOf): Promise<Map<string, Owners>> {
  const owners = new Map<string, Owners>();
  for await (const { event } of eventsOf(chain, of.identity, ["Transfer"], of)) {
    if (event.eventName !== "Transfer" || event.args.to === ZERO_ADDRESS) continue;
    const [id, owner] = [String(event.args.tokenId), lower(event.args.to)];
    owners.set(id, { registrant: event.args.from === ZERO_ADDRESS ? owner : owners.get(id)?.registrant, owner });
  }
  return owners;
}

/** Reviews in the order of the chain. */
async function entriesIn(chain: CensusChain, of: CensusOf): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  const times = new Map<number, number>();
  const keyOf = (of: { agentId: bigint; clientAddress: Address; feedbackIndex: bigint }) =>
    `${of.agentId} ${lower(of.clientAddress)} ${of.feedbackIndex}`;
  for await (const { log, event } of eventsOf(chain, of.reputation, ["NewFeedback", "FeedbackRevoked"], of)) {
    if (event.eventName === "FeedbackRevoked") {
      const entry = entries.get(keyOf(event.args));
      if (entry) entry.revoked = true;
    }
    if (event.eventName !== "NewFeedback") continue;
    const { agentId, clientAddress, feedbackIndex, value, valueDecimals, tag1: tag } = event.args;
    const at = log.timestamp ?? times.get(log.block) ?? (await chain.block(log.block))?.timestamp;
    if (at === undefined) fail("upstream_unavailable", `The node has no block ${log.block}.`);
    times.set(log.block, at);
    entries.set(keyOf(event.args), {
      ...{ agentId: String(agentId), reviewer: lower(clientAddress), index: String(feedbackIndex) },
      ...{ value: scaledValue(value, valueDecimals, tag), tag: tag.slice(0, MAX_TAG), revoked: false },
      ...{ at, txHash: log.txHash, block: log.block },
    });
  }
  return [...entries.values()];
}

/** A value as it was written, from 0 to 100; null where its tag has no scale. */
function scaledValue(value: bigint, decimals: number, tag: string): number | null {
  if (!Object.hasOwn(SCALES, tag)) return null;
  const written = Number(value) / 10 ** Math.min(Math.max(decimals, 0), 30);
  return 100 * Math.min(1, Math.max(0, written / SCALES[tag]!));
}

function factsOf(
  owners: ReadonlyMap<string, Owners>,
  entries: readonly Entry[],
  first: ReadonlyMap<string, Entry>,
  histories: ReadonlyMap<string, AccountHistory>,
): ReviewsFacts[] {
  const byAgent = Map.groupBy(entries, ({ agentId }) => agentId);
  const rated = new Map(
    [...Map.groupBy(entries, ({ reviewer }) => reviewer)].map(([reviewer, of]) => [
      reviewer,
      [...new Set(of.map(({ agentId }) => agentId))],
    ]),
  );
  const reviewersOf = new Map([...byAgent].map(([id, of]) => [id, new Set(of.map(({ reviewer }) => reviewer)).size]));
  const ownerOf = (id: string) => owners.get(id)?.owner;
  const historyOf = (address: string) => histories.get(address) ?? UNKNOWN_HISTORY;
  return [...byAgent].map(([agentId, reviews]) => {
    const { registrant, owner } = owners.get(agentId) ?? {};
    const side = registrant ? [registrant] : [];
    // Owners of the agents that this one's owner reviewed.
    const met = new Set((rated.get(owner ?? "") ?? []).map(ownerOf));
    return {
      side: side.map((address) => ({ address, funder: historyOf(address).funder, partners: [] })),
      reviews: reviews.map(({ agentId: _, block: __, ...entry }) => entry),
      reviewers: [...new Set(reviews.map(({ reviewer }) => reviewer))].map((address) => ({
        address,
        ...historyOf(address),
        beganAt: first.get(address)!.at,
        human: false,
        agentCred: null,
        paid: 0,
        partners: [],
        returned: met.has(address as Address),
        rated: rated
          .get(address)!
          .filter((id) => id !== agentId)
          .map((id) => ({ agent: id, reviewers: reviewersOf.get(id)! })),
      })),
    };
  });
}

/** Figures as in arXiv 2606.26028, by the rules of core/reviews instead of the study's own. */
export type Census = {
  /** Agents that have a review that was not taken back. */
  rated: number;
  /** Reviews, and those that were taken back. */
  reviews: number;
  revoked: number;
  reviewers: number;
  /** Reviewers in a cluster, or on the side of an agent that they reviewed. */
  marked: number;
  /** Rated agents with a marked reviewer, and those with marked reviewers only. */
  affected: number;
  emptied: number;
  /** Of rated agents, how many reviews by one account move the mean by twenty points: the median; null without a mean. */
  entriesToMove: number | null;
};

/** Points by which a mean is moved. */
const MOVED_POINTS = 20;

/** @param agents the facts about each agent that has reviews; a reviewer without a known history is not marked for it */
export function censusOf(agents: readonly ReviewsFacts[]): Census {
  const marked = new Set<string>();
  const moves: number[] = [];
  for (const facts of agents) {
    const { raw, reviewers } = computeReviews(facts);
    for (const { address, cluster, nothing } of reviewers)
      if (cluster !== null || nothing?.startsWith("own")) marked.add(address);
    const entries = facts.reviews.filter(({ revoked, value }) => !revoked && value !== null).length;
    if (raw !== null) moves.push(entriesToMove(raw, entries));
  }
  const all = agents.flatMap(({ reviews }) => reviews);
  const valid = agents
    .map(({ reviews }) => reviews.filter(({ revoked }) => !revoked))
    .filter(({ length }) => length > 0);
  const byMarked = ({ reviewer }: { reviewer: string }) => marked.has(reviewer);
  return {
    rated: valid.length,
    reviews: all.length,
    revoked: all.filter(({ revoked }) => revoked).length,
    reviewers: new Set(all.map(({ reviewer }) => reviewer)).size,
    marked: marked.size,
    affected: valid.filter((reviews) => reviews.some(byMarked)).length,
    emptied: valid.filter((reviews) => reviews.every(byMarked)).length,
    entriesToMove: moves.length === 0 ? null : moves.sort((a, b) => a - b)[(moves.length - 1) >> 1]!,
  };
}

/** Reviews of 0 or of 100, whichever are fewer, that move a mean of `entries` entries by twenty points. */
function entriesToMove(mean: number, entries: number): number {
  const furthest = Math.max(mean, 100 - mean);
  return Math.ceil((MOVED_POINTS * entries) / (furthest - MOVED_POINTS));
}
