/** Reads the settings of a Redis server that decide whether jobs survive in it. */
import type { Redis } from "ioredis";
import { kindProblem, openRedis } from "../../runtime/redis.ts";
import type { RedisSettings } from "../ports.ts";

/** @throws Error when the server does not answer within 5 s, or refuses the password */
export async function redisSettings(url: string): Promise<RedisSettings> {
  const redis = openRedis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    commandTimeout: 5_000,
    socketTimeout: 5_000,
    maxRetriesPerRequest: 0,
  });
  let failure: unknown;
  redis.on("error", (error) => {
    failure ??= error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    return {
      kindProblem: kindProblem(info),
      version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? "unknown",
      maxmemoryPolicy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? (await setting(redis, "maxmemory-policy")),
      appendonly: await setting(redis, "appendonly"),
      isReplica: /^role:slave/m.test(info),
    };
  } catch (error) {
    throw failure ?? error;
  } finally {
    redis.disconnect();
  }
}

/** Managed servers refuse CONFIG: null then. */
async function setting(redis: Redis, name: string): Promise<string | null> {
  const answer = await redis.config("GET", name).catch(() => null);
  return Array.isArray(answer) && typeof answer[1] === "string" ? answer[1] : null;
}
