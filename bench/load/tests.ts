/** The load tests by their names in docs/engineering/reliability.md, each in its full length and in a short one that only counts. */
import { median } from "../../harness/figures.ts";
import type { LoadResult } from "../reads/load.ts";
import { cards } from "./cards.ts";
import { type Check, measured, ofReads, reported } from "./check.ts";
import { overload } from "./overload.ts";
import type { LoadWorld } from "./service.ts";
import { signatures } from "./signatures.ts";
import { slow } from "./slow.ts";

const CONNECTIONS = [32, 256] as const;

async function keyed(world: LoadWorld, { rounds, seconds }: { rounds: number; seconds: number }) {
  const api = await world.startApi();
  await world.read(api, CONNECTIONS[0], seconds);
  const loaded = CONNECTIONS.map((): LoadResult[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, connections] of CONNECTIONS.entries()) loaded[i]!.push(await world.read(api, connections, seconds));
  await api.stop();
  const of = (pick: (one: LoadResult) => number) => loaded.map((all) => median(all.map(pick))) as [number, number];
  const [few, many] = of((one) => one.answers / one.seconds);
  const p99 = of(({ p99Ms }) => p99Ms).map((ms) => ms.toFixed(1));
  return [
    ...ofReads(loaded.flat()),
    reported("answers a second over 32 / 256 connections", `${few.toFixed(0)} / ${many.toFixed(0)}`),
    reported("p99 over 32 / 256 connections", `${p99.join(" / ")} ms`),
    measured("256 connections against 32", `${(many / few).toFixed(2)} ×`, "≥ 0.9 ×", many / few >= 0.9),
  ] satisfies Check[];
}

export type LoadTest = {
  title: string;
  run(world: LoadWorld): Promise<Check[]>;
  short(world: LoadWorld): Promise<Check[]>;
};

export const LOAD_TESTS: Record<"L1" | "L3" | "L4" | "L5" | "L7", LoadTest> = {
  L1: {
    title: "keyed reads over 32 and 256 connections",
    run: (world) => keyed(world, { rounds: 5, seconds: 5 }),
    short: (world) => keyed(world, { rounds: 1, seconds: 0.5 }),
  },
  L3: {
    title: "five times what the database can answer",
    run: (world) => overload(world, { seconds: 20 }),
    short: (world) => overload(world, { seconds: 2 }),
  },
  L4: {
    title: "a storm of cards",
    run: (world) => cards(world, { distinct: 1_000, repeats: 10_000, connections: 64, readSeconds: 3 }),
    short: (world) => cards(world, { distinct: 30, repeats: 200, connections: 64, readSeconds: 0.3 }),
  },
  L5: {
    title: "a thousand bad signatures a second",
    run: (world) => signatures(world, { rounds: 5, seconds: 4, perSecond: 1_000 }),
    short: (world) => signatures(world, { rounds: 1, seconds: 1, perSecond: 500 }),
  },
  L7: {
    title: "slow clients and large headers",
    run: (world) => slow(world, { sockets: 500, bodies: 20, readSeconds: 3 }),
    short: (world) =>
      slow(world, { sockets: 100, bodies: 5, readSeconds: 0.5, patience: { headersMs: 1_000, requestMs: 3_000 } }),
  },
};
