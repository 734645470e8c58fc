/** L1: keyed reads over 32 and 256 connections in turn. The ratio to the database's own limit (P1) is `bench -- reads --keyed`. */
import { median } from "../../harness/figures.ts";
import type { LoadResult } from "../reads/load.ts";
import { type Check, measured, ofReads, reported } from "./check.ts";
import type { LoadWorld } from "./service.ts";

const CONNECTIONS = [32, 256] as const;

export async function keyed(world: LoadWorld, { rounds, seconds }: { rounds: number; seconds: number }) {
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
