/** Token buckets in Redis, shared by all processes, or in this process's memory. */
import type { Redis } from "ioredis";
import type { RateBucket, RateBuckets, TakenTokens } from "../core/callers/rate-policies.ts";
import { openRedis } from "../runtime/redis.ts";

export type RateBucketOptions = {
  redisUrl?: string | undefined;
  /** Prefix of the keys; separates deployments that share one Redis. */
  prefix: string;
  log: { warn(data: object, message: string): void };
  /** Max milliseconds to wait for Redis; after that the request is counted in this process. */
  commandTimeoutMs?: number;
};

const COMMAND_TIMEOUT_MS = 250;
/** Milliseconds without requests to Redis after a failure, because a hanging Redis must not delay every request. */
const PAUSE_MS = 1_000;
/** Milliseconds without an answer after which the connection is given up for another. */
const SILENCE_MS = 5_000;

/**
 * A bucket is stored as the time at which it is full again (generic cell rate algorithm): one number, no timers. Each
 * token adds window / quota; a bucket whose time would be more than one window ahead is empty. The script takes a token
 * of every bucket, or of none; with a negative share it returns one. Times are microseconds of Redis' own clock, which is
 * the same for every process. It replies 1 or 0, then for each bucket how far its time is ahead.
 */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local ahead, granted = {}, 1
  for i, key in ipairs(KEYS) do
    local window, share = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
    local full = tonumber(redis.call('GET', key) or '0') or 0
    ahead[i] = math.max(0, full - now)
    -- Further ahead than any token moves it: the clock went back, or the window is another one now.
    if ahead[i] > window + 1 then ahead[i] = 0 end
    if ahead[i] + share > window + 1 then granted = 0 end
  end
  for i, key in ipairs(KEYS) do
    if granted == 1 then
      ahead[i] = math.max(0, ahead[i] + tonumber(ARGV[2 * i]))
      if ahead[i] < 1 then
        redis.call('DEL', key)
      else
        redis.call('SET', key, string.format('%.0f', now + ahead[i]), 'PX', math.ceil(ahead[i] / 1000))
      end
    end
    ahead[i] = math.floor(ahead[i])
  end
  table.insert(ahead, 1, granted)
  return ahead`;

/**
 * Opens the buckets. While Redis is slow or unreachable, each process counts in its own memory.
 * Check then write: tokens are left, then they are taken; one Redis script, or one synchronous function (no await);
 * taken before what they allow.
 */
export function openRateBuckets({
  redisUrl,
  prefix,
  log,
  commandTimeoutMs = COMMAND_TIMEOUT_MS,
}: RateBucketOptions): RateBuckets & { close(): void } {
  const memory = memoryBuckets();
  if (!redisUrl) return { ...memory, close() {} };

  let logged = false;
  let pausedUntil = 0;
  const outage = (err: unknown) => {
    if (!logged)
      log.warn({ err }, "the Redis of the rate limits is not reachable; each process counts in its own memory");
    logged = true;
  };
  const redis = openRedis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: commandTimeoutMs,
    socketTimeout: SILENCE_MS,
  });
  redis.on("error", outage);
  redis.on("ready", () => {
    logged = false;
    pausedUntil = 0;
  });
  redis.defineCommand("takeTokens", { lua: TAKE });
  const script = redis as Redis & { takeTokens(keys: number, ...words: (string | number)[]): Promise<number[]> };

  async function move(buckets: readonly RateBucket[], tokens: 1 | -1, now: number): Promise<TakenTokens> {
    if (redis.status !== "ready" || performance.now() < pausedUntil) return memory.move(buckets, tokens, now);
    try {
      const [granted, ...ahead] = await script.takeTokens(
        buckets.length,
        ...buckets.map(({ key }) => `${prefix}:rate:${key}`),
        ...buckets.flatMap(({ windowMs, quota }) => [windowMs * 1_000, (tokens * windowMs * 1_000) / quota]),
      );
      return levels(
        buckets,
        ahead.map((micros) => micros / 1_000),
        granted === 1,
      );
    } catch (error) {
      pausedUntil = performance.now() + PAUSE_MS;
      outage(error);
      return memory.move(buckets, tokens, now);
    }
  }
  return {
    take: (buckets, now) => move(buckets, 1, now),
    async giveBack(buckets, now) {
      await move(buckets, -1, now);
    },
    close: () => redis.disconnect(),
  };
}

/** Max buckets of one generation in memory; beyond it, the least recently used buckets are dropped. */
const MAX_BUCKETS = 100_000;

/** When the clock goes back by more than this many milliseconds, all counts are reset. */
const CLOCK_STEP_MS = 1_000;

/** Buckets of one window length. A bucket that was unused for one window is full and can be dropped. */
type Generations = { began: number; latest: number; current: Map<string, number>; former: Map<string, number> };

/** Bound: buckets in memory, 2 × 100,000 a window. */
function memoryBuckets() {
  const byWindow = new Map<number, Generations>();

  function generationsOf(windowMs: number, now: number): Generations {
    const window = byWindow.get(windowMs);
    const bucket = window && now > window.latest - CLOCK_STEP_MS ? window : undefined;
    if (bucket && now - bucket.began < windowMs && bucket.current.size < MAX_BUCKETS) {
      bucket.latest = now;
      return bucket;
    }
    // Two windows after its last use a bucket is full.
    const former = bucket && now - bucket.began < 2 * windowMs ? bucket.current : new Map<string, number>();
    const fresh = { began: now, latest: now, current: new Map<string, number>(), former };
    byWindow.set(windowMs, fresh);
    return fresh;
  }

  /** Takes (1) or returns (-1) a token of each bucket, or of none when one is empty. */
  function move(buckets: readonly RateBucket[], tokens: 1 | -1, now: number): TakenTokens {
    const ahead: number[] = [];
    let granted = true;
    for (const { key, quota, windowMs } of buckets) {
      const { current, former } = generationsOf(windowMs, now);
      const used = Math.max(0, (current.get(key) ?? former.get(key) ?? 0) - now);
      ahead.push(used);
      if (used + (tokens * windowMs) / quota > windowMs + ROUNDING_MS) granted = false;
    }
    if (granted)
      for (const [i, { key, quota, windowMs }] of buckets.entries()) {
        ahead[i] = Math.max(0, ahead[i]! + (tokens * windowMs) / quota);
        generationsOf(windowMs, now).current.set(key, now + ahead[i]);
      }
    return levels(buckets, ahead, granted);
  }
  return {
    move,
    take: (buckets: readonly RateBucket[], now: number) => move(buckets, 1, now),
    giveBack(buckets: readonly RateBucket[], now: number): undefined {
      move(buckets, -1, now);
    },
  };
}

/** Rounding error of sums of window shares is below this. */
const ROUNDING_MS = 0.01;

/** @param ahead milliseconds until each bucket is full */
const levels = (buckets: readonly RateBucket[], ahead: readonly number[], granted: boolean): TakenTokens => ({
  granted,
  levels: buckets.map(({ quota, windowMs }, i) => {
    const each = windowMs / quota;
    return {
      left: Math.max(0, Math.floor((windowMs - ahead[i]! + ROUNDING_MS) / each)),
      fullInMs: ahead[i]!,
      nextInMs: Math.max(0, ahead[i]! + each - windowMs),
    };
  }),
});
