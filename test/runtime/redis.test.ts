/** Connections to Redis that outlive its failovers: no process is started again, and no connection is closed for them. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { openRateBuckets } from "../../clients/rate-buckets.ts";
import { testLog } from "../../harness/log.ts";
import { REDIS_BINARY, startRedis, startRedisPair, startSentinel } from "../../harness/redis.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/until.ts";
import { isReplica, openRedis } from "../../runtime/redis.ts";
import { openQueues } from "../../workers/operations/queue.ts";
import { endedPerTest } from "../support/started.ts";

const ended = endedPerTest();

/** What a client of an older server hears before it is ready. */
const GREETINGS: Record<string, string> = {
  hello: "-ERR unknown command `HELLO`\r\n",
  info: "$11\r\nrole:master\r\n",
};

/** A server that lets clients in and answers every command with `answer(connection)`, connections counted from 1. */
async function stubRedis(answer: (connection: number) => string | null) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (words) => {
      for (const [, name] of words.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const said = GREETINGS[name!.toLowerCase()] ?? answer(connection);
        if (said !== null) socket.write(said);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  ended(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

function connect(url: string, socketTimeout = 60_000) {
  const redis = openRedis(url, { socketTimeout, maxRetriesPerRequest: null, disableClientInfo: true });
  redis.on("error", () => {});
  ended(() => redis.disconnect());
  return redis;
}

describe("a connection to Redis", () => {
  it.each([
    "READONLY You can't write against a read only replica.",
    "ERR Error running script (call to f_1): @user_script:3: -READONLY You can't write against a read only replica.",
    "LOADING Redis is loading the dataset in memory",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "NOREPLICAS Not enough good replicas to write.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "CLUSTERDOWN The cluster is down",
    "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
  ])("is given up for another one at: %s", async (error) => {
    const { url } = await stubRedis((connection) => (connection === 1 ? `-${error}\r\n` : "+OK\r\n"));
    const redis = connect(url);
    await expect(redis.set("a", "1")).rejects.toThrow(error);
    await expect(redis.set("a", "1")).resolves.toBe("OK");
  });

  it("stays at an error that another server would answer too", async () => {
    const { url, sockets } = await stubRedis(() => "-WRONGTYPE of a key named READONLY\r\n");
    const redis = connect(url);
    for (let i = 0; i < 3; i++) await expect(redis.get("a")).rejects.toThrow("WRONGTYPE");
    expect(sockets).toHaveLength(1);
  });

  it("is given up for another one where the server says nothing any more, and closes nothing", async () => {
    const { url } = await stubRedis((connection) => (connection === 1 ? null : "+OK\r\n"));
    await expect(connect(url, 200).set("a", "1")).resolves.toBe("OK");
  });
});

describe.runIf(REDIS_BINARY)("a failover of Redis that closes no connection", () => {
  async function pair() {
    const redis = ended(await startRedisPair());
    const line = ended(await tcpProxy(redis.place));
    return { redis, url: `redis://127.0.0.1:${line.port}` };
  }
  const open = async (redisUrl: string, watchMs?: number) =>
    ended(await openQueues({ databaseUrl: "", redisUrl, prefix: "t", log: testLog(), watchMs }));

  it("stops no job: not one that was waiting, nor one that is added", async () => {
    const { url, redis } = await pair();
    const queues = await open(url);
    const ran: unknown[] = [];
    queues.work("score", 1, async (data) => void ran.push(data));
    await queues.add("score", [{ data: "before" }]);
    await until("the job runs", () => ran.length === 1);
    await redis.failOver();
    await until("a job is added", () => queues.add("score", [{ jobId: "after", data: "after" }]).then(() => true));
    await until("it runs", () => ran.length === 2);
    expect(ran).toEqual(["before", "after"]);
  });

  it("decided by a Sentinel is followed where the address follows the primary that it names", async () => {
    const [first, second] = [ended(await startRedis()), ended(await startRedis())];
    await second.follow(first);
    const sentinel = ended(await startSentinel(first));
    const place = { host: "127.0.0.1", port: Number(new URL(first.url).port) };
    const line = ended(await tcpProxy(place));
    const queues = await open(`redis://127.0.0.1:${line.port}`);
    const ran: unknown[] = [];
    queues.work("score", 1, async (data) => void ran.push(data));
    await queues.add("score", [{ data: "before" }]);
    await until("a job runs", () => ran.length === 1);
    const { port } = new URL(second.url);
    await until("the Sentinel knows the replica", async () =>
      (await sentinel.say("SENTINEL REPLICAS main")).includes(port),
    );
    first.crash();
    await until("the Sentinel names the other one", async () => {
      place.port = await sentinel.primaryPort();
      return place.port === Number(port);
    });
    const added = () => queues.add("score", [{ jobId: "after", data: "after" }]);
    await until("a job is added", () =>
      added()
        .then(() => true)
        .catch(() => false),
    );
    await until("it runs", () => ran.at(-1) === "after");
  });

  it("is noticed by who only asks, too", async () => {
    const { url, redis } = await pair();
    const queues = await open(url, 50);
    await queues.add("score", [{ data: {} }]);
    await redis.failOver();
    // The old one stays a replica, with what it has: who still asks there counts one.
    await redis.spare.say("REPLICAOF 127.0.0.1 1");
    await redis.flush();
    await until("none is counted", async () => {
      const counts = await queues.counts().catch(() => null);
      return counts?.[0]?.waiting === 0;
    });
  });

  it("lets requests be counted together again", async () => {
    const { url, redis } = await pair();
    const buckets = ended(openRateBuckets({ redisUrl: url, prefix: "t", log: testLog() }));
    const take = () => buckets.take([{ key: "someone", quota: 1_000_000, windowMs: 3_600_000 }], Date.now());
    const isShared = async () => (await redis.primary.say("EXISTS t:rate:someone")) === ":1\r\n";
    await until("a request is counted in Redis", async () => (await take()).granted && isShared());
    await redis.failOver();
    await redis.flush();
    await until("a request is counted at the new primary", async () => (await take()).granted && isShared());
  });
});

describe.runIf(REDIS_BINARY)("a server of Redis", () => {
  it("is told to be a replica", async () => {
    const [old, next] = [ended(await startRedis()), ended(await startRedis())];
    const redis = connect(next.url);
    expect(await isReplica(redis)).toBe(false);
    await next.follow(old);
    expect(await isReplica(redis)).toBe(true);
  });

  it("counts as a primary where it keeps it to itself, and as neither where it is away", async () => {
    const { url } = await stubRedis(() => "-ERR\r\n");
    const redis = connect(url);
    redis.info = (async () => {
      throw Object.assign(new Error("NOPERM this user has no permissions"), { name: "ReplyError" });
    }) as typeof redis.info;
    expect(await isReplica(redis)).toBe(false);
    redis.info = (async () => {
      throw new Error("Connection is closed.");
    }) as typeof redis.info;
    await expect(isReplica(redis)).rejects.toThrow("closed");
  });
});
