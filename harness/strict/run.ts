/** Runs the jobs, and a backfill whose rows are compared with the story, on each profile of the strict node. */
import pLimit from "p-limit";
import { keepsState, PROFILES, type ProfileName } from "../strict-node/profiles.ts";
import { type StrictCounts, startStrictNode } from "../strict-node/strict-node.ts";
import { EVENTS_PER_BLOCK } from "../synthetic/blocks.ts";
import { checkRows, startIndexer, startSyntheticNode, UNFINAL } from "../synthetic/indexer.ts";
import { mainJob, nothingStuck, paidMint, recovery } from "./jobs.ts";
import { type StrictWorld, startStrictWorld } from "./world.ts";

/** Profiles that run at the same time. */
const AT_ONCE = 2;
/** Of an operator who sets nothing. */
const LANES = 8;

/** Sizes of a run. */
export type Plan = {
  profiles: readonly ProfileName[];
  /** Empty blocks of the development chain before the first registration. */
  blocks: number;
  /** Events of the backfill. */
  events: number;
  /** How many blocks have one with events among them; 1 for the profiles that are not named. */
  spread: Partial<Record<ProfileName, number>>;
  backfillMs: number;
};

/** Ranges are as wide as the limits only where the events are spread over more blocks. */
export const FULL: Plan = {
  profiles: Object.keys(PROFILES) as ProfileName[],
  blocks: 1_100,
  events: 20_000,
  spread: { "public-base": 10, "logs-500": 5, "logs-2000": 10, "logs-10000": 20, "logs-unnamed": 5 },
  backfillMs: 600_000,
};
export const SHORT: Plan = {
  profiles: ["public-base", "logs-10"],
  blocks: 60,
  events: 1_000,
  spread: { "public-base": 30 },
  backfillMs: 240_000,
};

const JOBS = { "main job": mainJob, "paid mint": paidMint, recovery, "nothing stuck": nothingStuck } as const;

export type StepResult = {
  profile: ProfileName;
  step: string;
  /** Null when it passed. */
  wrong: string | null;
  seconds: number;
  counts: StrictCounts;
};

export async function runStrict(plan: Plan, say: (line: string) => void): Promise<StepResult[]> {
  const limit = pLimit(AT_ONCE);
  const runs = plan.profiles.map((profile) => limit(() => runProfile(profile, plan, say)));
  return (await Promise.all(runs)).flat();
}

/** In a world of its own: two senders with one key would take each other's nonces. */
async function runProfile(profile: ProfileName, plan: Plan, say: (line: string) => void): Promise<StepResult[]> {
  const world = await startStrictWorld(profile, plan.blocks);
  try {
    const [jobs, backfill] = await Promise.all([runJobs(world, profile, say), runBackfill(world, profile, plan)]);
    const results = [...jobs, backfill];
    for (const { step, wrong, seconds } of results)
      say(`${profile}, ${step}: ${wrong ?? "passed"} (${seconds.toFixed(1)} s)`);
    return results;
  } finally {
    await world.close();
  }
}

async function runJobs(world: StrictWorld, profile: ProfileName, say: (line: string) => void): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const timed = async (step: string, work: () => Promise<void>) => {
    const began = performance.now();
    world.node.reset();
    const wrong = await work().then(() => null, reasonOf);
    const seconds = (performance.now() - began) / 1000;
    results.push({ profile, step, wrong, seconds, counts: world.node.counts() });
    if (wrong !== null)
      for (const part of ["indexer", "workers", "api", "api-2"] as const)
        for (const line of world.processes.words(part).trim().split("\n").slice(-4))
          if (line) say(`  ${part}: ${line.slice(0, 400)}`);
    return wrong === null;
  };
  if (!(await timed("start", () => world.ready()))) return results;
  for (const [step, job] of Object.entries(JOBS)) await timed(step, () => job(world));
  return results;
}

/** From the synthetic node through a profile; the rows are compared with the story. */
async function runBackfill(world: StrictWorld, profile: ProfileName, plan: Plan): Promise<StepResult> {
  const databaseUrl = await world.emptyDatabase(`backfill-${profile}`);
  const began = performance.now();
  const spread = plan.spread[profile] ?? 1;
  const head = (plan.events / EVENTS_PER_BLOCK) * spread + UNFINAL;
  const synthetic = await startSyntheticNode(head, spread);
  const node = await startStrictNode({ upstream: synthetic.url, profile });
  const env = { RPC_ARCHIVE: String(keepsState(profile)) };
  const indexer = startIndexer({ databaseUrl, rpcUrl: node.url, lanes: LANES, env });
  const right = indexer.said("serving", plan.backfillMs).then(() => checkRows(databaseUrl, Math.floor(head / spread)));
  const wrong = await right.then(() => null, reasonOf);
  const seconds = (performance.now() - began) / 1000;
  await indexer.stop();
  node.close();
  await synthetic.stop();
  return { profile, step: "backfill", wrong, seconds, counts: node.counts() };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 400);
