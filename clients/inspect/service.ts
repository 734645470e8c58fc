/** What the doctor asks once: the running API, a server for its clock, a facilitator for what it settles, Redis for its settings. */
import type { Redis } from "ioredis";
import { Agent } from "undici";
import { z } from "zod";
import { kindProblem, openRedis } from "../../runtime/redis.ts";
import type { Authorize } from "../facilitator-token.ts";
import { openEgress, type Proxies } from "../http/egress.ts";
import { exchange } from "../http/exchange.ts";
import type { FacilitatorKinds, RedisSettings, ServerDate, ServiceAnswer } from "../ports.ts";

const FACILITATOR_LIMITS = { headersMs: 8_000, bodyMs: 8_000, totalMs: 10_000, maxBytes: 256_000 };

const kind = z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() });
const kindsAnswer = z.object({ kinds: z.array(z.unknown()) });

/** @param url base URL of the facilitator @throws Error when it does not kindsAnswer, refuses the key, or answers something else */
export async function facilitatorKinds(
  url: string,
  authorize?: Authorize,
  proxies?: Proxies,
): Promise<FacilitatorKinds> {
  const agent = openEgress({ connectMs: 3_000 }, proxies);
  try {
    const target = new URL(`${url.replace(/(?<!\/)\/+$/, "")}/supported`);
    const headers = {
      accept: "application/json",
      ...(authorize && { authorization: await authorize("GET", target) }),
    };
    const { status, text } = await exchange(agent, { method: "GET", url: target, headers }, FACILITATOR_LIMITS);
    if (status !== 200) throw new Error(`/supported answered with status ${status}`);
    return kindsAnswer.parse(JSON.parse(text)).kinds.flatMap((item) => kind.safeParse(item).data ?? []);
  } finally {
    await agent.destroy();
  }
}

const DATE_LIMITS = { headersMs: 5_000, bodyMs: 5_000, totalMs: 6_000, maxBytes: 1_000_000 };

/** @throws Error when there is no answer, or none with a date */
export async function serverDate(
  url: string,
  { now = Date.now, proxies }: { now?: () => number; proxies?: Proxies | undefined } = {},
): Promise<ServerDate> {
  const agent = openEgress({ connectMs: 3_000 }, proxies);
  try {
    const sentAt = now();
    const request = { method: "GET" as const, url: new URL(url), headers: {}, headOnly: true };
    const { headers } = await exchange(agent, request, DATE_LIMITS);
    const receivedAt = now();
    const at = Date.parse(headers.date ?? "");
    if (Number.isNaN(at)) throw new Error("the answer has no Date header");
    return { at, sentAt, receivedAt };
  } finally {
    await agent.destroy();
  }
}

const LIMITS = { headersMs: 5_000, bodyMs: 5_000, totalMs: 6_000, maxBytes: 4_000_000 };

/** @param origins tried in their order @throws Error of the last one when none answers with JSON */
export async function askService(origins: readonly string[], path: string): Promise<ServiceAnswer> {
  const agent = new Agent({ connect: { timeout: 2_000 } });
  try {
    let failure: unknown = new Error("no URL");
    for (const origin of origins) {
      try {
        const request = {
          method: "GET" as const,
          url: new URL(origin + path),
          headers: { accept: "application/json" },
        };
        const { status, text } = await exchange(agent, request, LIMITS);
        return { status, json: JSON.parse(text) };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  } finally {
    await agent.destroy();
  }
}

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
