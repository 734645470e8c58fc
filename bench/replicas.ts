/** `npm run bench -- replicas [--short]`: compares keyed reads by an API on the primary alone with those by an API with a streaming replica. */
import { join } from "node:path";
import { removePostgres } from "../devnet/postgres.ts";
import { atLeast, atMost, median, printTable } from "../harness/figures.ts";
import { startReplica } from "../harness/replica.ts";
import { cpuOf } from "../harness/running-processes.ts";
import { type ScratchPostgres, withPostgres } from "../harness/scratch-postgres.ts";
import { freePort } from "../runtime/free-port.ts";
import {
  AGENT,
  asking,
  type Contender,
  database,
  mediansOf,
  meterOthers,
  type Plan,
  play,
  type Round,
  ratio,
  saidOf,
} from "./reads/rounds.ts";
import { plantReads, startLoad, startService } from "./reads/servers.ts";

const FULL: Plan = { agents: 200_000, rounds: 5, seconds: 6, warmSeconds: 6 };
const SHORT: Plan = { agents: 20_000, rounds: 3, seconds: 2, warmSeconds: 2 };
/** Share of the CPU that a read costs the primary without a replica, of the CPU in Node, and of reads at the replica. */
const GOALS = { primary: 0.15, node: 1.1, share: 0.95 };

/** @param args `--short` for a short look */
export default async function replicas(args: string[]): Promise<void> {
  // Commits wait for the WAL to be written, as in production, on a disk that need not keep it.
  const options = { max: 2, fast: true, settings: { synchronous_commit: "on" } };
  await withPostgres("bench-replicas", options, (at) => measure(at, args.includes("--short") ? SHORT : FULL));
}

async function measure(at: ScratchPostgres, plan: Plan): Promise<void> {
  const { postgres: primary, directory, later } = at;
  await plantReads(at, plan.agents);
  const place = join(directory, "replica");
  later(() => removePostgres(place));
  const replica = await startReplica(primary.url, place);
  later(() => replica.stop());
  const load = startLoad(at);
  const meters = [() => cpuOf(process.pid), () => cpuOf(load.pid), () => database(primary), () => database(replica)];
  const start = async (name: string, more: Record<string, string>): Promise<Side> => {
    const opsPort = await freePort();
    const { url, pid } = await startService(at, { LIST_MEMORY_MB: "0", OPS_PORT: String(opsPort), ...more });
    meters.push(() => cpuOf(pid));
    const own = { node: () => cpuOf(pid), primary: () => database(primary), replica: () => database(replica) };
    const { run } = asking(load, { name, url, path: AGENT, ids: plan.agents, meters: own });
    const shares: number[] = [];
    return {
      ...{ name, shares },
      async run(seconds) {
        const before = await readsOf(opsPort);
        const round = await run(seconds);
        const reads = await readsOf(opsPort);
        const [atPrimary, atReplica] = [reads.primary - before.primary, reads.replica - before.replica];
        shares.push(atReplica / Math.max(1, atPrimary + atReplica));
        return round;
      },
    };
  };
  const alone = await start("primary alone", {});
  const replicated = await start("primary and one replica", { READ_DATABASE_URLS: replica.url });
  console.log(saidOf(plan));
  const others = meterOthers(meters);
  await compare([alone, replicated], plan);
  console.log(`\n${others.summary()}`);
}

type Side = Contender & { shares: number[] };

/** Both in turn; prints medians, and whether the goals are met. */
async function compare(sides: readonly [Side, Side], plan: Plan): Promise<void> {
  const rounds = await play(sides, plan);
  const shareOf = ({ shares }: Side) => median(shares.splice(0).slice(1));
  const shares = sides.map(shareOf);
  const columns = [
    "answers/s",
    "CPU µs: Node",
    "primary",
    "replica",
    ["p50 ms", 1],
    ["p99 ms", 1],
    ["% at the replica", 1],
  ] as const;
  console.log("");
  const row = printTable("", columns, 28);
  for (const [i, side] of sides.entries()) {
    row(side.name, ...mediansOf(rounds.get(side)!, ["node", "primary", "replica"]), shares[i]! * 100);
  }
  const [alone, replicated] = sides.map((side) => rounds.get(side)!) as [Round[], Round[]];
  for (const [who, most] of [
    ["primary", GOALS.primary],
    ["node", GOALS.node],
  ] as const) {
    const share = ratio(replicated, alone, ({ us }) => us[who]!);
    console.log(atMost(`CPU of ${who} for a read, with / without`, share, most, { digits: 2 }));
  }
  console.log(atLeast("share of reads at the replica", shares[1]!, GOALS.share, { digits: 2 }));
}

/** Statements by the server that answered them, as the API's metrics count them. */
async function readsOf(opsPort: number): Promise<{ primary: number; replica: number }> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const counts = [...text.matchAll(/^agents_database_reads_total\{.*?server="([^"]+)".*\} (\d+)$/gm)];
  const of = (isPrimary: boolean) =>
    counts.filter(([, server]) => (server === "primary") === isPrimary).reduce((sum, [, , n]) => sum + Number(n), 0);
  return { primary: of(true), replica: of(false) };
}
