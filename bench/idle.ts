/**
 * `npm run bench -- idle [--minutes N] [--hours N] [--seconds N] [--short]`: memory and CPU of each process of a seeded `npm start` with nothing to
 * do, and its transactions, after N minutes, and again after N simulated hours of blocks with a little traffic.
 */
import { setTimeout as wait } from "node:timers/promises";
import { rpc } from "../devnet/anvil-process.ts";
import { dropHashes } from "../devnet/block-clock.ts";
import { withClient } from "../devnet/with-client.ts";
import { atMost, sum, table } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { cpuOf, processesBelow, proportionalBytes, residentBytes } from "../harness/running-processes.ts";
import { type Stack, withSeededStack } from "../harness/stack.ts";
import { processesByPart } from "../harness/stack-parts.ts";
import { until } from "../harness/until.ts";

/** Of Base: one in two seconds. */
const BLOCKS_AN_HOUR = 1_800;
/** Seconds of no clock that could be the stack's (devnet/block-clock.ts): that one rests meanwhile. */
const OTHER_CLOCK = 900_000_000;
/** Blocks that are mined at once; a multiple of what Ponder fetches at once. */
const CHUNK = 300;
/** Seconds after the traffic until all is at rest: jobs rest after a minute. */
const REST_SECONDS = 90;
const MOST_MB = 1024;
const MOST_CPU = 5;
const MOST_TRANSACTIONS = 5;

/**
 * @param args `--minutes N` before the first table (default 10), `--hours N` of blocks before the second (24), `--seconds N` over which
 *   CPU and transactions are taken (300: jobs of ten minutes make one minute unlike another); `--short` for 3, 1 and 60
 */
export default async function idle(args: string[]): Promise<void> {
  const lengths = {
    minutes: { absent: 10, short: 3, least: 1 },
    hours: { absent: 24, short: 1, least: 1 },
    seconds: { absent: 300, short: 60, least: 1 },
  };
  const { minutes, hours, seconds } = commandLine(lengths, WITH_SHORT, args).numbers;
  await withSeededStack(async (stack) => {
    await wait(minutes * 60_000);
    await show(stack, seconds, `after ${minutes} minutes`);
    const began = performance.now();
    // The stack's own clock takes a block back now and then: not while many are mined, or one of them is lost.
    const { rpcUrl } = stack.devnet;
    const clock = await rpc(rpcUrl, "anvil_getIntervalMining");
    await rpc(rpcUrl, "evm_setIntervalMining", [OTHER_CLOCK]);
    for (let hour = 1; hour <= hours; hour++) await simulateHour(stack);
    await rpc(rpcUrl, "evm_setIntervalMining", [clock]);
    const took = ((performance.now() - began) / 60_000).toFixed(1);
    await wait(REST_SECONDS * 1_000);
    await show(stack, seconds, `after ${hours} simulated hours: ${hours * BLOCKS_AN_HOUR} blocks in ${took} minutes`);
  });
}

/** The blocks of an hour, as fast as the index follows, with fifty reads. */
async function simulateHour({ devnet: { apiUrl, rpcUrl } }: Stack): Promise<void> {
  for (let mined = 0; mined < BLOCKS_AN_HOUR; mined += CHUNK) {
    await rpc(rpcUrl, "anvil_mine", [`0x${CHUNK.toString(16)}`]);
    const head = Number(await rpc(rpcUrl, "eth_blockNumber"));
    await until("the index follows", async () => {
      const { chain } = (await (await fetch(`${apiUrl}/api/v2/status`)).json()) as { chain: { indexed: number } };
      return chain.indexed >= head;
    });
  }
  await dropHashes(rpcUrl);
  const pages = ["agents?sort=credScore&order=desc", "agent/0", "agent/0/cred", "stats", "discover?q=audit"];
  for (let i = 0; i < 50; i++) await (await fetch(`${apiUrl}/api/v2/${pages[i % pages.length]}`)).arrayBuffer();
}

/** Prints the memory of each part, and its CPU over some seconds without blocks of ours and without traffic. */
async function show(stack: Stack, seconds: number, title: string): Promise<void> {
  const root = stack.process.pid!;
  const parts = () => [...processesByPart(root), ["all", processesBelow(root)] as const];
  /** Of those that are still there. */
  const total = (of: (pid: number) => number, pids: readonly number[]) => sum(pids.map(of).filter(Number.isFinite));
  const cpuOfAll = (pids: readonly number[]) => total((pid) => cpuOf(pid), pids);
  const before = new Map(parts().map(([name, pids]) => [name, cpuOfAll(pids)]));
  const { transactions: earlier } = await databaseOf(stack);
  await wait(seconds * 1_000);
  const { transactions, connections } = await databaseOf(stack);
  const rows = parts().map(([name, pids]) => ({
    ...{ name, processes: pids.length },
    resident: total((pid) => residentBytes(pid), pids) / 2 ** 20,
    proportional: total(proportionalBytes, pids) / 2 ** 20,
    cpu: ((cpuOfAll(pids) - (before.get(name) ?? 0)) / seconds) * 100,
  }));
  const body = rows.map(({ name, processes, resident, proportional, cpu }) => [
    ...[name, processes, resident.toFixed(0), proportional.toFixed(0), cpu.toFixed(1)],
  ]);
  console.log(`\n${title}\n${table(["", "processes", "resident MB", "proportional MB", "CPU %"], body)}\n`);
  const all = rows.at(-1)!;
  console.log(atMost("memory of all, proportional", all.proportional, MOST_MB, { unit: " MB" }));
  console.log(atMost("CPU of all, of a core", all.cpu, MOST_CPU, { unit: " %", digits: 1 }));
  const perSecond = (transactions - earlier) / seconds;
  console.log(atMost("transactions a second", perSecond, MOST_TRANSACTIONS, { digits: 1 }));
  console.log(`${connections} connections to the database`);
}

/** Transactions so far, and the connections that are open. */
const databaseOf = ({ devnet }: Stack) =>
  withClient(devnet.databaseUrl, async (client) => {
    const { rows } = await client.query(`
      select (xact_commit + xact_rollback)::float8 as transactions, numbackends - 1 as connections
      from pg_stat_database where datname = current_database()`);
    return rows[0] as { transactions: number; connections: number };
  });
