/** Rate limits of clients and callers: token buckets, shown in RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
import {
  RATE_POLICIES,
  type RateBucket,
  type RateBuckets,
  type RatePolicyName,
  type RateQuotas,
  type TakenTokens,
  windowSeconds,
} from "../../core/callers/rate-policies.ts";
import { Failure, fail } from "../../core/errors.ts";
import type { Caller, KeyCaller } from "../caller-types.ts";
import type { AnswerHeaders } from "../http/headers.ts";
import { nameOf } from "./caller-name.ts";

/** One token of a policy's bucket for a name: a network, a caller, a group. `quota` replaces the policy's own. */
export type Token = readonly [policy: RatePolicyName, who: string, quota?: number | undefined];

/** The budget a request counts against; `unlimited` for the endpoints of monitors. */
export type Bucket = "reads" | "writes" | "proofs" | "index" | "unlimited";

/** Limits of single operations, in addition to those of their bucket. */
export type OwnLimit =
  | "claims"
  | "discoveries"
  | "exports"
  | "groups"
  | "messages"
  | "messages-by-day"
  | "messages-of-group"
  | "webhook-sends";

/** The client of a request: its network, and the API key by which it reads. */
export type Client = { network: string; key: ReadingKey | null };
/** A key of scope `read`. @property readsPerMinute null: the policy's quota */
export type ReadingKey = KeyCaller & { readsPerMinute: number | null };

/** An attempt to sign in. It is counted before its credential is checked, and given back when the credential is valid. */
export type SignInAttempt = {
  /** Counts it, once. @throws Failure rate_limited */
  begin(): Promise<void>;
  /** Waits for the outcome: a missing or bad credential stays counted. @throws the error of `signedIn` */
  end<T>(signedIn: Promise<T>): Promise<T>;
};

export type RateLimits = {
  /**
   * Takes a token of each bucket, or of none, and shows the buckets in the headers. A policy whose quota is 0 has no
   * limit.
   * @returns undefined, without a promise, when the buckets are in memory
   * @throws Failure rate_limited
   */
  take(tokens: readonly Token[], now: number, outgoing?: AnswerHeaders): Promise<void> | undefined;
  /** Check then write: a token is left, then it is taken; taken before the check of the credential that it allows. */
  attempt(network: string, now: number): SignInAttempt;
};

/** The tokens of a request before its caller is known. */
export function tokensOfClient(bucket: Bucket, open: boolean, { network, key }: Client): Token[] {
  if (bucket === "reads")
    return [key ? ["reads-by-key", nameOf(key), key.readsPerMinute ?? undefined] : ["reads", network]];
  // Writes that need a credential count against the caller; until it is known, they count as attempts to sign in.
  return open && bucket !== "unlimited" ? [["writes-by-network", network]] : [];
}

/** The tokens of a caller whose credential was verified; no other caller can use up its budget. */
export function tokensOfCaller(bucket: Bucket, caller: Caller, network: string): Token[] {
  const name = nameOf(caller);
  if (bucket === "index") return [["index-queries", name]];
  if (bucket !== "writes" && bucket !== "proofs") return [];
  if (caller.kind === "apiKey") return [["writes-by-key", name]];
  const own: Token[] =
    bucket === "proofs"
      ? [
          ["proofs", name],
          ["proofs-by-day", name],
        ]
      : [["writes", name]];
  return [...own, ["signed-writes-by-network", network]];
}

export function rateLimits(quotas: RateQuotas, buckets: RateBuckets): RateLimits {
  const bucketOf = ([policy, who, quota = quotas[policy]]: Token): RateBucket => ({
    key: `${policy}:${who}`,
    quota,
    windowMs: windowSeconds(policy) * 1000,
  });
  const limited = (tokens: readonly Token[]) => tokens.filter(([policy, , quota]) => (quota ?? quotas[policy]) > 0);

  /**
   * Writes the levels into the headers. @throws Failure rate_limited, with the wait for the slowest of the empty
   * buckets
   */
  function report(tokens: readonly Token[], { granted, levels }: TakenTokens, outgoing?: AnswerHeaders): undefined {
    let wait = 0;
    let empty = "";
    for (const [i, [policy, , quota = quotas[policy]]] of tokens.entries()) {
      const { left, fullInMs, nextInMs } = levels[i]!;
      if (outgoing) {
        addItem(outgoing, "RateLimit-Policy", `"${policy}";q=${quota};w=${windowSeconds(policy)}`);
        addItem(outgoing, "RateLimit", `"${policy}";r=${left};t=${Math.ceil(fullInMs / 1000)}`);
      }
      if (nextInMs <= wait) continue;
      wait = nextInMs;
      empty = `: ${policy} is limited to ${quota.toLocaleString("en")} a ${RATE_POLICIES[policy].window}`;
    }
    if (!granted) fail("rate_limited", `Too many requests${empty}.`, { retryAfter: wait / 1000 });
  }

  const take: RateLimits["take"] = (all, now, outgoing) => {
    const tokens = limited(all);
    if (tokens.length === 0) return undefined;
    const taken = buckets.take(tokens.map(bucketOf), now);
    if ("then" in taken) return taken.then((settled) => report(tokens, settled, outgoing));
    return report(tokens, taken, outgoing);
  };

  return {
    take,
    attempt(network, now) {
      const tokens: Token[] = [["sign-ins", network]];
      let begun = false;
      let taken = false;
      const begin = async () => {
        if (begun) return;
        begun = true;
        await take(tokens, now);
        taken = true;
      };
      const giveBack = async () => {
        const counted = limited(tokens);
        if (taken && counted.length > 0) await buckets.giveBack(counted.map(bucketOf), now);
      };
      return {
        begin,
        async end(signedIn) {
          try {
            const caller = await signedIn;
            await giveBack();
            return caller;
          } catch (error) {
            // A failure on our side says nothing about the credential, which may be valid.
            if (error instanceof Failure && error.code === "unauthenticated") await begin();
            else await giveBack();
            throw error;
          }
        },
      };
    },
  };
}

function addItem(outgoing: AnswerHeaders, header: string, item: string): void {
  const before = outgoing.getHeader(header);
  outgoing.setHeader(header, before === undefined ? item : `${before}, ${item}`);
}
