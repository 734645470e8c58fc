/** How each fault of a plan is done to the world, and how everything is well again afterwards. */
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openClient } from "../../db/sql/connect.ts";
import { withClient } from "../../devnet/with-client.ts";
import { openQueues } from "../../workers/operations/queue.ts";
import { testLog } from "../log.ts";
import { nextNonce, signCall } from "../transactions.ts";
import type { Fault } from "./plan.ts";
import { PARTS } from "./processes.ts";
import type { World } from "./world.ts";

const SKEWED_CLOCK = new URL("skewed-clock.ts", import.meta.url).href;
const GAS_MONEY = parseEther("100");
/** Ends of processes by SIGTERM take no longer; as long again on a machine that does everything else as well. */
const END_MS = 20_000;
const SOURCES = ["github", "x", "farcaster", "ethos"];

const quiet = () => {};

/** Lets it happen; resolves once it is over. @returns what went wrong in the doing, in words */
export async function inject(world: World, fault: Fault, random: () => number): Promise<string[]> {
  await wait(fault.afterMs);
  const wrong = await FAULTS[fault.do](world, fault as never, random);
  return typeof wrong === "string" ? [wrong] : [];
}

/** The faults of a kind. */
type Of<Kind, Any = Fault> = Any extends { do: infer One } ? (Kind extends One ? Any : never) : never;
type Do<Kind> = (world: World, fault: Of<Kind>, random: () => number) => unknown;

/** How each is done; one that resolves with a text went wrong in the doing. */
const FAULTS: { [Kind in Fault["do"]]: Do<Kind> } = {
  kill: ({ processes }, { part, point }) => processes.kill(part, point ? { FAULT_POINT: point } : undefined),
  freeze: ({ processes }, { part, ms }) => processes.freeze(part, ms),
  async terminate({ processes }, { part }) {
    const ended = await processes.terminate(part);
    // Killed meanwhile, by another fault of the plan, or asked before it had begun anything that needs an end.
    const inOrder = ended.signal !== null || ended.code === 0;
    return inOrder && ended.ms < END_MS
      ? null
      : `${part} ended with ${ended.signal ?? ended.code} after ${ended.ms} ms when it was asked to`;
  },
  skew(world, { part, skewMs }) {
    if (part === "api-2") world.skewMs["api-2"] = skewMs;
    world.processes.kill(part, { NODE_OPTIONS: `--import ${SKEWED_CLOCK}`, CLOCK_SKEW_MS: String(skewMs) });
  },
  node: ({ nodes }, { side, mode, ms }) => trouble(nodes[side], mode, ms),
  foreign,
  "lose-lock": ({ db }) =>
    db.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sender'").catch(quiet),
  async "no-funds"({ chain: { chain }, sender }, { ms }) {
    await chain.setBalance({ address: sender, value: 0n });
    await wait(ms);
    await chain.setBalance({ address: sender, value: GAS_MONEY });
  },
  reorg: ({ chain }, { depth, loss }, random) => chain.reorganise(depth, random, loss),
  redis,
  postgres,
  async line({ lines }, { side, way, ms }) {
    const line = lines[side];
    if (way === "reset") return line.reset();
    if (way === "cut") await line.cut();
    else line.be(way);
    await wait(ms);
    await line.mend();
  },
  facilitator: ({ facilitator }, { mode, ms }) => trouble(facilitator, mode, ms),
  async provider(world, { source, plan, ms }) {
    await world.control("POST", "fail", { source, times: 1_000, ...plan });
    await wait(ms);
    await world.control("POST", "fail", { source, times: 0 });
  },
  jobs: (world) => strangeJobs(world).catch(quiet),
};

/** Has a server be in a mode for a while. */
async function trouble<Mode>(server: { mode: Mode | null }, mode: Mode, ms: number): Promise<void> {
  server.mode = mode;
  await wait(ms);
  server.mode = null;
}

