/** Who is asked in turn, round after round, and what an answer costs. */
import { cpus, loadavg } from "node:os";
import type { Child } from "../../harness/child.ts";
import { median, sum } from "../../harness/figures.ts";
import { cpuOf, cpuOfMachine } from "../../harness/running-processes.ts";
import type { Load, LoadResult } from "./load.ts";

/** Who works for an answer, by name: the CPU seconds of each so far. */
export type Meters = Record<string, () => number>;
/** One round; `us` are microseconds of CPU for each answer, by who worked. */
export type Round = { rate: number; us: Record<string, number>; p50Ms: number; p99Ms: number };
export type Contender = {
  name: string;
  run(seconds: number): Promise<Round>;
  /** Its process ends with its work: its CPU cannot be separated from that of other processes. */
  unseen?: true;
};

/** @property warmSeconds of each before it counts */
export type Plan = { agents: number; rounds: number; seconds: number; warmSeconds: number };

const CONNECTIONS = 32;
export const AGENT = "/api/v2/agent/*";

export const database = ({ pid }: { pid: number }) => cpuOf(pid, { children: true });

/** What some work costs for each of the answers that it gives. */
export async function metered<T extends { answers: number; seconds: number }>(
  meters: Meters,
  work: () => Promise<T>,
): Promise<T & Pick<Round, "rate" | "us">> {
  const before = Object.entries(meters).map(([name, read]) => [name, read()] as const);
  const done = await work();
  const us = before.map(([name, from]) => [name, ((meters[name]!() - from) / done.answers) * 1e6]);
  return { ...done, rate: done.answers / done.seconds, us: Object.fromEntries(us) };
}

/** A server that is asked over all connections. @throws Error when an answer is no 200 */
export const asking = (
  load: Child,
  { name, meters, ...what }: { name: string; meters: Meters } & Pick<Load, "url" | "path" | "ids">,
): Contender => ({
  name,
  run: (seconds) =>
    metered(meters, async () => {
      const asked = { connections: CONNECTIONS, forMs: seconds * 1000, ...what } satisfies Load;
      const loaded = await load.asks<LoadResult>(asked);
      if (loaded.failures > 0) throw new Error(`${loaded.failures} answers of ${what.url}${what.path} were no 200`);
      return loaded;
    }),
});

/** What the figures of a run are of. */
export const saidOf = ({ agents, rounds, seconds }: Plan): string =>
  `${agents.toLocaleString("en")} agents, random ids, ${CONNECTIONS} connections; medians of ${rounds} interleaved rounds of ${seconds} s\n`;

/** Everybody in turn, round after round. */
export async function play<Of extends Contender>(all: readonly Of[], plan: Plan): Promise<Map<Of, Round[]>> {
  for (const { run } of all) await run(plan.warmSeconds);
  const rounds = new Map<Of, Round[]>(all.map((contender) => [contender, []]));
  for (let round = 0; round < plan.rounds; round++)
    for (const contender of all) rounds.get(contender)!.push(await contender.run(plan.seconds));
  return rounds;
}

/** The share of the machine that goes to others than these meters while they work. */
export function meterOthers(meters: readonly (() => number)[]) {
  const others = () => cpuOfMachine() - sum(meters.map((read) => read()));
  const began = performance.now();
  const before = others();
  let unseen = 0;
  return {
    /** Does something whose own CPU is no other's. */
    async unseen<T>(work: () => Promise<T>): Promise<T> {
      const from = others();
      const done = await work();
      unseen += others() - from;
      return done;
    },
    summary(): string {
      const capacity = ((performance.now() - began) / 1000) * cpus().length;
      const share = Math.max(0, (others() - before - unseen) / capacity);
      return `load ${loadavg()[0]!.toFixed(1)}; ${(share * 100).toFixed(0)} % of the machine went to others meanwhile${share > 0.15 ? ": too much for figures to be kept" : ""}`;
    },
  };
}

/** Medians of what the rounds were, as the cells of a row. @param who worked, in the order of the columns */
export function mediansOf(own: readonly Round[], who: readonly string[]): number[] {
  const of = (pick: (round: Round) => number) => median(own.map(pick));
  const us = who.map((name) => of((round) => round.us[name] ?? Number.NaN));
  return [of(({ rate }) => rate), ...us, of(({ p50Ms }) => p50Ms), of(({ p99Ms }) => p99Ms)];
}

/** The median of the ratios round by round: neighbours in time share the machine's mood. */
export const ratio = (one: readonly Round[], other: readonly Round[], pick: (round: Round) => number): number =>
  median(one.map((round, i) => pick(round) / pick(other[i]!)));
