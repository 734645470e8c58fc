/** Counts what callers do, minute by minute: in memory, or in Redis for all processes together. */
import { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import type { RateCounters } from "./ports.ts";

export type RateCounterOptions = {
  redisUrl?: string | undefined;
  /** Keeps deployments on one Redis apart. */
  prefix: string;
  log: { warn(data: object, message: string): void };
};

const WINDOW_SECONDS = 60;
/** A Redis that hangs may cost a request this much, not more. */
const PATIENCE_MS = 250;
/** Counting refuses nothing: what is too much, the guard decides. */
const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

/** When Redis is away, each process counts for itself until it is back: a limiter that is down must not stop the service. */
export function openRateCounters({ redisUrl, prefix, log }: RateCounterOptions): RateCounters & { close(): void } {
  const memory = new RateLimiterMemory(UNLIMITED);
  if (!redisUrl) return { count: (key) => countIn(memory, key), close() {} };

  let told = false;
  /** An outage is told of once. */
  const tell = (err: unknown) => {
    if (!told) log.warn({ err }, "the Redis of the rate limits is not reachable; each process counts for itself");
    told = true;
  };
  const redis = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: PATIENCE_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  redis.on("error", tell);
  redis.on("ready", () => {
    told = false;
  });
  const shared = new RateLimiterRedis({
    ...UNLIMITED,
    storeClient: redis,
    keyPrefix: `${prefix}:rate`,
    rejectIfRedisNotReady: true,
  });
  return {
    count: (key) =>
      countIn(shared, key).catch((error) => {
        // Not connected yet is no outage; a connection that is lost says so itself.
        if (redis.status === "ready") tell(error);
        return countIn(memory, key);
      }),
    close: () => redis.disconnect(),
  };
}

async function countIn(limiter: RateLimiterMemory | RateLimiterRedis, key: string) {
  const { consumedPoints, msBeforeNext } = await limiter.consume(key);
  return { count: consumedPoints, resetMs: msBeforeNext };
}
