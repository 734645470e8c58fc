/** Connections to Redis, all made here: one that can no longer be written through is given up for another. */
import { Redis, type RedisOptions } from "ioredis";

/**
 * Answers of a server that is not the primary, or not yet or no longer able to be one. A failover closes no connection: the
 * old primary continues to answer, as a replica, and only a new connection finds the primary. Before Redis 7 the word
 * follows the place in the script in a script's error. Such an answer means that nothing was done.
 */
const ELSEWHERE = /(^|[-:] ?)(READONLY|LOADING|MASTERDOWN|NOREPLICAS|MISCONF|CLUSTERDOWN|UNBLOCKED)\b/;

/** Milliseconds before another connection after such an answer: the name may still lead to the same server. */
const ELSEWHERE_MS = 1_000;
/** Max milliseconds between two attempts to connect. */
const RETRY_MS = 2_000;

export type RedisConnection = Omit<RedisOptions, "reconnectOnError" | "retryStrategy"> & {
  /**
   * Max milliseconds of a connection on which an answer is waited for and none comes: a server that vanished closes
   * nothing. Longer than the longest blocking command.
   */
  socketTimeout: number;
};

/**
 * Connects, and connects again after every loss, with the host's name resolved again. A command that is refused because
 * the server is no primary fails with the server's error and is not repeated.
 */
export function openRedis(url: string, options: RedisConnection): Redis {
  let refused = false;
  return new Redis(url, {
    ...options,
    reconnectOnError(error) {
      if (!ELSEWHERE.test(error.message)) return false;
      refused = true;
      return true;
    },
    retryStrategy(attempt) {
      const delay = Math.min(attempt * 100, RETRY_MS);
      if (!refused) return delay;
      refused = false;
      return Math.max(delay, ELSEWHERE_MS);
    },
  });
}

/** Whether the server is a replica; false where it does not say. @throws Error when there is no answer */
export async function isReplica(redis: Redis): Promise<boolean> {
  const info = await redis.info("replication").catch((error: Error) => {
    if (error.name === "ReplyError") return "";
    throw error;
  });
  return /^role:slave/m.test(String(info));
}

/** Max milliseconds that a start waits for the kind of a server; one that is away is connected to later. */
const KIND_MS = 5_000;

/**
 * Why a server of this kind cannot hold the queue; null where it can.
 * @param info what INFO answers
 */
export function kindProblem(info: string): string | null {
  const kind = /^redis_mode:(\w+)/m.exec(info)?.[1];
  if (kind === "cluster")
    return "is a Redis Cluster, which spreads keys that a job needs together: name a Redis without cluster mode";
  if (kind === "sentinel")
    return "is a Redis Sentinel, which holds no data: name the primary by an address that follows it";
  return null;
}

/**
 * Refuses a kind of server that cannot hold the queue. One that does not answer, or does not say, passes.
 * @throws Error, one sentence
 */
export async function requireSingleRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    ...{ lazyConnect: true, enableReadyCheck: false, maxRetriesPerRequest: 0, retryStrategy: () => null },
    ...{ connectTimeout: KIND_MS, commandTimeout: KIND_MS },
  });
  redis.on("error", () => {});
  try {
    const info = await redis.info("server").catch(() => "");
    const problem = kindProblem(String(info));
    if (problem !== null) throw new Error(`the server of REDIS_URL ${problem}`);
  } finally {
    redis.disconnect();
  }
}
