/** Rate limits of clients and callers: token buckets, shown in RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
import {
  isShared,
  quotaOf,
  RATE_POLICIES,
  type RateBucket,
  type RateBuckets,
  type RatePolicyName,
  type RateQuotas,
  type TakenTokens,
  windowSeconds,
} from "../../core/callers/rate-policies.ts";
import { type Networks, networksOfWho, type Who } from "../../core/callers/shares.ts";
import { Failure, fail } from "../../core/errors.ts";
import { type Caller, type KeyCaller, nameOf } from "../caller-types.ts";
import type { AnswerHeaders } from "../http/headers.ts";

/**
 * One token of a policy for a client, a caller or a group. A client's is taken from the bucket of each of its networks,
 * and where unknown callers share the policy, from theirs. `quota` replaces the policy's own.
 */
export type Token = readonly [policy: RatePolicyName, who: Who, quota?: number | undefined];

/** The budget a request counts against; `unlimited` for the endpoints of monitors. */
export type Bucket = "reads" | "writes" | "proofs" | "index" | "unlimited";

/** Limits of single operations, in addition to those of their bucket. */
export type OwnLimit =
  | "checks"
  | "claims"
  | "discoveries"
  | "exports"
  | "groups"
  | "live-terms"
  | "messages"
  | "messages-by-day"
  | "messages-of-group"
  | "principals"
  | "updates-by-day"
  | "webhook-sends";

/** The client of a request: its networks, and the API key by which it reads. */
export type Client = { networks: Networks; key: ReadingKey | null };
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
  /** Gives back what was taken for something that did not come about. */
  giveBack(tokens: readonly Token[], now: number): Promise<void>;
  /** Check then write: a token is left, then it is taken; taken before the check of the credential that it allows. */
  attempt(networks: Networks, now: number): SignInAttempt;
};

/** The tokens of a request before its caller is known. */
export function tokensOfClient(bucket: Bucket, open: boolean, { networks, key }: Client): Token[] {
  if (bucket === "reads")
    return [key ? ["reads-by-key", nameOf(key), key.readsPerMinute ?? undefined] : ["reads", networks]];
  // Writes that need a credential count against the caller; until it is known, they count as attempts to sign in.
  return open && bucket !== "unlimited" ? [["writes-by-network", networks]] : [];
}

/** The tokens of a caller whose credential was verified; no other caller can use up its budget. */
export function tokensOfCaller(bucket: Bucket, caller: Caller, networks: Networks): Token[] {
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
  return [...own, ["signed-writes-by-network", networks]];
}

/** The buckets of a token, those of the client itself or of the known caller first. */
const bucketsBy =
  (quotas: RateQuotas) =>
  ([policy, who, quota = quotas[policy]]: Token): RateBucket[] => {
    const windowMs = windowSeconds(policy) * 1000;
    const own = networksOfWho(who).map((network) => ({
      key: `${policy}:${network.name}`,
      quota: quotaOf(policy, quota, who, network),
      windowMs,
    }));
    return isShared(policy) && typeof who !== "string"
      ? [...own, { key: `${policy}:strangers`, quota, windowMs }]
      : own;
  };

export function rateLimits(quotas: RateQuotas, buckets: RateBuckets): RateLimits {
  const bucketsOf = bucketsBy(quotas);
  const limited = (tokens: readonly Token[]) => tokens.filter(([policy, , quota]) => (quota ?? quotas[policy]) > 0);

  /**
   * Writes the levels into the headers: of each policy the bucket that has the least left, under the quota of the first.
   * @throws Failure rate_limited, with the wait for the slowest of the empty buckets
   */
  function report(tokens: readonly Token[], { granted, levels }: TakenTokens, outgoing?: AnswerHeaders): undefined {
    let wait = 0;
    let empty = "";
    let from = 0;
    for (const token of tokens) {
      const [policy] = token;
      const buckets = bucketsOf(token);
      const ofToken = levels.slice(from, from + buckets.length);
      from += buckets.length;
      const { quota } = buckets[0]!;
      if (outgoing) {
        const left = Math.min(...ofToken.map((level) => level.left));
        addItem(outgoing, "RateLimit-Policy", `"${policy}";q=${Math.floor(quota)};w=${windowSeconds(policy)}`);
        addItem(outgoing, "RateLimit", `"${policy}";r=${left};t=${Math.ceil(ofToken[0]!.fullInMs / 1000)}`);
      }
      for (const [i, { nextInMs }] of ofToken.entries()) {
        if (nextInMs <= wait) continue;
        wait = nextInMs;
        const { key, quota } = buckets[i]!;
        const whose = i === 0 ? policy : key.replace(":", " of ");
        empty = `: ${whose} is limited to ${Math.floor(quota).toLocaleString("en")} a ${RATE_POLICIES[policy].window}`;
      }
    }
    if (!granted) fail("rate_limited", `Too many requests${empty}.`, { retryAfter: wait / 1000 });
  }

  const take: RateLimits["take"] = (all, now, outgoing) => {
    const tokens = limited(all);
    if (tokens.length === 0) return undefined;
    const taken = buckets.take(tokens.flatMap(bucketsOf), now);
    if ("then" in taken) return taken.then((settled) => report(tokens, settled, outgoing));
    return report(tokens, taken, outgoing);
  };

  const giveBack: RateLimits["giveBack"] = async (all, now) => {
    const tokens = limited(all);
    if (tokens.length > 0) await buckets.giveBack(tokens.flatMap(bucketsOf), now);
  };

  return {
    take,
    giveBack,
    attempt(networks, now) {
      const tokens: Token[] = [["sign-ins", networks]];
      let begun = false;
      let taken = false;
      const begin = async () => {
        if (begun) return;
        begun = true;
        await take(tokens, now);
        taken = true;
      };
      const undo = () => (taken ? giveBack(tokens, now) : undefined);
      return {
        begin,
        async end(signedIn) {
          try {
            const caller = await signedIn;
            await undo();
            return caller;
          } catch (error) {
            const code = error instanceof Failure ? error.code : null;
            if (code === "unauthenticated") await begin();
            // A failure on our side says nothing about the credential, which may be valid; a limit is none of ours.
            else if (code !== "rate_limited") await undo();
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
