/** Runs rounds one after the other, in a world that is made anew after twenty rounds, and prints the result of each. */
import "./compiled.ts";
import { privateKeyToAddress } from "viem/accounts";
import { openPool } from "../../db/sql/connect.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { ensureDatabase } from "../../devnet/postgres.ts";
import { openTreasury } from "../books.ts";
import { dumpIndex } from "../dump-index.ts";
import { startProcess } from "../service-process.ts";
import { isIndexed } from "../under-way.ts";
import { until } from "../until.ts";
import { registerHired } from "./evidence.ts";
import type { Ledger } from "./oracle.ts";
import { drawPlan, type Plan, ROWS, type Row } from "./plan.ts";
import { PARTS } from "./processes.ts";
import { runRound } from "./round.ts";
import { startWorld, type World } from "./world.ts";

/** Rounds after which the chain starts anew: the oracle reads all of it. */
const ROUNDS_PER_WORLD = 20;

/** What a round is drawn from: a seed, and the rows it may take; absent = all. */
type Drawn = { seed: number; rows?: readonly Row[] | undefined };

export type SimulationOptions = {
  drawn: readonly Drawn[];
  say(line: string): void;
  /** Stops before a round that would begin later, in milliseconds since the epoch. */
  until?: number | undefined;
};

/** @returns seeds of failed rounds with what was wrong, in how many rounds each row was, how often a process died at a fault point */
export async function simulate(options: SimulationOptions) {
  const { drawn, say } = options;
  const failures: { seed: number; differences: string[] }[] = [];
  const covered = Object.fromEntries(Object.keys(ROWS).map((row) => [row, 0])) as Record<Row, number>;
  const died: Record<string, number> = {};
  const left = [...drawn];
  let rounds = 0;
  const late = () => options.until !== undefined && Date.now() > options.until;
  while (left.length > 0 && !late()) {
    const began = Date.now();
    const world = await startWorld();
    say(`a new world after ${Math.round((Date.now() - began) / 1000)} s`);
    try {
      const ledger = await openLedger(world);
      let failed = false;
      let last = 0;
      for (let round = 0; round < ROUNDS_PER_WORLD && left.length > 0 && !late(); round++) {
        const { seed, rows } = left.shift()!;
        const plan = drawPlan(seed, rows);
        const { differences, took } = await runRound(world, ledger, plan);
        rounds++;
        last = seed;
        for (const row of plan.rows) covered[row]++;
        const seconds = `${took.begin} + ${took.load} + ${took.settling} + ${took.oracle} s`;
        say(
          `${rounds} of ${drawn.length}, seed ${seed}  ${plan.rows.join(" ")}  ${plan.acts.length} acts  ${seconds}  ${differences.length ? "WRONG" : "ok"}`,
        );
        if (differences.length === 0) continue;
        failures.push({ seed, differences });
        printFailure(say, world, plan, rows, differences);
        failed = true;
        // What is wrong would be wrong in every later round of this world: the seeds left get a new one.
        break;
      }
      if (!failed && last > 0) {
        const wrong = await rebuilt(world);
        say(
          `the index of ${ledger.outcomes.length} purchases' world, rebuilt from nothing: ${wrong.length ? "WRONG" : "equal"}`,
        );
        if (wrong.length > 0) failures.push({ seed: last, differences: wrong });
      }
      for (const [point, times] of Object.entries(world.processes.died)) died[point] = (died[point] ?? 0) + times;
    } finally {
      await world.close();
    }
  }
  return { failures, rounds, covered, died };
}

function printFailure(
  say: (line: string) => void,
  world: World,
  plan: Plan,
  rows: readonly Row[] | undefined,
  differences: readonly string[],
): void {
  say(`  again: npm run trial -- simulate --seed ${plan.seed} --runs 1${rows ? ` --rows ${rows.join(",")}` : ""}`);
  for (const { row, afterMs, ms, ...fault } of plan.faults)
    say(`  ${row} after ${afterMs} ms for ${ms} ms: ${JSON.stringify(fault).slice(0, 200)}`);
  for (const act of plan.acts) {
    const { buys, by, variant } = "payment" in act ? act.payment : {};
    say(`  act: ${act.kind}${buys ? ` ${buys} ${by} ${variant}` : ""}`);
  }
  for (const difference of differences) say(`  WRONG: ${difference}`);
  for (const part of PARTS) {
    const lines = world.processes.words(part).trim().split("\n").slice(-15);
    for (const line of lines) say(`  ${part}: ${line.slice(0, 300)}`);
  }
}

async function openLedger(world: World): Promise<Ledger> {
  const { keys } = world.devnet;
  const payees = {
    deployer: privateKeyToAddress(keys.deployer).toLowerCase() as `0x${string}`,
    treasury: privateKeyToAddress(keys.treasury).toLowerCase() as `0x${string}`,
  };
  const hired = await registerHired(world);
  return { outcomes: [], payees, base: await openTreasury(world.chainClient.chain, CANONICAL.usdc, payees), hired };
}

/** Indexes the chain once more, from nothing, and compares every row. @returns differences */
async function rebuilt(world: World): Promise<string[]> {
  world.chain.hold();
  const url = await ensureDatabase(world.postgres.adminUrl, "rebuilt");
  const pool = openPool({ connectionString: url, max: 2 });
  const indexer = startProcess("indexer", { ...world.indexerEnv, DATABASE_URL: url });
  try {
    const head = Number(await world.chain.chain.getBlockNumber());
    await until("the rebuilt index", () => isIndexed(pool, head), { timeoutMs: 240_000, everyMs: 300 });
    const [grown, anew] = [await dumpIndex({ pool: world.db }), await dumpIndex({ pool })];
    return Object.keys(anew).flatMap((table) => {
      const [ours, theirs] = [grown[table] ?? [], anew[table]!];
      if (ours.length === theirs.length && ours.every((row, i) => row === theirs[i])) return [];
      const odd = [...ours.filter((row) => !theirs.includes(row)), ...theirs.filter((row) => !ours.includes(row))];
      return [`${table}: ${ours.length} rows grown, ${theirs.length} rebuilt: ${odd[0]?.slice(0, 400)}`];
    });
  } catch (error) {
    return [String(error)];
  } finally {
    await indexer.stop();
    await pool.end();
  }
}