/** Another process sends with the sender's key, as an operator's script might. */
async function foreign(world: World, { transactions }: { transactions: number }): Promise<void> {
  const account = privateKeyToAccount(world.devnet.keys.deployer);
  for (let i = 0; i < transactions; i++) {
    const nonce = await nextNonce(world.chain.chain, account);
    const { raw } = await signCall(account, nonce, { to: account.address, value: 1n, gas: 21_000n, tipGwei: 2n });
    await world.chainClient.push(raw);
  }
}

async function redis({ redis, redisLine }: World, { way, ms }: Of<"redis">): Promise<void> {
  if (!redis || !redisLine) return;
  if (way === "restart") return redis.restart();
  if (way === "flush") return redis.flush();
  if (way === "failover") return redis.failOver();
  if (way === "cut") await redisLine.cut();
  else redisLine.be(way === "silent" ? { kind: "silent" } : { kind: "late", ms: 150 });
  await wait(ms);
  await redisLine.mend();
}

async function postgres(world: World, { way, ms }: Of<"postgres">): Promise<void> {
  if (way === "crash") {
    await world.postgres.crash();
    await wait(ms / 2);
    return world.postgres.start();
  }
  const admin = openClient({ connectionString: way === "lock" ? world.databaseUrl : world.postgres.adminUrl });
  admin.on("error", quiet);
  const ends = "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'simulation'";
  try {
    await admin.connect();
    if (way === "sessions") return void (await admin.query(ends));
    if (way === "read-only") {
      await takesWrites(admin, false);
      await wait(ms);
      return;
    }
    if (way === "refuse") {
      await admin.query("alter database simulation with allow_connections false");
      await admin.query(ends);
      await wait(ms);
      return;
    }
    await admin.query(
      "begin; lock table offchain.payment, offchain.transaction_outbox, offchain.cred in access exclusive mode",
    );
    await wait(ms);
    await admin.query("rollback");
  } catch {
    // The server is down by another fault: one trouble is enough.
  } finally {
    if (way === "refuse") await admin.query("alter database simulation with allow_connections true").catch(quiet);
    if (way === "read-only") await takesWrites(admin, true).catch(quiet);
    await admin.end().catch(quiet);
  }
}

/** Lets the server refuse every write, as an old primary does, or take them again; no connection is closed. */
async function takesWrites(admin: pg.Client, does: boolean): Promise<void> {
  await admin.query("set default_transaction_read_only = off");
  await admin.query(`alter system set default_transaction_read_only = ${does ? "off" : "on"}`);
  await admin.query("select pg_reload_conf()");
}

/** Jobs that were never meant: the same many times, for agents there are none of, and ones that make no sense. */
async function strangeJobs({ redis, databaseUrl }: World): Promise<void> {
  const queues = await openQueues({ databaseUrl, redisUrl: redis?.url, prefix: "agents", log: testLog() });
  try {
    const twice = Array.from({ length: 20 }, () => ({
      jobId: "strange-again",
      data: { tokenIds: [0, 1, 2], cause: "simulated" },
    }));
    await queues.add("score", twice);
    await queues.add("score", [
      { data: { tokenIds: [999_999], cause: "simulated" } },
      { data: "no sense" },
      { data: { tokenIds: ["x"] } },
    ]);
    await queues.add("offers", [{ data: null }]);
    await queues.add("directory-own", [{ data: {} }, { data: {} }, { data: {} }]);
  } finally {
    await queues.close();
  }
}

/** Ends all trouble: everything runs, nothing is armed, every clock is right. */
export async function heal(world: World): Promise<void> {
  const { nodes, lines, redisLine, facilitator, processes } = world;
  for (const node of Object.values(nodes)) node.mode = null;
  facilitator.mode = null;
  facilitator.before.clear();
  await world.postgres.start();
  await withClient(world.postgres.adminUrl, async (admin) => {
    await takesWrites(admin, true);
    await admin.query("alter database simulation with allow_connections true");
  });
  await Promise.all([...Object.values(lines), ...(redisLine ? [redisLine] : [])].map((line) => line.mend()));
  for (const source of SOURCES) await world.control("POST", "fail", { source, times: 0 });
  await world.chain.chain.setBalance({ address: world.sender, value: GAS_MONEY });
  await Promise.all(PARTS.map((part) => processes.fresh(part)));
  world.skewMs["api-2"] = 0;
}
