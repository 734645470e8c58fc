/**
 * `npm run bench -- snapshots [--agents N] [--keep FOLDER] [--short]`: makes snapshots while the API is read, in turn with phases
 * in which it is only read; then computes every score and the root again from the files.
 */
import { join } from "node:path";
import { fullPass } from "../db/cred/cred-passes.ts";
import { migrate } from "../db/schema/migrate.ts";
import { snapshotFolder } from "../db/snapshots/folder.ts";
import { atMost, goal, median, megabytes, printTable, quantile, seconds, stopwatch } from "../harness/figures.ts";
import { plantOnchain } from "../harness/onchain.ts";
import { onchainTables } from "../harness/onchain-tables.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { randomOf } from "../harness/random.ts";
import type { ScratchPostgres } from "../harness/scratch-postgres.ts";
import { replaySnapshot } from "../workers/snapshots/replay.ts";
import { makeSnapshot } from "../workers/snapshots/snapshots.ts";
import { plantPopulation } from "./cred.ts";
import type { Plan, Run } from "./load/open-loop.ts";
import { AGENT, database } from "./reads/rounds.ts";
import { startProgram, startService } from "./reads/servers.ts";
import { measureTree, OF } from "./roots.ts";
import { withKept } from "./synthetic/kept.ts";

const ROUNDS = 3;
const PER_SECOND = 100;
/** Of reads alone, and of one part of the reads beside a snapshot. */
const IDLE_SECONDS = 10;
const PART_SECONDS = 1;

/** @param args `--agents N`; `--keep` plants them in a folder, and finds them there the next time; `--short` for 20,000 of them */
export default async function snapshots(args: string[]): Promise<void> {
  const sizes = { agents: { absent: 1_000_000, short: 20_000, least: 3_000 } };
  const { numbers, others } = commandLine(sizes, { keep: { type: "string" }, ...WITH_SHORT }, args);
  await withKept<number>(
    { kept: others.keep, note: "agents", name: "snapshots" },
    async ({ postgres, pool }) => {
      await migrate(postgres.url);
      await plantOnchain(pool, { ddl: onchainTables() });
      await plantPopulation(pool, numbers.agents);
      await fullPass(pool, { now: new Date(), cause: "bench" });
      await measureTree(pool, postgres.url);
      await pool.query("vacuum analyze");
      return numbers.agents;
    },
    measure,
  );
}

/** What the job logs of a snapshot. */
type Cost = { bytes: number; peakBytes: number; cpuMs: number };

async function measure(at: ScratchPostgres, agents: number): Promise<void> {
  const api = await startService(at, { LIST_MEMORY_MB: "0" });
  const load = startProgram(at, "load/open-loop.ts");
  const random = randomOf(7);
  /** Keyed reads of random agents. @returns milliseconds of each, from when it was due */
  const read = async (forSeconds: number): Promise<number[]> => {
    const one = () => AGENT.replace("*", String(Math.floor(random() * agents)));
    const paths = Array.from({ length: PER_SECOND * forSeconds }, one);
    const { waits, failures } = await load.asks<Run>({
      ...{ url: api.url, paths, perSecond: PER_SECOND, connections: 32 },
    } satisfies Plan);
    if (failures.length > 0) throw new Error(failures[0]);
    return waits;
  };
  const folder = join(at.directory, `snapshots-${Date.now()}`);
  const costs: Cost[] = [];
  const log = { info: (cost: Cost) => costs.push(cost) } as never;
  const of = { place: snapshotFolder(folder), url: at.postgres.url, publicUrl: "https://agents.example", ...OF };
  await read(IDLE_SECONDS);
  console.log(`${agents.toLocaleString("en")} agents, ${PER_SECOND} keyed reads a second\n`);
  const columns = ["p99 ms idle", "beside", "ratio", "p50 ms idle", "beside", "export s", "Postgres CPU s"];
  const row = printTable(
    "",
    columns.map((head) => [head, 1] as const),
    8,
  );
  const ratios: number[] = [];
  let last = "";
  for (let round = 1; round <= ROUNDS; round++) {
    const used = [database(at.postgres)];
    const idle = await read(IDLE_SECONDS);
    used.push(database(at.postgres));
    const beside: number[] = [];
    const [made, reads] = [stopwatch(() => makeSnapshot({ log, fault: () => {} }, of)), new AbortController()];
    made.then(
      () => reads.abort(),
      () => reads.abort(),
    );
    while (!reads.signal.aborted) beside.push(...(await read(PART_SECONDS)));
    const [madeMs, { id }] = await made;
    used.push(database(at.postgres));
    last = id;
    const [p99, besideP99] = [quantile(idle, 0.99), quantile(beside, 0.99)];
    ratios.push(besideP99 / p99);
    const ofReads = ((used[1]! - used[0]!) / idle.length) * beside.length;
    const postgres = used[2]! - used[1]! - ofReads;
    row(`round ${round}`, p99, besideP99, besideP99 / p99, median(idle), median(beside), madeMs / 1_000, postgres);
  }
  const cost = (of: keyof Cost) => median(costs.map((one) => one[of]));
  const [replayMs, { scores, root, problems }] = await stopwatch(() => replaySnapshot(join(folder, last)));
  console.log(`
its process: CPU ${seconds(cost("cpuMs"))}, peak memory ${megabytes(cost("peakBytes"))}; files ${megabytes(cost("bytes"))}
replay ${seconds(replayMs)}, root ${root}
`);
  for (const problem of problems) console.log(problem);
  console.log(goal("scores and root again", `${scores} of ${agents}`, scores === agents && problems.length === 0));
  const what = "p99 of keyed reads beside an export, of the one before it";
  console.log(atMost(what, median(ratios), 1.5, { unit: " ×", digits: 2 }));
}
