/** How often a client and a caller may come: fixed windows of a minute, told in RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
import type { RateCounters } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import type { Bucket, Caller } from "../endpoint.ts";
import type { AnswerHeaders } from "../http/headers.ts";
import { nameOf } from "./callers.ts";

/** Requests a minute; 0 = as many as they like. */
export type RateBudgets = {
  readsPerClient: number;
  writesPerClient: number;
  writesPerCaller: number;
  writesPerApiKey: number;
  proofsPerCaller: number;
  paymentsPerCaller: number;
  messagesPerMember: number;
  messagesPerGroup: number;
  groupsPerCaller: number;
  webhookSendsPerCaller: number;
};

/** Limits of single operations, beside those of their bucket. */
export type OwnLimit = "messages" | "messages-of-group" | "groups" | "webhook-sends";

export type RateLimits = {
  /**
   * Counts a request against the network it comes from, before anything else is known of it: failed attempts to sign in
   * count here, and nowhere else.
   * @returns nothing to wait for when it is a read: those are counted in this process alone, and cost next to nothing
   * @throws Failure rate_limited
   */
  client(bucket: Bucket, network: string, outgoing: AnswerHeaders, now: number): Promise<void> | undefined;
  /**
   * Counts a write against the caller whose credential has been verified; nobody else can use a caller's budget up.
   * @throws Failure rate_limited
   */
  caller(bucket: Bucket, caller: Caller, outgoing: AnswerHeaders): Promise<void> | undefined;
  /**
   * Counts an attempt to pay.
   * @param payer the caller's name, or where there is none the network it comes from
   * @throws Failure rate_limited
   */
  payment(payer: string): Promise<void>;
  /**
   * Counts a request against a limit of its operation's own.
   * @throws Failure rate_limited
   */
  own(limit: OwnLimit, who: string, outgoing: AnswerHeaders): Promise<void>;
};

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;

type Policy = { name: string; quota: number };

export function rateLimits(budgets: RateBudgets, counters: RateCounters): RateLimits {
  const reads: Policy = { name: "reads", quota: budgets.readsPerClient };
  const writes: Policy = { name: "writes-by-network", quota: budgets.writesPerClient };
  const payments: Policy = { name: "payments", quota: budgets.paymentsPerCaller };
  const own: Record<OwnLimit, number> = {
    messages: budgets.messagesPerMember,
    "messages-of-group": budgets.messagesPerGroup,
    groups: budgets.groupsPerCaller,
    "webhook-sends": budgets.webhookSendsPerCaller,
  };
  const readsPolicy = policyItem(reads);
  let seen = new Map<string, number>();
  let windowEnds = 0;

  /** Reads, one window for all: a map that is thrown away each minute. */
  function countRead(network: string, outgoing: AnswerHeaders, now: number): void {
    if (reads.quota === 0) return;
    if (now >= windowEnds) {
      seen = new Map();
      windowEnds = now + WINDOW_MS;
    }
    const count = (seen.get(network) ?? 0) + 1;
    seen.set(network, count);
    const seconds = Math.ceil((windowEnds - now) / 1000);
    outgoing.setHeader("RateLimit-Policy", readsPolicy);
    outgoing.setHeader("RateLimit", `"reads";r=${Math.max(0, reads.quota - count)};t=${seconds}`);
    if (count > reads.quota) refuse(seconds);
  }

  async function count(policy: Policy, who: string, outgoing?: AnswerHeaders): Promise<void> {
    const { count, resetMs } = await counters.count(`${policy.name}:${who}`);
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    if (outgoing) {
      addItem(outgoing, "RateLimit-Policy", policyItem(policy));
      addItem(outgoing, "RateLimit", `"${policy.name}";r=${Math.max(0, policy.quota - count)};t=${seconds}`);
    }
    if (count > policy.quota) refuse(seconds);
  }

  /** What a caller's requests count against, beside its network. */
  function policyOf(bucket: Bucket, caller: Caller): Policy | undefined {
    if (bucket === "proofs") return { name: "proofs", quota: budgets.proofsPerCaller };
    if (bucket !== "writes") return undefined;
    return { name: "writes", quota: caller.kind === "apiKey" ? budgets.writesPerApiKey : budgets.writesPerCaller };
  }

  return {
    client(bucket, network, outgoing, now) {
      if (bucket === "reads") return void countRead(network, outgoing, now);
      if (bucket === "unlimited" || writes.quota === 0) return undefined;
      return count(writes, network, outgoing);
    },
    caller(bucket, caller, outgoing) {
      const policy = policyOf(bucket, caller);
      return policy && policy.quota > 0 ? count(policy, nameOf(caller), outgoing) : undefined;
    },
    async payment(payer) {
      if (payments.quota > 0) await count(payments, payer);
    },
    async own(limit, who, outgoing) {
      if (own[limit] > 0) await count({ name: limit, quota: own[limit] }, who, outgoing);
    },
  };
}

const policyItem = ({ name, quota }: Policy) => `"${name}";q=${quota};w=${WINDOW_SECONDS}`;

function addItem(outgoing: AnswerHeaders, header: string, item: string): void {
  const before = outgoing.getHeader(header);
  outgoing.setHeader(header, before === undefined ? item : `${before}, ${item}`);
}

function refuse(seconds: number): never {
  fail("rate_limited", "Too many requests.", { retryAfter: seconds });
}
